package query

import (
	"go/token"
	"unsafe"
)

// Columns of engines that keep a pointer for each value: the kernels of
// kernel.go, one step further. Comparisons of numbers, which most conditions
// are, have loops of their own; the others call a function a row.

// boxed returns the leaf's column if it is one of pointers.
func (l *leaf) boxed(st *state) *column {
	if c := &st.cols[l.col]; c.ok && c.Boxed {
		return c
	}
	return nil
}

// unbox reads a field of the value that row points at.
func unbox[T any](c *column, offset uintptr, row int32) T {
	return *(*T)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(c.Base, uintptr(row)*c.Stride)), offset))
}

func loadBoxed[T integer | float, V int64 | float64](c *column, offset uintptr, s *selection, dst *[blockLen]V) {
	for k, r := range s.rows() {
		dst[k&blockMask] = V(unbox[T](c, offset, r))
	}
}

// keepBoxed keeps the rows whose field passes the test.
func keepBoxed[T any](c *column, offset uintptr, s *selection, test func(T) bool) {
	n := 0
	for _, row := range s.rows() {
		s.idx[n&blockMask] = row
		if test(unbox[T](c, offset, row)) {
			n++
		}
	}
	s.n, s.dense = n, false
}

// address is where a row's field is, in columns of either kind.
func (l *leaf) address(c *column, row int32) unsafe.Pointer {
	return unsafe.Add(c.At(int(row)), l.offset)
}

// loadEntity reads entities, however the engine keeps them.
func loadEntity(l leaf) intVec {
	if l.entity == nil {
		return load[int64, int64](l)
	}
	return func(st *state, s *selection, dst *[blockLen]int64) {
		c := &st.cols[l.col]
		if !c.ok {
			st.allBad(s.n)
			return
		}
		for k, r := range s.rows() {
			dst[k&blockMask] = entityBits(l.entity(l.address(c, r)))
		}
	}
}

// rangeEntity is rangeLeaf for entities that are not laid out as ours.
func rangeEntity(l leaf, r intRange) predicate {
	return func(st *state, s *selection) {
		c := &st.cols[l.col]
		if !c.ok {
			s.none()
			return
		}
		n := 0
		for _, row := range s.rows() {
			s.idx[n&blockMask] = row
			if uint64(entityBits(l.entity(l.address(c, row))))-r.lo <= r.span {
				n++
			}
		}
		s.n, s.dense = n, false
	}
}

func rangeBoxed[T integer](c *column, offset uintptr, s *selection, r intRange) {
	base, stride, lo, span, n := c.Base, c.Stride, r.lo, r.span, 0
	if s.dense {
		off, row := uintptr(s.lo)*stride, int32(s.lo)
		for range s.n {
			s.idx[n&blockMask] = row
			if uint64(*(*T)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(base, off)), offset)))-lo <= span {
				n++
			}
			off += stride
			row++
		}
	} else {
		for _, row := range s.idx[:s.n] {
			s.idx[n&blockMask] = row
			if uint64(unbox[T](c, offset, row))-lo <= span {
				n++
			}
		}
	}
	s.n, s.dense = n, false
}

// floatConstBoxed has the orders that floatConst leaves: at most, at least,
// equal, not equal.
func floatConstBoxed[T float](c *column, offset uintptr, s *selection, op token.Token, f float64) {
	n := 0
	switch op {
	case token.LEQ:
		for _, row := range s.rows() {
			s.idx[n&blockMask] = row
			if float64(unbox[T](c, offset, row)) <= f {
				n++
			}
		}
		s.n = n
	case token.GEQ:
		for _, row := range s.rows() {
			s.idx[n&blockMask] = row
			if float64(unbox[T](c, offset, row)) >= f {
				n++
			}
		}
		s.n = n
	default:
		want := op == token.EQL
		keepBoxed(c, offset, s, func(v T) bool { return (float64(v) == f) == want })
	}
}
