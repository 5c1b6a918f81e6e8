package hosttools

import (
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/imageworld"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/surprise"
	"github.com/loupe-ecs/loupe/tools"
)

// condition is what a run waits for: of entities, or of resources alone, now or
// beside the tick before.
type condition struct {
	none   bool // that nothing matches
	img    ecs.Image
	before ecs.World // as the last tick but one left it; nil: not needed, or not yet known
}

// checks refuses a condition with prev(x) over a world that cannot be copied.
func (c *condition) checks(p *query.Plan, w ecs.World) error {
	if _, ok := w.(ecs.Restorer); p.LooksBack() && !ok {
		return &refusal.Error{Code: refusal.NotSupported, Message: "prev(x) needs a copy of the world each tick, and its adapter does not implement ecs.Restorer",
			Hint: "compare with a number instead", Next: "query"}
	}
	return nil
}

// holds looks at the world.
func (c *condition) holds(p *query.Plan, w ecs.World) bool {
	switch {
	case p.LooksBack() && c.before == nil:
		return false // what was a tick before is not known yet
	case p.Global():
		return p.Holds(w, c.before) != c.none
	case c.before == nil:
		return anyMatch(p, w) != c.none
	}
	n, _ := p.RowsSince(w, c.before, func(ecs.Chunk, []int32) bool { return false })
	return n > 0 != c.none
}

// remember keeps what prev(x) will be after the next tick.
func (c *condition) remember(p *query.Plan, w ecs.World) error {
	if !p.LooksBack() {
		return nil
	}
	if err := w.(ecs.Restorer).Capture(&c.img); err != nil {
		return err
	}
	c.before = imageworld.New(w.Catalog(), &c.img)
	return nil
}

// matching visits the entities that match.
func (c *condition) matching(p *query.Plan, w ecs.World) func(func(ecs.Chunk, int) bool) {
	return func(visit func(ecs.Chunk, int) bool) {
		if p.Global() {
			return
		}
		_, _ = p.RowsSince(w, c.before, func(ch ecs.Chunk, rows []int32) bool {
			for _, row := range rows {
				if !visit(ch, int(row)) {
					return false
				}
			}
			return true
		})
	}
}

// proof is what made a condition true: the entities, and what they held.
type proof struct {
	count       int
	entities    []runSeen
	now, before *surprise.Reading
}

// prove copies it. Frame goroutine.
func (c *condition) prove(f *tools.Frame, p *query.Plan) (out proof, err error) {
	w := f.World
	out.entities = []runSeen{}
	cat := w.Catalog()
	var who []ecs.Entity
	if !p.Global() {
		out.count, err = p.RowsSince(w, c.before, func(ch ecs.Chunk, rows []int32) bool {
			for _, row := range rows {
				if len(who) == runSeenMost {
					return false
				}
				e := ch.Entity(int(row))
				who = append(who, e)
				out.entities = append(out.entities, runSeen{e.String(), ecs.LabelOf(cat, ch, int(row))})
			}
			return true
		})
	}
	these := func(w ecs.World) func(func(ecs.Chunk, int) bool) {
		return func(visit func(ecs.Chunk, int) bool) {
			for _, e := range who {
				if ch, row, ok := w.Row(e); ok && !visit(ch, row) {
					return
				}
			}
		}
	}
	out.now = surprise.Read(w, p.Paths(), these(w))
	if c.before != nil {
		out.before = surprise.Read(c.before, p.Paths(), these(c.before))
	}
	return out, err
}

func anyMatch(p *query.Plan, w ecs.World) (found bool) {
	p.Each(w, func(ecs.Chunk, []int32) bool {
		found = true
		return false
	})
	return found
}
