package causes

import (
	"encoding/json"
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/timeline/blame"
	"github.com/loupe-ecs/loupe/timeline/watch"
	"github.com/loupe-ecs/loupe/tools"
)

func (c *Causes) blameTool() *tools.Tool {
	return entities.WithForms[blameArgs](tools.NewPhased(tools.Spec{Name: "blame", Effect: tools.Additive, Idempotent: true, NeedsWorld: true,
		Example:     `{"entity":"2v0","path":"Health.HP"}`,
		Description: "Who changed a value last: tick, system or call, from, to."},
		tools.Phases[blameArgs, *blaming, *blaming, blameResult]{Before: c.ask, Frame: c.rerun, After: answerBlame}))
}

type blameArgs struct {
	Entity entities.Arg `json:"entity,omitzero" jsonschema:"42v3"`
	Path   string       `json:"path,omitempty" jsonschema:"Health.HP; a component: its coming and going too; none: the entity's life; a resource's without entity"`
	Before *int         `json:"before,omitempty" jsonschema:"tick, or negative: ticks back"`
	Count  int          `json:"count,omitempty" jsonschema:"changes" debug:"min=1,max=10,default=1"`
}

// blaming is a question under way.
type blaming struct {
	what    *watch.Compiled
	spec    watch.Spec
	count   int
	watched []blame.Change
	inquiry *blame.Inquiry
	frames  int
}

type blameResult struct {
	What    string      `json:"what" jsonschema:"what was asked about"`
	Changes []changeRow `json:"changes" jsonschema:"newest first"`
	From    uint64      `json:"fromTick,omitempty" jsonschema:"the recording that was looked through"`
	To      uint64      `json:"toTick,omitempty" jsonschema:"its end"`
	Frames  int         `json:"frames,omitempty" jsonschema:"host frames that running again was spread over"`
	Hint    string      `json:"hint,omitempty" jsonschema:"what to do where no change was found"`
}

type changeRow struct {
	Tick   uint64          `json:"tick" jsonschema:"when"`
	System string          `json:"system,omitempty" jsonschema:"who, or: outside systems"`
	Call   string          `json:"call,omitempty" jsonschema:"the client's call that did it"`
	From   json.RawMessage `json:"from" jsonschema:"null: there was none"`
	To     json.RawMessage `json:"to" jsonschema:"null: there is none"`
	How    string          `json:"how" jsonschema:"watched, re-executed or sampled"`
	Also   []alsoRow       `json:"alsoChanged,omitempty" jsonschema:"what the same system changed on the same entity in that tick"`
	Note   string          `json:"note,omitempty" jsonschema:"how far this is known"`
}

type alsoRow struct {
	Path string          `json:"path" jsonschema:"component and field"`
	From json.RawMessage `json:"from" jsonschema:"before"`
	To   json.RawMessage `json:"to" jsonschema:"after"`
}

// ask looks through watches and the recording, off the frame.
func (c *Causes) ask(call *tools.Call, in blameArgs) (b *blaming, err error) {
	if call.Catalog == nil {
		return nil, noWorld()
	}
	b = &blaming{count: max(in.Count, 1), spec: watch.Spec{Entity: in.Entity.Text(), Path: in.Path}}
	if b.what, err = watch.Compile(call.Catalog, b.spec); err != nil {
		return nil, err
	}
	if _, bare := b.what.Entity(); bare && c.rec.Line().Len() == 0 {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "the number of a slot names whoever lives there, and nothing is recorded that tells who did", Got: in.Entity.Text(),
			Want: `the whole id: "42v3"`, Hint: "info tells who lives there now", Next: "info"}
	} else if in.Before == nil && !bare {
		b.watched = c.seen(b.what.What(), b.count)
	}
	if len(b.watched) >= b.count {
		return b, nil
	}
	o := blame.Options{Count: b.count - len(b.watched)}
	if in.Before != nil {
		o.Before = new(int64(*in.Before))
	}
	if n := len(b.watched); n > 0 && b.watched[n-1].Tick > 0 {
		o.Before = new(int64(b.watched[n-1].Tick - 1))
	}
	b.inquiry, err = blame.Ask(call.Context, c.rec, b.what, o)
	if err != nil && len(b.watched) > 0 {
		err = nil // older changes are not recorded
	}
	return b, err
}

// seen is what watches on the same value saw last, newest first. One that
// filters, or that looks by tick, or that has ended cannot say what was last.
func (c *Causes) seen(what string, count int) (list []blame.Change) {
	infos, err := c.watches.List("")
	if err != nil {
		return nil
	}
	for _, i := range infos {
		if i.What != what || i.When != "" || i.By != "system" || i.Ended != "" {
			continue
		}
		hits, _, _ := c.watches.Hits(i.ID, 0, watch.MaxLimit)
		for k := len(hits) - 1; k >= 0 && len(list) < count; k-- {
			h := hits[k]
			ch := blame.Change{Tick: h.Tick, System: h.System, Call: h.Call, From: h.Old, To: h.New, How: blame.Watched, Note: h.Note}
			if h.During != "" {
				ch.Note = "during " + h.During
			}
			list = append(list, ch)
		}
		return list
	}
	return nil
}

func (c *Causes) rerun(f *tools.Frame, b *blaming) (*blaming, error) {
	if b.inquiry == nil {
		return b, nil
	}
	done, err := b.inquiry.Step(f.World, f.App, f.Slice())
	b.frames++
	if err == nil && !done {
		err = tools.ErrLater
	}
	return b, err
}

func answerBlame(_ *tools.Call, b *blaming) (blameResult, error) {
	r := blameResult{What: b.what.What(), Changes: []changeRow{}}
	list := b.watched
	if q := b.inquiry; q != nil {
		r.What = q.What()
		list = append(list, q.Changes()...)
		r.From, r.To, r.Frames = q.From, q.To, b.frames
	}
	for _, c := range list {
		row := changeRow{Tick: c.Tick, System: c.System, Call: c.Call, From: shown(c.From), To: shown(c.To), How: c.How, Note: c.Note}
		for _, a := range c.Also {
			if a.Path == b.spec.Path {
				continue
			}
			row.Also = append(row.Also, alsoRow{a.Path, shown(a.From), shown(a.To)})
		}
		r.Changes = append(r.Changes, row)
	}
	if len(r.Changes) == 0 {
		r.Hint = fmt.Sprintf("it did not change from tick %d to %d; watch_add sees the next change, also one that is undone within a tick", r.From, r.To)
	}
	return r, nil
}
