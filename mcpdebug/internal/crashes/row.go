package crashes

import (
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// RowValue is a component of the entity that a crash was about, as it was then.
// It is a copy that nobody changes.
type RowValue struct {
	Component string
	Value     reflect.Value
}

// rowOf copies an entity's components and its label. A crashed world may be
// broken: what cannot be read is left out. Frame goroutine.
func rowOf(w ecs.World, e ecs.Entity) (row []RowValue, label string) {
	defer func() { _ = recover() }()
	if w == nil || e.IsZero() {
		return nil, ""
	}
	c, at, ok := w.Row(e)
	if !ok {
		return nil, ""
	}
	cat, loc := w.Catalog(), ecs.LocatorOf(w)
	for _, id := range c.Components() {
		row = copyComponent(row, cat.Components[id], loc.Locate(e, id))
	}
	return row, ecs.LabelOf(cat, c, at)
}

func copyComponent(row []RowValue, c *ecs.Component, at unsafe.Pointer) []RowValue {
	defer func() { _ = recover() }()
	v := reflect.New(c.Type.Go).Elem()
	if c.Type.Size > 0 {
		v = value.Copy(reflect.NewAt(c.Type.Go, at).Elem())
	}
	return append(row, RowValue{c.Name, v})
}
