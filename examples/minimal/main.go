// Command minimal is the least that a game adds to be debugged live.
package main

import (
	"log"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools"
)

type Position struct{ X, Y float64 }
type Velocity struct{ X, Y float64 }

func main() {
	world := ecs.NewWorld()
	mapper := generic.NewMap2[Position, Velocity](&world)
	mapper.NewWith(&Position{}, &Velocity{X: 1, Y: 2})

	dbg, err := mcpdebug.Listen(mcpdebug.DefaultAddr, nil)
	if err != nil {
		log.Print(err) // the game runs on: a nil server does nothing
	} else if url := dbg.URL(); url != "" {
		log.Print("debug server listening at ", url)
	}
	defer dbg.Close()
	dbg.Bind(archeworld.New(&world), &tools.App{Name: "minimal"})

	for range time.Tick(time.Second / 60) {
		dbg.Poll()
		for q := generic.NewFilter2[Position, Velocity]().Query(&world); q.Next(); {
			p, v := q.Get()
			p.X, p.Y = p.X+v.X/60, p.Y+v.Y/60
		}
	}
}
