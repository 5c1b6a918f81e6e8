package archeworld

import (
	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
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
		c := &chunk{Chunk: engine.Chunk{ID: p.id}, mask: q.Mask()}
		for _, id := range q.Ids() {
			t := w.typeOf(id)
			c.Types = append(c.Types, t)
			c.Cols = append(c.Cols, loupe.Column{Base: q.Get(id), Stride: w.types[t].Size})
			if w.rel[t] {
				c.Relations = []loupe.Target{{Relation: t, Entity: EntityOf(q.Relation(id))}}
			}
		}
		for row := 0; row < p.size; row++ {
			if row > 0 {
				q.Next()
			}
			c.Rows = append(c.Rows, EntityOf(q.Entity()))
		}
		chunks = append(chunks, c)
	}
	q.Close()
	return chunks
}
