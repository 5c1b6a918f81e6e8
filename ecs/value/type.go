package value

import (
	"reflect"
	"unsafe"
)

// Type is everything Loupe knows about a Go type that serves as a component,
// a resource or an argument: the one walk that schemas, checks, description
// documents, generated tools, the Lua proxy and snapshot columns come from.
// It is immutable and shared; any goroutine may read it.
type Type struct {
	Go          reflect.Type
	Name        string // short: Position; generics flattened: Pair_int_Foo
	Qualified   string // game.Position
	ID          string // full import path and name: the typeID of documents
	Shape       string // hash of the memory layout: the typeShape
	SchemaID    string // hash of layout and descriptions: the schemaID
	Doc         string
	Size        uintptr
	PointerFree bool
	Root        *Field   // the whole value
	Fields      []*Field // Root.Fields: the struct's fields in declaration order
	Computed    []*ComputedValue
	Actions     []*ActionInfo
	// Label names an entity for people, from a pointer to the component; nil
	// if the type has none.
	Label func(unsafe.Pointer) string
	// Problems are faults of the declaration that the walk had to step over: an
	// unknown tag option, a default that does not decode.
	Problems []string

	json  bool          // arguments: names from JSON tags
	def   reflect.Value // the declared default of the whole value, if any
	base  *Type         // of a component with a name or a default of its own
	guide func() *Guide
}

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

	embedded bool
	open     bool   // the labels are examples: other numbers are values too
	implied  bool   // Default follows from the range: a value that is not zero stays
	noWrite  string // why a value of this type cannot be written, whoever asks
	chain    []int  // arguments: index path of a promoted field behind pointers
	opts     jsonOpts
}

// jsonOpts is what a JSON tag says besides the name.
type jsonOpts struct{ omitEmpty, omitZero, quoted bool }

// EnumLabel is one label of an enumerated integer.
type EnumLabel struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// ComputedValue is a read-only value derived from a component.
type ComputedValue struct {
	Name string
	Doc  string
	Unit string
	Type *Type // of the result
	Get  func(component unsafe.Pointer) reflect.Value
}

// ActionInfo is a method that an agent may call on an entity's component.
type ActionInfo struct {
	Name string
	Doc  string
	In   *Type // argument names from JSON tags
	Out  *Type
	// Call runs the action on the frame goroutine. ctx goes to functions that
	// were declared with [ActionWith].
	Call func(ctx any, component unsafe.Pointer, in reflect.Value) (reflect.Value, error)
}
