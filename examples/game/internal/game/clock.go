package game

import (
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Clock is the game's time. It is no part of the world: a snapshot leaves it
// alone, and no tick depends on it; but the ticks are counted in the world.
type Clock struct {
	host.StepClock
	g *Game
}

func newClock(g *Game) Clock {
	return Clock{g: g, StepClock: host.StepClock{Step: Step, Number: g.Ticks, Hold: g.held}}
}

// held says why no tick runs: another state than playing is on top.
func (g *Game) held() error {
	top := g.States.Top()
	if top == Playing {
		return nil
	}
	return &refusal.Error{Code: refusal.NotRunning, Message: "no tick runs in the state " + top, Got: top, Want: Playing,
		Hint: "states_pop leaves the state; states_push enters playing", Next: "states_info"}
}
