package timeline

import (
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
)

// Search looks for a tick at which a condition begins or ends to hold: for an
// entity that matches the plan and did not at the sample before, or the reverse;
// where the plan asks about resources alone, for the world.
type Search struct {
	Plan   *query.Plan
	Entity ecs.Entity // only this one; zero: any
	Ends   bool
	First  bool // the first such tick; else the last
}

// Found is what a Search found.
type Found struct {
	Ref
	Before   *Ref // the sample before; nil: the condition held from the first sample on
	Entities []ecs.Entity
	Total    int // of entities
	Samples  int // read
}

// maxFound is how many entities are named.
const maxFound = 10

// Search walks from one sample to another. found is false if the condition never
// began, or ended, to hold.
func (l *Line) Search(from, to Ref, s Search) (f Found, found bool) {
	var was, now matched
	var before *Cursor
	if s.Plan.LooksBack() {
		before = l.Walk(from, to)
	}
	var last *Ref
	samples := 0
	for c := l.Walk(from, to); c.Next(); {
		samples++
		now.reset()
		now.gather(c, before, &s)
		if before != nil {
			before.Next()
		}
		edges, n := now.since(&was, s.Ends)
		if n > 0 && (!s.Ends || last != nil) {
			f = Found{Ref: c.Ref(), Before: last, Entities: edges, Total: n}
			found = true
			if s.First {
				break
			}
		}
		r := c.Ref()
		last = &r
		was, now = now, was
	}
	f.Samples = samples
	return f, found
}

// matched is the entities that match at a sample, in order of the scan. A
// condition on resources alone matches the zero entity.
type matched struct{ list []ecs.Entity }

func (m *matched) reset() { m.list = m.list[:0] }

func (m *matched) gather(c, before *Cursor, s *Search) {
	var then ecs.World
	if before != nil && before.w != nil {
		then = before.w
	}
	if s.Plan.Global() {
		if s.Plan.Holds(c.w, then) {
			m.list = append(m.list, ecs.Entity{})
		}
		return
	}
	// Errors are those of a bare target that nobody is: nothing matches.
	_, _ = s.Plan.RowsSince(c.w, then, func(ch ecs.Chunk, rows []int32) bool {
		for _, r := range rows {
			if e := ch.Entity(int(r)); s.Entity.IsZero() || e == s.Entity {
				m.list = append(m.list, e)
			}
		}
		return true
	})
}

// since is the entities that match now and did not before; with ends the
// reverse. The first few are named.
func (m *matched) since(was *matched, ends bool) (some []ecs.Entity, n int) {
	if slices.Equal(m.list, was.list) {
		return nil, 0
	}
	have, want := was.list, m.list
	if ends {
		have, want = want, have
	}
	had := make(map[ecs.Entity]struct{}, len(have))
	for _, e := range have {
		had[e] = struct{}{}
	}
	for _, e := range want {
		if _, ok := had[e]; !ok {
			if n++; len(some) < maxFound {
				some = append(some, e)
			}
		}
	}
	return some, n
}

// Near is how near an operand of a condition came to hold.
type Near struct {
	Condition string `json:"condition" jsonschema:"a part of the condition"`
	Held      int    `json:"held" jsonschema:"samples at which something met this part alone, of those looked at"`
	Looked    int    `json:"looked" jsonschema:"samples looked at"`
	Tick      uint64 `json:"tick,omitempty" jsonschema:"the last of them"`
}

// maxNear bounds how many samples HowNear looks at.
const maxNear = 300

// HowNear tells for each operand of a plan's && how often it was met by itself.
func (l *Line) HowNear(from, to Ref, types *ecs.Catalog, q query.Query) (out []Near) {
	whole, err := query.Compile(types, q)
	if err != nil {
		return nil
	}
	var plans []*query.Plan
	for _, text := range whole.Conditions() {
		one := q
		one.Where = text
		p, err := query.Compile(types, one)
		if err != nil || p.LooksBack() {
			continue
		}
		plans, out = append(plans, p), append(out, Near{Condition: text})
	}
	shown := l.points(from, to, maxNear)
	for c := l.Walk(from, to); len(shown) > 0 && c.Next(); {
		if c.Ref().Seq != shown[0] {
			continue
		}
		shown = shown[1:]
		for i, p := range plans {
			out[i].Looked++
			if p.Global() && p.Holds(c.w, nil) || !p.Global() && p.Count(c.w) > 0 {
				out[i].Held++
				out[i].Tick = c.Ref().Tick
			}
		}
	}
	return out
}
