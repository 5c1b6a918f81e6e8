// Command minimal is the least that a game adds to be debugged live.
package main

import (
	"context"
	"log"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/mcpdebug/runner"
)

type Position struct{ X, Y float64 }
type Velocity struct{ X, Y float64 }

func main() {
	world := ecs.NewWorld()
	mapper := generic.NewMap2[Position, Velocity](&world)
	mapper.NewWith(&Position{}, &Velocity{X: 1, Y: 2})

	move := func(dt time.Duration) {
		for q := generic.NewFilter2[Position, Velocity]().Query(&world); q.Next(); {
			p, v := q.Get()
			p.X, p.Y = p.X+v.X*dt.Seconds(), p.Y+v.Y*dt.Seconds()
		}
	}
	game := runner.Game{World: archeworld.New(&world), Update: move}
	if err := runner.Run(context.Background(), game, runner.Options{}); err != nil {
		log.Fatal(err)
	}
}
