package replay

import (
	"fmt"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Kept is everything that clients' calls may change: the world with its
// resources, what the host saves beside it, the clock, the stack of states, which
// systems are on. Unlike an [Aside] it runs nothing and needs no host that runs
// ticks on demand. Frame goroutine, within one Poll.
type Kept struct {
	world   ecs.World
	app     *host.App
	state   State
	enabled map[string]bool
	clock   *host.ClockInfo
	stack   []string
}

// Keep copies it. w and app may be nil.
func Keep(w ecs.World, app *host.App) (*Kept, error) {
	k := &Kept{world: w, app: app}
	if w != nil {
		if w.Locked() {
			return nil, &refusal.Error{Code: refusal.WorldLocked, Message: "the world is locked by an open query: it could not be put back",
				Hint: "after a crash, clear_crash with unlock releases the lock", Next: "clear_crash"}
		}
		if err := k.state.take(w, app); err != nil {
			return nil, err
		}
	}
	if app != nil {
		k.enabled = enabled(app)
		if app.Clock != nil {
			info := app.Clock.Info()
			k.clock = &info
		}
		if app.States != nil {
			k.stack = app.States.Stack()
		}
	}
	return k, nil
}

// PutBack makes everything what it was and compares the world. A nil Kept has
// nothing to put back.
func (k *Kept) PutBack() error {
	if k == nil {
		return nil
	}
	a := &Aside{world: k.world, app: k.app, enabled: k.enabled, moved: true}
	if k.world == nil {
		if k.app != nil {
			a.switchBack()
		}
		return k.putStates()
	}
	// Pointerful values move into the world: the comparison needs its own.
	a.present = k.state
	if k.app == nil {
		a.app = &host.App{}
	}
	if err := a.back(); err != nil {
		return err
	}
	return k.putStates()
}

// putStates puts back the stack of states, where the host's own saved state has
// not done it, and then the clock, which a state may have held.
func (k *Kept) putStates() error {
	if k.app == nil {
		return nil
	}
	if s := k.app.States; s != nil {
		common := 0
		for now := s.Stack(); common < len(now) && common < len(k.stack) && now[common] == k.stack[common]; {
			common++
		}
		for len(s.Stack()) > common {
			if err := s.Pop(); err != nil {
				return fmt.Errorf("the stack of states: %w", err)
			}
		}
		for _, name := range k.stack[common:] {
			if err := s.Push(name); err != nil {
				return fmt.Errorf("the stack of states: %w", err)
			}
		}
		if now := s.Stack(); !slices.Equal(now, k.stack) {
			return fmt.Errorf("the stack of states is %v and was %v", now, k.stack)
		}
	}
	if c := k.app.Clock; c != nil {
		switch now := c.Info(); {
		case now == *k.clock:
		case k.clock.Pending > 0:
			return c.Set(host.ClockChange{Scale: &k.clock.Scale, Step: k.clock.Pending})
		default:
			return c.Set(host.ClockChange{Paused: &k.clock.Paused, Scale: &k.clock.Scale})
		}
	}
	return nil
}

// Touch says that something other than a tick has changed the game: End puts
// the present back.
func (a *Aside) Touch() { a.moved = true }
