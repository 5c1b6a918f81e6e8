package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Divergence is the first difference between two runs of the same tick.
type Divergence struct {
	Tick   uint64 `json:"tick" jsonschema:"the tick that came out differently"`
	System string `json:"system" jsonschema:"after which the worlds differed; empty: the systems have no hook, or it happened outside them"`
	// Kind is the kind of the row: changed, spawned, resource, ... or order, state.
	Kind      string          `json:"kind" jsonschema:"changed, spawned, despawned, added, removed, resource, order, state, systems or panic"`
	Component string          `json:"component,omitempty" jsonschema:"component or resource"`
	Entity    string          `json:"entity,omitempty" jsonschema:"whose it is"`
	Path      string          `json:"path,omitempty" jsonschema:"field inside the component"`
	A         json.RawMessage `json:"a,omitempty" jsonschema:"in the first run"`
	B         json.RawMessage `json:"b,omitempty" jsonschema:"in the second"`
	More      int             `json:"more" jsonschema:"how many more differences there are after the same system"`
	Note      string          `json:"note,omitempty" jsonschema:"what cannot be shown as two values"`
}

// Check runs ticks several times from the same states and compares the runs
// after every system. Each tick is run from the state that the one before left
// in the first run, so that the first difference is found where it arises.
type Check struct {
	Ticks int // to run
	Runs  int // of each tick, 2 or more

	// Ran is how many ticks have been compared so far, Hash the digest of the
	// world after them.
	Ran  int
	Hash uint64
	// Ended says why fewer ticks ran than asked for; "" if they all did.
	Ended string
	// Diverged is nil while all runs agree.
	Diverged *Divergence

	aside  Aside
	cur    State // where the next tick begins
	begun  bool
	after  State // where the first run of the tick led
	other  State
	hashes []boundary
	hasher value.Hasher
}

type boundary struct {
	system string
	hash   uint64
}

// Step runs ticks until the time is up (0: without end), and reports whether the
// check is done. The present is back when it returns. Frame goroutine.
func (c *Check) Step(w ecs.World, app *host.App, budget time.Duration) (done bool, err error) {
	start := time.Now()
	if err := c.aside.begin(w, app); err != nil {
		return true, err
	}
	defer func() { err = errors.Join(err, c.aside.End()) }()
	if !c.begun {
		c.begun = true
		if err := c.aside.Save(&c.cur); err != nil {
			return true, err
		}
	}
	for c.Ran < c.Ticks && c.Diverged == nil && c.Ended == "" {
		if err := c.tick(); err != nil {
			return true, err
		}
		if budget > 0 && time.Since(start) > budget {
			return c.finished(), nil
		}
	}
	return true, nil
}

func (c *Check) finished() bool { return c.Ran >= c.Ticks || c.Diverged != nil || c.Ended != "" }

// tick compares the runs of one tick.
func (c *Check) tick() error {
	if err := c.aside.Load(&c.cur); err != nil {
		return err
	}
	c.hashes = c.hashes[:0]
	first := c.aside.Tick(nil, func(done, _ string) bool {
		c.hashes = append(c.hashes, boundary{done, ecs.Hash(c.aside.world, &c.hasher)})
		return true
	})
	if stop, err := c.over(first); stop {
		return err
	}
	tick := c.number()
	if first == nil {
		if err := c.aside.Save(&c.after); err != nil {
			return err
		}
	}
	for range max(c.Runs, 2) - 1 {
		if err := c.again(tick, first); err != nil || c.Diverged != nil {
			return err
		}
	}
	if first != nil {
		// The same panic every time: as deterministic as can be, and the end.
		c.Ended = first.Error()
		return nil
	}
	c.Ran++
	c.cur, c.after = c.after, c.cur
	c.Hash = ecs.Hash(c.aside.world, &c.hasher)
	return nil
}

// over tells the host's own end from a panic, which is compared like a world.
func (c *Check) over(err error) (stop bool, _ error) {
	var p *Panic
	if err == nil || errors.As(err, &p) {
		return false, nil
	}
	if c.Ran == 0 {
		return true, err
	}
	c.Ended = err.Error()
	return true, nil
}

func (c *Check) number() uint64 { return c.aside.app.Clock.Info().Tick }

// again runs the tick once more and compares.
func (c *Check) again(tick uint64, first error) error {
	if err := c.load(); err != nil {
		return err
	}
	n, at := 0, -1
	second := c.aside.Tick(nil, func(done, _ string) bool {
		if at < 0 && (n >= len(c.hashes) || c.hashes[n] != (boundary{done, ecs.Hash(c.aside.world, &c.hasher)})) {
			at = n
			_ = c.aside.Save(&c.other) // a world that can be captured between ticks can be here
		}
		n++
		return true
	})
	if at < 0 && n < len(c.hashes) {
		at = n
	}
	switch {
	case at >= 0:
		return c.locate(tick, at)
	case (first == nil) != (second == nil) || first != nil && first.Error() != second.Error():
		c.Diverged = &Divergence{Tick: tick, Kind: "panic", Note: fmt.Sprintf("one run: %v; another: %v", first, second)}
		return nil
	case first != nil:
		return nil
	}
	if err := c.aside.Save(&c.other); err != nil {
		return err
	}
	if same, where := Same(c.aside.world.Catalog(), &c.after, &c.other); !same {
		d := c.compare(&c.after, &c.other)
		if d.Kind == "order" && d.Note == "" {
			d.Kind, d.Note = "state", where
		}
		d.Tick = tick
		c.Diverged = d
	}
	return nil
}

// load begins the tick again; what a panic left open is closed.
func (c *Check) load() error {
	if c.aside.world.Locked() {
		if u, ok := c.aside.world.(ecs.Unlocker); ok {
			if err := u.Unlock(); err != nil {
				return err
			}
		}
	}
	return c.aside.Load(&c.cur)
}

// attempts is how often the tick is run again to see a difference: chance can
// make two runs agree that differed before.
const attempts = 8

// locate runs the tick once more, as the first run, up to the boundary where the
// second one left it, and compares the worlds there.
func (c *Check) locate(tick uint64, at int) error {
	d := &Divergence{Tick: tick, Kind: "systems", Note: "other systems ran, or in another order"}
	if at < len(c.hashes) {
		d.System = c.hashes[at].system
	}
	for range attempts {
		if err := c.load(); err != nil {
			return err
		}
		n, caught := 0, false
		_ = c.aside.Tick(nil, func(string, string) bool {
			if n == at {
				caught = c.aside.Save(&c.after) == nil
			}
			n++
			return true
		})
		if !caught {
			continue
		}
		found := c.compare(&c.after, &c.other)
		found.Tick, found.System = d.Tick, d.System
		d = found
		if d.Kind != "order" || d.Note != "" {
			break
		}
		d.Note = "rows lie in another order"
	}
	c.Diverged = d
	return nil
}

// compare finds the first difference of two states in the terms of a diff.
func (c *Check) compare(a, b *State) *Divergence {
	res, err := snapshot.Diff(c.aside.world.Catalog(), &a.Image, &b.Image, snapshot.DiffOptions{Limit: 1})
	if err != nil || len(res.Rows) == 0 {
		return &Divergence{Kind: "order"}
	}
	r := res.Rows[0]
	return &Divergence{Kind: r.Kind, Component: r.Component, Entity: r.Entity, Path: r.Path, A: r.From, B: r.To, More: res.Total - 1}
}
