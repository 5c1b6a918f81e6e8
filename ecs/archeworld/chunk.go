package archeworld

import (
	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/mlange-42/arche/ecs"
)

// chunk is the rows of one archetype. There is one per archetype for the life
// of the world; a visit brings it up to date.
type chunk struct {
	engine.Chunk
	arch *archetype // nil without a verified layout
	mask ecs.Mask
}

// refresh reads addresses, length and target from the archetype.
func (c *chunk) refresh() {
	a := c.arch
	if a == nil {
		return
	}
	c.SetRows(a.entityPointer, a.len)
	for i, id := range c.Types {
		c.Cols[i] = loupe.Column{}
		if int(id) < len(a.layouts) {
			l := &a.layouts[id]
			c.Cols[i] = loupe.Column{Base: l.pointer, Stride: uintptr(l.itemSize)}
		}
	}
	if len(c.Relations) > 0 {
		c.Relations[0].Entity = EntityOf(a.RelationTarget)
	}
}

// targetOf gives the one target that an entity can have.
func targetOf(targets []loupe.Target) loupe.Entity {
	if len(targets) == 0 {
		return loupe.Entity{}
	}
	return targets[0].Entity
}
