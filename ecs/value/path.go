package value

import (
	"fmt"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// Path is a compiled field path, relative to a component or resource. It is
// immutable; any goroutine may use it.
type Path struct {
	Text     string
	Field    *Field         // of the leaf; nil for a computed value
	Computed *ComputedValue // nil for a stored field

	typ   *Type
	steps []step
}

// step is one move from a value towards the leaf.
type step struct {
	op   stepOp
	typ  reflect.Type // of the value the step starts from
	next reflect.Type // of the value it leads to
	off  uintptr      // field, array
	n    int          // slice index
	key  reflect.Value
	text string // of the path up to and including this step
}

type stepOp uint8

const (
	stepOffset stepOp = iota // a field or an array element: a fixed distance
	stepSlice
	stepMap
	stepPointer
	stepAssert // interface to a concrete type
)

// Path compiles a selector: X, Slots[2].Count, Tags["fire"], Weapon.(game.Sword).Edge,
// or a computed value's name; "" is the whole value. Pointers are followed.
// unknown_field with options otherwise. Any goroutine.
func (t *Type) Path(sel string) (*Path, error) {
	for _, c := range t.Computed {
		if c.Name == sel {
			return &Path{Text: sel, Computed: c, typ: t}, nil
		}
	}
	p := pathParser{t: t, text: sel, json: t.json}
	if err := p.parse(t.Root); err != nil {
		return nil, err
	}
	return &Path{Text: sel, Field: p.field, typ: t, steps: p.steps}, nil
}

func compileSteps(f *Field, sel string) ([]step, reflect.Type, error) {
	p := pathParser{text: sel}
	if err := p.parse(f); err != nil {
		return nil, nil, err
	}
	return p.steps, p.field.Go, nil
}

// Type is the Go type of the leaf.
func (p *Path) Type() reflect.Type {
	if p.Computed != nil {
		return p.Computed.Type.Go
	}
	return p.Field.Go
}

// Fixed gives the byte offset of the leaf in the component when the path
// crosses no slice, map, pointer or interface.
func (p *Path) Fixed() (offset uintptr, ok bool) {
	if p.Computed != nil {
		return 0, false
	}
	for _, s := range p.steps {
		if s.op != stepOffset {
			return 0, false
		}
		offset += s.off
	}
	return offset, true
}

// Get reads the leaf; root is addressable, of the component's type. The result
// is the place itself where there is one, else (map entries, interfaces,
// computed values) a copy: do not write to it, use Set.
func (p *Path) Get(root reflect.Value) (v reflect.Value, err error) {
	if !root.IsValid() || root.Type() != p.typ.Go || !root.CanAddr() {
		return v, p.wrongRoot(root)
	}
	if p.Computed != nil {
		return p.Computed.value(unsafe.Pointer(root.UnsafeAddr()))
	}
	return getSteps(root, p.steps, p.Field.Go)
}

// value computes under a recover.
func (c *ComputedValue) value(p unsafe.Pointer) (v reflect.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &refusal.Error{Code: refusal.Panicked, Message: fmt.Sprintf("computing %s panicked: %v", c.Name, r)}
		}
	}()
	return c.Get(p), nil
}

func (p *Path) wrongRoot(root reflect.Value) error {
	got := "no value"
	if root.IsValid() {
		got = root.Type().String()
	}
	return &refusal.Error{Code: refusal.InvalidArguments, Message: "the path " + strconv.Quote(p.Text) + " is one of " + p.typ.Name + ", not of " + got, Got: got, Want: p.typ.Qualified}
}

func getSteps(root reflect.Value, steps []step, leaf reflect.Type) (reflect.Value, error) {
	at := unsafe.Pointer(root.UnsafeAddr())
	for i := range steps {
		s := &steps[i]
		switch s.op {
		case stepOffset:
			at = unsafe.Add(at, s.off)
		case stepSlice:
			h := (*SliceHeader)(at)
			if s.n >= h.Len {
				return reflect.Value{}, s.outOfRange(h.Len)
			}
			at = unsafe.Add(h.Data, uintptr(s.n)*s.next.Size())
		case stepPointer:
			if at = *(*unsafe.Pointer)(at); at == nil {
				return reflect.Value{}, s.nilPointer()
			}
		case stepMap:
			m := reflect.NewAt(s.typ, at).Elem()
			e := m.MapIndex(s.key)
			if !e.IsValid() {
				return reflect.Value{}, s.noEntry(m)
			}
			box := reflect.New(s.next)
			box.Elem().Set(e)
			at = box.UnsafePointer()
		case stepAssert:
			v, err := s.held(at)
			if err != nil {
				return reflect.Value{}, err
			}
			at = v.UnsafePointer()
		}
	}
	return reflect.NewAt(leaf, at).Elem(), nil
}

func (s *step) outOfRange(n int) error {
	want := fmt.Sprintf("an index from 0 to %d", n-1)
	if n == 0 {
		want = "no index: it is empty"
	}
	return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%s is out of range: the list has %d elements", s.text, n), Got: s.n, Want: want,
		Hint: "set the whole list to make it longer"}
}

func (s *step) nilPointer() error {
	return &refusal.Error{Code: refusal.InvalidArguments, Message: "the path leads through a nil pointer of type " + s.typ.String() + " before " + s.text,
		Got: s.text, Want: "a pointer that is set", Hint: "set the pointer itself to an object first: that allocates its target"}
}

func (s *step) noEntry(m reflect.Value) error {
	text := layout.KeyText(s.typ.Key(), false)
	var names []string
	k := reflect.New(s.typ.Key())
	for it := m.MapRange(); it.Next() && len(names) < 1000; {
		k.Elem().SetIterKey(it)
		if t, _, err := text(k.UnsafePointer()); err == nil {
			names = append(names, t)
		}
	}
	k.Elem().Set(s.key)
	got, _, _ := text(k.UnsafePointer())
	return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%s: the map has no such key; it has %d", s.text, len(names)), Got: got,
		Want: "a key of the map", Options: refusal.Nearest(got, names), Total: len(names)}
}

// held gives a pointer to a copy of what an interface holds.
func (s *step) held(at unsafe.Pointer) (reflect.Value, error) {
	v := reflect.NewAt(s.typ, at).Elem()
	if v.IsNil() || v.Elem().Type() != s.next {
		got := "nil"
		if !v.IsNil() {
			got = layout.DynName(v.Elem().Type())
		}
		return v, &refusal.Error{Code: refusal.InvalidArguments, Message: s.text + ": the interface holds " + got + ", not " + layout.DynName(s.next), Got: got, Want: layout.DynName(s.next)}
	}
	box := reflect.New(s.next)
	box.Elem().Set(v.Elem())
	return box, nil
}

// AppendJSON appends a leaf of the path as [AppendJSON] does, with the labels of
// the field's own tag: what Get gives no longer knows them.
func (p *Path) AppendJSON(dst []byte, leaf reflect.Value, o EncodeOptions) ([]byte, error) {
	if f := p.Field; f != nil && f.Kind == KindEnum && leaf.IsValid() && leaf.Type() == f.Go {
		return layout.AppendEnum(dst, leaf, f.Enum), nil
	}
	return layout.AppendJSON(dst, leaf, o)
}

// Keys gives the keys of maps that the path leads through.
func (p *Path) Keys() (keys []reflect.Value) {
	for i := range p.steps {
		if p.steps[i].op == stepMap {
			keys = append(keys, p.steps[i].key)
		}
	}
	return keys
}

// Settable says why the leaf cannot be written; "" if it can.
func (p *Path) Settable() string {
	switch {
	case p.Computed != nil:
		return "it is computed"
	case p.Field.NoWrite != "":
		return p.Field.NoWrite
	case p.Field.ReadOnly && p.Field.Unexported:
		return "it is an unexported field of another module's type"
	case p.Field.ReadOnly:
		return "it is read-only"
	}
	return ""
}

func (p *Path) name() string {
	switch {
	case p.typ.json:
		return p.Text
	case p.Text == "" || p.Text[0] == '[':
		return p.typ.Name + p.Text
	}
	return p.typ.Name + "." + p.Text
}

func (p *Path) settable() error {
	why := p.Settable()
	if why == "" {
		return nil
	}
	e := &refusal.Error{Code: refusal.InvalidArguments, Message: p.name() + " cannot be written: " + why, Got: p.Text, Want: "a stored field that is writable"}
	var names []string
	for _, f := range p.typ.Fields {
		if !f.Hidden && !f.ReadOnly {
			names = append(names, f.Name)
		}
	}
	e.Options, e.Total = refusal.Nearest(p.Text, names), len(names)
	return e
}

// Decode checks and decodes a new leaf value (ranges, labels, read-only). Any
// goroutine.
func (p *Path) Decode(raw []byte) (reflect.Value, error) {
	if err := p.settable(); err != nil {
		return reflect.Value{}, err
	}
	n, err := parseJSON(raw)
	if err != nil {
		return reflect.Value{}, err
	}
	return p.taught(&n)
}

// taught decodes with the type's guide beside a refusal.
func (p *Path) taught(n *node) (reflect.Value, error) {
	v, err := p.decode(n)
	if err != nil {
		return v, p.typ.teach(err)
	}
	return v, nil
}

// decode leaves the guide out: the guide is made with it.
func (p *Path) decode(n *node) (reflect.Value, error) {
	v := reflect.New(p.Field.Go).Elem()
	d := decoder{json: p.typ.json, name: p.name()}
	if p.Field.Kind == KindStruct {
		d.defaults(v, p.Field)
	}
	if err := d.run(v, p.Field, n); err != nil {
		return reflect.Value{}, err
	}
	return v, nil
}

// Set writes the leaf by typed assignment; root is addressable. Index out of
// range and nil pointers are refusals and change nothing. A map entry that does
// not exist is made. A leaf that came from Decode may be set many times: each
// time it is the same value, so what it points at becomes shared (set a [Copy]
// where that matters).
func (p *Path) Set(root, leaf reflect.Value) error {
	if err := p.settable(); err != nil {
		return err
	}
	if !root.IsValid() || root.Type() != p.typ.Go || !root.CanAddr() {
		return p.wrongRoot(root)
	}
	if !leaf.IsValid() || leaf.Type() != p.Field.Go {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: p.name() + " takes a " + p.Field.Go.String(), Want: p.Field.Go.String()}
	}
	return setSteps(unsafe.Pointer(root.UnsafeAddr()), p.steps, leaf)
}

// Entry reports whether the leaf is an entry of a map, which Remove takes out.
func (p *Path) Entry() bool {
	return len(p.steps) > 0 && p.steps[len(p.steps)-1].op == stepMap
}

// Remove takes the map entry that the path leads to out of its map; root is
// addressable. An entry that is not there is no error, a path that leads
// elsewhere is.
func (p *Path) Remove(root reflect.Value) error {
	if err := p.settable(); err != nil {
		return err
	}
	if !p.Entry() {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: p.name() + " is no entry of a map and cannot be removed", Got: p.Text, Want: `a path such as Tags["fire"]`}
	}
	if !root.IsValid() || root.Type() != p.typ.Go || !root.CanAddr() {
		return p.wrongRoot(root)
	}
	return setSteps(unsafe.Pointer(root.UnsafeAddr()), p.steps, reflect.Value{})
}

// setSteps writes the leaf; an invalid one removes the map entry that the steps
// end at.
func setSteps(at unsafe.Pointer, steps []step, leaf reflect.Value) error {
	for i := range steps {
		s := &steps[i]
		switch s.op {
		case stepOffset:
			at = unsafe.Add(at, s.off)
		case stepSlice:
			h := (*SliceHeader)(at)
			if s.n >= h.Len {
				return s.outOfRange(h.Len)
			}
			at = unsafe.Add(h.Data, uintptr(s.n)*s.next.Size())
		case stepPointer:
			if at = *(*unsafe.Pointer)(at); at == nil {
				return s.nilPointer()
			}
		case stepMap:
			m := reflect.NewAt(s.typ, at).Elem()
			e := m.MapIndex(s.key)
			if !leaf.IsValid() && (!e.IsValid() || i == len(steps)-1) {
				if e.IsValid() {
					m.SetMapIndex(s.key, reflect.Value{})
				}
				return nil
			}
			box := reflect.New(s.next)
			if e.IsValid() {
				box.Elem().Set(e)
			}
			if err := setSteps(box.UnsafePointer(), steps[i+1:], leaf); err != nil {
				return err
			}
			if m.IsNil() {
				m.Set(reflect.MakeMap(s.typ))
			}
			m.SetMapIndex(s.key, box.Elem())
			return nil
		case stepAssert:
			box, err := s.held(at)
			if err != nil {
				return err
			}
			if err := setSteps(box.UnsafePointer(), steps[i+1:], leaf); err != nil {
				return err
			}
			reflect.NewAt(s.typ, at).Elem().Set(box.Elem())
			return nil
		}
	}
	reflect.NewAt(leaf.Type(), at).Elem().Set(leaf)
	return nil
}
