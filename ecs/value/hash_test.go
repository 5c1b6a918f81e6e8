package value

import (
	"math"
	"reflect"
	"sync"
	"testing"
	"unsafe"
)

type hashInner struct {
	A byte
	B int64
}

type hashed struct {
	In   hashInner
	S    string
	L    []hashInner
	M    map[string]int
	P    *hashed
	I    any
	F    float64
	Lock sync.Mutex
}

func hashOf(v any) uint64 {
	var h Hasher
	h.Value(reflect.ValueOf(v).Elem())
	return h.Sum()
}

// Values that differ anywhere have different sums, equal ones the same: also
// where they lie elsewhere in memory.
func TestHashTellsValuesApart(t *testing.T) {
	make1 := func() *hashed {
		return &hashed{In: hashInner{1, 2}, S: "a", L: []hashInner{{1, 2}, {3, 4}}, M: map[string]int{"x": 1, "y": 2, "z": 3},
			P: &hashed{S: "in"}, I: hashInner{5, 6}, F: math.NaN()}
	}
	base := hashOf(make1())
	if again := hashOf(make1()); again != base {
		t.Errorf("equal values: %x and %x", base, again)
	}
	locked := make1()
	locked.Lock.Lock()
	if hashOf(locked) != base {
		t.Error("a lock counts")
	}
	seen := map[uint64]string{base: "the value itself"}
	for name, change := range map[string]func(*hashed){
		"a field":          func(v *hashed) { v.In.B = 3 },
		"a text":           func(v *hashed) { v.S = "b" },
		"an element":       func(v *hashed) { v.L[1].A = 9 },
		"a length":         func(v *hashed) { v.L = v.L[:1] },
		"no slice":         func(v *hashed) { v.L = nil },
		"an empty slice":   func(v *hashed) { v.L = []hashInner{} },
		"a map's value":    func(v *hashed) { v.M["x"] = 2 },
		"values exchanged": func(v *hashed) { v.M["x"], v.M["y"] = 2, 1 },
		"a map's key":      func(v *hashed) { delete(v.M, "x"); v.M["w"] = 1 },
		"no map":           func(v *hashed) { v.M = nil },
		"behind a pointer": func(v *hashed) { v.P.S = "out" },
		"no pointer":       func(v *hashed) { v.P = nil },
		"a cycle":          func(v *hashed) { v.P = v },
		"a dynamic type":   func(v *hashed) { v.I = &hashInner{5, 6} },
		"a NaN's payload":  func(v *hashed) { v.F = math.Float64frombits(math.Float64bits(math.NaN()) ^ 4) },
		"minus zero":       func(v *hashed) { v.F = math.Copysign(0, -1) },
		"zero":             func(v *hashed) { v.F = 0 },
	} {
		v := make1()
		change(v)
		sum := hashOf(v)
		if other, ok := seen[sum]; ok {
			t.Errorf("%s has the sum of %s", name, other)
		}
		seen[sum] = name
	}
}

func TestHashLeavesPaddingOut(t *testing.T) {
	rows := make([]hashInner, 3)
	for i := range rows {
		rows[i] = hashInner{byte(i), int64(i)}
	}
	sum := func() uint64 {
		var h Hasher
		h.Column(reflect.TypeFor[hashInner](), Column{Base: unsafe.Pointer(&rows[0]), Stride: unsafe.Sizeof(rows[0])}, len(rows))
		return h.Sum()
	}
	before := sum()
	(*[16]byte)(unsafe.Pointer(&rows[1]))[4] = 0xff
	if sum() != before {
		t.Error("padding counts")
	}
	rows[2].A++
	if sum() == before {
		t.Error("a value does not count")
	}
}
