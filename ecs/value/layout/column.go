package layout

import (
	"reflect"
	"unsafe"
)

// Column is where the values of one type are, row by row: side by side in
// memory, or each in a place of its own that the column points at. Engines of
// the second kind (and games that keep slices of pointers) hand those pointers
// out, so that the values must stay where they are.
type Column struct {
	Base   unsafe.Pointer // of row 0
	Stride uintptr        // from one row to the next
	// Boxed: what is there is a pointer to the value, which is never nil.
	Boxed bool
}

// At is the address of the value in a row. Kernels do better: they know before
// their loop whether the column is boxed.
func (c Column) At(row int) unsafe.Pointer {
	p := unsafe.Add(c.Base, uintptr(row)*c.Stride)
	if c.Boxed {
		return *(*unsafe.Pointer)(p)
	}
	return p
}

// Value is the addressable value of Go type t in a row.
func (c Column) Value(t reflect.Type, row int) reflect.Value {
	return reflect.NewAt(t, c.At(row)).Elem()
}

// From is the column without its first rows.
func (c Column) From(row int) Column {
	c.Base = unsafe.Add(c.Base, uintptr(row)*c.Stride)
	return c
}

// ColumnOf is the column of a slice []T; an empty one without a base for a
// slice without memory.
func ColumnOf(slice reflect.Value) Column {
	return Column{Base: slice.UnsafePointer(), Stride: slice.Type().Elem().Size()}
}
