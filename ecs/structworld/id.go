package structworld

import (
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// ID makes the elements of a slice of structs known, wherever they move: embed
// it. It takes eight bytes, belongs to the adapter and is shown to nobody.
type ID struct{ entity ecs.Entity }

// Entity is the entity that the element is; zero before the debug server has
// seen it.
func (id ID) Entity() ecs.Entity { return id.entity }

func init() { value.RegisterMarkerType(reflect.TypeFor[ID]()) }

// idIn is where a struct has its ID; false if it has none.
func idIn(t reflect.Type) (offset uintptr, ok bool) {
	if t.Kind() != reflect.Struct {
		return 0, false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Type == reflect.TypeFor[ID]() {
			return f.Offset, true
		}
	}
	return 0, false
}
