// Command structs is a game without an ECS, with the debug server inside: its
// slices, pointers and variables are what a client sees as entities and
// resources.
//
//	go run ./examples/structs
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/loupe-ecs/loupe/ecs/structworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

func main() {
	addr := flag.String("addr", mcpdebug.DefaultAddr, "address of the debug server; port 0 takes a free one")
	data := flag.String("data", "", "folder for snapshots and profiles. Default: in the user's cache")
	frames := flag.Uint64("frames", 0, "end after so many frames; 0 never")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	g := newGame()
	world := structworld.New(
		structworld.Pointer("Ship", &g.ship),
		structworld.Pointers("Rock", &g.rocks),
		structworld.Slice("Spark", &g.shots),
		structworld.Resource(&g.rules),
		structworld.Resource(&g.score),
		structworld.Resource(g.random))

	dbg, err := mcpdebug.Listen(*addr, &mcpdebug.Options{DataDir: *data})
	if err != nil {
		log.Print(err) // the game runs on: a nil server does nothing
	}
	defer dbg.Close()
	clock := &host.StepClock{}
	dbg.Bind(world, &host.App{Name: "structs", Clock: clock, Summary: func() any { return g.score }})
	if url := dbg.URL(); url != "" {
		fmt.Println("debug server listening at", url)
		fmt.Println("  Claude Code:  claude mcp add --transport http game", url)
	}

	ticker := time.NewTicker(time.Second / 60)
	defer ticker.Stop()
	for frame := uint64(0); *frames == 0 || frame < *frames; frame++ {
		err := dbg.Turn(clock, time.Second/60, func() error { g.tick(1.0 / 60); return nil })
		if err != nil {
			log.Print(err)
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
