package hosttools

import (
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/surprise"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

type runUntilArgs struct {
	Where    string   `json:"where,omitempty" jsonschema:"as in query, with prev(x)"`
	With     []string `json:"with,omitempty" jsonschema:"components it has"`
	None     bool     `json:"none,omitempty" jsonschema:"run until no entity matches"`
	MaxTicks int      `json:"maxTicks,omitempty" jsonschema:"give up after these" debug:"min=1,max=100000,default=600"`
	Pause    bool     `json:"pause,omitempty" jsonschema:"hold the game at the end" debug:"default=true"`
	surprise.Args
}

type runUntilResult struct {
	Matched  bool             `json:"matched" jsonschema:"whether the condition holds"`
	Reason   string           `json:"reason" jsonschema:"matched, maxTicks, timeout or stopped"`
	Tick     uint64           `json:"tick" jsonschema:"the tick it ended at"`
	Ticks    int              `json:"ticks" jsonschema:"ticks that ran; 0: the condition held already"`
	Paused   bool             `json:"paused" jsonschema:"whether the game is held now"`
	Count    int              `json:"count" jsonschema:"entities that match"`
	Entities []runSeen        `json:"entities" jsonschema:"the first of them, at most 5; none of a condition on resources alone"`
	Values   *surprise.Values `json:"values,omitempty" jsonschema:"what the condition reads, as it is now"`
	Before   *surprise.Values `json:"before,omitempty" jsonschema:"the same a tick before, where the condition asks for prev"`
	Hint     string           `json:"hint,omitempty" jsonschema:"what to do if the condition does not hold"`
	surprise.Told
}

type runSeen struct {
	Entity string `json:"entity" jsonschema:"the entity: id v generation"`
	Name   string `json:"name,omitempty" jsonschema:"its label, where one of its components gives one"`
}

const runSeenMost = 5

// run is a run_until under way. It advances one tick a frame and looks at each
// Poll, so that no tick goes by unseen; and a call that is given up, which has
// no say any more, leaves the game paused at the tick that it saw last.
type run struct {
	args     runUntilArgs
	plan     entities.FromCatalog[*query.Plan]
	deadline time.Time
	asked    surprise.Asked
	cond     condition
	proof    proof
	out      runUntilResult

	call    *tools.Call // nil until it has begun
	app     *host.App
	clock   host.Clock
	ticks   int
	idle    int
	stopped string // why it ends early
}

func (r *run) live() bool { return r != nil && r.call.Context.Err() == nil }

func runUntilTool(k *clockTools) *tools.Tool {
	return tools.NewPhased(tools.Spec{Name: "run_until", NeedsWorld: true, Lasts: tools.Lasts,
		Example:     `{"where":"Health.HP < 10","maxTicks":600}`,
		Description: "Advances the game tick by tick until an entity matches, then pauses."},
		tools.Phases[runUntilArgs, *run, *run, runUntilResult]{Before: k.prepareRun,
			Frame: func(f *tools.Frame, r *run) (_ *run, err error) {
				r.out, err = k.runUntil(f, r)
				return r, err
			},
			After: func(_ *tools.Call, r *run) (_ runUntilResult, err error) {
				r.out.Values, r.out.Before = r.proof.now.Told(), r.proof.before.Told()
				r.out.Told, err = r.asked.Tell()
				return r.out, err
			}})
}

func (k *clockTools) prepareRun(c *tools.Call, in runUntilArgs) (*run, error) {
	if in.Where == "" && len(in.With) == 0 {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "no condition: name where, with, or both", Options: []string{"where", "with"}, Total: 2,
			Hint: "clock_set with step runs a number of ticks without one", Next: "clock_set"}
	}
	r := &run{args: in, deadline: k.deadline(c), cond: condition{none: in.None}}
	var err error
	if r.asked, err = surprise.Ask(c, in.Args); err != nil {
		return nil, err
	}
	r.plan, err = entities.Make(c, func(cat *ecs.Catalog) (*query.Plan, error) {
		return query.Compile(cat, query.Query{With: in.With, Where: in.Where, LookBack: true})
	})
	return r, err
}

func (k *clockTools) runUntil(f *tools.Frame, r *run) (out runUntilResult, err error) {
	if r.clock == nil {
		r.app, r.clock = f.App, f.App.Clock
	}
	if r.clock == nil {
		return out, lacks("clock")
	}
	plan, err := r.plan.On(f)
	if err != nil {
		return out, k.fail(r, err)
	}
	if err := r.cond.checks(plan, f.World); err != nil {
		return out, k.fail(r, err)
	}
	holds := r.cond.holds(plan, f.World)
	info := r.clock.Info()
	if r.call == nil {
		if err := k.busy(info); err != nil {
			return out, err
		}
		if f.Once && !holds {
			return out, &refusal.Error{Code: refusal.NotSupported, Message: "run_until needs later frames, which a call within one frame does not have; nothing was changed",
				Hint: "call it over HTTP while the game polls"}
		}
		if err := r.asked.Start(f); err != nil {
			return out, err
		}
	} else {
		switch {
		case r.stopped != "":
			return k.end(f, r, plan, holds, "stopped", r.stopped)
		case f.App != r.app:
			return k.end(f, r, plan, holds, "stopped", "the game was bound anew")
		case !info.Paused:
			return k.end(f, r, plan, holds, "stopped", "the game resumed by itself")
		case info.Pending == 0:
			r.ticks++
			r.idle = 0
		case heldBy(r.clock) != nil || r.idle >= idleFrames:
			return k.end(f, r, plan, holds, "stopped", noTicks(r.clock))
		}
	}
	switch {
	case holds:
		return k.end(f, r, plan, holds, "matched", "")
	case r.ticks >= r.args.MaxTicks:
		return k.end(f, r, plan, holds, "maxTicks", "call it again to go on from here, or see with query whether the condition can hold")
	case f.Call.Stopped():
		if info.Pending > 0 {
			r.idle++ // the tick that is pending is not to run
		}
		return k.end(f, r, plan, holds, "stopped", fmt.Sprintf("stopped at tick %d, where the clock is held", info.Tick))
	case time.Now().After(r.deadline):
		return k.end(f, r, plan, holds, "timeout", "the call's time is up: call it again to go on from exactly here")
	case r.call != nil && info.Pending > 0:
		r.idle++
		return out, tools.ErrLater
	}
	if err := r.cond.remember(plan, f.World); err != nil {
		return out, k.fail(r, err)
	}
	if err := r.clock.Set(host.ClockChange{Step: 1}); err != nil {
		if r.call == nil {
			return out, err
		}
		return k.end(f, r, plan, holds, "stopped", err.Error())
	}
	if r.call == nil {
		r.call, k.run = f.Call, r
	}
	if r.ticks%60 == 59 {
		f.Call.Progress(float64(r.ticks), float64(r.args.MaxTicks), "ticks")
	}
	return out, tools.ErrLater
}

// fail lets the clock go.
func (k *clockTools) fail(r *run, err error) error {
	if k.run == r {
		k.run = nil
	}
	return err
}

// end answers, and leaves the clock as the client wants it: held, unless the run
// came to its proper end and pause is false. Who stopped the run has the clock.
func (k *clockTools) end(f *tools.Frame, r *run, plan *query.Plan, holds bool, reason, hint string) (out runUntilResult, err error) {
	k.fail(r, nil)
	switch {
	case reason == "matched" || reason == "maxTicks":
		err = r.clock.Set(host.ClockChange{Paused: &r.args.Pause})
	case r.stopped == "" && r.clock.Info().Paused && r.clock.Info().Pending > 0:
		err = r.clock.Set(host.ClockChange{Paused: new(true)}) // drop the tick that is pending
	}
	if err != nil {
		return out, err
	}
	info := r.clock.Info()
	out = runUntilResult{Matched: holds, Reason: reason, Tick: info.Tick, Ticks: r.ticks, Paused: info.Paused, Hint: hint}
	if r.proof, err = r.cond.prove(f, plan); err != nil {
		return out, err
	}
	out.Count, out.Entities = r.proof.count, r.proof.entities
	if f.App == r.app {
		err = r.asked.Stop(f, r.cond.matching(plan, f.World))
	}
	return out, err
}
