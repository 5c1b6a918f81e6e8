package arkworld

import (
	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/ark/ecs"
)

// What follows answers from Ark's public interface alone, for a build whose
// Ark has another memory layout. It is correct and slow: every question is a
// pass over all entities.

// scanPublic makes the chunks of all tables that have rows, in iteration
// order. Ark visits them in the order of its statistics.
func (w *World) scanPublic() (chunks []*chunk) {
	defer func() {
		if recover() != nil { // all locks are taken: Ark cannot open a query
			chunks = nil
		}
	}()
	w.sync()
	type place struct{ id, size int }
	var places []place
	n := 0
	for _, a := range w.ew.Stats().Archetypes {
		for _, t := range a.Tables {
			if t.Size > 0 {
				places = append(places, place{n, t.Size})
			}
			n++
		}
	}
	q := ecs.NewUnsafeFilter(w.ew).Query()
	for _, p := range places {
		if !q.Next() {
			return chunks
		}
		c := &chunk{w: w, id: p.id, n: p.size}
		ids := q.IDs()
		for i := range ids.Len() {
			id := ids.Get(i)
			t := loupe.TypeID(id.Index())
			c.comps = append(c.comps, t)
			c.mask.set(t)
			c.cols = append(c.cols, col{q.Get(id), w.types[t].Size})
			if w.rel[t] {
				c.targets = append(c.targets, loupe.Target{Relation: t, Entity: ourEntity(q.GetRelation(id))})
			}
		}
		for row := range p.size {
			if row > 0 {
				q.Next()
			}
			c.ents = append(c.ents, ourEntity(q.Entity()))
		}
		chunks = append(chunks, c)
	}
	q.Close()
	return chunks
}

func (w *World) holderPublic(id uint32) (loupe.Entity, bool) {
	for _, c := range w.scanPublic() {
		for _, e := range c.ents {
			if e.ID == id {
				return e, true
			}
		}
	}
	return loupe.Entity{}, false
}

func (w *World) rowPublic(e loupe.Entity) (*chunk, int, bool) {
	for _, c := range w.scanPublic() {
		for row, have := range c.ents {
			if have == e {
				return c, row, true
			}
		}
	}
	return nil, 0, false
}
