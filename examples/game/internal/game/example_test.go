package game_test

import (
	"fmt"

	"github.com/loupe-ecs/loupe/examples/game/internal/game"
)

func Example() {
	g, err := game.New(game.Options{Seed: 1, Enemies: 40})
	if err != nil {
		fmt.Println(err)
		return
	}
	for frame := uint64(1); frame <= 60; frame++ {
		g.Update(frame, game.Step)
	}
	g.App().Events.Push("set_paused", game.SetPausedEvent{Paused: true})
	g.Update(61, game.Step)
	fmt.Println("tick", g.Ticks(), "state", g.States.Top())
	// Output: tick 60 state paused
}
