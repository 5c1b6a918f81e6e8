package query

import (
	"go/token"
	"unsafe"
)

// Columns of engines that keep a pointer for each value: the kernels of
// kernel.go, one step further. The loops end in memory that lies anywhere, so
// that a form for rows that all match still would save nothing.

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

// floatConstBoxed has the orders that floatConst leaves: at most, at least,
// equal, not equal.
func floatConstBoxed[T float](c *column, offset uintptr, s *selection, op token.Token, f float64) {
	switch op {
	case token.LEQ:
		keepBoxed(c, offset, s, func(v T) bool { return float64(v) <= f })
	case token.GEQ:
		keepBoxed(c, offset, s, func(v T) bool { return float64(v) >= f })
	default:
		want := op == token.EQL
		keepBoxed(c, offset, s, func(v T) bool { return (float64(v) == f) == want })
	}
}
