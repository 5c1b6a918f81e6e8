package past

import (
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// undo is the call that returns to the present.
const undo = `rewind {"to":"present"}`

type rewindArgs struct {
	Tick   *int64 `json:"tick,omitempty" jsonschema:"tick, or -60"`
	To     string `json:"to,omitempty" jsonschema:"instead: return" debug:"enum=present"`
	Branch *int   `json:"branch,omitempty" jsonschema:"from record_info"`
}

type rewindResult struct {
	Tick     uint64   `json:"tick" jsonschema:"the tick of the world now"`
	Entities int      `json:"entities" jsonschema:"entities in it"`
	Paused   bool     `json:"paused" jsonschema:"whether the clock is held"`
	Undo     string   `json:"undo,omitempty" jsonschema:"the call that returns to the present, which is kept"`
	Branch   int      `json:"branch" jsonschema:"the branch that it is on; running on from a past tick begins another"`
	FrameMs  float64  `json:"frameMs" jsonschema:"milliseconds that the game waited"`
	Cannot   []string `json:"cannot,omitempty" jsonschema:"what has not gone back"`
	Hint     string   `json:"hint,omitempty" jsonschema:"what to do next"`
}

// rewinding is a rewind on its way.
type rewinding struct {
	to     timeline.Ref
	staged *snapshot.Staged
	back   bool // to the present
	before *snapshot.Capture
	out    rewindResult
}

func (p *Past) rewindTool() *tools.Tool {
	return tools.NewPhased(tools.Spec{Name: "rewind", NeedsWorld: true, Example: `{"tick":-60}`,
		Description: "Makes the live world what it was at a tick, held."},
		tools.Phases[rewindArgs, *rewinding, *rewinding, rewindResult]{Before: p.rewindBefore, Frame: p.rewindFrame,
			After: func(_ *tools.Call, r *rewinding) (rewindResult, error) { return r.out, nil }})
}

// Options is what the host says of its snapshots, for the parts off the frame
// and on it.
func Options(app *host.App) *snapshot.Options {
	o := &snapshot.Options{}
	if app == nil {
		return o
	}
	o.App = app.Name
	if app.Snapshots != nil {
		o.Exclude, o.MaxBytes = app.Snapshots.Exclude, app.Snapshots.MaxBytes
		for _, st := range app.Snapshots.States {
			o.States = append(o.States, st)
		}
	}
	return o
}

func (p *Past) rewindBefore(c *tools.Call, in rewindArgs) (r *rewinding, err error) {
	o := Options(p.host.App())
	switch {
	case (in.Tick != nil) == (in.To != ""):
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "say where to: tick, or to, one of the two", Options: []string{"tick", "to"}, Total: 2,
			Hint: "record_info tells which ticks are recorded", Next: "record_info"}
	case in.To != "" && in.Branch != nil:
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "branch goes with tick: the present is on its own"}
	case in.To != "":
		now := p.rec.Present()
		if now == nil {
			return nil, &refusal.Error{Code: refusal.NotRecorded, Message: "the live world is the present: nothing was rewound since", Hint: "rewind with tick goes back", Next: "record_info"}
		}
		r = &rewinding{back: true, to: now.Ref}
		r.staged, err = now.Kept.Stage(o)
		return r, err
	}
	l := p.line(c.Context)
	if in.Branch != nil {
		l = p.rec.LineOf(*in.Branch)
	}
	r = &rewinding{before: new(snapshot.Capture)}
	if r.to, err = l.Find(*in.Tick); err != nil {
		return nil, err
	}
	if r.to.Cause == timeline.CauseCrash {
		return nil, &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("tick %d was cut short by the crash: a game cannot go on from the middle of a tick", r.to.Tick), Got: *in.Tick,
			Hint: "rewind to the tick before; info with at reads it as it is", Next: "record_info"}
	}
	r.staged, err = l.Sample(r.to).Capture(o).Stage(o)
	return r, err
}

func (p *Past) rewindFrame(f *tools.Frame, r *rewinding) (*rewinding, error) {
	start := time.Now()
	first := p.rec.Present() == nil
	if first && !r.back {
		if err := r.before.Take(f.World, Options(f.App)); err != nil {
			return r, err
		}
	}
	report, err := r.staged.Restore(f.World)
	if err != nil {
		return r, err
	}
	out := &r.out
	out.Entities = report.Entities
	if f.App != nil && f.App.Clock != nil {
		err := f.App.Clock.Set(host.ClockChange{Paused: new(true)})
		if out.Paused = err == nil; err != nil {
			out.Cannot = append(out.Cannot, "hold the clock: "+err.Error())
		}
	}
	if r.back {
		p.rec.Returned(f.Number)
	} else {
		p.rec.Rewound(r.to, r.before, f.Number)
		out.Undo = undo
	}
	out.Tick, out.Branch = p.rec.Tick(), r.to.Branch
	p.mark(timeline.MarkRewind, fmt.Sprintf("to tick %d", r.to.Tick))
	p.cannot(f.App, r, report)
	out.FrameMs = words.Millis(time.Since(start))
	return r, nil
}

// cannot names what stays as it is.
func (p *Past) cannot(app *host.App, r *rewinding, report *snapshot.Report) {
	out := &r.out
	add := func(s string) { out.Cannot = append(out.Cannot, s) }
	if !out.Paused && (app == nil || app.Clock == nil) {
		add("the clock: the game has none that can be held (App.Clock), it runs on from there at once")
	}
	if out.Tick != r.to.Tick {
		add(fmt.Sprintf("the tick: the host's clock is no part of the world and goes on counting from %d", out.Tick))
	}
	if app != nil && app.Audio != nil {
		add("sounds that were heard, or are playing")
	}
	if app == nil || app.Snapshots == nil || len(app.Snapshots.States) == 0 {
		add("state that the game keeps beside its world (App.Snapshots.States lists none)")
	}
	for _, s := range report.Skipped {
		add(s.Name + ": " + s.Reason)
	}
	add("what has left the process: network, files")
	out.Hint = `clock_set {"step":1} or {"paused":false} runs on from here; ` + undo + " returns"
	if r.back {
		out.Hint = `clock_set {"paused":false} runs on`
	}
}
