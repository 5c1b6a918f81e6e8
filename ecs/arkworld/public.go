package arkworld

import (
	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
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
		c := &chunk{Chunk: engine.Chunk{ID: p.id}}
		ids := q.IDs()
		for i := range ids.Len() {
			id := ids.Get(i)
			t := loupe.TypeID(id.Index())
			c.Types = append(c.Types, t)
			c.mask.set(t)
			c.Cols = append(c.Cols, loupe.Column{Base: q.Get(id), Stride: w.types[t].Size})
			if w.rel[t] {
				c.Relations = append(c.Relations, loupe.Target{Relation: t, Entity: EntityOf(q.GetRelation(id))})
			}
		}
		for row := range p.size {
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
