package snapshot

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// valueDiff gathers the fields in which two values of one type differ.
type valueDiff struct {
	epsilon float64
	rows    []fieldDiff
	visits  map[[2]unsafe.Pointer]bool
	depth   int
}

type fieldDiff struct {
	path   string
	a, b   reflect.Value     // invalid: not there
	labels []value.EnumLabel // of the field, if it is a labelled integer
	text   [2]json.RawMessage
}

func (f fieldDiff) from() json.RawMessage { return f.side(0, f.a) }
func (f fieldDiff) to() json.RawMessage   { return f.side(1, f.b) }

func (f fieldDiff) side(i int, v reflect.Value) json.RawMessage {
	if f.text[i] != nil {
		return f.text[i]
	}
	if !v.IsValid() {
		return nil
	}
	if f.labels != nil {
		return value.AppendEnum(nil, v, f.labels)
	}
	return render(v)
}

// maxFieldRows bounds the rows of one value: a changed height map is one
// difference, not a million.
const maxFieldRows = 256

// maxDiffDepth is how deep a difference is looked for. What lies deeper is one
// value, compared bit by bit: a list of a million nodes is neither a million
// stack frames nor a path of a million names.
const maxDiffDepth = 64

func (v *valueDiff) add(path string, a, b reflect.Value) {
	if len(v.rows) < maxFieldRows {
		v.rows = append(v.rows, fieldDiff{path: path, a: a, b: b})
	}
}

func memory(x reflect.Value, size uintptr) []byte {
	return unsafe.Slice((*byte)(x.Addr().UnsafePointer()), size)
}

// leaf reports whether a struct or array type reads as one value: an entity,
// a byte string, a type with its own text.
func leaf(n *node) bool {
	if n.kind != kStruct && n.kind != kArray {
		return false
	}
	root := value.TypeOf(n.Go).Root
	if root == nil {
		return false
	}
	switch root.Kind {
	case value.KindEntity, value.KindBytes, value.KindText, value.KindJSON:
		return true
	}
	return false
}

// walk compares two addressable values. Padding and what is not saved are not
// compared.
func (v *valueDiff) walk(n *node, path string, a, b reflect.Value) {
	if len(v.rows) >= maxFieldRows {
		return
	}
	if n.flat && n.Size > 0 && bytes.Equal(memory(a, n.Size), memory(b, n.Size)) {
		return
	}
	if v.depth >= maxDiffDepth {
		if !sameEncoding(n, a, b) {
			v.add(path, a, b)
		}
		return
	}
	v.depth++
	defer func() { v.depth-- }()
	switch n.kind {
	case kOpaque:
	case kFloat:
		x, y := a.Float(), b.Float()
		if v.differ(x, y) {
			v.add(path, a, b)
		}
	case kComplex:
		x, y := a.Complex(), b.Complex()
		if v.differ(real(x), real(y)) || v.differ(imag(x), imag(y)) {
			v.add(path, a, b)
		}
	case kBool, kInt, kUint:
		if !bytes.Equal(memory(a, n.Size), memory(b, n.Size)) {
			v.add(path, a, b)
			v.rows[len(v.rows)-1].labels = n.labels
		}
	case kString:
		if a.String() != b.String() {
			v.add(path, a, b)
		}
	case kLocation:
		if x, y := *(**time.Location)(a.Addr().UnsafePointer()), *(**time.Location)(b.Addr().UnsafePointer()); x != y && !sameZone(x, y) {
			v.add(path, a, b)
		}
	case kBinary:
		if !a.Equal(b) {
			v.add(path, a, b)
		}
	case kStruct, kArray:
		v.parts(n, path, a, b)
	case kSlice:
		v.slice(n, path, a, b)
	case kMap:
		v.mapping(n, path, a, b)
	case kPointer:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				v.add(path, a, b)
			}
			return
		}
		if v.met(a.UnsafePointer(), b.UnsafePointer()) {
			return
		}
		v.walk(n.elem, path, a.Elem(), b.Elem())
	case kInterface:
		v.dynamic(path, a, b)
	}
}

func sameEncoding(n *node, a, b reflect.Value) bool {
	x, y := encoder{types: &typeTable{}, spell: true}, encoder{types: &typeTable{}, spell: true}
	x.value(n, a.Addr().UnsafePointer())
	y.value(n, b.Addr().UnsafePointer())
	return bytes.Equal(x.buf, y.buf)
}

// sameZone: two loads of a named zone are different pointers.
func sameZone(x, y *time.Location) bool {
	if x == nil || y == nil || x == time.Local || y == time.Local || x == time.UTC || y == time.UTC {
		return false
	}
	var ex, ey encoder
	ex.location(x)
	ey.location(y)
	return bytes.Equal(ex.buf, ey.buf)
}

func (v *valueDiff) differ(x, y float64) bool {
	if v.epsilon > 0 {
		if x != x || y != y {
			return (x != x) != (y != y)
		}
		return x != y && !(math.Abs(x-y) <= v.epsilon) // equal infinities have no difference to take
	}
	return math.Float64bits(x) != math.Float64bits(y)
}

// met marks a pair of references; a cycle ends where it meets itself.
func (v *valueDiff) met(a, b unsafe.Pointer) bool {
	k := [2]unsafe.Pointer{a, b}
	if v.visits[k] {
		return true
	}
	if v.visits == nil {
		v.visits = map[[2]unsafe.Pointer]bool{}
	}
	v.visits[k] = true
	return false
}

func (v *valueDiff) parts(n *node, path string, a, b reflect.Value) {
	if leaf(n) {
		inner := valueDiff{epsilon: v.epsilon, visits: v.visits, depth: v.depth}
		inner.inside(n, "", a, b)
		if len(inner.rows) > 0 {
			v.add(path, a, b)
		}
		return
	}
	v.inside(n, path, a, b)
}

func (v *valueDiff) inside(n *node, path string, a, b reflect.Value) {
	if n.kind == kArray {
		for i := range n.Len {
			v.walk(n.elem, path+"["+strconv.Itoa(i)+"]", a.Index(i), b.Index(i))
		}
		return
	}
	at := func(x reflect.Value, f *nodeField) reflect.Value {
		return reflect.NewAt(f.node.Go, unsafe.Add(x.Addr().UnsafePointer(), f.offset)).Elem()
	}
	for i := range n.fields {
		f := &n.fields[i]
		if f.node.Size > 0 {
			v.walk(f.node, join(path, f.name), at(a, f), at(b, f))
		}
	}
}

func (v *valueDiff) slice(n *node, path string, a, b reflect.Value) {
	if a.IsNil() != b.IsNil() {
		v.add(path, a, b)
		return
	}
	if a.Len() > 0 && b.Len() > 0 && v.met(a.UnsafePointer(), b.UnsafePointer()) && a.Len() == b.Len() {
		return
	}
	if n.elem.Go.Kind() == reflect.Uint8 { // reads as one byte string
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			v.add(path, a, b)
		}
		return
	}
	both := min(a.Len(), b.Len())
	if !(n.elem.dense && both > 0 && bytes.Equal(
		unsafe.Slice((*byte)(a.UnsafePointer()), uintptr(both)*n.elem.Size), unsafe.Slice((*byte)(b.UnsafePointer()), uintptr(both)*n.elem.Size))) {
		for i := range both {
			v.walk(n.elem, path+"["+strconv.Itoa(i)+"]", a.Index(i), b.Index(i))
		}
	}
	for i := both; i < a.Len() && len(v.rows) < maxFieldRows; i++ {
		v.add(path+"["+strconv.Itoa(i)+"]", a.Index(i), reflect.Value{})
	}
	for i := both; i < b.Len() && len(v.rows) < maxFieldRows; i++ {
		v.add(path+"["+strconv.Itoa(i)+"]", reflect.Value{}, b.Index(i))
	}
}

func (v *valueDiff) mapping(n *node, path string, a, b reflect.Value) {
	if a.IsNil() != b.IsNil() {
		v.add(path, a, b)
		return
	}
	if a.IsNil() || v.met(a.UnsafePointer(), b.UnsafePointer()) {
		return
	}
	// Keys are matched by their encoding: that pairs NaN with NaN, and keys
	// that are pointers by what they point at.
	ea, eb := indexMap(n, a), indexMap(n, b)
	keys := make([]string, 0, len(ea)+len(eb))
	for k := range ea {
		keys = append(keys, k)
	}
	for k := range eb {
		if _, ok := ea[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		x, y := ea[k], eb[k]
		switch {
		case !x.value.IsValid():
			v.add(path+"["+keyText(y.key)+"]", reflect.Value{}, y.value)
		case !y.value.IsValid():
			v.add(path+"["+keyText(x.key)+"]", x.value, reflect.Value{})
		default:
			v.walk(n.elem, path+"["+keyText(x.key)+"]", x.value, y.value)
		}
	}
}

type mapEntry struct{ key, value reflect.Value }

func indexMap(n *node, m reflect.Value) map[string]mapEntry {
	out := make(map[string]mapEntry, m.Len())
	var e encoder
	for it := m.MapRange(); it.Next(); {
		key, val := value.Addressable(it.Key()), value.Addressable(it.Value())
		name := string(e.scratch(n.key, key.Addr().UnsafePointer()))
		for _, taken := out[name]; taken; _, taken = out[name] {
			name += "\x00" // NaN again
		}
		out[name] = mapEntry{key, val}
	}
	return out
}

func keyText(k reflect.Value) string {
	out, err := value.AppendJSON(nil, k, value.EncodeOptions{Bulk: true})
	if err != nil {
		return "?"
	}
	return string(out)
}

func (v *valueDiff) dynamic(path string, a, b reflect.Value) {
	if a.IsNil() || b.IsNil() {
		if a.IsNil() != b.IsNil() {
			v.add(path, a, b)
		}
		return
	}
	x, y := a.Elem(), b.Elem()
	if x.Type() != y.Type() {
		v.add(path, a, b)
		return
	}
	n := nodeOf(x.Type())
	if n.kind == kPointer || n.kind == kMap || n.kind == kSlice || n.kind == kStruct || n.kind == kArray {
		v.walk(n, path, value.Addressable(x), value.Addressable(y))
		return
	}
	// A scalar: the row shows the interface, with its type.
	inner := valueDiff{epsilon: v.epsilon, depth: v.depth}
	inner.walk(n, "", value.Addressable(x), value.Addressable(y))
	if len(inner.rows) > 0 {
		v.add(path, a, b)
	}
}
