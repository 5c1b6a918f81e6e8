// Package cli is the command line: every command finds a game, makes one or more
// calls and prints what came back, as a table for people or, with -json, as it
// came.
//
//	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
package cli
