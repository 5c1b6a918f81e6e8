package query

import (
	"go/ast"
	"go/constant"
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// class is how an operand's value is represented in kernels.
type class uint8

const (
	classBool   class = iota + 1 // pred
	classInt                     // ints; also labelled integers
	classUint                    // ints, holding the bits of a uint64
	classFloat                   // floats
	classString                  // strs
	classEntity                  // ints, holding the bits of an ecs.Entity
	classConst                   // val, untyped
	classNil                     // nil or null
	classOther                   // good for len() and == nil
)

// Vectors: what a kernel writes, one value for each selected row, in order.
type (
	intVec   func(st *state, s *selection, dst *[blockLen]int64)
	floatVec func(st *state, s *selection, dst *[blockLen]float64)
	strVec   func(st *state, s *selection, dst *[blockLen]string)
)

// operand is a checked subexpression.
type operand struct {
	class class
	node  ast.Expr
	what  string // the type, for messages: "int", "float64", "game.EnemyKind"
	val   constant.Value
	enum  []value.EnumLabel // of a labelled integer or text
	leaf  *leaf             // a field at a fixed offset
	row   *rowPath          // a field or value that is read row by row
	asRow *rowPath          // the field of a leaf read row by row
	// goType is the Go type of a field, pointers included.
	goType reflect.Type

	ints   intVec
	floats floatVec
	strs   strVec
	pred   predicate

	// partial: some rows may have no value (nil pointer, index out of range,
	// absent component, division by zero).
	partial bool
	slow    bool
	intDiv  bool // has a division of integers in it, for the message that teaches
	// need is how many registers the evaluation uses: those from need on are
	// free for whoever evaluates the operand.
	need    registers
	float32 bool // a float32 field itself: constants round to float32
}

// leaf is a field at a fixed offset of a component.
type leaf struct {
	col    int // position in program.columns
	offset uintptr
	typ    reflect.Type
	// entity reads one that is not laid out as ecs.Entity; nil: it is, or is none.
	entity func(unsafe.Pointer) ecs.Entity
}

// rowPath is a value that needs the component's Go value.
type rowPath struct {
	col  int
	typ  reflect.Type // of the component
	path *value.Path
	// handle: a pointer there is an entity, and not to be followed.
	handle bool
}

func (c *compiler) predicateOf(o operand) predicate {
	switch {
	case o.class == classBool:
		return o.pred
	case o.class == classConst && o.val.Kind() == constant.Bool:
		if constant.BoolVal(o.val) {
			return func(*state, *selection) {}
		}
		return never
	}
	c.fail(o.node, "compare it: == != < <= > >=, or use has(), isnan()", "%s is %s, not a condition", c.text(o.node), o.describe())
	return nil
}

func (o *operand) describe() string {
	switch o.class {
	case classBool:
		return "a bool"
	case classNil:
		return "nil"
	case classConst:
		switch o.val.Kind() {
		case constant.Bool:
			return "a bool"
		case constant.String:
			return "a text"
		}
		return "the number " + o.val.String()
	}
	return "of the type " + o.what
}

// atLeast returns the registers that both a and b fit into.
func (a registers) atLeast(b registers) registers {
	return registers{max(a.ints, b.ints), max(a.floats, b.floats), max(a.strs, b.strs), max(a.sels, b.sels)}
}
