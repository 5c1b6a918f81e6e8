package snapshot

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// maxDepth bounds the nesting of slices, structs and interfaces inside one
// another. Pointers and maps do not nest: what they refer to is queued.
const maxDepth = 1000

// encoder writes values in the stream form: scalars little-endian at their own
// width, lengths as uvarint. Pointers and maps are references: 0 is nil, else
// 1 + a number; a number that is met for the first time queues its target,
// and the queue is written after the value. So sharing and cycles are kept, a
// long list does not recurse, and equal worlds give equal bytes.
type encoder struct {
	buf   []byte
	types *typeTable
	refs  map[refKey]uint64
	queue []refKey
	head  int
	depth int
	// spell writes dynamic types by name instead of number: the scratch
	// encoding that map keys are sorted by must not number types.
	spell   bool
	nesting int
	// discreet writes private fields as zero.
	discreet bool
	spare    []byte // for map keys
}

type refKey struct {
	p unsafe.Pointer
	n *node
}

func (e *encoder) byte(b byte)      { e.buf = append(e.buf, b) }
func (e *encoder) uvarint(v uint64) { e.buf = binary.AppendUvarint(e.buf, v) }
func (e *encoder) varint(v int64)   { e.buf = binary.AppendVarint(e.buf, v) }
func (e *encoder) string(s string)  { e.uvarint(uint64(len(s))); e.buf = append(e.buf, s...) }

// value writes one value and everything it refers to.
func (e *encoder) value(n *node, p unsafe.Pointer) {
	n.enc(e, p)
	for e.head < len(e.queue) {
		k := e.queue[e.head]
		e.queue[e.head] = refKey{}
		e.head++
		if k.n.kind == kMap {
			e.mapping(k.n, reflect.NewAt(k.n.Go, unsafe.Pointer(&k.p)).Elem())
		} else {
			k.n.elem.enc(e, k.p)
		}
	}
	e.queue, e.head = e.queue[:0], 0
}

func (e *encoder) ref(n *node, p unsafe.Pointer) {
	if p == nil {
		e.byte(0)
		return
	}
	k := refKey{p, n}
	id, ok := e.refs[k]
	if !ok {
		if e.refs == nil {
			e.refs = map[refKey]uint64{}
		}
		id = uint64(len(e.refs))
		e.refs[k] = id
		e.queue = append(e.queue, k)
	}
	e.uvarint(id + 1)
}

func (e *encoder) down() {
	if e.depth++; e.depth > maxDepth {
		panic(fail{&refusal.Error{Code: refusal.TooLarge,
			Message: "a value nests more than " + strconv.Itoa(maxDepth) + " slices or interfaces deep, or a slice contains itself",
			Hint:    "leave its type out with Options.Exclude"}})
	}
}

// encodeFunc compiles the encoder of a node. The closures look at n.elem when
// they run: a recursive type is incomplete when it is compiled.
func encodeFunc(n *node) func(*encoder, unsafe.Pointer) {
	switch n.kind {
	case kBool:
		return func(e *encoder, p unsafe.Pointer) { e.buf = append(e.buf, *(*byte)(p)) }
	case kInt, kUint, kFloat:
		return encodeScalar(n.Size)
	case kComplex:
		half := encodeScalar(n.Size / 2)
		return func(e *encoder, p unsafe.Pointer) { half(e, p); half(e, unsafe.Add(p, n.Size/2)) }
	case kString:
		if isEntityHandle(n.Layout) {
			return func(e *encoder, p unsafe.Pointer) { e.string(n.LoadEntity(p).String()) }
		}
		return func(e *encoder, p unsafe.Pointer) { e.string(*(*string)(p)) }
	case kStruct:
		if n.dense {
			return encodeDense(n.Size)
		}
		return func(e *encoder, p unsafe.Pointer) {
			for i := range n.fields {
				f := &n.fields[i]
				if f.private != nil && e.discreet {
					f.node.enc(e, f.private.UnsafePointer())
					continue
				}
				f.node.enc(e, unsafe.Add(p, f.offset))
			}
		}
	case kArray:
		if n.dense {
			return encodeDense(n.Size)
		}
		return func(e *encoder, p unsafe.Pointer) {
			for i := range n.Len {
				n.elem.enc(e, unsafe.Add(p, uintptr(i)*n.elem.Size))
			}
		}
	case kSlice:
		return encodeSlice(n)
	case kMap, kPointer:
		return func(e *encoder, p unsafe.Pointer) { e.ref(n, *(*unsafe.Pointer)(p)) }
	case kInterface:
		return func(e *encoder, p unsafe.Pointer) { e.dynamic(reflect.NewAt(n.Go, p).Elem()) }
	case kLocation:
		return func(e *encoder, p unsafe.Pointer) { e.location(*(**time.Location)(p)) }
	case kBinary:
		return func(e *encoder, p unsafe.Pointer) { e.binary(reflect.NewAt(n.Go, p).Elem()) }
	}
	return func(*encoder, unsafe.Pointer) {}
}

func encodeScalar(size uintptr) func(*encoder, unsafe.Pointer) {
	switch size {
	case 1:
		return func(e *encoder, p unsafe.Pointer) { e.buf = append(e.buf, *(*byte)(p)) }
	case 2:
		return func(e *encoder, p unsafe.Pointer) { e.buf = binary.LittleEndian.AppendUint16(e.buf, *(*uint16)(p)) }
	case 4:
		return func(e *encoder, p unsafe.Pointer) { e.buf = binary.LittleEndian.AppendUint32(e.buf, *(*uint32)(p)) }
	}
	return func(e *encoder, p unsafe.Pointer) { e.buf = binary.LittleEndian.AppendUint64(e.buf, *(*uint64)(p)) }
}

func encodeDense(size uintptr) func(*encoder, unsafe.Pointer) {
	return func(e *encoder, p unsafe.Pointer) { e.buf = append(e.buf, unsafe.Slice((*byte)(p), size)...) }
}

func encodeSlice(n *node) func(*encoder, unsafe.Pointer) {
	return func(e *encoder, p unsafe.Pointer) {
		s := (*value.SliceHeader)(p)
		if s.Data == nil {
			e.byte(0)
			return
		}
		e.uvarint(uint64(s.Len) + 1)
		if n.elem.dense {
			e.buf = append(e.buf, unsafe.Slice((*byte)(s.Data), uintptr(s.Len)*n.elem.Size)...)
			return
		}
		if n.elem.flat && n.elem.width == 0 {
			return
		}
		e.down()
		for i := range s.Len {
			n.elem.enc(e, unsafe.Add(s.Data, uintptr(i)*n.elem.Size))
		}
		e.depth--
	}
}

// Dynamic values: 0 is nil, 1 is something that is not saved, else 2 + the
// number of the dynamic type.
const (
	dynNil = iota
	dynOpaque
	dynTypes
)

func (e *encoder) dynamic(v reflect.Value) {
	if v.IsNil() {
		e.byte(dynNil)
		return
	}
	v = v.Elem()
	n := nodeOf(v.Type())
	if n.kind == kOpaque {
		e.byte(dynOpaque)
		return
	}
	if e.spell {
		e.byte(dynTypes)
		e.string(n.Go.String() + " " + n.Name)
	} else {
		remember(n.Go)
		e.uvarint(dynTypes + uint64(e.types.index(n)))
	}
	e.down()
	box := reflect.New(n.Go)
	box.Elem().Set(v)
	n.enc(e, box.UnsafePointer())
	e.depth--
}

// mapping writes a map's entries in the order of their encoded keys.
func (e *encoder) mapping(n *node, m reflect.Value) {
	size := m.Len()
	e.uvarint(uint64(size))
	if size == 0 {
		return
	}
	type entry struct{ from, to, i int } // the encoded key in sort, and the entry's number
	entries := make([]entry, 0, size)
	keys := reflect.MakeSlice(reflect.SliceOf(n.key.Go), size, size)
	values := reflect.MakeSlice(reflect.SliceOf(n.elem.Go), size, size)
	at := func(s reflect.Value, n *node, i int) unsafe.Pointer {
		return unsafe.Add(s.UnsafePointer(), uintptr(i)*n.Size)
	}
	sort := encoder{types: e.types, spell: true, nesting: e.nesting + 1, depth: e.depth, buf: e.spare[:0], discreet: e.discreet}
	for it := m.MapRange(); it.Next(); {
		i, from := len(entries), len(sort.buf)
		keys.Index(i).SetIterKey(it)
		values.Index(i).SetIterValue(it)
		if sort.nesting <= maxNesting {
			sort.value(n.key, at(keys, n.key, i))
			clear(sort.refs)
		}
		entries = append(entries, entry{from, len(sort.buf), i})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if c := bytes.Compare(sort.buf[a.from:a.to], sort.buf[b.from:b.to]); c != 0 {
			return c
		}
		// Two NaN keys, or keys that are pointers to equal contents.
		return bytes.Compare(e.scratch(n.elem, at(values, n.elem, a.i)), e.scratch(n.elem, at(values, n.elem, b.i)))
	})
	for _, x := range entries {
		if n.key.References {
			n.key.enc(e, at(keys, n.key, x.i))
		} else {
			e.buf = append(e.buf, sort.buf[x.from:x.to]...)
		}
		n.elem.enc(e, at(values, n.elem, x.i))
	}
	e.spare = sort.buf[:0]
}

// maxNesting bounds scratch encodings inside one another: maps keyed by
// pointers to such maps are in any order from there on.
const maxNesting = 3

// scratch encodes a value by itself, independent of what came before.
func (e *encoder) scratch(n *node, p unsafe.Pointer) []byte {
	if e.nesting >= maxNesting {
		return nil
	}
	s := encoder{types: e.types, spell: true, nesting: e.nesting + 1, depth: e.depth, discreet: e.discreet}
	s.value(n, p)
	return s.buf
}

// Column encodings.
const (
	rowForm  = 0 // the stream form, row after row
	laneForm = 1 // byte planes: see lanes.go
)

// column encodes n values at base in rowForm.
func (e *encoder) column(n *node, base unsafe.Pointer, rows int) {
	if n.flat && n.width > 0 {
		e.buf = slices.Grow(e.buf, min(rows*n.width, math.MaxInt32))
	}
	for i := range rows {
		e.value(n, unsafe.Add(base, uintptr(i)*n.Size))
	}
}
