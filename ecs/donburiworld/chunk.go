package donburiworld

import (
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
)

// chunk is the rows of an archetype. There is one for each, and a visit brings it
// up to date. Its entities are converted when they are asked for.
type chunk struct {
	engine.Chunk
	entities []donburi.Entity
	boxes    [][]unsafe.Pointer // without a verified layout: gathered
}

const pointerSize = unsafe.Sizeof(uintptr(0))

// Len implements [ecs.Chunk].
func (c *chunk) Len() int { return len(c.entities) }

// Entity implements [ecs.Chunk].
func (c *chunk) Entity(row int) ecs.Entity {
	if row < 0 || row >= len(c.entities) {
		return ecs.Entity{}
	}
	return EntityOf(c.entities[row])
}

// AppendEntities implements [ecs.Chunk].
func (c *chunk) AppendEntities(dst []ecs.Entity, from, to int) []ecs.Entity {
	for row := max(from, 0); row < min(to, len(c.entities)); row++ {
		dst = append(dst, EntityOf(c.entities[row]))
	}
	return dst
}

// rows fills in what an image wants of the chunk.
func (c *chunk) rows() *engine.Chunk {
	c.Rows = c.AppendEntities(c.Rows[:0], 0, len(c.entities))
	return &c.Chunk
}

// chunkOf brings the chunk of an archetype up to date.
func (w *World) chunkOf(i int) *chunk {
	a := w.dw.Archetypes()[i]
	for len(w.chunks) <= i {
		w.chunks = append(w.chunks, nil)
	}
	c := w.chunks[i]
	if c == nil {
		c = &chunk{Chunk: engine.Chunk{ID: i}}
		for _, t := range a.ComponentTypes() {
			c.Types = append(c.Types, w.byID[t.Id()])
			c.Cols = append(c.Cols, ecs.Column{Stride: pointerSize, Boxed: true})
		}
		w.chunks[i] = c
	}
	c.entities = a.Entities()
	if w.lay {
		in := w.inner()
		for k, t := range a.ComponentTypes() {
			c.Cols[k].Base = unsafe.Pointer(unsafe.SliceData(in.components.boxes(int(t.Id()), i)))
		}
		return c
	}
	c.boxes = make([][]unsafe.Pointer, len(c.Types))
	for k, t := range a.ComponentTypes() {
		from := w.dw.StorageAccessor().Components.Storage(t)
		c.boxes[k] = make([]unsafe.Pointer, len(c.entities), len(c.entities)+1)
		for row := range c.entities {
			c.boxes[k][row] = at(from.Component, i, row)
		}
		c.Cols[k].Base = unsafe.Pointer(unsafe.SliceData(c.boxes[k]))
	}
	return c
}

// at calls donburi's method, whose argument types cannot be named outside it.
func at[A, C ~int](component func(A, C) unsafe.Pointer, archetype, row int) unsafe.Pointer {
	return component(A(archetype), C(row))
}

// boxes are the pointers to the values of a component in an archetype.
func (c *components) boxes(id, archetype int) []unsafe.Pointer {
	if id >= len(c.storages) || c.storages[id] == nil || archetype >= len(c.storages[id].storages) {
		return nil
	}
	return c.storages[id].storages[archetype]
}
