package blackbox

import (
	"reflect"
	"strconv"
	"sync"
)

// Named numbers cannot be made at run time, so there is a pool of named types:
// one for each name, set of labels and kind that any opened file has had. A type
// that finds the pool empty stands as its number.

type (
	boolOf[S any]    bool
	intOf[S any]     int
	int8Of[S any]    int8
	int16Of[S any]   int16
	int32Of[S any]   int32
	int64Of[S any]   int64
	uintOf[S any]    uint
	uint8Of[S any]   uint8
	uint16Of[S any]  uint16
	uint32Of[S any]  uint32
	uint64Of[S any]  uint64
	uintptrOf[S any] uintptr
	float32Of[S any] float32
	float64Of[S any] float64
	stringOf[S any]  string
)

func place[S any](pool map[string][]reflect.Type) {
	for _, t := range []reflect.Type{reflect.TypeFor[boolOf[S]](), reflect.TypeFor[intOf[S]](), reflect.TypeFor[int8Of[S]](), reflect.TypeFor[int16Of[S]](),
		reflect.TypeFor[int32Of[S]](), reflect.TypeFor[int64Of[S]](), reflect.TypeFor[uintOf[S]](), reflect.TypeFor[uint8Of[S]](), reflect.TypeFor[uint16Of[S]](),
		reflect.TypeFor[uint32Of[S]](), reflect.TypeFor[uint64Of[S]](), reflect.TypeFor[uintptrOf[S]](), reflect.TypeFor[float32Of[S]](),
		reflect.TypeFor[float64Of[S]](), reflect.TypeFor[stringOf[S]]()} {
		pool[t.Kind().String()] = append(pool[t.Kind().String()], t)
	}
}

// row makes eight of each kind, so that the pool holds 64 by eight calls.
func row[R any](pool map[string][]reflect.Type) {
	place[[0]R](pool)
	place[[1]R](pool)
	place[[2]R](pool)
	place[[3]R](pool)
	place[[4]R](pool)
	place[[5]R](pool)
	place[[6]R](pool)
	place[[7]R](pool)
}

var free = sync.OnceValue(func() map[string][]reflect.Type {
	pool := map[string][]reflect.Type{}
	row[bool](pool)
	row[int8](pool)
	row[int16](pool)
	row[int32](pool)
	row[int64](pool)
	row[uint8](pool)
	row[uint16](pool)
	row[uint32](pool)
	return pool
})

var taken = map[string]reflect.Type{}

// fromPool is the named type of a name and its labels; nil if none is left. Under
// buildMu.
func fromPool(d *typeDoc) reflect.Type {
	key := d.Kind + " " + d.Pkg + "." + d.Text
	for _, l := range d.Labels {
		key += "|" + l.Name + ":" + strconv.FormatInt(l.Value, 10)
	}
	if t := taken[key]; t != nil {
		return t
	}
	list := free()[d.Kind]
	if len(list) == 0 {
		return nil
	}
	t := list[0]
	free()[d.Kind] = list[1:]
	taken[key] = t
	return t
}
