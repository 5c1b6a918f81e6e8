package archeworld

import (
	"reflect"
	"slices"
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/arche/ecs"
)

// Capture copies the whole world into img: pointer-free columns as one block
// each, the others value by value. Every composition arche has a node for is in
// it, those without archetypes too: their nodes hold places in the order of
// iteration. Memory that img holds from an earlier capture is used again. It
// needs no unlocked world.
func (w *World) Capture(img *loupe.Image) error {
	w.sync()
	if !w.lay {
		return layoutErrOr()
	}
	pool := &w.inner().entityPool
	img.Pool = loupe.Pool{
		Slots: append(img.Pool.Slots[:0], ourEntities(pool.entities)...),
		Next:  pool.next, Available: pool.available, Reserved: 1,
	}
	img.Hints = img.Hints[:0]
	old := img.Archetypes[:cap(img.Archetypes)]
	img.Archetypes = img.Archetypes[:0]
	var h hints
	next := func(n *archNode) *loupe.ImageArchetype {
		i := len(img.Archetypes)
		var a loupe.ImageArchetype
		if i < len(old) && slices.EqualFunc(old[i].Components, n.Ids, func(t loupe.TypeID, id ecs.ID) bool { return t == w.typeOf(id) }) {
			a = old[i]
		} else {
			a.Components = make([]loupe.TypeID, len(n.Ids))
			for k, id := range n.Ids {
				a.Components[k] = w.typeOf(id)
			}
			a.Columns = make([]reflect.Value, len(n.Ids))
		}
		a.Targets, a.Entities = a.Targets[:0], a.Entities[:0]
		img.Archetypes = append(img.Archetypes, a)
		return &img.Archetypes[i]
	}
	for at, n := range w.inner().nodePointers {
		before := len(img.Archetypes)
		w.walkNode(at, n, func(c *chunk) bool {
			if c.arch.index < 0 {
				return true
			}
			c.refresh()
			h.archetype(n, c, len(img.Archetypes))
			a := next(n)
			a.Targets = append(a.Targets, c.Targets()...)
			a.Entities = append(a.Entities, c.ents...)
			for k, id := range c.comps {
				a.Columns[k] = captureColumn(a.Columns[k], w.types[id], c.cols[k], c.n)
			}
			return true
		})
		if len(img.Archetypes) == before {
			h.idleNode(n, before)
			a := next(n)
			for k, id := range a.Components {
				a.Columns[k] = captureColumn(a.Columns[k], w.types[id], column{}, 0)
			}
		}
	}
	img.Hints = h.finish(w.inner(), img.Hints)
	w.captureResources(img)
	return nil
}

func captureColumn(dst reflect.Value, t *loupe.Type, col column, n int) reflect.Value {
	if !t.PointerFree {
		return loupe.CopyColumn(t, col.base, col.stride, n)
	}
	if dst.IsValid() && dst.Cap() >= n {
		dst = dst.Slice(0, n)
	} else {
		dst = reflect.MakeSlice(reflect.SliceOf(t.Go), n, n)
	}
	copyBytes(dst.UnsafePointer(), col.base, t.Size*uintptr(n))
	return dst
}

// copyBytes is for memory without pointers only.
func copyBytes(dst, src unsafe.Pointer, n uintptr) {
	if n > 0 {
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	}
}

func (w *World) captureResources(img *loupe.Image) {
	img.Resources = img.Resources[:0]
	for i, id := range w.resourceIDs() {
		r := loupe.ImageResource{ID: loupe.TypeID(i)}
		v, ok := w.resource(id)
		if !ok && w.ew.Resources().Has(id) {
			continue // there, but not of its type: nothing that could be put back
		}
		if ok {
			r.Value = loupe.Copy(v)
		}
		img.Resources = append(img.Resources, r)
	}
}
