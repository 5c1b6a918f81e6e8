package blame

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/timeline/replay"
	"github.com/loupe-ecs/loupe/timeline/watch"
	"github.com/loupe-ecs/loupe/tools/host"
)

// maxAlso bounds what else is told of a change.
const maxAlso = 12

// rerun is the ticks of one span being run again.
type rerun struct {
	*span
	set   *watch.Set
	id    string
	cur   replay.State
	begun bool
	ran   uint64
	end   error // why it stopped: the tick panicked, the game was over

	row  map[ecs.TypeID]reflect.Value // of the entity, at the last boundary
	also map[int][]Also               // by number of the hit
	hits int
}

// Step runs ticks again until the time is up (0: without end), and reports
// whether all is known that can be. The present is back when it returns. Frame
// goroutine.
func (q *Inquiry) Step(w ecs.World, app *host.App, budget time.Duration) (done bool, err error) {
	start := time.Now()
	next := q.next()
	if next == nil {
		return true, nil
	}
	if err := replay.Can(w, app); err != nil {
		for ; next != nil; next = q.next() {
			next.done = true
			next.changes[0].Note = fmt.Sprintf("between the samples of tick %d and %d; by which system is not known: %v", next.before.Tick, next.after.Tick, err)
		}
		return true, nil
	}
	a, err := replay.Begin(w, app)
	if err != nil {
		return true, err
	}
	defer func() { err = errors.Join(err, a.End()) }()
	for ; next != nil; next = q.next() {
		if q.run == nil || q.run.span != next {
			q.run = &rerun{span: next, set: watch.NewSet(watch.Options{Driven: true}), also: map[int][]Also{}}
		}
		over, err := q.run.step(a, app, q.what, start, budget)
		if err != nil || !over {
			return err != nil, err
		}
		next.done = true
		q.run = nil
	}
	return true, nil
}

func (q *Inquiry) next() *span {
	for _, s := range q.spans {
		if !s.done {
			return s
		}
	}
	return nil
}

func (r *rerun) step(a *replay.Aside, app *host.App, what *watch.Compiled, start time.Time, budget time.Duration) (over bool, err error) {
	w := a.World()
	if r.begun {
		err = a.Load(&r.cur)
	} else {
		err = r.begin(a, app, what)
	}
	if err != nil {
		return true, err
	}
	e, _ := what.Entity()
	ticks := max(r.after.Tick-r.before.Tick, 1)
	for r.ran < ticks && r.end == nil {
		var inputs []byte
		if r.ran == 0 {
			inputs = r.span.end.Inputs
		}
		r.end = a.Tick(inputs, func(done, next string) bool {
			r.set.Between(done, next)
			r.look(w, e)
			return true
		})
		if r.end != nil {
			r.set.AtPoll(0, w, app, "") // names the system that panicked
		}
		r.set.EndTick(0, w, app)
		r.hits += r.set.Pending()
		r.ran++
		if r.ran < ticks && budget > 0 && time.Since(start) > budget {
			return false, a.Save(&r.cur)
		}
	}
	return true, r.conclude(a)
}

func (r *rerun) begin(a *replay.Aside, app *host.App, what *watch.Compiled) error {
	r.begun = true
	if err := a.Load(stateOf(r.start)); err != nil {
		return err
	}
	info, err := r.set.Add(a.World(), app, what.Longest())
	r.id = info.ID
	e, _ := what.Entity()
	r.row = rowOf(a.World(), e)
	return err
}

func stateOf(s *timeline.Sample) *replay.State {
	st := &replay.State{Image: *s.Image}
	for _, h := range s.States {
		st.States = append(st.States, replay.HostState{Name: h.Name, Version: h.Version, Data: h.Data})
	}
	return st
}

// look notes what else a system has changed on the entity, if it changed the
// value.
func (r *rerun) look(w ecs.World, e ecs.Entity) {
	if e.IsZero() {
		return
	}
	now := rowOf(w, e)
	if r.set.Pending() > len(r.also) {
		cat := w.Catalog()
		var list []Also
		for id, v := range now {
			if old, ok := r.row[id]; ok && !value.Equal(old, v) {
				list = appendFields(list, cat.Components[id], old, v)
			}
		}
		r.also[r.set.Pending()-1] = list
	}
	r.row = now
}

// rowOf copies an entity's components.
func rowOf(w ecs.World, e ecs.Entity) map[ecs.TypeID]reflect.Value {
	c, _, ok := w.Row(e)
	if !ok {
		return nil
	}
	loc, cat := ecs.LocatorOf(w), w.Catalog()
	out := map[ecs.TypeID]reflect.Value{}
	for _, id := range c.Components() {
		t := cat.Components[id].Type
		if p := loc.Locate(e, id); p != nil && t.Size > 0 {
			out[id] = value.Copy(reflect.NewAt(t.Go, p).Elem())
		}
	}
	return out
}

// appendFields names the fields of a component that differ.
func appendFields(dst []Also, c *ecs.Component, a, b reflect.Value) []Also {
	if len(c.Type.Fields) == 0 {
		return appendAlso(dst, Also{c.Name, a, b})
	}
	for _, f := range c.Type.Fields {
		p, err := c.Type.Path(f.Name)
		if err != nil {
			continue
		}
		va, errA := p.Get(a)
		vb, errB := p.Get(b)
		if errA == nil && errB == nil && !value.Equal(va, vb) {
			dst = appendAlso(dst, Also{c.Name + "." + f.Name, va, vb})
		}
	}
	return dst
}

func appendAlso(dst []Also, a Also) []Also {
	if len(dst) < maxAlso {
		dst = append(dst, a)
	}
	return dst
}

// conclude makes changes of the hits, if the run led to what was recorded.
func (r *rerun) conclude(a *replay.Aside) error {
	hits, _, _ := r.set.Hits(r.id, 0, watch.MaxLimit)
	if r.cause != "" {
		r.divide(hits)
		return nil
	}
	exact, where := true, ""
	var p *replay.Panic
	switch {
	case r.after.Cause == timeline.CauseCrash:
		if exact = errors.As(r.end, &p); !exact {
			where = "the tick did not panic when it was run again"
		}
	case r.end != nil:
		exact, where = false, r.end.Error()
	default:
		if err := a.Save(&r.cur); err != nil {
			return err
		}
		if exact, where = replay.Same(a.World().Catalog(), &r.cur, stateOf(r.span.end)); !exact {
			where = "running the tick again led to something else than what was recorded (" + where + "): the game is not deterministic here (determinism_check says where), or something outside its ticks changed the world"
		}
	}
	if len(hits) == 0 || !exact {
		c := &r.changes[0]
		switch {
		case where != "":
			c.Note = where
		default:
			c.Note = "running the tick again did not change it"
		}
		if len(hits) > 0 {
			c.Note += fmt.Sprintf("; in that run it was %s", hits[len(hits)-1].System)
		}
		return nil
	}
	r.changes = r.changes[:0]
	for i, h := range slices.Backward(hits) {
		c := Change{Tick: h.Tick, System: h.System, From: h.Old, To: h.New, How: Reexecuted, Note: h.Note}
		if r.after.Tick == r.before.Tick+1 {
			c.Tick = r.after.Tick
			c.Also = r.also[i]
		}
		r.changes = append(r.changes, c)
	}
	return nil
}

// divide tells what the ticks of a span did from what followed them. No sample
// lies between the two, so that the run is held against nothing.
func (r *rerun) divide(hits []watch.Hit) {
	infos, err := r.set.List(r.id)
	if r.end != nil || err != nil {
		return // what the samples say stands
	}
	r.changes = r.changes[:0]
	if left := infos[0].Value; !same(left, r.to) {
		c := Change{Tick: r.after.Tick, From: left, To: r.to, How: Sampled}
		if call, ok := strings.CutPrefix(r.cause, "call "); ok {
			c.Call = call
		} else {
			c.System, c.Note = watch.Outside, r.cause+"; "
		}
		c.Note += "no sample divides it from the ticks before"
		r.changes = append(r.changes, c)
	}
	for _, h := range slices.Backward(hits) {
		r.changes = append(r.changes, Change{Tick: h.Tick, System: h.System, From: h.Old, To: h.New, How: Sampled,
			Note: "seen by running the ticks again; nothing was recorded between them and " + r.cause + " to compare with"})
	}
}
