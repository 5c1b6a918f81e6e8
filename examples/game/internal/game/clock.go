package game

import (
	"math"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// Clock makes ticks of the time that passes: none while it is paused, but those
// asked for. It is no part of the world: a snapshot leaves it alone, and no tick
// depends on it.
type Clock struct {
	g       *Game
	paused  bool
	scale   float64
	pending int     // ticks asked for
	owed    float64 // part of a tick
	stepped bool
}

// Info implements [tools.Clock].
func (c *Clock) Info() tools.ClockInfo {
	return tools.ClockInfo{Tick: c.g.tick.N, Paused: c.paused, Scale: c.scale, StepMs: TickSeconds * 1000, Pending: c.pending}
}

// Set implements [tools.Clock].
func (c *Clock) Set(change tools.ClockChange) error {
	if top := c.g.States.Top(); change.Step > 0 && top != Playing {
		return &refusal.Error{Code: refusal.NotRunning, Message: "no tick runs in the state " + top, Got: top, Want: Playing,
			Hint: "states_pop leaves the state; states_push enters playing", Next: "states_info"}
	}
	if change.Scale != nil {
		c.scale = *change.Scale
	}
	if change.Paused != nil {
		c.paused, c.pending, c.owed = *change.Paused, 0, 0
	}
	if change.Step > 0 {
		c.paused, c.pending, c.owed = true, change.Step, 0
	}
	return nil
}

// Stepped reports whether the last frame ran a tick that was asked for. Such
// frames need not wait for their time.
func (c *Clock) Stepped() bool { return c.stepped }

// run makes ticks of the time that has passed. Those asked for come one a frame,
// as in ordinary play, so that every frame between two ticks is one too.
func (c *Clock) run(passed int, tick func() bool) {
	if c.paused {
		if c.pending > 0 {
			rest := c.pending - 1
			c.pending = 0 // should the tick panic, none follows by itself
			tick()
			c.pending, c.stepped = rest, true
		}
		return
	}
	c.owed += float64(passed) * c.scale
	n := math.Floor(c.owed + 1e-9) // ten times a tenth is one
	c.owed -= n
	for range int(n) {
		if !tick() || c.paused { // a watch may hold it between two ticks of a frame
			c.owed = 0
			return
		}
	}
}
