// Package session keeps the games that a bridge or a command line can talk to:
// those that it finds announced on this machine, and those that it has started.
//
//	t := session.New(session.Options{Root: dir})
//	defer t.Close()
//	s, err := t.Start(ctx, launch.Spec{Package: "./cmd/game"}, time.Minute, nil)
//	s, err = t.Resolve("game")
//
// A Session stays the same while its program is built and started again; its
// Process changes. All methods may be called from any goroutine.
package session
