package blackbox

import (
	"reflect"
	"sync"
	"unsafe"
)

// extras are what a component's own code made of its values when they were
// recorded: its computed values, and last its label. A row holds their numbers
// behind its fields.
type extras struct {
	typ     reflect.Type // with room for the numbers
	plain   reflect.Type // without
	flat    bool         // its columns are words
	offsets []uintptr
	tables  []*table
}

// table is the distinct results of one function; number 0 is the zero value.
type table struct {
	mu      sync.RWMutex
	typ     reflect.Type
	list    reflect.Value
	numbers map[string]uint32
}

func (x *extras) table(t reflect.Type) *table {
	tb := &table{typ: t, list: reflect.MakeSlice(reflect.SliceOf(t), 1, 16), numbers: map[string]uint32{}}
	x.tables = append(x.tables, tb)
	return tb
}

// add takes over the results of a chunk and tells their numbers here. What those
// take that are new goes off left; false: it is not enough.
func (t *table) add(chunk reflect.Value, bytes []int64, left *int64) (numbers []uint32, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	numbers = make([]uint32, chunk.Len())
	for i := range numbers {
		v := chunk.Index(i)
		key, ok := keyOf(v)
		if n, have := t.numbers[key]; ok && have {
			numbers[i] = n
			continue
		}
		if *left -= bytes[i]; *left < 0 {
			return nil, false
		}
		n := uint32(t.list.Len())
		t.list = reflect.Append(t.list, v)
		if ok {
			t.numbers[key] = n
		}
		numbers[i] = n
	}
	return numbers, true
}

func (t *table) at(n uint32) reflect.Value {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if int64(n) >= int64(t.list.Len()) {
		n = 0
	}
	return t.list.Index(int(n))
}

func (t *table) getter(offset uintptr) func(unsafe.Pointer) reflect.Value {
	return func(p unsafe.Pointer) reflect.Value { return t.at(*(*uint32)(unsafe.Add(p, offset))) }
}

// keyOf tells results apart that need no walk; others are kept one by one.
func keyOf(v reflect.Value) (string, bool) {
	switch {
	case v.Kind() == reflect.String:
		return v.String(), true
	case v.Kind() <= reflect.Complex128 && v.CanAddr():
		return string(unsafe.Slice((*byte)(v.Addr().UnsafePointer()), v.Type().Size())), true
	}
	return "", false
}
