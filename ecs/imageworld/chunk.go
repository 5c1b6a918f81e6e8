package imageworld

import (
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
)

// chunk is the rows of an archetype. Its columns are asked of the source when
// they are wanted.
type chunk struct {
	engine.Chunk
	w *World
}

func (w *World) chunk(i int) *chunk {
	c := &chunk{w: w}
	c.ID = i
	c.Types, c.Relations, _ = w.src.Archetype(i)
	c.Rows = w.src.Entities(i)
	return c
}

// Column implements [ecs.Chunk].
func (c *chunk) Column(id ecs.TypeID) (ecs.Column, bool) {
	for k, have := range c.Types {
		if have == id {
			size := c.w.types.Components[id].Type.Go.Size()
			if size == 0 {
				return ecs.Column{Base: unsafe.Pointer(&tag)}, true
			}
			return ecs.Column{Base: c.w.src.Column(c.ID, k), Stride: size}, true
		}
	}
	return ecs.Column{}, false
}

// tag is where the values of components without data are.
var tag uint64
