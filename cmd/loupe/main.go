// Command loupe finds, starts and talks to running games.
//
//	loupe mcp              the MCP server that a client is configured with
//	loupe ls               the games on this machine
//	loupe call stats '{}'  one tool, and its answer
//
// loupe help has the rest.
package main

import (
	"os"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/cli"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/launch"
)

func main() {
	launch.Keep() // returns unless this process is the keeper of a game
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
