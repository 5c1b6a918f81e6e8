package timeline

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Line is the samples that led to one point: those of a branch, and of the
// branches it came from up to where it left them. It is what was recorded when
// it was asked for, and does not change; what is pushed out of the recording
// meanwhile stays readable through it. Any goroutine.
type Line struct {
	Branch int
	spans  []span
	now    uint64 // the live world's tick
	on     bool   // recording
	every  int
}

// span is samples lo to hi-1 of a segment.
type span struct {
	view
	lo, hi int
}

// line gathers a branch's samples. Under no lock.
func (r *ring) line(branch int) []span {
	r.mu.Lock()
	defer r.mu.Unlock()
	type bound struct{ seq, tick uint64 }
	bounds := map[int]bound{}
	at := bound{math.MaxUint64, math.MaxUint64}
	for b := branch; b >= 0 && b < len(r.branches); b = r.branches[b].parent {
		bounds[b] = at
		at = bound{min(at.seq, r.branches[b].seq), min(at.tick, r.branches[b].tick)}
	}
	var spans []span
	for _, s := range r.segments {
		b, ok := bounds[s.branch]
		if !ok {
			continue
		}
		v := s.view()
		hi := sort.Search(len(v.samples), func(i int) bool { return v.samples[i].seq > b.seq || v.samples[i].tick > b.tick })
		if hi > 0 {
			spans = append(spans, span{v, 0, hi})
		}
	}
	return spans
}

// Len is how many samples there are.
func (l *Line) Len() (n int) {
	for _, s := range l.spans {
		n += s.hi - s.lo
	}
	return n
}

// Ticks is the first and last recorded tick; false if nothing is recorded.
func (l *Line) Ticks() (from, to uint64, ok bool) {
	if len(l.spans) == 0 {
		return 0, 0, false
	}
	last := l.spans[len(l.spans)-1]
	return l.spans[0].samples[0].tick, last.samples[last.hi-1].tick, true
}

// First is the first sample; the zero Ref if nothing is recorded.
func (l *Line) First() Ref {
	if len(l.spans) == 0 {
		return Ref{}
	}
	return l.spans[0].ref(0)
}

// Refs names the samples with ticks from to to, in order.
func (l *Line) Refs(from, to uint64) (refs []Ref) {
	for _, s := range l.spans {
		for i := s.lo; i < s.hi; i++ {
			if r := s.ref(i); r.Tick >= from && r.Tick <= to {
				refs = append(refs, r)
			}
		}
	}
	return refs
}

// place finds the last sample at or before a tick: span and index. ok is false
// if the tick lies before all.
func (l *Line) place(tick uint64) (k, i int, ok bool) {
	k = sort.Search(len(l.spans), func(k int) bool { return l.spans[k].samples[0].tick > tick }) - 1
	if k < 0 {
		return 0, 0, false
	}
	s := l.spans[k]
	return k, sort.Search(s.hi, func(i int) bool { return s.samples[i].tick > tick }) - 1, true
}

// Find names the sample that shows the world at a tick: the last at or before
// it. A negative tick counts back from where the live world is. The error is
// not_recorded, with what is.
func (l *Line) Find(at int64) (Ref, error) {
	from, to, ok := l.Ticks()
	if !ok {
		e := l.refuse(at, "nothing is recorded")
		e.Hint, e.Next = "record_start begins; the past is known from then on", "record_start"
		return Ref{}, e
	}
	if at < 0 && uint64(-at) > l.now {
		return Ref{}, l.refuse(at, fmt.Sprintf("that is before tick 0: the world is at tick %d", l.now))
	}
	tick := uint64(at)
	if at < 0 {
		tick = l.now - uint64(-at)
	}
	k, i, ok := l.place(tick)
	if !ok {
		e := l.refuse(at, fmt.Sprintf("tick %d is not recorded any more, or was before the recording: it reaches from tick %d to %d", tick, from, to))
		e.Hint = "record_start with more memoryMB, or a greater every, reaches further back"
		return Ref{}, e
	}
	s := l.spans[k].ref(i)
	if tick > to {
		if tick >= to+uint64(max(l.every, 1)) && (tick > l.now || !l.on) {
			e := l.refuse(at, fmt.Sprintf("tick %d has not been recorded: the recording reaches from tick %d to %d and the world is at tick %d", tick, from, to, l.now))
			e.Hint = "leave at out to read the live world; clock_set with step, or run_until, goes on to a later tick"
			return Ref{}, e
		}
		return s, nil
	}
	if next, ok := l.after(k, i); ok && next.Cause == CauseStart && tick > s.Tick {
		e := l.refuse(at, fmt.Sprintf("tick %d is in a gap: nothing was recorded between tick %d and %d", tick, s.Tick, next.Tick))
		e.Options, e.Total = []string{strconv.FormatUint(s.Tick, 10), strconv.FormatUint(next.Tick, 10)}, 2
		return Ref{}, e
	}
	return s, nil
}

func (l *Line) after(k, i int) (Ref, bool) {
	switch {
	case i+1 < l.spans[k].hi:
		return l.spans[k].ref(i + 1), true
	case k+1 < len(l.spans):
		return l.spans[k+1].ref(0), true
	}
	return Ref{}, false
}

func (l *Line) refuse(at int64, why string) *refusal.Error {
	e := &refusal.Error{Code: refusal.NotRecorded, Message: why, Got: at, Next: "record_info"}
	if from, to, ok := l.Ticks(); ok {
		e.Want = fmt.Sprintf("a tick from %d to %d, or a negative number of ticks back", from, to)
	}
	return e
}
