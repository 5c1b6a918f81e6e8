package arkworld

import (
	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/internal/engine"
	"github.com/mlange-42/ark/ecs"
)

// chunk is the rows of one of Ark's tables. There is one per table for the
// life of the world; a visit brings it up to date.
type chunk struct {
	engine.Chunk
	mask mask
}

// refresh reads addresses, length and targets from the table.
func (c *chunk) refresh(t *table) {
	c.SetRows(t.entities.pointer, t.len)
	c.Relations = c.Relations[:0]
	for i := range t.columns {
		column := &t.columns[i]
		c.Cols[i] = engine.Column{Base: column.pointer, Stride: column.itemSize}
		if column.isRelation {
			c.Relations = append(c.Relations, loupe.Target{Relation: c.Types[i], Entity: ourEntity(column.target)})
		}
	}
}

// engineEntity makes Ark's handle; Ark offers only UnmarshalBinary.
func engineEntity(e loupe.Entity) (out ecs.Entity) {
	b := [8]byte{byte(e.ID >> 24), byte(e.ID >> 16), byte(e.ID >> 8), byte(e.ID), byte(e.Gen >> 24), byte(e.Gen >> 16), byte(e.Gen >> 8), byte(e.Gen)}
	_ = out.UnmarshalBinary(b[:]) // eight bytes: cannot fail
	return out
}

func ourEntity(e ecs.Entity) loupe.Entity { return loupe.Entity{ID: e.ID(), Gen: e.Gen()} }
