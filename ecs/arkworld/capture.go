package arkworld

import (
	"reflect"
	"slices"
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/ark/ecs"
)

// Capture copies the whole world into img: pointer-free columns as one block
// each, the others value by value. Memory that img holds from an earlier
// capture is used again. It needs no unlocked world.
func (w *World) Capture(img *loupe.Image) error {
	w.sync()
	if !w.lay {
		return noLayout()
	}
	s := &w.inner().storage
	img.Pool = loupe.Pool{
		Slots: append(img.Pool.Slots[:0], ourEntities(s.entityPool.entities)...),
		Next:  s.entityPool.next, Available: s.entityPool.available, Reserved: reserved,
	}
	old := img.Archetypes[:cap(img.Archetypes)]
	img.Archetypes = img.Archetypes[:0]
	index := make(map[uint32]uint32, len(s.tables))
	for i := range s.archetypes {
		for _, id := range s.archetypes[i].tables.tables {
			c := w.chunkOf(id)
			n := len(img.Archetypes)
			index[id] = uint32(n)
			var a loupe.ImageArchetype
			if n < len(old) && slices.Equal(old[n].Components, c.comps) {
				a = old[n]
			} else {
				a.Components = slices.Clone(c.comps)
				a.Columns = make([]reflect.Value, len(c.comps))
			}
			a.Targets = append(a.Targets[:0], c.targets...)
			a.Entities = append(a.Entities[:0], c.ents...)
			for k, t := range c.comps {
				a.Columns[k] = captureColumn(a.Columns[k], w.types[t], c.cols[k], c.n)
			}
			img.Archetypes = append(img.Archetypes, a)
		}
	}
	img.Hints = filterHints(img.Hints[:0], s, index)
	w.captureResources(img)
	return nil
}

// filterHints notes the order of the tables in cached filters, which is that
// in which they came up: { filter, count, archetypes of the image... }.
func filterHints(out []uint32, s *storage, index map[uint32]uint32) []uint32 {
	for i := range s.cache.filters {
		f := &s.cache.filters[i]
		at := len(out) + 1
		out = append(out, f.id, 0)
		for _, id := range f.tables.tables {
			if k, ok := index[id]; ok {
				out = append(out, k)
				out[at]++
			}
		}
	}
	return out
}

func captureColumn(dst reflect.Value, t *loupe.Type, c col, n int) reflect.Value {
	if !t.PointerFree {
		return loupe.CopyColumn(t, c.base, c.stride, n)
	}
	if dst.IsValid() && dst.Cap() >= n {
		dst = dst.Slice(0, n)
	} else {
		dst = reflect.MakeSlice(reflect.SliceOf(t.Go), n, n)
	}
	copyBytes(dst.UnsafePointer(), c.base, t.Size*uintptr(n))
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
	for i, id := range ecs.ResourceIDs(w.ew) {
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
