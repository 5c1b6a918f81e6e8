package mapworld

import (
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Capture implements ecs.Restorer. Empty tables are in the image too: they keep
// the order of iteration.
func (w *World) Capture(img *ecs.Image) error {
	img.Pool = ecs.Pool{Slots: append(img.Pool.Slots[:0], ecs.Entity{}), Available: uint32(len(w.free)), Reserved: 1}
	img.Pool.Slots = append(img.Pool.Slots, w.slots...)
	for _, id := range w.free { // each links to the one that was freed before it
		img.Pool.Slots[id].ID = img.Pool.Next
		img.Pool.Next = id
	}
	img.Archetypes, img.Resources, img.Hints = nil, nil, nil
	for _, t := range w.tables {
		if len(t.entities) == 0 && slices.ContainsFunc(t.targets, func(x ecs.Target) bool { return !x.Entity.IsZero() && !w.Alive(x.Entity) }) {
			continue // its target has died: nothing will be in it again
		}
		a := ecs.ImageArchetype{Components: slices.Clone(t.types), Targets: slices.Clone(t.targets), Entities: slices.Clone(t.entities)}
		for i, id := range t.types {
			c := t.columns[i]
			a.Columns = append(a.Columns, value.CopyColumn(w.types[id], value.ColumnOf(c), c.Len()))
		}
		img.Archetypes = append(img.Archetypes, a)
	}
	for i, r := range w.resources {
		img.Resources = append(img.Resources, ecs.ImageResource{ID: ecs.TypeID(i)})
		if r.ptr.IsValid() {
			img.Resources[i].Value = value.Copy(r.ptr.Elem())
		}
	}
	return nil
}

// Check implements ecs.Restorer.
func (w *World) Check(img *ecs.Image) error {
	if w.Locked() {
		return &refusal.Error{Code: refusal.WorldLocked, Message: "the world is locked and cannot be restored", Hint: "restore when no query is open"}
	}
	return ecs.ValidateImage(w.Catalog(), img)
}

// Restore implements ecs.Restorer.
func (w *World) Restore(img *ecs.Image) error {
	if err := w.Check(img); err != nil {
		return err
	}
	w.slots, w.free, w.tables, w.catalog = slices.Clone(img.Pool.Slots[1:]), nil, nil, nil
	clear(w.at)
	clear(w.byKey)
	next := img.Pool.Next
	for range img.Pool.Available {
		w.free = append(w.free, next)
		slot := &w.slots[next-1]
		next, slot.ID = slot.ID, next
	}
	slices.Reverse(w.free)
	for i := range img.Archetypes {
		a := &img.Archetypes[i]
		t := w.tableFor(a.Components, a.Targets)
		t.entities = slices.Clone(a.Entities)
		for row, e := range t.entities {
			w.at[e] = place{t, row}
		}
		for k, id := range t.types {
			from := a.Columns[slices.Index(a.Components, id)]
			t.columns[k].Set(value.CopyColumn(w.types[id], value.ColumnOf(from), from.Len()))
		}
	}
	for _, r := range img.Resources {
		to := &w.resources[r.ID]
		switch {
		case !r.Value.IsValid():
			to.ptr = reflect.Value{}
		case to.ptr.IsValid():
			to.ptr.Elem().Set(value.Copy(r.Value))
		default:
			to.ptr = value.Copy(r.Value).Addr()
		}
	}
	return nil
}
