package engine

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Own is v, deeply copied if it could share memory with the caller's.
func Own(t *value.Type, v reflect.Value) reflect.Value {
	if t.PointerFree {
		return v
	}
	return value.Copy(v)
}

// Writer fills an image, in the memory that it holds from an earlier capture.
type Writer struct {
	img   *ecs.Image
	old   []ecs.ImageArchetype
	types []*value.Type
}

// WriterTo starts img anew with an entity table.
func WriterTo(img *ecs.Image, types []*value.Type, slots []ecs.Entity, next, available, reserved uint32) Writer {
	img.Pool = ecs.Pool{Slots: append(img.Pool.Slots[:0], slots...), Next: next, Available: available, Reserved: reserved}
	w := Writer{img: img, old: img.Archetypes[:cap(img.Archetypes)], types: types}
	img.Archetypes, img.Hints = img.Archetypes[:0], img.Hints[:0]
	return w
}

// Len is the number that the next archetype will have.
func (w *Writer) Len() int { return len(w.img.Archetypes) }

// Add copies a chunk: pointer-free columns as one block each, the others value
// by value. A chunk without rows needs no columns.
func (w *Writer) Add(c *Chunk) {
	var a ecs.ImageArchetype
	if n := w.Len(); n < len(w.old) && slices.Equal(w.old[n].Components, c.Types) {
		a = w.old[n]
	} else {
		a.Components = slices.Clone(c.Types)
		a.Columns = make([]reflect.Value, len(c.Types))
	}
	a.Targets = append(a.Targets[:0], c.Relations...)
	a.Entities = append(a.Entities[:0], c.Rows...)
	for k, id := range a.Components {
		var from ecs.Column
		if len(c.Rows) > 0 {
			from = c.Cols[k]
		}
		a.Columns[k] = capture(a.Columns[k], w.types[id], from, len(c.Rows))
	}
	w.img.Archetypes = append(w.img.Archetypes, a)
}

func capture(dst reflect.Value, t *value.Type, from ecs.Column, n int) reflect.Value {
	if !t.PointerFree {
		return value.CopyColumn(t, from, n)
	}
	if dst.IsValid() && dst.Cap() >= n {
		dst = dst.Slice(0, n)
	} else {
		dst = reflect.MakeSlice(reflect.SliceOf(t.Go), n, n)
	}
	if !from.Boxed {
		copyBytes(dst.UnsafePointer(), from.Base, t.Size*uintptr(n))
		return dst
	}
	at := dst.UnsafePointer()
	for i := range n {
		copyBytes(unsafe.Add(at, uintptr(i)*t.Size), from.At(i), t.Size)
	}
	return dst
}

// FillColumn copies an image's column into the n rows at dst.
func FillColumn(dst unsafe.Pointer, t *value.Type, column reflect.Value, n int) {
	if t.Size == 0 {
		return
	}
	src := column.UnsafePointer()
	if t.PointerFree {
		copyBytes(dst, src, t.Size*uintptr(n))
	} else {
		reflect.Copy(reflect.SliceAt(t.Go, dst, n), value.CopyColumn(t, value.ColumnOf(column), n))
	}
}

// copyBytes is for memory without pointers only.
func copyBytes(dst, src unsafe.Pointer, n uintptr) {
	if n > 0 {
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	}
}

// HintOrder notes the order in which a cached filter lists its archetypes, as
// numbers in the image: { id, count, archetypes... }. What the image lacks is
// left out.
func HintOrder[K comparable](hints []uint32, id uint32, listed []K, number map[K]uint32) []uint32 {
	at := len(hints) + 1
	hints = append(hints, id, 0)
	for _, a := range listed {
		if n, ok := number[a]; ok {
			hints = append(hints, n)
			hints[at]++
		}
	}
	return hints
}

// Exchange replaces a world's content by img. Should the engine panic, unlock
// is called, the content is replaced by before, which is what the world held,
// and the error has code "panic". It returns the image that the world equals
// now; nil: the world is lost.
func Exchange(img, before *ecs.Image, replace func(*ecs.Image), unlock func()) (now *ecs.Image, err error) {
	err = try(replace, img)
	if err == nil {
		return img, nil
	}
	unlock()
	if again := try(replace, before); again != nil {
		return nil, &refusal.Error{Code: refusal.Panicked, Message: fmt.Sprintf("restoring failed (%v), and so did putting the world back (%v): the world is lost", err, again), Hint: "restart the game"}
	}
	return before, &refusal.Error{Code: refusal.Panicked, Message: fmt.Sprintf("restoring failed: %v; the world is as it was before", err)}
}

func try(replace func(*ecs.Image), img *ecs.Image) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	replace(img)
	return nil
}
