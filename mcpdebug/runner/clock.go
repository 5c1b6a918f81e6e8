package runner

import (
	"time"

	"github.com/loupe-ecs/loupe/tools"
)

// clock makes ticks of the time that passes: none while it is held, but those
// that were asked for.
type clock struct {
	tick    time.Duration
	n       uint64 // ticks so far
	paused  bool
	scale   float64
	pending int
	owed    float64 // part of a tick
	stepped bool
}

// Info implements [tools.Clock].
func (c *clock) Info() tools.ClockInfo {
	return tools.ClockInfo{Tick: c.n, Paused: c.paused, Scale: c.scale, StepMs: float64(c.tick) / float64(time.Millisecond), Pending: c.pending}
}

// Set implements [tools.Clock].
func (c *clock) Set(change tools.ClockChange) error {
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

// due is how many ticks a frame runs. Those that were asked for come one a frame,
// as in play, so that every frame between two ticks is one too.
func (c *clock) due(passed time.Duration, most int) int {
	c.stepped = false
	if c.paused {
		if c.pending == 0 {
			return 0
		}
		c.pending--
		c.stepped = true
		return 1
	}
	c.owed += float64(passed) / float64(c.tick) * c.scale
	n := int(c.owed + 1e-9) // ten times a tenth is one
	c.owed -= float64(n)
	if n > most {
		return most // what was missed beyond is given up
	}
	return n
}

// hurry reports whether the next frame need not wait for its time.
func (c *clock) hurry() bool { return c.stepped }
