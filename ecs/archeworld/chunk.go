package archeworld

import (
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/arche/ecs"
)

// chunk is the rows of one archetype. There is one per archetype for the life
// of the world; a visit brings it up to date.
type chunk struct {
	w      *World
	arch   *archetype // nil without a verified layout
	id     int
	mask   ecs.Mask
	comps  []loupe.TypeID
	rel    loupe.TypeID // -1: none
	target loupe.Entity

	n       int
	ents    []loupe.Entity
	cols    []column
	targets [1]loupe.Target
}

type column struct {
	base   unsafe.Pointer
	stride uintptr
}

// refresh reads addresses and length from the archetype.
func (c *chunk) refresh() {
	a := c.arch
	if a == nil {
		return
	}
	c.n = int(a.len)
	c.ents = nil
	if c.n > 0 {
		c.ents = unsafe.Slice((*loupe.Entity)(a.entityPointer), c.n)
	}
	for i, id := range c.comps {
		c.cols[i] = column{}
		if int(id) < len(a.layouts) {
			l := &a.layouts[id]
			c.cols[i] = column{l.pointer, uintptr(l.itemSize)}
		}
	}
	if c.rel >= 0 {
		c.target = ourEntity(a.RelationTarget)
		c.targets[0] = loupe.Target{Relation: c.rel, Entity: c.target}
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

func (c *chunk) Column(id loupe.TypeID) (unsafe.Pointer, uintptr, bool) {
	for i, have := range c.comps {
		if have == id {
			return c.cols[i].base, c.cols[i].stride, c.cols[i].base != nil
		}
	}
	return nil, 0, false
}

func (c *chunk) Targets() []loupe.Target {
	if c.rel < 0 {
		return nil
	}
	return c.targets[:]
}
