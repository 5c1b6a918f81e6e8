package arkworld

import (
	"reflect"

	"github.com/mlange-42/ark/ecs"
)

// empty clears a table's rows by typed assignment, before Ark does it.
//
// Ark 0.8.1 clears and copies the rows of a table with a pointer that ends up
// one row behind them. In a full table that is behind the memory: nothing reads
// it, but the pointer checks that the race detector brings along would end the
// process in the middle of a restore.
func empty(t *table) {
	for i := range t.columns {
		if c := &t.columns[i]; c.itemSize > 0 && t.len > 0 {
			reflect.SliceAt(c.elemType, c.pointer, int(t.len)).Clear()
		}
	}
	t.len = 0
}

// grow gives a table room for n rows, as Ark does.
func grow(t *table, n uint32) {
	for t.cap = max(t.cap, 1); t.cap < n; {
		t.cap *= 2
	}
	room, used := int(t.cap), int(t.len)
	entities := reflect.MakeSlice(reflect.TypeFor[[]ecs.Entity](), room, room)
	reflect.Copy(entities, t.entities.data.Slice(0, used))
	t.entities.data, t.entities.pointer = entities, entities.UnsafePointer()
	for i := range t.columns {
		c := &t.columns[i]
		data := reflect.MakeSlice(reflect.SliceOf(c.elemType), room, room)
		reflect.Copy(data, c.data.Slice(0, used))
		c.data, c.pointer = data, data.UnsafePointer()
	}
}
