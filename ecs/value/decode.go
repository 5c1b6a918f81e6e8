package value

import (
	"fmt"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// DecodeJSON decodes raw into a new value that starts as a deep copy of base
// (or the type's default when base is invalid). Struct fields that raw does not
// name keep what base has; lists and maps are replaced whole. Refusals teach:
// path, got, want, and the type's [Guide] beside them. Any goroutine, as long
// as base does not change meanwhile.
func (t *Type) DecodeJSON(raw []byte, base reflect.Value) (reflect.Value, error) {
	n, err := parseJSON(raw)
	if err != nil {
		return reflect.Value{}, t.teach(err)
	}
	return t.decode(&n, base)
}

func (t *Type) decode(n *node, base reflect.Value) (v reflect.Value, err error) {
	v, fresh := t.start(base)
	d := decoder{json: t.json, required: t.json && fresh, based: !fresh, name: t.Name, computed: t.Computed}
	if t.json {
		d.name = ""
	}
	if err := d.run(v, t.Root, n); err != nil {
		return reflect.Value{}, t.teach(err)
	}
	return v, nil
}

// start makes the value that decoding works on.
func (t *Type) start(base reflect.Value) (v reflect.Value, fresh bool) {
	if !base.IsValid() || base.Type() != t.Go {
		return t.New(), true
	}
	return layout.Copy(base), false
}

// teach puts the guide beside a refusal about a component's value.
func (t *Type) teach(err error) error {
	e, ok := err.(*refusal.Error)
	if ok && !t.json && t.guide != nil && t.Root.Kind == KindStruct {
		if e.Extra == nil {
			e.Extra = map[string]any{}
		}
		e.Extra["guide"] = t.guide()
	}
	return err
}

// New returns an addressable value of the type with its declared defaults. Any
// goroutine.
func (t *Type) New() reflect.Value {
	var v reflect.Value
	if t.def.IsValid() {
		v = layout.Copy(t.def)
	} else {
		v = reflect.New(t.Go).Elem()
	}
	d := decoder{json: t.json}
	d.defaults(v, t.Root)
	return v
}

// checkDefaults keeps the defaults that do not decode as problems.
func (t *Type) checkDefaults() {
	var check func(path string, f *Field)
	check = func(path string, f *Field) {
		if f.Default != "" {
			d := decoder{json: t.json}
			if err := d.setDefault(reflect.New(f.Go).Elem(), f); err != nil {
				t.Problems = append(t.Problems, t.Name+path+": the default "+strconv.Quote(f.Default)+" does not fit: "+err.Error())
				f.Default = ""
			}
		}
		for _, c := range f.Fields {
			check(path+"."+c.Name, c)
		}
	}
	check("", t.Root)
}

// decoder assigns nodes to typed values. Every write is a typed assignment
// through reflection, so the collector's barriers hold.
type decoder struct {
	json     bool
	required bool // arguments: absent fields without a default are refused
	based    bool // the start is a value that exists, not a default
	name     string
	computed []*ComputedValue
	bytes    uintptr // allocated so far for what the client sent
	refs     []reference
	// post stores anew what maps and interfaces hold as copies, innermost first,
	// once the references inside are resolved.
	post []func()
	at   *place
}

// maxDecoded bounds what a short text may make the process allocate: a list of
// ten million "{}" of a large type, for instance.
const maxDecoded = 256 << 20

func (d *decoder) grow(n *node, count int, size uintptr) error {
	if d.bytes += uintptr(count) * size; d.bytes <= maxDecoded {
		return nil
	}
	e := d.refuse(n, fmt.Sprintf("a value of at most %d MiB", maxDecoded>>20)).(*refusal.Error)
	e.Code = refusal.TooLarge
	return e
}

// reference is a {"$ref"} that waits until the whole value exists.
type reference struct {
	ptr  reflect.Value
	path string
	at   *place
}

// place is where the decoder is, as a list from the leaf up.
type place struct {
	up    *place
	name  string
	index int
	key   bool
}

func (p *place) append(b []byte) []byte {
	if p == nil {
		return b
	}
	b = p.up.append(b)
	switch {
	case p.key:
		return append(strconv.AppendQuote(append(b, '['), p.name), ']')
	case p.name == "":
		return append(strconv.AppendInt(append(b, '['), int64(p.index), 10), ']')
	case len(b) > 0:
		b = append(b, '.')
	}
	return append(b, p.name...)
}

func (d *decoder) path() string {
	b := []byte(d.name)
	if b = d.at.append(b); len(b) == 0 {
		return "the value"
	}
	return string(b)
}

// run decodes and then resolves the references.
func (d *decoder) run(v reflect.Value, f *Field, n *node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = d.refuse(n, fmt.Sprintf("a value the type accepts (it panicked: %v)", r))
		}
	}()
	if err := d.assign(v, v, f, n); err != nil {
		return err
	}
	for _, r := range d.refs {
		d.at = r.at
		target, err := resolveRef(v, f, r.path)
		if err != nil || target.Type() != r.ptr.Type() {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: d.path() + ": there is no pointer of this type at " + strconv.Quote(r.path),
				Got: r.path, Want: "the path of a pointer to " + r.ptr.Type().Elem().String()}
		}
		r.ptr.Set(target)
	}
	for _, f := range d.post {
		f()
	}
	return nil
}

// resolveRef gives the pointer that a path names: to the root, or the one
// stored at the path.
func resolveRef(root reflect.Value, f *Field, path string) (reflect.Value, error) {
	if path == "" {
		return root.Addr(), nil
	}
	steps, leaf, err := compileSteps(f, path)
	if err != nil {
		return reflect.Value{}, err
	}
	v, err := getSteps(root, steps, leaf)
	if err == nil && v.Kind() != reflect.Pointer {
		v = v.Addr()
	}
	return v, err
}

// full gives the description behind a place where a type met itself again.
func (d *decoder) full(f *Field) *Field {
	if !f.Recursive {
		return f
	}
	t := describeType(f.Go, d.json)
	if f.ReadOnly && !t.Root.ReadOnly {
		c := *t.Root
		c.ReadOnly = true
		return &c
	}
	return t.Root
}

// assign writes n into v, which is settable and holds what it starts from. old
// is the value this place had before, the source of what only stays as it is
// (opaque values, cut pointers); it may be v itself, or invalid.
func (d *decoder) assign(v, old reflect.Value, f *Field, n *node) error {
	f = d.full(f)
	if f.ReadOnly || f.NoWrite != "" {
		return d.unchanged(v, old, f, n)
	}
	if !d.json && placeholder(n) {
		return d.keep(v, old, f, n)
	}
	switch f.Kind {
	case KindStruct:
		return d.structure(v, old, f, n)
	case KindArray:
		return d.array(v, old, f, n)
	case KindSlice:
		return d.slice(v, old, f, n)
	case KindMap:
		return d.mapping(v, old, f, n)
	case KindPointer:
		return d.pointer(v, old, f, n)
	case KindInterface:
		return d.iface(v, old, f, n)
	case KindBytes:
		return d.byteString(v, old, n)
	}
	err := d.scalar(v, f, n)
	// A value that stands outside its declared range may still be sent back
	// with the rest of what was read.
	if err != nil && d.based && old.IsValid() && d.unchanged(v, old, f, n) == nil {
		return nil
	}
	return err
}

func (d *decoder) scalar(v reflect.Value, f *Field, n *node) error {
	switch f.Kind {
	case KindBool:
		return d.boolean(v, n)
	case KindInt, KindUint:
		return d.integer(v, f, n)
	case KindEnum:
		return d.enum(v, f, n)
	case KindFloat:
		return d.float(v, f, n)
	case KindComplex:
		return d.complex(v, n)
	case KindString:
		return d.str(v, f, n)
	case KindEntity:
		return d.entity(v, n)
	case KindText, KindJSON:
		return d.marshaled(v, f, n)
	}
	return d.unchanged(v, reflect.Value{}, f, n)
}

func (d *decoder) enter(p place, f func() error) error {
	up := d.at
	p.up = up
	d.at = &p
	err := f()
	if err == nil {
		d.at = up
	}
	return err
}

// placeholder is what encoding wrote where it stopped.
func placeholder(n *node) bool {
	return n.kind == nodeObject && len(n.keys) == 1 && (n.keys[0] == layout.KeyMore && n.items[0].kind == nodeNumber ||
		n.keys[0] == layout.KeyRef && n.items[0].kind == nodeString)
}

// keep restores what a placeholder stands for.
func (d *decoder) keep(v, old reflect.Value, f *Field, n *node) error {
	if n.keys[0] == layout.KeyRef {
		if f.Kind == KindPointer {
			d.refs = append(d.refs, reference{v, n.items[0].text, d.at})
			return nil
		}
	}
	if !old.IsValid() || (old.Kind() == reflect.Pointer || old.Kind() == reflect.Map || old.Kind() == reflect.Slice ||
		old.Kind() == reflect.Interface) && old.IsNil() {
		return d.refuse(n, "the value itself: nothing is stored here that the placeholder could keep")
	}
	v.Set(old)
	return nil
}

// unchanged accepts for what cannot be written only the text that stands there
// already, so that a value that was read may be sent back whole.
func (d *decoder) unchanged(v, old reflect.Value, f *Field, n *node) error {
	if old.IsValid() {
		if b, err := layout.AppendJSON(nil, old, EncodeOptions{JSON: d.json}); err == nil {
			if have, err := parseJSON(b); err == nil && sameNode(&have, n) {
				v.Set(old)
				return nil
			}
		}
	}
	why := f.NoWrite
	if why == "" {
		why = "it is read-only"
		if f.Unexported {
			why = "it is an unexported field of another module's type"
		}
	}
	return &refusal.Error{Code: refusal.InvalidArguments, Message: d.path() + " cannot be written: " + why, Got: n.plain(), Want: "leave it out",
		Hint: "leave this field out; its present value is kept"}
}

// fieldAt gives the settable value of a struct's field, unexported or not.
func fieldAt(v reflect.Value, f *Field) reflect.Value {
	if len(f.Chain) > 0 {
		for _, i := range f.Chain[:len(f.Chain)-1] {
			v = derefAlloc(v.Field(i))
		}
		return v.Field(f.Chain[len(f.Chain)-1])
	}
	return reflect.NewAt(f.Go, unsafe.Add(unsafe.Pointer(v.UnsafeAddr()), f.Offset)).Elem()
}

func derefAlloc(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer {
		return v
	}
	if v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
	}
	return v.Elem()
}
