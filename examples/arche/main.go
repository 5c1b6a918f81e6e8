// Command arche is a small game on the engine arche with the debug server inside,
// in a loop of its own.
//
//	go run ./examples/arche
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

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

// The game: things that move, and wrap around.
type (
	position struct{ X, Y float64 }
	velocity struct{ X, Y float64 }
)

func main() {
	addr := flag.String("addr", mcpdebug.DefaultAddr, "address of the debug server; port 0 takes a free one")
	data := flag.String("data", "", "folder for snapshots and profiles. Default: in the user's cache")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	world := ecs.NewWorld()
	things := generic.NewMap2[position, velocity](&world)
	for i := range 20 {
		things.NewWith(&position{X: float64(i) * 10}, &velocity{X: float64(i%5) - 2, Y: 1})
	}
	filter := generic.NewFilter2[position, velocity]()
	tick := func() error {
		for q := filter.Query(&world); q.Next(); {
			p, v := q.Get()
			if p.X, p.Y = p.X+v.X, p.Y+v.Y; p.Y > 360 {
				p.Y = 0
			}
		}
		return nil
	}

	dbg, err := mcpdebug.Listen(*addr, &mcpdebug.Options{DataDir: *data})
	if err != nil {
		log.Print(err) // the game runs on: a nil server does nothing
	}
	defer dbg.Close()
	clock := &host.StepClock{}
	dbg.Bind(archeworld.New(&world), &host.App{Name: "arche", Clock: clock})
	if url := dbg.URL(); url != "" {
		fmt.Println("debug server listening at", url)
	}

	frames := time.NewTicker(time.Second / 60)
	defer frames.Stop()
	for ctx.Err() == nil {
		if err := dbg.Turn(clock, time.Second/60, tick); err != nil {
			log.Print(err)
		}
		select {
		case <-frames.C:
		case <-ctx.Done():
		}
	}
}
