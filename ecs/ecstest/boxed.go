package ecstest

import (
	"iter"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
)

// Boxed is w as an engine would show it that keeps a pointer for each value:
// every column is boxed, and the boxes are where w has the values. What reads
// columns is tried with both.
func Boxed(w ecs.World) ecs.World {
	b := boxed{w}
	if r, ok := w.(ecs.Restorer); ok {
		return struct {
			boxed
			ecs.Restorer
		}{b, r}
	}
	return b
}

type boxed struct{ ecs.World }

func (b boxed) Chunks(f ecs.Filter) iter.Seq[ecs.Chunk] {
	return func(yield func(ecs.Chunk) bool) {
		for c := range b.World.Chunks(f) {
			if !yield(boxes{c}) {
				return
			}
		}
	}
}

func (b boxed) Row(e ecs.Entity) (ecs.Chunk, int, bool) {
	c, row, ok := b.World.Row(e)
	if !ok {
		return nil, 0, false
	}
	return boxes{c}, row, true
}

type boxes struct{ ecs.Chunk }

func (b boxes) Column(id ecs.TypeID) (ecs.Column, bool) {
	c, ok := b.Chunk.Column(id)
	if !ok {
		return c, false
	}
	pointers := make([]unsafe.Pointer, b.Len())
	for row := range pointers {
		pointers[row] = c.At(row)
	}
	return ecs.Column{Base: unsafe.Pointer(unsafe.SliceData(pointers)), Stride: unsafe.Sizeof(pointers[0]), Boxed: true}, true
}
