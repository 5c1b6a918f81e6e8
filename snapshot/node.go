package snapshot

import (
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/snapshot/internal/blocks"
)

// kind classes a type by how its values are encoded.
type kind uint8

const (
	kBool kind = iota + 1
	kInt
	kUint
	kFloat
	kComplex
	kString
	kStruct
	kArray
	kSlice
	kMap
	kPointer
	kInterface
	kLocation // *time.Location: an identity, not a value
	kBinary   // a standard type that interns its contents: MarshalBinary
	kOpaque   // a handle of the process: not saved
	kLast
)

var kindNames = [kLast]string{kBool: "bool", kInt: "int", kUint: "uint", kFloat: "float", kComplex: "complex",
	kString: "string", kStruct: "struct", kArray: "array", kSlice: "slice", kMap: "map", kPointer: "pointer",
	kInterface: "interface", kLocation: "location", kBinary: "binary", kOpaque: "opaque"}

// node is the encoding plan of one Go type. Nodes are immutable once
// published, shared, and form a graph as layouts do.
type node struct {
	*value.Layout
	kind   kind
	fields []nodeField
	elem   *node
	key    *node
	labels []value.EnumLabel // of an integer: of its type, or of the field's tag

	enc func(e *encoder, p unsafe.Pointer)
	// lanes lists the scalars of a value that has a fixed length, in the order
	// they are encoded in; nil if there are more than maxLanes.
	lanes []blocks.Lane
	flat  bool // the encoding has a fixed length
	width int  // that length in bytes
	// dense: the memory of a value, on a little-endian machine, is its
	// encoding. False with bools, whose bytes must be checked on the way in.
	dense bool
}

type nodeField struct {
	name   string
	offset uintptr
	node   *node
	// dangling: entities in it may be dead.
	dangling bool
	// private: a value of it that is written where only zero may be.
	private *reflect.Value
}

// maxLanes bounds the columns that are cut into planes: a struct with a large
// array is better copied row by row.
const maxLanes = 1024

// nodes keeps the plans that are made. Layouts are replaced when the program
// declares something about its types, and their plans with them.
var nodes struct {
	sync.Mutex
	done map[*value.Layout]*node
}

// nodeOf returns the plan of t.
func nodeOf(t reflect.Type) *node {
	l := value.LayoutOf(t)
	nodes.Lock()
	defer nodes.Unlock()
	if nodes.done == nil {
		nodes.done = map[*value.Layout]*node{}
	}
	return build(l)
}

var memKinds = map[reflect.Kind]kind{reflect.Bool: kBool, reflect.Float32: kFloat, reflect.Float64: kFloat, reflect.Complex64: kComplex,
	reflect.Complex128: kComplex, reflect.String: kString, reflect.Struct: kStruct, reflect.Array: kArray, reflect.Slice: kSlice,
	reflect.Map: kMap, reflect.Pointer: kPointer, reflect.Interface: kInterface}

func kindOf(l *value.Layout) kind {
	switch {
	case isEntityHandle(l):
		return kString
	case l.Atom && l.Mem == reflect.Pointer:
		return kLocation
	case l.Atom:
		return kBinary
	case isOpaque(l):
		return kOpaque
	case l.Mem >= reflect.Int && l.Mem <= reflect.Int64:
		return kInt
	case l.Mem >= reflect.Uint && l.Mem <= reflect.Uintptr:
		return kUint
	}
	return memKinds[l.Mem]
}

// isEntityHandle: an engine's pointer that stands for an entity. Files hold the
// entity as a text.
func isEntityHandle(l *value.Layout) bool { return l.Kind == value.KindEntity && l.Handle }

// isOpaque: a handle, or a pointer to one, which is the handle. (But not one to
// a lock: a new one works as well.)
func isOpaque(l *value.Layout) bool {
	return l.Handle || l.Mem == reflect.Pointer && !l.Atom && l.Elem.Go.PkgPath() != "sync" && isOpaque(l.Elem)
}

func build(l *value.Layout) *node {
	if n := nodes.done[l]; n != nil {
		return n
	}
	n := &node{Layout: l, kind: kindOf(l), labels: l.Labels}
	nodes.done[l] = n
	switch n.kind {
	case kStruct:
		for i := range l.Parts {
			p := &l.Parts[i]
			f := nodeField{p.Name, p.Offset, labelled(build(p.Layout), p.Labels), p.Dangling, nil}
			if p.Private {
				zero := reflect.New(p.Layout.Go)
				f.private = &zero
			}
			n.fields = append(n.fields, f)
		}
	case kMap:
		n.key = build(l.Key)
		fallthrough
	case kArray, kSlice, kPointer:
		n.elem = build(l.Elem)
	}
	finish(n)
	return n
}

// labelled gives an integer the labels that its field's tag declares.
func labelled(n *node, labels []value.EnumLabel) *node {
	if slices.Equal(n.labels, labels) {
		return n
	}
	own := *n
	own.labels = labels
	return &own
}

// finish works out what follows from the parts. The parts that a recursive
// type has by value are complete by then; those behind a slice, pointer or map
// matter for the flags that settle computes alone.
func finish(n *node) {
	switch n.kind {
	case kBool:
		n.flat, n.width, n.lanes = true, 1, []blocks.Lane{{Size: 1, IsBool: true}}
	case kInt, kUint, kFloat:
		n.flat, n.width, n.lanes, n.dense = true, int(n.Size), []blocks.Lane{{Size: uint8(n.Size)}}, true
	case kComplex:
		half := uint8(n.Size / 2)
		n.flat, n.width, n.lanes, n.dense = true, int(n.Size), []blocks.Lane{{Size: half}, {Offset: uintptr(half), Size: half}}, true
	case kStruct:
		n.flat, n.dense, n.lanes = true, true, []blocks.Lane{}
		for _, f := range n.fields {
			n.dense = n.dense && f.private == nil && f.node.dense && uintptr(n.width) == f.offset
			n.include(f.node, f.offset)
		}
		n.dense = n.dense && uintptr(n.width) == n.Size
	case kArray:
		n.flat, n.lanes = true, []blocks.Lane{}
		for i := range n.Len {
			n.include(n.elem, uintptr(i)*n.elem.Size)
			if !n.flat || n.lanes == nil {
				break
			}
		}
		if n.flat = n.elem.flat || n.Len == 0; n.flat {
			n.width = n.Len * n.elem.width
		}
		n.dense = n.elem.dense
	}
	if !n.flat {
		n.width, n.lanes, n.dense = 0, nil, false
	}
	n.dense = n.dense && blocks.LittleEndian
	n.enc = encodeFunc(n)
}

func (n *node) include(part *node, offset uintptr) {
	n.flat = n.flat && part.flat
	n.width += part.width
	if n.lanes == nil || part.lanes == nil || len(n.lanes)+len(part.lanes) > maxLanes {
		n.lanes = nil
		return
	}
	for _, l := range part.lanes {
		l.Offset += offset
		n.lanes = append(n.lanes, l)
	}
}
