package operations

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/surprise"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/timeline/replay"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

type experimentArgs struct {
	Do      []step `json:"do,omitempty" jsonschema:"calls first, as in batch"`
	Ticks   int    `json:"ticks" jsonschema:"ticks to run" debug:"min=0,max=3600"`
	Read    []step `json:"read,omitempty" jsonschema:"calls at the end"`
	Compare bool   `json:"compare,omitempty" jsonschema:"tell what differs from a run without do" debug:"default=true"`
}

type experimentResult struct {
	Done    []json.RawMessage     `json:"done" jsonschema:"answers of do"`
	Ran     int                   `json:"ran" jsonschema:"ticks that ran"`
	Results []json.RawMessage     `json:"results" jsonschema:"answers of read"`
	Differs *surprise.Differences `json:"differs,omitempty" jsonschema:"what is otherwise than after the same ticks without do"`
	Hint    string                `json:"hint,omitempty" jsonschema:"why fewer ticks ran"`
}

// slice bounds what an experiment takes of one frame.
const slice = 50 * time.Millisecond

func experimentTool() *tools.Tool {
	t := tools.NewPhased(tools.Spec{Name: "experiment", Lasts: tools.LastsFrom("ticks", 600), NeedsWorld: true, NeedsApp: true,
		Description: "What if: runs ticks with and without your calls, aside, and tells what differs.",
		Example:     `{"do":[{"tool":"systems_stop","arguments":{"name":"movement"}}],"ticks":60}`,
	}, tools.Phases[experimentArgs, *experiment, *experiment, experimentResult]{Before: newExperiment,
		Frame: func(f *tools.Frame, e *experiment) (*experiment, error) { return e, e.frame(f) },
		After: func(_ *tools.Call, e *experiment) (experimentResult, error) { return e.answer() }})
	for _, calls := range []string{"do", "read"} { // what a call is, batch says
		t.InputSchema.Properties[calls].Items = &tools.Schema{Type: "object"}
	}
	return t
}

// experiment is one on its way. It runs in slices: between two of them the
// present is back, and the run goes on from what is kept in at.
type experiment struct {
	in    experimentArgs
	out   experimentResult
	cat   *ecs.Catalog
	run   run             // with do, then without
	with  replay.State    // the end of the first run
	start replay.State    // the present that both run from
	on    map[string]bool // the systems that were on then
	begun bool
	both  bool // the first run has ended
}

// run is one of the two.
type run struct {
	at      replay.State
	systems map[string]bool
	ticks   int
	ended   string
	begun   bool
}

func newExperiment(c *tools.Call, in experimentArgs) (*experiment, error) {
	if len(in.Do)+len(in.Read) > mostCalls {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%d calls, want at most %d", len(in.Do)+len(in.Read), mostCalls), Got: len(in.Do) + len(in.Read), Want: mostCalls}
	}
	if err := check(c, in.Do, true, true); err != nil {
		return nil, err
	}
	if err := check(c, in.Read, true, true); err != nil {
		return nil, err
	}
	return &experiment{in: in, out: experimentResult{Done: []json.RawMessage{}, Results: []json.RawMessage{}}}, nil
}

// frame runs a slice.
func (e *experiment) frame(f *tools.Frame) (err error) {
	a, err := replay.Begin(f.World, f.App)
	if err != nil {
		return err
	}
	f.Hush(true)
	defer func() {
		f.Hush(false)
		err = errors.Join(err, a.End())
		if e, ok := errors.AsType[*refusal.Error](err); ok {
			err = e
		}
	}()
	until := time.Now().Add(slice)
	if f.Once {
		until = until.Add(time.Hour)
	}
	e.cat = f.World.Catalog()
	if !e.begun {
		e.begun = true
		if err := a.Save(&e.start); err != nil {
			return err
		}
		e.run.systems = switched(f.App)
		e.on = e.run.systems
	}
	for {
		done, err := e.advance(f, a, until)
		switch {
		case err != nil:
			return err
		case !done:
			f.Call.Progress(float64(e.run.ticks), float64(e.in.Ticks), "ticks")
			return tools.ErrLater
		case e.both || !e.in.Compare:
			return nil
		}
		e.both, e.run = true, run{systems: e.on}
	}
}

// advance takes the run that is under way further.
func (e *experiment) advance(f *tools.Frame, a *replay.Aside, until time.Time) (done bool, err error) {
	r := &e.run
	from := &r.at
	if !r.begun {
		from = &e.start
	}
	if err := a.Load(from); err != nil {
		return false, err
	}
	switchTo(f.App, r.systems)
	if !r.begun {
		r.begun = true
		if !e.both {
			if e.out.Done, err = calls(f, "do", e.in.Do); err != nil {
				return false, err
			}
		}
	}
	for r.ticks < e.in.Ticks && r.ended == "" {
		if err := a.Tick(nil, nil); err != nil {
			r.ended = err.Error()
			break
		}
		if r.ticks++; time.Now().After(until) && r.ticks < e.in.Ticks {
			r.systems = switched(f.App)
			return false, a.Save(&r.at)
		}
	}
	if !e.both {
		e.out.Ran, e.out.Hint = r.ticks, r.ended
		if e.out.Results, err = calls(f, "read", e.in.Read); err != nil {
			return false, err
		}
		return true, a.Save(&e.with)
	}
	return true, a.Save(&r.at)
}

// calls runs some in order; the first refusal ends the experiment.
func calls(f *tools.Frame, part string, list []step) ([]json.RawMessage, error) {
	answers := make([]json.RawMessage, 0, len(list))
	for i := range list {
		args, err := resolve(list[i].Arguments, answers)
		if err == nil {
			var answer json.RawMessage
			if answer, err = f.CallTool(list[i].Tool, args); err == nil {
				answers = append(answers, answer)
				continue
			}
		}
		c := refused(err)
		c.Message = fmt.Sprintf("%s, call %d (%s): %s", part, i, list[i].Tool, c.Message)
		return nil, c
	}
	return answers, nil
}

func switched(app *host.App) map[string]bool {
	if app.Systems == nil {
		return nil
	}
	on := map[string]bool{}
	for _, s := range app.Systems.List() {
		on[s.Name] = s.Enabled
	}
	return on
}

func switchTo(app *host.App, on map[string]bool) {
	for name, now := range switched(app) {
		if want, known := on[name]; known && want != now {
			_ = app.Systems.SetEnabled(name, want) // it lists the name itself
		}
	}
}

// answer compares the two ends, off the frame.
func (e *experiment) answer() (experimentResult, error) {
	if !e.in.Compare {
		return e.out, nil
	}
	d, err := snapshot.Diff(e.cat, &e.run.at.Image, &e.with.Image, snapshot.DiffOptions{Limit: surprise.Considered})
	if err != nil {
		return e.out, err
	}
	e.out.Differs = surprise.Of(d, nil, surprise.Shown)
	if e.run.ended != "" && e.out.Hint == "" {
		e.out.Hint = "without do the game ended: " + e.run.ended
	}
	return e.out, nil
}
