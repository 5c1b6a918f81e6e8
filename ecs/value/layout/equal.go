package layout

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
	pa, err1 := AddressOf(a)
	pb, err2 := AddressOf(b)
	if err1 != nil || err2 != nil {
		return false
	}
	return equalAt(Of(a.Type()), pa, pb, map[equalPair]bool{})
}

func sameBytes(a, b unsafe.Pointer, n uintptr) bool {
	return n == 0 || string(unsafe.Slice((*byte)(a), n)) == string(unsafe.Slice((*byte)(b), n))
}

type equalPair struct {
	a, b unsafe.Pointer
	t    reflect.Type
}

func equalAt(l *Layout, a, b unsafe.Pointer, on map[equalPair]bool) bool {
	switch {
	case isLock(l.Go):
		return true
	case l.Flat && sameBytes(a, b, l.Size):
		return true
	case l.Handle || l.Atom || l.Mem < reflect.Array:
		return sameBytes(a, b, l.Size)
	case l.Go == builderType:
		return (*strings.Builder)(a).String() == (*strings.Builder)(b).String()
	}
	met := func(a, b unsafe.Pointer) bool {
		pair := equalPair{a, b, l.Go}
		was := on[pair]
		on[pair] = true
		return was
	}
	switch l.Mem {
	case reflect.String:
		return *(*string)(a) == *(*string)(b)
	case reflect.Struct:
		for i := range l.Parts {
			p := &l.Parts[i]
			if !equalAt(p.Layout, unsafe.Add(a, p.Offset), unsafe.Add(b, p.Offset), on) {
				return false
			}
		}
		return true
	case reflect.Array:
		return equalList(l.Elem, a, b, l.Len, on)
	case reflect.Slice:
		ha, hb := (*SliceHeader)(a), (*SliceHeader)(b)
		if (ha.Data == nil) != (hb.Data == nil) || ha.Len != hb.Len {
			return false
		}
		return ha.Data == hb.Data || met(ha.Data, hb.Data) || equalList(l.Elem, ha.Data, hb.Data, ha.Len, on)
	case reflect.Pointer:
		pa, pb := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
		if pa == nil || pb == nil || pa == pb {
			return pa == pb
		}
		// A handle of the process may be in use just now: it is not looked into.
		return !shared(l.Elem) && (met(pa, pb) || equalAt(l.Elem, pa, pb, on))
	case reflect.Interface:
		va, vb := reflect.NewAt(l.Go, a).Elem(), reflect.NewAt(l.Go, b).Elem()
		if va.IsNil() || vb.IsNil() {
			return va.IsNil() == vb.IsNil()
		}
		va, vb = va.Elem(), vb.Elem()
		if va.Type() != vb.Type() {
			return false
		}
		ba, bb := Addressable(va), Addressable(vb)
		return equalAt(Of(va.Type()), unsafe.Pointer(ba.UnsafeAddr()), unsafe.Pointer(bb.UnsafeAddr()), on)
	case reflect.Map:
		return equalMap(l, reflect.NewAt(l.Go, a).Elem(), reflect.NewAt(l.Go, b).Elem(), on)
	}
	return false
}

func equalList(elem *Layout, a, b unsafe.Pointer, n int, on map[equalPair]bool) bool {
	if elem.Flat && sameBytes(a, b, elem.Size*uintptr(n)) {
		return true
	}
	for i := range uintptr(n) {
		if !equalAt(elem, unsafe.Add(a, i*elem.Size), unsafe.Add(b, i*elem.Size), on) {
			return false
		}
	}
	return true
}

func equalMap(l *Layout, a, b reflect.Value, on map[equalPair]bool) bool {
	if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
		return false
	}
	if a.IsNil() || a.UnsafePointer() == b.UnsafePointer() {
		return true
	}
	pair := equalPair{a.UnsafePointer(), b.UnsafePointer(), l.Go}
	if on[pair] {
		return true
	}
	on[pair] = true
	ea, eb := reflect.New(l.Elem.Go), reflect.New(l.Elem.Go)
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
		if !equalAt(l.Elem, ea.UnsafePointer(), eb.UnsafePointer(), on) {
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
