package query

import (
	"go/token"
	"math"
	"reflect"
	"unsafe"
)

// The kernels of this file read a field at a fixed offset straight out of its
// column. An address is always computed from the column's base: a running
// pointer would end beyond the column, where the collector finds it bad. Those
// for columns that point at their values are in boxed.go.

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type float interface{ ~float32 | ~float64 }

func never(_ *state, s *selection) { s.none() }

// column returns where the leaf's values are, in a column that is not boxed;
// false if the chunk lacks it.
func (l *leaf) column(st *state) (base unsafe.Pointer, stride uintptr, ok bool) {
	c := &st.cols[l.col]
	if !c.ok {
		return nil, 0, false
	}
	return unsafe.Add(c.Base, l.offset), c.Stride, true
}

// load reads numbers of type T as the numbers that expressions compute with.
func load[T integer | float, V int64 | float64](l leaf) func(*state, *selection, *[blockLen]V) {
	return func(st *state, s *selection, dst *[blockLen]V) {
		if c := l.boxed(st); c != nil {
			loadBoxed[T](c, l.offset, s, dst)
			return
		}
		base, stride, ok := l.column(st)
		if !ok {
			st.allBad(s.n)
			return
		}
		if s.dense {
			off := uintptr(s.lo) * stride
			for k := range s.n {
				dst[k&blockMask] = V(*(*T)(unsafe.Add(base, off)))
				off += stride
			}
			return
		}
		for k, r := range s.idx[:s.n] {
			dst[k&blockMask] = V(*(*T)(unsafe.Add(base, uintptr(r)*stride)))
		}
	}
}

func loadStrings(l leaf) strVec {
	return func(st *state, s *selection, dst *[blockLen]string) {
		if c := l.boxed(st); c != nil {
			for k, r := range s.rows() {
				dst[k&blockMask] = unbox[string](c, l.offset, r)
			}
			return
		}
		base, stride, ok := l.column(st)
		if !ok {
			st.allBad(s.n)
			return
		}
		for k, r := range s.rows() {
			dst[k&blockMask] = *(*string)(unsafe.Add(base, uintptr(r)*stride))
		}
	}
}

// loadEntities gives each row's own entity.
func loadEntities(st *state, s *selection, dst *[blockLen]int64) {
	for k, r := range s.rows() {
		dst[k&blockMask] = entityBits(st.chunk.Entity(int(r)))
	}
}

func intLeaf(l leaf) intVec {
	switch l.typ.Kind() {
	case reflect.Int:
		return load[int, int64](l)
	case reflect.Int8:
		return load[int8, int64](l)
	case reflect.Int16:
		return load[int16, int64](l)
	case reflect.Int32:
		return load[int32, int64](l)
	case reflect.Uint8:
		return load[uint8, int64](l)
	case reflect.Uint16:
		return load[uint16, int64](l)
	case reflect.Uint32:
		return load[uint32, int64](l)
	}
	return load[int64, int64](l) // the bits of a uint64 too
}

func floatLeaf(l leaf) floatVec {
	if l.typ.Kind() == reflect.Float32 {
		return load[float32, float64](l)
	}
	return load[float64, float64](l)
}

func rangeLeaf[T integer](l leaf, r intRange) predicate {
	return func(st *state, s *selection) {
		if c := l.boxed(st); c != nil {
			rangeBoxed[T](c, l.offset, s, r)
			return
		}
		base, stride, ok := l.column(st)
		if !ok {
			s.none()
			return
		}
		lo, span, n := r.lo, r.span, 0
		if s.dense {
			off, row := uintptr(s.lo)*stride, int32(s.lo)
			for range s.n {
				s.idx[n&blockMask] = row
				if uint64(*(*T)(unsafe.Add(base, off)))-lo <= span {
					n++
				}
				off += stride
				row++
			}
		} else {
			for _, row := range s.idx[:s.n] {
				s.idx[n&blockMask] = row
				if uint64(*(*T)(unsafe.Add(base, uintptr(row)*stride)))-lo <= span {
					n++
				}
			}
		}
		s.n, s.dense = n, false
	}
}

func intLeafRange(l leaf, r intRange) predicate {
	if r.empty {
		return never
	}
	if l.entity != nil {
		return rangeEntity(l, r)
	}
	switch l.typ.Kind() {
	case reflect.Int8:
		return rangeLeaf[int8](l, r)
	case reflect.Int16:
		return rangeLeaf[int16](l, r)
	case reflect.Int32:
		return rangeLeaf[int32](l, r)
	case reflect.Uint8:
		return rangeLeaf[uint8](l, r)
	case reflect.Uint16:
		return rangeLeaf[uint16](l, r)
	case reflect.Uint32:
		return rangeLeaf[uint32](l, r)
	}
	return rangeLeaf[int64](l, r) // int, uint, entities
}

// floatLeafConst compares a field with a constant. With all four orders given
// as "at least lo" or "at most hi" there are three loops instead of six.
func floatLeafConst(l leaf, op token.Token, f float64) predicate {
	if l.typ.Kind() == reflect.Float32 {
		return floatConst[float32](l, op, f)
	}
	return floatConst[float64](l, op, f)
}

func floatConst[T float](l leaf, op token.Token, f float64) predicate {
	switch op {
	case token.LSS:
		op, f = token.LEQ, math.Nextafter(f, math.Inf(-1))
	case token.GTR:
		op, f = token.GEQ, math.Nextafter(f, math.Inf(1))
	}
	return func(st *state, s *selection) {
		if c := l.boxed(st); c != nil {
			floatConstBoxed[T](c, l.offset, s, op, f)
			return
		}
		base, stride, ok := l.column(st)
		if !ok {
			s.none()
			return
		}
		n, off, row := 0, uintptr(s.lo)*stride, int32(s.lo)
		switch {
		case s.dense && op == token.LEQ:
			for range s.n {
				s.idx[n&blockMask] = row
				if float64(*(*T)(unsafe.Add(base, off))) <= f {
					n++
				}
				off += stride
				row++
			}
		case s.dense && op == token.GEQ:
			for range s.n {
				s.idx[n&blockMask] = row
				if float64(*(*T)(unsafe.Add(base, off))) >= f {
					n++
				}
				off += stride
				row++
			}
		case op == token.LEQ:
			for _, row := range s.idx[:s.n] {
				s.idx[n&blockMask] = row
				if float64(*(*T)(unsafe.Add(base, uintptr(row)*stride))) <= f {
					n++
				}
			}
		case op == token.GEQ:
			for _, row := range s.idx[:s.n] {
				s.idx[n&blockMask] = row
				if float64(*(*T)(unsafe.Add(base, uintptr(row)*stride))) >= f {
					n++
				}
			}
		default:
			want := op == token.EQL
			for _, row := range s.rows() {
				s.idx[n&blockMask] = row
				if (float64(*(*T)(unsafe.Add(base, uintptr(row)*stride))) == f) == want {
					n++
				}
			}
		}
		s.n, s.dense = n, false
	}
}

func boolLeaf(l leaf, want bool) predicate {
	return func(st *state, s *selection) {
		if c := l.boxed(st); c != nil {
			keepBoxed(c, l.offset, s, func(v bool) bool { return v == want })
			return
		}
		base, stride, ok := l.column(st)
		if !ok {
			s.none()
			return
		}
		n := 0
		for _, row := range s.rows() {
			s.idx[n&blockMask] = row
			if *(*bool)(unsafe.Add(base, uintptr(row)*stride)) == want {
				n++
			}
		}
		s.n = n
	}
}

func stringLeaf(l leaf, text string, want bool) predicate {
	return func(st *state, s *selection) {
		if c := l.boxed(st); c != nil {
			keepBoxed(c, l.offset, s, func(v string) bool { return (v == text) == want })
			return
		}
		base, stride, ok := l.column(st)
		if !ok {
			s.none()
			return
		}
		n := 0
		for _, row := range s.rows() {
			s.idx[n&blockMask] = row
			if (*(*string)(unsafe.Add(base, uintptr(row)*stride)) == text) == want {
				n++
			}
		}
		s.n = n
	}
}
