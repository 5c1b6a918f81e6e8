package snapshot

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/value"
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
	kOpaque   // func, chan, operating system handles: not saved
	kLast
)

var kindNames = [kLast]string{kBool: "bool", kInt: "int", kUint: "uint", kFloat: "float", kComplex: "complex",
	kString: "string", kStruct: "struct", kArray: "array", kSlice: "slice", kMap: "map", kPointer: "pointer",
	kInterface: "interface", kLocation: "location", kBinary: "binary", kOpaque: "opaque"}

// label is one label of an enumerated integer.
type label struct {
	name  string
	value int64
}

// node is the encoding plan of one Go type. Nodes are immutable once
// published, shared, and form a graph (types may be recursive).
type node struct {
	t      reflect.Type
	kind   kind
	name   string // full name; "" for unnamed types
	size   uintptr
	count  int // array length
	fields []nodeField
	elem   *node
	key    *node
	labels []label

	enc func(e *encoder, p unsafe.Pointer)
	// lanes lists the scalars of a pointer-free value in the order they are
	// encoded in; nil if there are pointers, or more than maxLanes scalars.
	lanes []lane
	flat  bool // pointer-free: the encoding has a fixed length
	width int  // that length in bytes
	// dense: the memory of a value, on a little-endian machine, is its
	// encoding. False with bools, whose bytes must be checked on the way in.
	dense bool
	// opaque: the value holds, at fixed places or behind pointers and
	// interfaces, something that is not saved.
	opaque bool
	// refs: the encoding depends on pointer identities or dynamic types.
	refs bool
}

type nodeField struct {
	name   string
	offset uintptr
	node   *node
}

type lane struct {
	offset uintptr
	size   uint8
	isBool bool
}

// maxLanes bounds the columns that are cut into planes: a struct with a large
// array is better copied row by row.
const maxLanes = 1024

var littleEndian = func() bool { n := uint16(1); return *(*byte)(unsafe.Pointer(&n)) == 1 }()

var nodes struct {
	sync.Mutex
	done map[reflect.Type]*node
	open map[reflect.Type]*node // being built
}

// nodeOf returns the plan of t.
func nodeOf(t reflect.Type) *node {
	nodes.Lock()
	defer nodes.Unlock()
	if n := nodes.done[t]; n != nil {
		return n
	}
	// A recursive build: nothing is published until the whole graph is ready.
	nodes.open = map[reflect.Type]*node{}
	n := build(t)
	settle(nodes.open)
	if nodes.done == nil {
		nodes.done = map[reflect.Type]*node{}
	}
	for t, n := range nodes.open {
		nodes.done[t] = n
	}
	nodes.open = nil
	return n
}

var (
	locationType = reflect.TypeFor[*time.Location]()
	timeTypes    = []reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration]()}
)

func build(t reflect.Type) *node {
	if n := nodes.done[t]; n != nil {
		return n
	}
	if n := nodes.open[t]; n != nil {
		return n
	}
	n := &node{t: t, name: fullName(t), size: t.Size()}
	nodes.open[t] = n
	if k, ok := specialKind(t); ok {
		n.kind = k
		finish(n)
		return n
	}
	switch t.Kind() {
	case reflect.Bool:
		n.kind = kBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n.kind = kInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n.kind = kUint
	case reflect.Float32, reflect.Float64:
		n.kind = kFloat
	case reflect.Complex64, reflect.Complex128:
		n.kind = kComplex
	case reflect.String:
		n.kind = kString
	case reflect.Struct:
		n.kind = kStruct
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" {
				continue // no one can read it: it is padding
			}
			n.fields = append(n.fields, nodeField{f.Name, f.Offset, build(f.Type)})
		}
	case reflect.Array:
		n.kind, n.count, n.elem = kArray, t.Len(), build(t.Elem())
	case reflect.Slice:
		n.kind, n.elem = kSlice, build(t.Elem())
	case reflect.Map:
		n.kind, n.key, n.elem = kMap, build(t.Key()), build(t.Elem())
	case reflect.Pointer:
		n.kind, n.elem = kPointer, build(t.Elem())
	case reflect.Interface:
		n.kind = kInterface
	default:
		n.kind = kOpaque
	}
	if (n.kind == kInt || n.kind == kUint) && n.name != "" && t.PkgPath() != "" {
		n.labels = enumLabels(t)
	}
	finish(n)
	return n
}

func enumLabels(t reflect.Type) []label {
	root := value.TypeOf(t).Root
	if root == nil {
		return nil
	}
	var out []label
	for _, l := range root.Enum {
		out = append(out, label{l.Name, l.Value})
	}
	return out
}

// finish works out what follows from the parts. The parts that a recursive
// type has by value are complete by then; those behind a slice, pointer or map
// matter for the flags that settle computes alone.
func finish(n *node) {
	switch n.kind {
	case kBool:
		n.flat, n.width, n.lanes = true, 1, []lane{{0, 1, true}}
	case kInt, kUint, kFloat:
		n.flat, n.width, n.lanes, n.dense = true, int(n.size), []lane{{0, uint8(n.size), false}}, true
	case kComplex:
		half := uint8(n.size / 2)
		n.flat, n.width, n.lanes, n.dense = true, int(n.size), []lane{{0, half, false}, {uintptr(half), half, false}}, true
	case kStruct:
		n.flat, n.dense, n.lanes = true, true, []lane{}
		for _, f := range n.fields {
			n.dense = n.dense && f.node.dense && uintptr(n.width) == f.offset
			n.include(f.node, f.offset)
		}
		n.dense = n.dense && uintptr(n.width) == n.size
	case kArray:
		n.flat, n.lanes = true, []lane{}
		for i := range n.count {
			n.include(n.elem, uintptr(i)*n.elem.size)
			if !n.flat || n.lanes == nil {
				break
			}
		}
		if n.flat = n.elem.flat || n.count == 0; n.flat {
			n.width = n.count * n.elem.width
		}
		n.dense = n.elem.dense
	}
	if !n.flat {
		n.width, n.lanes, n.dense = 0, nil, false
	}
	n.dense = n.dense && littleEndian
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
		l.offset += offset
		n.lanes = append(n.lanes, l)
	}
}

// settle propagates the flags that may run through cycles, to a fixed point.
func settle(open map[reflect.Type]*node) {
	for changed := true; changed; {
		changed = false
		for _, n := range open {
			opaque, refs := n.kind == kOpaque, n.kind == kPointer || n.kind == kInterface || n.kind == kMap
			opaque = opaque || n.kind == kInterface
			for _, f := range n.fields {
				opaque, refs = opaque || f.node.opaque, refs || f.node.refs
			}
			if n.elem != nil {
				refs = refs || n.elem.refs
				if n.kind == kArray || n.kind == kPointer {
					opaque = opaque || n.elem.opaque
				}
			}
			if opaque != n.opaque || refs != n.refs {
				n.opaque, n.refs, changed = opaque, refs, true
			}
		}
	}
}
