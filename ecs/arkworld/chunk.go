package arkworld

import (
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/ark/ecs"
)

// chunk is the rows of one of Ark's tables. There is one per table for the
// life of the world; a visit brings it up to date.
type chunk struct {
	w       *World
	id      int
	mask    mask
	comps   []loupe.TypeID
	n       int
	ents    []loupe.Entity
	cols    []col
	targets []loupe.Target
}

type col struct {
	base   unsafe.Pointer
	stride uintptr
}

// refresh reads addresses, length and targets from the table.
func (c *chunk) refresh(t *table) {
	c.n = int(t.len)
	c.ents = nil
	if c.n > 0 {
		c.ents = unsafe.Slice((*loupe.Entity)(t.entities.pointer), c.n)
	}
	c.targets = c.targets[:0]
	for i := range t.columns {
		column := &t.columns[i]
		c.cols[i] = col{column.pointer, column.itemSize}
		if column.isRelation {
			c.targets = append(c.targets, loupe.Target{Relation: c.comps[i], Entity: ourEntity(column.target)})
		}
	}
}

func (c *chunk) Archetype() int { return c.id }
func (c *chunk) Len() int       { return c.n }

func (c *chunk) Entity(row int) loupe.Entity {
	if row < 0 || row >= len(c.ents) {
		return loupe.Entity{}
	}
	return c.ents[row]
}

func (c *chunk) AppendEntities(dst []loupe.Entity, from, to int) []loupe.Entity {
	from, to = max(from, 0), min(to, len(c.ents))
	if from >= to {
		return dst
	}
	return append(dst, c.ents[from:to]...)
}

func (c *chunk) Components() []loupe.TypeID { return c.comps }
func (c *chunk) Targets() []loupe.Target    { return c.targets }

func (c *chunk) Column(id loupe.TypeID) (unsafe.Pointer, uintptr, bool) {
	for i, have := range c.comps {
		if have == id {
			return c.cols[i].base, c.cols[i].stride, c.cols[i].base != nil
		}
	}
	return nil, 0, false
}

// engineEntity makes Ark's handle; Ark offers only UnmarshalBinary.
func engineEntity(e loupe.Entity) (out ecs.Entity) {
	b := [8]byte{byte(e.ID >> 24), byte(e.ID >> 16), byte(e.ID >> 8), byte(e.ID), byte(e.Gen >> 24), byte(e.Gen >> 16), byte(e.Gen >> 8), byte(e.Gen)}
	_ = out.UnmarshalBinary(b[:]) // eight bytes: cannot fail
	return out
}

func ourEntity(e ecs.Entity) loupe.Entity { return loupe.Entity{ID: e.ID(), Gen: e.Gen()} }

// ourEntities views Ark's entities as ours. Only with a verified layout.
func ourEntities(s []ecs.Entity) []loupe.Entity {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*loupe.Entity)(unsafe.Pointer(&s[0])), len(s))
}
