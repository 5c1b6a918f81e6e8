package entities

import (
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
)

// RowValue is the component of a row, addressable, in place. Frame goroutine.
func RowValue(c ecs.Chunk, row int, comp *ecs.Component) (reflect.Value, bool) {
	col, ok := c.Column(comp.ID)
	if !ok {
		if slices.Contains(c.Components(), comp.ID) { // a tag without memory
			return reflect.New(comp.Type.Go).Elem(), true
		}
		return reflect.Value{}, false
	}
	return col.Value(comp.Type.Go, row), true
}
