package value

import (
	"math"
	"reflect"
	"strings"
	"unsafe"
)

// Equal reports whether a and b are the same value, bit for bit: NaN equals
// the same NaN, 0 does not equal -0, a nil slice or map does not equal an empty
// one. References are equal if what they lead to is equal, cycles included;
// funcs, chans and handles of the process if they are the same. Locks are not
// compared. Any goroutine, while nobody writes to either.
func Equal(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if a.Type() != b.Type() {
		return false
	}
	pa, err1 := addressOf(a)
	pb, err2 := addressOf(b)
	if err1 != nil || err2 != nil {
		return false
	}
	return equalAt(a.Type(), pa, pb, map[equalPair]bool{})
}

func sameBytes(a, b unsafe.Pointer, n uintptr) bool {
	return n == 0 || string(unsafe.Slice((*byte)(a), n)) == string(unsafe.Slice((*byte)(b), n))
}

type equalPair struct {
	a, b unsafe.Pointer
	t    reflect.Type
}

func equalAt(t reflect.Type, a, b unsafe.Pointer, on map[equalPair]bool) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64,
		reflect.Complex64, reflect.Complex128:
		return sameBytes(a, b, t.Size())
	case reflect.String:
		return *(*string)(a) == *(*string)(b)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return *(*unsafe.Pointer)(a) == *(*unsafe.Pointer)(b)
	case reflect.Struct:
		if t.PkgPath() == "sync" {
			return true
		}
		if t == reflect.TypeFor[strings.Builder]() {
			return (*strings.Builder)(a).String() == (*strings.Builder)(b).String()
		}
		for i := range t.NumField() {
			sf := t.Field(i)
			if sf.Name != "_" && !equalAt(sf.Type, unsafe.Add(a, sf.Offset), unsafe.Add(b, sf.Offset), on) {
				return false
			}
		}
		return true
	case reflect.Array:
		return equalList(t.Elem(), a, b, t.Len(), on)
	case reflect.Slice:
		ha, hb := (*SliceHeader)(a), (*SliceHeader)(b)
		if (ha.Data == nil) != (hb.Data == nil) || ha.Len != hb.Len {
			return false
		}
		if ha.Data == hb.Data {
			return true
		}
		pair := equalPair{ha.Data, hb.Data, t}
		if on[pair] {
			return true
		}
		on[pair] = true
		return equalList(t.Elem(), ha.Data, hb.Data, ha.Len, on)
	case reflect.Pointer:
		pa, pb := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
		if pa == nil || pb == nil || pa == pb {
			return pa == pb
		}
		if LayoutOf(t).Handle || shared(LayoutOf(t.Elem())) {
			return false // a handle of the process, which may be in use just now
		}
		pair := equalPair{pa, pb, t}
		if on[pair] {
			return true
		}
		on[pair] = true
		return equalAt(t.Elem(), pa, pb, on)
	case reflect.Interface:
		va, vb := reflect.NewAt(t, a).Elem(), reflect.NewAt(t, b).Elem()
		if va.IsNil() || vb.IsNil() {
			return va.IsNil() == vb.IsNil()
		}
		if va.Elem().Type() != vb.Elem().Type() {
			return false
		}
		ba, bb := reflect.New(va.Elem().Type()), reflect.New(va.Elem().Type())
		ba.Elem().Set(va.Elem())
		bb.Elem().Set(vb.Elem())
		return equalAt(va.Elem().Type(), ba.UnsafePointer(), bb.UnsafePointer(), on)
	case reflect.Map:
		return equalMap(t, reflect.NewAt(t, a).Elem(), reflect.NewAt(t, b).Elem(), on)
	}
	return false
}

func equalList(t reflect.Type, a, b unsafe.Pointer, n int, on map[equalPair]bool) bool {
	size := t.Size()
	if flat(t) && sameBytes(a, b, size*uintptr(n)) {
		return true
	}
	for i := range n {
		if !equalAt(t, unsafe.Add(a, uintptr(i)*size), unsafe.Add(b, uintptr(i)*size), on) {
			return false
		}
	}
	return true
}

func equalMap(t reflect.Type, a, b reflect.Value, on map[equalPair]bool) bool {
	if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
		return false
	}
	if a.IsNil() || a.UnsafePointer() == b.UnsafePointer() {
		return true
	}
	pair := equalPair{a.UnsafePointer(), b.UnsafePointer(), t}
	if on[pair] {
		return true
	}
	on[pair] = true
	ea, eb := reflect.New(t.Elem()), reflect.New(t.Elem())
	nans := map[[2]uint64]int{}
	for it := a.MapRange(); it.Next(); {
		k := it.Key()
		vb := b.MapIndex(k)
		if !vb.IsValid() {
			// NaN keys are found by nobody: compare how many of each there are.
			if !k.CanFloat() || k.Float() == k.Float() {
				return false
			}
			nans[[2]uint64{math.Float64bits(k.Float())}]++
			continue
		}
		ea.Elem().SetIterValue(it)
		eb.Elem().Set(vb)
		if !equalAt(t.Elem(), ea.UnsafePointer(), eb.UnsafePointer(), on) {
			return false
		}
	}
	if len(nans) > 0 {
		for it := b.MapRange(); it.Next(); {
			if k := it.Key().Float(); k != k {
				nans[[2]uint64{math.Float64bits(k)}]--
			}
		}
		for _, n := range nans {
			if n != 0 {
				return false
			}
		}
	}
	return true
}
