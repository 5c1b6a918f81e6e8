package layout

import (
	"reflect"
	"unsafe"
)

// Kind classes a field by how its value looks as JSON.
type Kind uint8

// The kinds of value.
const (
	KindBool Kind = iota + 1
	KindInt
	KindUint
	KindFloat
	KindComplex
	KindString
	KindEnum   // integer with labels
	KindEntity // entity reference
	KindBytes  // []byte, [N]byte with N > 16
	KindStruct
	KindArray
	KindSlice
	KindMap
	KindPointer
	KindInterface
	KindText   // MarshalText/UnmarshalText
	KindJSON   // MarshalJSON/UnmarshalJSON
	KindOpaque // func, chan, unsafe.Pointer, mutexes: shown, never written
)

// Field describes one value inside a Type. Offset counts from the enclosing
// struct. For an element, key or target, see Elem and Key.
type Field struct {
	Name       string // Go name (components) or JSON name (arguments)
	GoName     string
	Go         reflect.Type
	Kind       Kind
	Offset     uintptr
	Index      int // field number in the struct
	Doc        string
	Unit       string
	Min, Max   *float64
	Enum       []EnumLabel
	ReadOnly   bool
	Hidden     bool // neither shown nor an argument
	Unexported bool
	// Dangling: entities in it may be dead, as the tag says.
	Dangling bool
	// Optional: a value need not name the field. True for all fields of
	// components; of arguments for omitempty, omitzero, a default or a pointer.
	Optional bool
	// Default is the declared one; for a number of a component whose range
	// excludes zero, and that has none, the bound nearest to zero.
	Default string
	Vector  bool // 2 to 4 numbers: also accepted as "2 2" or [2,2]
	// Recursive marks where a type met itself again: Elem and Fields are nil,
	// TypeOf(Go) goes on.
	Recursive bool
	Fields    []*Field // KindStruct
	Elem      *Field   // KindArray, KindSlice, KindMap, KindPointer
	Key       *Field   // KindMap

	Embedded bool
	open     bool   // the labels are examples: other numbers are values too
	Implied  bool   // Default follows from the range: a value that is not zero stays
	NoWrite  string // why a value of this type cannot be written, whoever asks
	Chain    []int  // arguments: index path of a promoted field behind pointers
	opts     jsonOpts
}

// jsonOpts is what a JSON tag says besides the name.
type jsonOpts struct{ omitEmpty, omitZero, quoted bool }

// EnumLabel is one label of an enumerated integer.
type EnumLabel struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// JSONType is the type that JSON Schema gives the field's values in their
// ordinary form: boolean, integer, number, string, object, array, or "" for
// values that may be anything.
func (f *Field) JSONType() string {
	switch f.Kind {
	case KindBool:
		return "boolean"
	case KindInt, KindUint:
		return "integer"
	case KindFloat:
		return "number"
	case KindString, KindEntity, KindBytes, KindText:
		return "string"
	case KindEnum:
		return "string"
	case KindStruct, KindMap:
		return "object"
	case KindArray, KindSlice, KindComplex:
		return "array"
	case KindPointer:
		if f.Elem != nil {
			return f.Elem.JSONType()
		}
	}
	return ""
}

// TypeText names the field's type for people: the Go type, entities and
// vectors by what they are.
func (f *Field) TypeText() string {
	switch {
	case f.Kind == KindEntity:
		return "entity"
	case f.Kind == KindEnum:
		return "enum " + goName(f.Go)
	}
	return goName(f.Go)
}

// HoldsEntities reports whether a client writes entities in values of the field.
func (f *Field) HoldsEntities() bool {
	if f == nil {
		return false
	}
	for _, c := range f.Fields {
		if c.HoldsEntities() {
			return true
		}
	}
	return f.Kind == KindEntity || f.Key.HoldsEntities() || f.Elem.HoldsEntities()
}

// Leaf follows pointers: the field that holds the value itself.
func (f *Field) Leaf() *Field {
	for f.Kind == KindPointer && f.Elem != nil {
		f = f.Elem
	}
	return f
}

// Writable reports whether a client may write the field.
func (f *Field) Writable() bool { return !f.ReadOnly && !f.Hidden && f.NoWrite == "" }

// Labelled reports whether a number is one that the field may hold, if it has
// labels: one of them, or one that they leave open.
func (f *Field) Labelled(x int64) bool {
	_, ok := LabelName(f.Enum, x)
	return ok || f.open && (x >= probeLimit || x < -8)
}

// FieldValue gives the field f of root, an addressable value of the type that
// f belongs to; the result is addressable and settable even if the field is
// unexported (a debugger's privilege: the caller answers for invariants). A
// promoted argument field behind a nil embedded pointer gives an invalid Value.
func FieldValue(root reflect.Value, f *Field) reflect.Value {
	if len(f.Chain) > 0 {
		v, err := root.FieldByIndexErr(f.Chain)
		if err != nil {
			return reflect.Value{}
		}
		return reflect.NewAt(f.Go, unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	return reflect.NewAt(f.Go, unsafe.Add(unsafe.Pointer(root.UnsafeAddr()), f.Offset)).Elem()
}
