package replay

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Aside is a game taken out of the present.
type Aside struct {
	world   ecs.World
	app     *host.App
	host    host.Replay
	hooks   host.SystemHooks
	before  schedule.Hook
	present State
	enabled map[string]bool
	moved   bool // something has run: the present is gone and must come back
}

// Begin takes the present aside. Every Begin that succeeds needs its End, in the
// same Poll.
func Begin(w ecs.World, app *host.App) (*Aside, error) {
	a := new(Aside)
	return a, a.begin(w, app)
}

// begin reuses the memory of an Aside that has ended.
func (a *Aside) begin(w ecs.World, app *host.App) error {
	if w == nil {
		return &refusal.Error{Code: refusal.NoWorld, Message: "no world is bound: there is nothing to run"}
	}
	if w.Locked() {
		return &refusal.Error{Code: refusal.WorldLocked, Message: "the world is locked by an open query: it could not be put back",
			Hint: "after a crash, clear_crash with unlock releases the lock", Next: "clear_crash"}
	}
	r, err := replayer(app)
	if err != nil {
		return err
	}
	if err := a.present.take(w, app); err != nil {
		return err
	}
	a.world, a.app, a.moved = w, app, false
	a.enabled = enabled(app)
	if a.host, err = r.Replay(); err != nil {
		return err
	}
	if a.hooks, _ = app.Systems.(host.SystemHooks); a.hooks != nil {
		a.before = a.hooks.Observe(nil)
		a.hooks.Rehearse(true)
	}
	return nil
}

// Can says whether a game can be run aside: nil, or what is missing. Frame
// goroutine.
func Can(w ecs.World, app *host.App) error {
	if _, err := replayer(app); err != nil {
		return err
	}
	if _, ok := w.(ecs.Restorer); !ok {
		return new(State).take(w, nil)
	}
	return nil
}

func replayer(app *host.App) (host.Replayer, error) {
	if app != nil {
		if r, ok := app.Clock.(host.Replayer); ok {
			return r, nil
		}
	}
	return nil, &refusal.Error{Code: refusal.NotSupported, Message: "this game cannot run ticks on demand", Want: "App.Clock that implements host.Replayer",
		Hint: "watch_add names who changes a value from now on, without it", Next: "watch_add"}
}

func enabled(app *host.App) map[string]bool {
	if app.Systems == nil {
		return nil
	}
	on := map[string]bool{}
	for _, s := range app.Systems.List() {
		on[s.Name] = s.Enabled
	}
	return on
}

// Hooked reports whether somebody can look between the systems.
func (a *Aside) Hooked() bool { return a.hooks != nil }

// World is the game's world, as the last tick has left it.
func (a *Aside) World() ecs.World { return a.world }

// Present is the moment that End goes back to. It must not be changed.
func (a *Aside) Present() *State { return &a.present }

// Load makes the game what it was at a moment.
func (a *Aside) Load(s *State) error {
	a.moved = true
	return s.put(a.world, a.app)
}

// Save copies the game as it is now.
func (a *Aside) Save(s *State) error { return s.take(a.world, a.app) }

// Panic is a tick that panicked.
type Panic struct {
	Value  any
	System string // "" if the host's systems do not tell
	Stack  []byte
}

func (p *Panic) Error() string {
	if p.System != "" {
		return fmt.Sprintf("the system %s panicked: %v", p.System, p.Value)
	}
	return fmt.Sprintf("the tick panicked: %v", p.Value)
}

// Tick runs one tick with the inputs of then, if there were any, and hook, which
// may be nil, between its systems.
func (a *Aside) Tick(inputs []byte, hook schedule.Hook) (err error) {
	a.moved = true
	defer func() {
		if v := recover(); v != nil {
			p := &Panic{Value: v, Stack: debug.Stack()}
			if t := a.app.Times(); t != nil {
				p.System, _ = t.Running()
			}
			err = p
		}
	}()
	if len(inputs) > 0 && a.app.Inputs != nil {
		if err := a.app.Inputs.PlayInputs(inputs); err != nil {
			return fmt.Errorf("the host refuses its own inputs: %w", err)
		}
	}
	if a.hooks != nil {
		a.hooks.Observe(hook)
		defer func() { a.hooks.Observe(nil) }()
	}
	return a.host.Tick()
}

// End brings the present back and compares it with what it was. An error means
// that it is not what it was, and says where.
func (a *Aside) End() error {
	err := a.back()
	if a.hooks != nil {
		a.hooks.Rehearse(false)
		a.hooks.Observe(a.before)
	}
	return errors.Join(err, a.hostEnd())
}

func (a *Aside) back() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &refusal.Error{Code: refusal.Panicked, Message: fmt.Sprintf("putting the present back panicked: %v", p),
				Hint: "the world may be in any state: restart the game, or rewind to a recorded tick", Next: "rewind"}
		}
	}()
	if !a.moved {
		return nil
	}
	if a.world.Locked() { // by a query that a panic left open
		if u, ok := a.world.(ecs.Unlocker); ok {
			if err := u.Unlock(); err != nil {
				return err
			}
		}
	}
	a.switchBack()
	if err := a.present.put(a.world, a.app); err != nil {
		return err
	}
	return a.verify()
}

func (a *Aside) switchBack() {
	for name, on := range enabled(a.app) {
		if was, known := a.enabled[name]; known && was != on {
			_ = a.app.Systems.SetEnabled(name, was) // it lists the name itself
		}
	}
}

func (a *Aside) verify() error {
	now := verifying.Get()
	defer verifying.Put(now)
	if err := now.take(a.world, a.app); err != nil {
		return err
	}
	if same, where := Same(a.world.Catalog(), &a.present, now); !same {
		return &refusal.Error{Code: refusal.Failed, Message: "the present was not put back exactly; what differs: " + where,
			Hint: "the host keeps something outside the world and its snapshot states that changes them", Next: "snapshot_diff"}
	}
	return nil
}

// hostEnd lets the host put its own things back; its panic is an error of the
// replay, not the end of the game.
func (a *Aside) hostEnd() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &refusal.Error{Code: refusal.Panicked, Message: fmt.Sprintf("the host's Replay.End panicked: %v", p)}
		}
	}()
	a.host.End()
	return nil
}
