package engine

import (
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
)

// Chunk is the rows of an archetype where the engine has them. An adapter
// embeds it in a chunk of its own and brings it up to date on every visit.
// It implements [ecs.Chunk].
type Chunk struct {
	ID        int
	Types     []ecs.TypeID
	Rows      []ecs.Entity
	Cols      []ecs.Column // one per type; without a base: no such column
	Relations []ecs.Target // of all rows
}

// SetRows takes the n entities at p for the rows.
func (c *Chunk) SetRows(p unsafe.Pointer, n uint32) {
	c.Rows = nil
	if n > 0 {
		c.Rows = unsafe.Slice((*ecs.Entity)(p), int(n))
	}
}

// Archetype implements [ecs.Chunk].
func (c *Chunk) Archetype() int { return c.ID }

// Len implements [ecs.Chunk].
func (c *Chunk) Len() int { return len(c.Rows) }

// Entity implements [ecs.Chunk]; the zero entity for a row that is not there.
func (c *Chunk) Entity(row int) ecs.Entity {
	if row < 0 || row >= len(c.Rows) {
		return ecs.Entity{}
	}
	return c.Rows[row]
}

// AppendEntities implements [ecs.Chunk]; rows that are not there are left out.
func (c *Chunk) AppendEntities(dst []ecs.Entity, from, to int) []ecs.Entity {
	from, to = max(from, 0), min(to, len(c.Rows))
	if from >= to {
		return dst
	}
	return append(dst, c.Rows[from:to]...)
}

// Components implements [ecs.Chunk].
func (c *Chunk) Components() []ecs.TypeID { return c.Types }

// Targets implements [ecs.Chunk].
func (c *Chunk) Targets() []ecs.Target { return c.Relations }

// Column implements [ecs.Chunk].
func (c *Chunk) Column(id ecs.TypeID) (ecs.Column, bool) {
	for i, have := range c.Types {
		if have == id {
			return c.Cols[i], c.Cols[i].Base != nil
		}
	}
	return ecs.Column{}, false
}

// FindSlot looks through all rows for the entity that lives in slot id.
func FindSlot[C ecs.Chunk](chunks []C, id uint32) (c C, row int, ok bool) {
	for _, c := range chunks {
		for row := range c.Len() {
			if c.Entity(row).ID == id {
				return c, row, true
			}
		}
	}
	return c, 0, false
}
