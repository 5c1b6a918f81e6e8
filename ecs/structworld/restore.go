package structworld

import (
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Capture implements [ecs.Restorer].
func (w *World) Capture(img *ecs.Image) error {
	w.look()
	pool := w.pool.image(img.Pool.Slots)
	to := engine.WriterTo(img, w.types, pool.Slots, pool.Next, pool.Available, pool.Reserved)
	for _, k := range w.kinds {
		to.Add(&k.Chunk)
	}
	w.resources.Capture(img)
	return nil
}

// Check implements [ecs.Restorer].
func (w *World) Check(img *ecs.Image) error {
	if err := ecs.ValidateImage(w.Catalog(), img); err != nil {
		return err
	}
	if img.Pool.Reserved != 1 {
		return &refusal.Error{Code: refusal.BadSnapshot, Message: "the image's entity table must reserve slot 0 and nothing else"}
	}
	for i := range img.Archetypes {
		a := &img.Archetypes[i]
		k := w.kinds[a.Components[0]]
		if no := k.store.fits(a.Entities); no != nil {
			return &refusal.Error{Code: refusal.BadSnapshot, Message: k.typ.Name + ": " + no.Message, Got: no.Got, Want: no.Want}
		}
	}
	return nil
}

// Restore implements [ecs.Restorer]. The game's slices, maps and variables are
// the same; entities known by their pointers keep them.
func (w *World) Restore(img *ecs.Image) error {
	if err := w.Check(img); err != nil {
		return err
	}
	w.meet(img)
	defer func() {
		for _, l := range w.links {
			l.part()
		}
	}()
	w.pool.load(&img.Pool)
	for _, k := range w.kinds {
		k.Rows = nil
		var column ecs.ImageArchetype
		for i := range img.Archetypes {
			if img.Archetypes[i].Components[0] == k.Types[0] {
				column = img.Archetypes[i]
			}
		}
		k.restore(column)
	}
	w.resources.Restore(img)
	return nil
}

// meet tells the links what an image points at.
func (w *World) meet(img *ecs.Image) {
	matters := false
	for _, l := range w.links {
		matters = l.meet() || matters
	}
	if !matters {
		return
	}
	each := func(v reflect.Value) {
		value.LayoutOf(v.Type()).EachEntity(v.Addr().UnsafePointer(), func(*value.EntityAt) bool { return true })
	}
	for i := range img.Archetypes {
		if column := img.Archetypes[i].Columns[0]; value.LayoutOf(column.Type().Elem()).Entities {
			for row := range column.Len() {
				each(column.Index(row))
			}
		}
	}
	for i := range img.Resources {
		if v := img.Resources[i].Value; v.IsValid() {
			each(value.Addressable(v))
		}
	}
}

// restore makes a kind's elements those of an image's archetype, which may be
// the zero one.
func (k *kind) restore(a ecs.ImageArchetype) {
	column := reflect.MakeSlice(reflect.SliceOf(k.typ.Go), 0, 0)
	if len(a.Entities) > 0 {
		column = value.CopyColumn(k.typ, value.ColumnOf(a.Columns[0]), len(a.Entities))
	}
	k.store.replace(a.Entities, column)
	k.Rows = append([]ecs.Entity(nil), a.Entities...)
	for row, e := range k.Rows {
		s := &k.world.pool.slots[e.ID]
		s.kind, s.row = k, row
	}
	k.place()
}
