//go:build !nomcpdebug

package mcpdebug

import "github.com/loupe-ecs/loupe/tools/host"

// Replay lets the arena's ticks be run on demand: those that a client asks for.
func (c *arenaClock) Replay() (host.Replay, error) { return &arenaReplay{c, *c}, nil }

type arenaReplay struct {
	clock *arenaClock
	was   arenaClock
}

func (r *arenaReplay) Tick() error {
	r.clock.paused, r.clock.pending = true, 1
	r.clock.advance()
	return nil
}

func (r *arenaReplay) End() { *r.clock = r.was }
