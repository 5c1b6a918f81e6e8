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
