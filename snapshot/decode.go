package snapshot

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/snapshot/internal/blocks"
)

// decoder makes values of this build's types of one body.
type decoder struct {
	reader

	types []fileType
	equal map[pairKey]bool
	zones map[zone]*time.Location
	known *typeNames
	lax   bool // AllowUnknown: dynamic types that cannot be found give nil

	roots   map[pairKey]*op // finished plans of whole columns
	plans   map[pairKey]*op // of the root at work
	planned []pairKey
	refused map[pairKey]bool // pairs with nothing in common
	dynamic map[int]*dynamicPlan
	report  *report

	refs  []refEntry
	queue []int
	depth int

	entityCheck
}

// op decodes a value of one file type into one Go type. p points at a zero
// value, or at the default of the type where fields were added.
type op struct {
	run   func(d *decoder, p unsafe.Pointer)
	adds  bool // the Go type has fields that the file lacks: start from defaults
	empty bool // encoded in no bytes, decoded into nothing
}

// refEntry is a pointer target or a map that the stream has mentioned.
type refEntry struct {
	w    int            // the file's type of the pointer or map
	n    *node          // of the Go type; nil while only dropped fields refer to it
	p    unsafe.Pointer // the target, or the map
	m    reflect.Value  // of a map
	elem *op
	key  *op
	done bool
}

// value decodes one value and everything it refers to.
func (d *decoder) value(o *op, p unsafe.Pointer) {
	o.run(d, p)
	d.drain()
}

func (d *decoder) drain() {
	for len(d.queue) > 0 {
		i := d.queue[0]
		d.queue = d.queue[1:]
		r := d.refs[i]
		d.refs[i].done = true
		switch t := &d.types[r.w]; {
		case r.n == nil && t.kind == kMap:
			for range d.entries(t) {
				d.skip(t.key)
				d.skip(t.elem)
			}
		case r.n == nil:
			d.skip(t.elem)
		case t.kind == kMap:
			d.mapping(t, r)
		default:
			r.elem.run(d, r.p)
		}
	}
	d.queue = d.queue[:0]
}

func (d *decoder) entries(t *fileType) int {
	least := min(d.types[t.key].min+d.types[t.elem].min, farTooMuch)
	n := d.length(least)
	if n > 1 && least == 0 {
		d.fail("a map of %d entries without bytes", n)
	}
	return n
}

// ref decodes a reference; create makes a new entry. The result is nil for nil.
func (d *decoder) ref(w int, n *node, create func() refEntry) unsafe.Pointer {
	id := d.uvarint()
	switch {
	case id == 0:
		return nil
	case id-1 > uint64(len(d.refs)):
		d.fail("a reference to value %d of %d", id-1, len(d.refs))
	case id-1 == uint64(len(d.refs)):
		d.charge(int64(unsafe.Sizeof(refEntry{})))
		d.queue = append(d.queue, len(d.refs))
		e := create()
		e.w = w
		d.refs = append(d.refs, e)
	}
	r := &d.refs[id-1]
	if r.w != w {
		d.fail("a reference changes its type")
	}
	if r.n == nil && n != nil {
		if r.done {
			d.fail("a value is shared with a field that this build no longer has; it cannot be taken over")
		}
		e := create()
		e.w = w
		*r = e
	}
	if n != nil && r.n != n && !d.standsFor(r.n, n) {
		d.fail("a reference changes its type")
	}
	return r.p
}

func (d *decoder) mapping(t *fileType, r refEntry) {
	n, dropped := d.entries(t), 0
	k, v := reflect.New(r.n.key.Go).Elem(), reflect.New(r.n.elem.Go).Elem()
	d.charge(int64(n) * int64(r.n.key.Size+r.n.elem.Size+16))
	for range n {
		k.SetZero()
		d.start(r.key, k)
		cleared := d.cleared
		r.key.run(d, k.Addr().UnsafePointer())
		gone := d.cleared > cleared
		if r.n.key.References && !k.Comparable() {
			d.fail("a map key cannot be compared")
		}
		v.SetZero()
		d.start(r.elem, v)
		r.elem.run(d, v.Addr().UnsafePointer())
		if gone { // an entry about nobody
			dropped++
			continue
		}
		r.m.SetMapIndex(k, v)
	}
	if r.m.Len() != n-dropped {
		d.fail("a map has a key twice")
	}
}

// start puts the default of the type where the file lacks fields.
func (d *decoder) start(o *op, v reflect.Value) {
	if o.adds {
		v.Set(value.TypeOf(v.Type()).New())
	}
}

// skip reads a value of a type that has no place here.
func (d *decoder) skip(w int) {
	t := &d.types[w]
	if t.empty {
		return
	}
	switch t.kind {
	case kBool, kInt, kUint, kFloat, kComplex:
		d.take(int(t.size))
	case kString, kBinary:
		d.take(d.length(1))
	case kStruct:
		for _, f := range t.fields {
			d.skip(f.typ)
		}
	case kArray:
		if t.min > uint64(d.rest()) {
			d.fail("an array is cut short")
		}
		for range t.count {
			d.skip(t.elem)
		}
	case kSlice:
		d.down()
		for range d.sliceLen(t) {
			if d.types[t.elem].empty {
				break
			}
			d.skip(t.elem)
		}
		d.depth--
	case kMap, kPointer:
		d.ref(w, nil, func() refEntry { return refEntry{} })
	case kInterface:
		if c := d.uvarint(); c >= dynTypes {
			d.down()
			d.skip(d.dynType(c))
			d.depth--
		}
	case kLocation:
		d.location()
	}
}

func (d *decoder) dynType(c uint64) int {
	if c-dynTypes >= uint64(len(d.types)) {
		d.fail("an interface holds a type %d of %d", c-dynTypes, len(d.types))
	}
	return int(c - dynTypes)
}

func (d *decoder) down() {
	if d.depth++; d.depth > maxDepth {
		d.fail("values nest more than %d deep", maxDepth)
	}
}

// sliceLen reads a slice's length, -1 for nil.
func (d *decoder) sliceLen(t *fileType) int {
	n := d.uvarint()
	if n == 0 {
		return -1
	}
	n--
	e := &d.types[t.elem]
	if n > uint64(d.rest())/max(e.min, 1) && !e.empty {
		d.fail("a slice of %d elements, with %d bytes left", n, d.rest())
	}
	if n > farTooMuch {
		d.fail("a slice of %d elements", n)
	}
	return int(n)
}

// column decodes rows values of file type w into a new slice of n's type.
func (d *decoder) column(w int, n *node, form byte, rows int) reflect.Value {
	d.refs, d.queue, d.depth = d.refs[:0], d.queue[:0], 0
	t := &d.types[w]
	if form == laneForm && (t.lanes == nil || d.rest() != rows*sum(t.lanes)) || form > laneForm || rows > 0 && uint64(d.rest())/uint64(rows) < t.min {
		d.fail("the column does not hold %d rows", rows)
	}
	d.charge(int64(rows) * int64(n.Size))
	out := reflect.MakeSlice(reflect.SliceOf(n.Go), rows, rows)
	base := out.UnsafePointer()
	d.foreign = !d.exact && (d.elsewhere || !d.same(w, n))
	defer d.reportCleared()
	if form == laneForm {
		if d.same(w, n) && !d.judges(n) {
			if !blocks.ReadLanes(d.data[d.off:], n.lanes, base, n.Size, rows) {
				d.fail("a bool is neither true nor false")
			}
			return out
		}
		d.data, d.off = blocks.PackRows(d.data[d.off:], t.lanes, rows), 0
	}
	o := d.root(w, n)
	if !o.empty || o.adds {
		for i := range rows {
			if o.adds {
				d.start(o, out.Index(i))
			}
			d.value(o, unsafe.Add(base, uintptr(i)*n.Size))
		}
	}
	if d.rest() != 0 {
		d.fail("%d bytes are left over", d.rest())
	}
	return out
}

func sum(sizes []uint8) (n int) {
	for _, s := range sizes {
		n += int(s)
	}
	return n
}
