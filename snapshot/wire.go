package snapshot

import (
	"maps"
	"math"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// typeTable numbers the types of a file in the order they are met.
type typeTable struct {
	numbers map[*node]int
	order   []*node
}

func (t *typeTable) index(n *node) int {
	if i, ok := t.numbers[n]; ok {
		return i
	}
	if t.numbers == nil {
		t.numbers = map[*node]int{}
	}
	i := len(t.order)
	t.numbers[n] = i
	t.order = append(t.order, n)
	return i
}

// write appends every type and, transitively, its parts.
func (t *typeTable) write(e *encoder) {
	var body encoder
	for i := 0; i < len(t.order); i++ { // index appends while this runs
		n := t.order[i]
		body.byte(byte(n.kind))
		body.string(n.Name)
		body.uvarint(uint64(n.Size))
		switch n.kind {
		case kInt, kUint:
			body.uvarint(uint64(len(n.labels)))
			for _, l := range n.labels {
				body.string(l.Name)
				body.varint(l.Value)
			}
		case kStruct:
			body.uvarint(uint64(len(n.fields)))
			for _, f := range n.fields {
				body.string(f.name)
				body.uvarint(uint64(f.offset))
				body.uvarint(uint64(t.index(f.node)))
			}
		case kArray:
			body.uvarint(uint64(n.Len))
			body.uvarint(uint64(t.index(n.elem)))
		case kSlice, kPointer:
			body.uvarint(uint64(t.index(n.elem)))
		case kMap:
			body.uvarint(uint64(t.index(n.key)))
			body.uvarint(uint64(t.index(n.elem)))
		}
	}
	e.uvarint(uint64(len(t.order)))
	e.buf = append(e.buf, body.buf...)
}

// fileType is a type as the file describes it.
type fileType struct {
	kind   kind
	name   string
	size   uint64
	count  uint64
	fields []fileField
	elem   int
	key    int
	labels []value.EnumLabel

	state byte   // of the walk that refuses types that contain themselves
	min   uint64 // least encoded bytes, saturating
	empty bool   // always encoded in no bytes at all
	flat  bool
	lanes []uint8 // sizes, for flat types within maxLanes
}

type fileField struct {
	name   string
	offset uint64
	typ    int
}

// fileTypes reads the table and checks everything that later code relies on.
func (d *decoder) fileTypes() []fileType {
	n := d.length(2)
	types := make([]fileType, n)
	d.charge(int64(n) * 160)
	ref := func() int {
		i := d.uvarint()
		if i >= uint64(n) {
			d.fail("the type table refers to a type %d of %d", i, n)
		}
		return int(i)
	}
	for i := range types {
		t := &types[i]
		t.kind, t.name, t.size = kind(d.byte()), d.string(), d.uvarint()
		switch t.kind {
		case kBool:
			d.sized(t, 1)
		case kInt, kUint:
			d.sized(t, 1, 2, 4, 8)
			t.labels = make([]value.EnumLabel, d.length(2))
			for j := range t.labels {
				t.labels[j] = value.EnumLabel{Name: d.string(), Value: d.varint()}
			}
		case kFloat:
			d.sized(t, 4, 8)
		case kComplex:
			d.sized(t, 8, 16)
		case kStruct:
			t.fields = make([]fileField, d.length(3))
			d.charge(int64(len(t.fields)) * 40)
			seen := make(map[string]bool, len(t.fields))
			for j := range t.fields {
				f := fileField{d.string(), d.uvarint(), ref()}
				if seen[f.name] {
					d.fail("type %s has two fields %s", t.name, f.name)
				}
				seen[f.name] = true
				t.fields[j] = f
			}
		case kArray:
			t.count, t.elem = d.uvarint(), ref()
		case kSlice, kPointer:
			t.elem = ref()
		case kMap:
			t.key, t.elem = ref(), ref()
		case kString, kInterface, kLocation, kBinary, kOpaque:
		default:
			d.fail("a type of an unknown kind %d", t.kind)
		}
	}
	for i := range types {
		d.measure(types, i, 0)
	}
	return types
}

func (d *decoder) sized(t *fileType, sizes ...uint64) {
	for _, s := range sizes {
		if t.size == s {
			return
		}
	}
	d.fail("a %s of %d bytes", kindNames[t.kind], t.size)
}

// measure fills in what follows from the parts, and refuses a type that
// contains itself by value: walking its values would not end.
func (d *decoder) measure(types []fileType, i, depth int) {
	t := &types[i]
	switch t.state {
	case 2:
		return
	case 1:
		d.fail("type %s contains itself", t.name)
	}
	if depth > maxDepth {
		d.fail("types nest more than %d deep", maxDepth)
	}
	t.state = 1
	switch t.kind {
	case kBool, kInt, kUint, kFloat:
		t.min, t.flat, t.lanes = t.size, true, []uint8{uint8(t.size)}
	case kComplex:
		t.min, t.flat, t.lanes = t.size, true, []uint8{uint8(t.size / 2), uint8(t.size / 2)}
	case kStruct:
		t.flat, t.empty, t.lanes = true, true, []uint8{}
		for _, f := range t.fields {
			d.measure(types, f.typ, depth+1)
			d.contain(t, &types[f.typ], 1)
		}
	case kArray:
		d.measure(types, t.elem, depth+1)
		t.flat, t.empty, t.lanes = true, true, []uint8{}
		d.contain(t, &types[t.elem], t.count)
	case kOpaque:
		t.empty = true
	default:
		t.min = 1
	}
	t.state = 2
}

const farTooMuch = math.MaxInt64 / 4

func (d *decoder) contain(t, part *fileType, count uint64) {
	if count == 0 {
		return
	}
	t.flat = t.flat && part.flat
	t.empty = t.empty && part.empty
	if part.min > 0 && count > farTooMuch/part.min {
		t.min = farTooMuch
	} else {
		t.min = min(t.min+count*part.min, farTooMuch)
	}
	if t.lanes == nil || part.lanes == nil || len(part.lanes) > 0 && count > maxLanes || len(t.lanes)+int(count)*len(part.lanes) > maxLanes {
		t.lanes = nil
		return
	}
	if len(part.lanes) > 0 {
		for range count {
			t.lanes = append(t.lanes, part.lanes...)
		}
	}
}

// same tells whether values of the file's type w decode into n as they are:
// every part of the same kind, size, name and labels in the same order.
// Offsets may differ.
func (d *decoder) same(w int, n *node) bool {
	key := pairKey{w, n}
	if v, ok := d.equal[key]; ok {
		return v
	}
	if d.equal == nil {
		d.equal = map[pairKey]bool{}
	}
	d.equal[key] = true // while it is examined: recursion
	ok := d.alike(w, n)
	if !ok {
		// What was found alike meanwhile may have leaned on this pair.
		maps.DeleteFunc(d.equal, func(_ pairKey, v bool) bool { return v })
	}
	d.equal[key] = ok
	return ok
}

type pairKey struct {
	w int
	n *node
}

func (d *decoder) alike(w int, n *node) bool {
	t := &d.types[w]
	if t.kind != n.kind || len(t.fields) != len(n.fields) || len(t.labels) != len(n.labels) {
		return false
	}
	switch t.kind {
	case kInt, kUint, kFloat, kComplex:
		for i := range t.labels {
			if t.labels[i] != n.labels[i] {
				return false
			}
		}
		return t.size == uint64(n.Size)
	case kStruct:
		for i, f := range t.fields {
			if f.name != n.fields[i].name || !d.same(f.typ, n.fields[i].node) {
				return false
			}
		}
		return true
	case kArray:
		return t.count == uint64(n.Len) && d.same(t.elem, n.elem)
	case kSlice, kPointer:
		return d.same(t.elem, n.elem)
	case kMap:
		return d.same(t.key, n.key) && d.same(t.elem, n.elem)
	}
	return true
}
