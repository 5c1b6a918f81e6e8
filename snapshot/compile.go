package snapshot

import (
	"fmt"
	"reflect"
	"strings"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/snapshot/internal/blocks"
)

// Compiling an op is where a file's type and today's Go type are matched:
// structs field by field by name, scalars with conversion where no value is
// lost. What does not match is reported once a component or resource.

// root compiles the op of a whole column or resource. If the two types have
// nothing in common the values are read over and replaced by the default.
func (d *decoder) root(w int, n *node) *op {
	key := pairKey{w, n}
	if o := d.roots[key]; o != nil {
		return o
	}
	if d.roots == nil {
		d.roots = map[pairKey]*op{}
	}
	d.plans, d.planned = map[pairKey]*op{}, d.planned[:0]
	if o, ok := d.compile(w, n, ""); ok {
		d.roots[key] = o
		return o
	}
	d.report.add(Projection{Type: d.where, Change: Dropped, From: d.wireName(w)})
	d.report.add(Projection{Type: d.where, Change: Added, To: n.Go.String()})
	o := &op{run: func(d *decoder, _ unsafe.Pointer) { d.skip(w) }, adds: true}
	d.roots[key] = o
	return o
}

func (d *decoder) compile(w int, n *node, path string) (*op, bool) {
	if n.flat && n.kind < kString && n.Kind != value.KindEntity { // a scalar: every path has its own messages
		o := &op{}
		return o, d.plan(o, w, n, path)
	}
	key := pairKey{w, n}
	if o := d.plans[key]; o != nil {
		return o, true // perhaps unfinished: recursion
	}
	if d.refused[key] {
		return nil, false
	}
	o := &op{}
	mark, seen := len(d.planned), d.report.mark()
	d.plans[key] = o
	d.planned = append(d.planned, key)
	if d.plan(o, w, n, path) {
		if n.Kind == value.KindEntity && !isEntityHandle(n.Layout) {
			run := o.run
			o.run = func(d *decoder, p unsafe.Pointer) {
				run(d, p)
				e := n.LoadEntity(p)
				if d.entity(&e); e.IsZero() {
					n.StoreEntity(p, e)
				}
			}
		}
		return o, true
	}
	for _, k := range d.planned[mark:] {
		delete(d.plans, k)
	}
	d.planned = d.planned[:mark]
	d.report.cut(seen)
	// Recursion was taken to succeed, so this holds wherever the pair appears.
	if d.refused == nil {
		d.refused = map[pairKey]bool{}
	}
	d.refused[key] = true
	return nil, false
}

func (d *decoder) converted(w int, n *node, path string) {
	d.report.add(Projection{Type: d.where, Field: path, Change: Converted, From: d.wireName(w), To: n.Go.String()})
}

// plan fills in o; false if the types have nothing in common.
func (d *decoder) plan(o *op, w int, n *node, path string) bool {
	t := &d.types[w]
	if numeric(t.kind) && numeric(n.kind) {
		return d.planNumber(o, w, n, path)
	}
	if t.kind != n.kind {
		return false
	}
	switch t.kind {
	case kBool:
		o.run = func(d *decoder, p unsafe.Pointer) {
			b := d.byte()
			if b > 1 {
				d.fail("a bool is neither true nor false")
			}
			*(*bool)(p) = b == 1
		}
	case kComplex:
		d.planComplex(o, w, n, path)
	case kString:
		if isEntityHandle(n.Layout) {
			o.run = func(d *decoder, p unsafe.Pointer) {
				e, _, _ := ecs.ParseEntity(d.string())
				d.entity(&e)
				n.StoreEntity(p, e)
			}
			break
		}
		o.run = func(d *decoder, p unsafe.Pointer) { *(*string)(p) = d.string() }
	case kStruct:
		return d.planStruct(o, w, n, path)
	case kArray:
		return d.planArray(o, w, n, path)
	case kSlice:
		return d.planSlice(o, w, n, path)
	case kMap:
		return d.planMap(o, w, n, path)
	case kPointer:
		elem, ok := d.compile(t.elem, n.elem, path)
		if !ok {
			return false
		}
		create := func() refEntry {
			d.charge(int64(n.elem.Size))
			v := reflect.New(n.elem.Go)
			d.start(elem, v.Elem())
			return refEntry{n: n, p: v.UnsafePointer(), elem: elem}
		}
		o.run = func(d *decoder, p unsafe.Pointer) { *(*unsafe.Pointer)(p) = d.ref(w, n, create) }
	case kInterface:
		o.run = func(d *decoder, p unsafe.Pointer) { d.iface(n, p, path) }
	case kLocation:
		o.run = func(d *decoder, p unsafe.Pointer) { *(**time.Location)(p) = d.location() }
	case kBinary:
		if t.name != n.Name {
			return false
		}
		o.run = func(d *decoder, p unsafe.Pointer) { d.binary(reflect.NewAt(n.Go, p).Elem()) }
	case kOpaque:
		o.empty, o.run = true, func(*decoder, unsafe.Pointer) {}
	}
	return true
}

func (d *decoder) planStruct(o *op, w int, n *node, path string) bool {
	type step struct {
		offset uintptr
		op     *op // nil: skip
		w      int
		// dangling: entities in it may be dead.
		dangling bool
	}
	var steps []step
	t := &d.types[w]
	found := make(map[string]bool, len(n.fields))
	matched := len(t.fields) == 0 || len(n.fields) == 0
	for _, f := range t.fields {
		if nf := n.field(f.name); nf != nil {
			if fo, ok := d.compile(f.typ, nf.node, join(path, f.name)); ok {
				found[f.name], matched = true, true
				steps = append(steps, step{nf.offset, fo, f.typ, nf.dangling})
				continue
			}
		}
		d.report.add(Projection{Type: d.where, Field: join(path, f.name), Change: Dropped, From: d.wireName(f.typ)})
		steps = append(steps, step{w: f.typ})
	}
	for _, f := range n.fields {
		if !found[f.name] {
			o.adds = true
			d.report.add(Projection{Type: d.where, Field: join(path, f.name), Change: Added, To: f.node.Go.String()})
		}
	}
	if !matched && path != "" {
		return false // not one field in common: another struct
	}
	o.empty = true
	for _, s := range steps {
		if s.op != nil {
			o.empty = o.empty && s.op.empty
			o.adds = o.adds || s.op.adds
		} else {
			o.empty = o.empty && d.types[s.w].empty
		}
	}
	o.run = func(d *decoder, p unsafe.Pointer) {
		for i := range steps {
			s := &steps[i]
			if s.op == nil {
				d.skip(s.w)
				continue
			}
			outer := d.dangling
			d.dangling = outer || s.dangling
			s.op.run(d, unsafe.Add(p, s.offset))
			d.dangling = outer
		}
	}
	return true
}

func (n *node) field(name string) *nodeField {
	for i := range n.fields {
		if n.fields[i].name == name {
			return &n.fields[i]
		}
	}
	return nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// planArray takes an array over into one that is as long or longer.
func (d *decoder) planArray(o *op, w int, n *node, path string) bool {
	t := &d.types[w]
	if t.count > uint64(n.Len) {
		return false
	}
	dense := n.dense && d.same(w, n)
	elem, ok := d.compile(t.elem, n.elem, path+"[]")
	if !ok {
		return false
	}
	if t.count < uint64(n.Len) {
		o.adds = true
		d.converted(w, n, path)
	}
	o.adds = o.adds || elem.adds
	o.empty = elem.empty || t.count == 0
	count := int(t.count)
	o.run = func(d *decoder, p unsafe.Pointer) {
		if dense && !d.judges(n) {
			copy(unsafe.Slice((*byte)(p), n.Size), d.take(int(n.Size)))
			return
		}
		for i := range count {
			elem.run(d, unsafe.Add(p, uintptr(i)*n.elem.Size))
		}
	}
	return true
}

func (d *decoder) planSlice(o *op, w int, n *node, path string) bool {
	t := &d.types[w]
	elem, ok := d.compile(t.elem, n.elem, path+"[]")
	if !ok {
		return false
	}
	dense := n.elem.dense && d.same(t.elem, n.elem)
	o.run = func(d *decoder, p unsafe.Pointer) {
		size := d.sliceLen(t)
		v := reflect.NewAt(n.Go, p).Elem()
		if size < 0 {
			v.SetZero()
			return
		}
		if n.elem.Size > 0 && uint64(size) > farTooMuch/uint64(n.elem.Size) {
			d.fail("a slice of %d elements", size)
		}
		d.charge(int64(size) * int64(n.elem.Size))
		s := reflect.MakeSlice(n.Go, size, size)
		v.Set(s)
		base := s.UnsafePointer()
		if dense && !d.judges(n) {
			copy(unsafe.Slice((*byte)(base), uintptr(size)*n.elem.Size), d.take(size*int(n.elem.Size)))
			return
		}
		if elem.empty && (!elem.adds || n.elem.Size == 0) {
			return
		}
		d.down()
		for i := range size {
			if elem.adds {
				d.start(elem, s.Index(i))
			}
			elem.run(d, unsafe.Add(base, uintptr(i)*n.elem.Size))
		}
		d.depth--
	}
	return true
}

func (d *decoder) planMap(o *op, w int, n *node, path string) bool {
	t := &d.types[w]
	key, ok := d.compile(t.key, n.key, path+"[key]")
	if !ok {
		return false
	}
	elem, ok := d.compile(t.elem, n.elem, path+"[]")
	if !ok {
		return false
	}
	create := func() refEntry {
		d.charge(48)
		m := reflect.MakeMap(n.Go)
		return refEntry{n: n, p: m.UnsafePointer(), m: m, key: key, elem: elem}
	}
	o.run = func(d *decoder, p unsafe.Pointer) { *(*unsafe.Pointer)(p) = d.ref(w, n, create) }
	return true
}

type dynamicPlan struct {
	t  reflect.Type
	n  *node
	op *op
}

func (d *decoder) iface(n *node, p unsafe.Pointer, path string) {
	v := reflect.NewAt(n.Go, p).Elem()
	v.SetZero()
	c := d.uvarint()
	if c < dynTypes {
		return
	}
	w := d.dynType(c)
	d.down()
	defer func() { d.depth-- }()
	plan := d.dynamic[w]
	if plan == nil {
		plan = d.planDynamic(w, path)
	}
	if plan.t == nil { // unknown, and the caller said to leave such out
		d.skip(w)
		return
	}
	if !plan.t.AssignableTo(n.Go) {
		d.fail("%s holds a %s, which does not implement %s", path, plan.t, n.Go)
	}
	d.charge(int64(plan.n.Size))
	box := reflect.New(plan.t)
	d.start(plan.op, box.Elem())
	plan.op.run(d, box.UnsafePointer())
	v.Set(box.Elem())
}

func (d *decoder) planDynamic(w int, path string) *dynamicPlan {
	if d.dynamic == nil {
		d.dynamic = map[int]*dynamicPlan{}
	}
	plan := &dynamicPlan{}
	d.dynamic[w] = plan
	t := d.known.resolve(d, w, 0)
	if t == nil {
		name := d.wireName(w)
		if !d.lax {
			e := blocks.BadFile("%s: %s holds a value of type %s, which this process does not know", d.where, path, name)
			e.Got = name
			e.Hint = "make it known with value.RegisterType[T](), or load with AllowUnknown to leave such values nil; the world was not touched"
			panic(fail{e})
		}
		d.report.skip(Skip{Kind: "value", Name: name, Reason: "the type of a value in " + join(d.where, path) + " is not known here; the value is nil"})
		return plan
	}
	n := nodeOf(t)
	o, ok := d.compile(w, n, strings.TrimPrefix(fmt.Sprintf("%s.(%s)", path, t), "."))
	if !ok {
		d.fail("%s holds a %s, which has become a type it cannot be converted to", path, d.wireName(w))
	}
	plan.t, plan.n, plan.op = t, n, o
	return plan
}
