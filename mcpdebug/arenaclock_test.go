//go:build !nomcpdebug

package mcpdebug

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/tools/host"
)

// arenaClock is the arena's clock. Only ticks that a client asks for move what
// has a velocity: the world of the other transcripts stays as clients leave it.
type arenaClock struct {
	world   *arche.World
	tick    uint64
	paused  bool
	scale   float64
	pending int
}

func (c *arenaClock) Info() host.ClockInfo {
	return host.ClockInfo{Tick: c.tick, Paused: c.paused, Scale: c.scale, StepMs: 16, Pending: c.pending}
}

func (c *arenaClock) Set(change host.ClockChange) error {
	if change.Scale != nil {
		c.scale = *change.Scale
	}
	if change.Paused != nil {
		c.paused, c.pending = *change.Paused, 0
	}
	if change.Step > 0 {
		c.paused, c.pending = true, change.Step
	}
	return nil
}

// advance is one frame; it tells whether a tick runs.
func (c *arenaClock) advance() bool {
	if !c.paused {
		c.tick++
		return true
	}
	if c.pending == 0 {
		return false
	}
	c.pending--
	c.tick++
	pos, vel := arche.ComponentID[Position](c.world), arche.ComponentID[Velocity](c.world)
	q := c.world.Query(arche.All(pos, vel))
	for q.Next() {
		(*Position)(q.Get(pos)).X += (*Velocity)(q.Get(vel)).X
	}
	return true
}
