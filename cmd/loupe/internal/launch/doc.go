// Package launch builds a Go program and runs it as a child that cannot outlive
// its parent unless it is meant to.
//
//	spec := launch.Spec{Dir: dir, Package: "./cmd/game", Args: []string{"-seed", "4"}}
//	err := launch.Build(ctx, spec, exe) // *launch.BuildError: file, line, column, text
//	p, err := launch.Start(exe, spec, launch.Options{Output: launch.NewOutput()})
//	exit := p.Stop(2 * time.Second)
//
// On Unix a keeper stands between parent and child: this program again, run
// with the word KeeperArg. It holds a pipe from the parent; when that ends, even
// by kill -9, it ends the child's whole process group. On Windows a job object
// does the same. A program that uses Start calls Keep first in its main.
package launch
