package blame

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/timeline/watch"
)

// How a change is known.
const (
	Watched    = "watched"     // a watch saw it
	Reexecuted = "re-executed" // the ticks were run again, to exactly what was recorded
	Sampled    = "sampled"     // two samples differ
)

// Change is one change of a value. Values are copies, invalid where there was or
// is none.
type Change struct {
	Tick     uint64
	System   string // or watch.Outside; "" where it is not known or a call made it
	Call     string // the client's call that made it
	From, To reflect.Value
	How      string
	Note     string
	// Also is what the same system changed on the same entity in that tick.
	Also []Also
}

// Also is another value that changed with it.
type Also struct {
	Path     string
	From, To reflect.Value
}

// Options say how far to look. The zero value asks for the last change.
type Options struct {
	Before *int64 // at or before this tick, or so many ticks back. Default: now
	Count  int    // changes. Default 1
}

// Inquiry is a question under way.
type Inquiry struct {
	what  *watch.Compiled
	count int
	// From and To are the ticks that were looked through.
	From, To uint64
	spans    []*span // newest first
	run      *rerun
}

// span is between two neighbouring samples that differ in the value.
type span struct {
	before, after timeline.Ref
	from, to      reflect.Value
	start, end    *timeline.Sample // nil: not to be run again
	cause         string           // what came after the ticks and before the later sample; "": nothing
	changes       []Change         // newest first
	done          bool
}

// Ask looks through a recording. Any goroutine; it waits for the samples that
// are being packed.
func Ask(ctx context.Context, rec *timeline.Recorder, what *watch.Compiled, o Options) (*Inquiry, error) {
	q := &Inquiry{what: what, count: max(o.Count, 1)}
	var line *timeline.Line
	if rec != nil {
		rec.Flush(ctx)
		line = rec.Line()
	}
	if line == nil || line.Len() == 0 {
		return nil, &refusal.Error{Code: refusal.NotRecorded, Message: "nothing is recorded, and no watch saw a change: the past of this value is not known",
			Hint: "record_start records from now on; watch_add names who changes it from now on", Next: "watch_add"}
	}
	_, to, _ := line.Ticks()
	at := int64(to)
	if o.Before != nil {
		at = *o.Before
	}
	last, err := line.Find(at)
	if err != nil {
		return nil, err
	}
	q.From, q.To = line.First().Tick, last.Tick
	if err := q.resolve(line, last); err != nil {
		return nil, err
	}
	if !q.scan(line, last) {
		return nil, q.neverThere()
	}
	for _, s := range q.spans {
		q.prepare(line, s)
	}
	return q, nil
}

// resolve finds who is meant by the number of a slot: who lives in it at the
// last sample, or who was the last that did.
func (q *Inquiry) resolve(line *timeline.Line, last timeline.Ref) error {
	slot, bare := q.what.Entity()
	if !bare {
		return nil
	}
	e, found := line.World(last).Holder(slot.ID)
	if !found {
		for c := line.Walk(line.First(), last); c.Next(); {
			if h, ok := c.World().Holder(slot.ID); ok {
				e, found = h, true
			}
		}
	}
	if !found {
		return &refusal.Error{Code: refusal.UnknownEntity, Message: fmt.Sprintf("no entity lived in slot %d from tick %d to %d", slot.ID, q.From, q.To),
			Got: slot.ID, Hint: "query finds entities, also of a recorded tick (at)", Next: "query"}
	}
	q.what = q.what.Of(e)
	return nil
}

// What is asked about, in words: with the entity that a bare number meant.
func (q *Inquiry) What() string { return q.what.What() }

// neverThere refuses what there was nothing of: that it did not change would be
// true, and mislead.
func (q *Inquiry) neverThere() error {
	return &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("%s: there was no such value at any sample from tick %d to %d", q.what.What(), q.From, q.To),
		Hint: "info with at tells what an entity had at a recorded tick", Next: "info"}
}

// scan finds the last changes from sample to sample, and tells whether there was
// a value at all.
func (q *Inquiry) scan(line *timeline.Line, last timeline.Ref) (there bool) {
	var prev timeline.Ref
	var old reflect.Value
	first := true
	for c := line.Walk(line.First(), last); c.Next(); {
		v := q.what.Read(c)
		there = there || v.IsValid()
		if !first && same(old, v) {
			prev = c.Ref()
			continue
		}
		if v.IsValid() {
			v = value.Copy(v)
		}
		if !first {
			q.spans = append(q.spans, &span{before: prev, after: c.Ref(), from: old, to: v})
			if len(q.spans) > q.count {
				q.spans = slices.Delete(q.spans, 0, 1)
			}
		}
		first, prev, old = false, c.Ref(), v
	}
	slices.Reverse(q.spans)
	return there
}

func same(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	return value.Equal(a, b)
}

// prepare decides what is known of a span already.
func (q *Inquiry) prepare(line *timeline.Line, s *span) {
	c := Change{Tick: s.after.Tick, From: s.from, To: s.to, How: Sampled}
	cause := s.after.Cause
	if own := cause == "" || cause == timeline.CauseCrash; !own && cause != timeline.CauseStart && s.after.Tick > s.before.Tick {
		// No sample divides the ticks from what followed them: it may have been
		// either. A recording of every tenth tick is like that, or one that a fast
		// loop has outrun.
		s.cause = cause
		s.changes = []Change{{Tick: s.after.Tick, From: s.from, To: s.to, How: Sampled,
			Note: fmt.Sprintf("in the ticks %d to %d, or by what no sample divides from them: %s", s.before.Tick+1, s.after.Tick, cause)}}
		s.start, s.end = line.Sample(s.before), line.Sample(s.after)
		return
	}
	if call, ok := strings.CutPrefix(cause, "call "); ok {
		c.Call = call
	} else if cause != "" && cause != timeline.CauseCrash {
		c.System = watch.Outside
		c.Note = cause // "parked load_level", "rewind"
		if cause == timeline.CauseStart {
			c.System, c.Note = "", "in a gap of the recording"
		}
	} else {
		s.start, s.end = line.Sample(s.before), line.Sample(s.after)
	}
	s.changes, s.done = []Change{c}, s.start == nil
}

// Changes are the last changes, newest first.
func (q *Inquiry) Changes() []Change {
	list := []Change{}
	for _, s := range q.spans {
		list = append(list, s.changes...)
	}
	return list[:min(len(list), q.count)]
}
