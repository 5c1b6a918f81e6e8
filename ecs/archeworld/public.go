package archeworld

import (
	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/arche/ecs"
)

// What follows answers from arche's public interface alone, for a build whose
// arche has another memory layout. It is correct and slow: every question is a
// pass over all entities.

// scanPublic makes the chunks of all archetypes that have rows, in iteration
// order. arche visits them in the order of its statistics; a change of
// archetype shows as the end of one's size.
func (w *World) scanPublic() (chunks []*chunk) {
	defer func() {
		if recover() != nil { // all locks are taken: arche cannot open a query
			chunks = nil
		}
	}()
	w.sync()
	type place struct{ id, size int }
	var places []place
	n := 0
	for _, node := range w.ew.Stats().Nodes {
		for _, a := range node.Archetypes {
			if node.IsActive {
				if a.Size > 0 {
					places = append(places, place{n, a.Size})
				}
				n++
			}
		}
	}
	all := ecs.All()
	q := w.ew.Query(&all)
	for _, p := range places {
		if !q.Next() {
			return chunks
		}
		c := &chunk{w: w, id: p.id, n: p.size, mask: q.Mask(), rel: -1}
		for _, id := range q.Ids() {
			t := w.typeOf(id)
			c.comps = append(c.comps, t)
			c.cols = append(c.cols, column{q.Get(id), w.types[t].Size})
			if w.rel[t] {
				c.rel, c.target = t, ourEntity(q.Relation(id))
				c.targets[0] = loupe.Target{Relation: t, Entity: c.target}
			}
		}
		for row := 0; row < p.size; row++ {
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
