package arkworld

import (
	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
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
		c.Cols[i] = loupe.Column{Base: column.pointer, Stride: column.itemSize}
		if column.isRelation {
			c.Relations = append(c.Relations, loupe.Target{Relation: c.Types[i], Entity: EntityOf(column.target)})
		}
	}
}
