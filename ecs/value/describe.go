package value

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// TypeOption adds to the description of T.
type TypeOption[T any] func(*describer)

// describer collects the declarations for one type.
type describer struct {
	doc      string
	computed []computedDecl
	actions  []actionDecl
	label    func(unsafe.Pointer) string
	def      reflect.Value
	fields   []layout.FieldDecl
}

type computedDecl struct {
	name, doc, unit string
	typ             reflect.Type
	get             func(unsafe.Pointer) reflect.Value
}

type actionDecl struct {
	name, doc string
	in, out   reflect.Type
	call      func(any, unsafe.Pointer, reflect.Value) (reflect.Value, error)
}

// describers are what the program declared, by type. The lock is held around the
// options alone, which are ours.
var describers struct {
	sync.RWMutex
	of map[reflect.Type]*describer
}

func describerOf(t reflect.Type) *describer {
	describers.RLock()
	defer describers.RUnlock()
	return describers.of[t]
}

// Describe adds computed values, actions, a label, docs, defaults to T. It
// belongs to init functions, but may come later: descriptions made before are
// replaced (a *Type somebody holds stays as it was). Several calls add up; of
// equal names the last wins.
func Describe[T any](opts ...TypeOption[T]) {
	t := reflect.TypeFor[T]()
	layout.LearnType(t)
	describers.Lock()
	defer describers.Unlock()
	d := new(describer)
	if old := describers.of[t]; old != nil {
		*d = *old
		d.computed = slices.Clone(old.computed)
		d.actions = slices.Clone(old.actions)
		d.fields = slices.Clone(old.fields)
	}
	for _, o := range opts {
		if o != nil {
			o(d)
		}
	}
	if describers.of == nil {
		describers.of = map[reflect.Type]*describer{}
	}
	describers.of[t] = d
	layout.DeclareFields(t, d.fields) // last: descriptions are made anew from here on
}

// Computed adds a read-only value. Texts of doc describe it; one of the form
// "unit=px" gives the unit. f runs on the frame goroutine, or on a copy of the
// component on any other, and must not change the component.
func Computed[T, V any](name string, f func(*T) V, doc ...string) TypeOption[T] {
	c := computedDecl{name: name, typ: reflect.TypeFor[V](), get: func(p unsafe.Pointer) reflect.Value {
		v := f((*T)(p))
		return reflect.ValueOf(&v).Elem()
	}}
	c.doc, c.unit = docOf(doc)
	return func(d *describer) {
		for i := range d.computed {
			if d.computed[i].name == name {
				d.computed[i] = c
				return
			}
		}
		d.computed = append(d.computed, c)
	}
}

// Action adds a method an agent may call. In is a struct with JSON tags; f
// runs on the frame goroutine with the component in place.
func Action[T, In, Out any](name string, f func(*T, In) (Out, error), doc ...string) TypeOption[T] {
	return ActionWith(name, func(_ any, c *T, in In) (Out, error) { return f(c, in) }, doc...)
}

// ActionWith is Action for a function that needs the entity and the world: C is
// ecs.ActionContext. It is a parameter because descriptions stand below the
// contract of a world.
func ActionWith[C, T, In, Out any](name string, f func(C, *T, In) (Out, error), doc ...string) TypeOption[T] {
	a := actionDecl{name: name, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		call: func(given any, p unsafe.Pointer, in reflect.Value) (reflect.Value, error) {
			ctx, _ := given.(C)
			var arg In
			if in.IsValid() {
				reflect.ValueOf(&arg).Elem().Set(in)
			}
			out, err := f(ctx, (*T)(p), arg)
			return reflect.ValueOf(&out).Elem(), err
		}}
	a.doc, _ = docOf(doc)
	return func(d *describer) {
		for i := range d.actions {
			if d.actions[i].name == name {
				d.actions[i] = a
				return
			}
		}
		d.actions = append(d.actions, a)
	}
}

// Label names an entity for people: what f returns for its component is shown
// beside the entity and can be searched. "" is no name.
func Label[T any](f func(*T) string) TypeOption[T] {
	return func(d *describer) { d.label = func(p unsafe.Pointer) string { return f((*T)(p)) } }
}

// Doc describes the type.
func Doc[T any](text string) TypeOption[T] { return func(d *describer) { d.doc = text } }

// Default is the value a new component starts from before named fields are
// set; every use gets its own deep copy.
func Default[T any](v T) TypeOption[T] {
	return func(d *describer) { d.def = reflect.ValueOf(&v).Elem() }
}

// FieldDoc describes a field of a type whose tags cannot be written: tag has
// the form of a debug tag, "min=0,unit=hp". The field's own tag gives what
// this one leaves open.
func FieldDoc[T any](field, tag, doc string) TypeOption[T] {
	return func(d *describer) { d.fields = append(d.fields, layout.FieldDecl{Name: field, Tag: tag, Doc: doc}) }
}

func docOf(doc []string) (text, unit string) {
	var parts []string
	for _, s := range doc {
		if u, ok := strings.CutPrefix(s, "unit="); ok && !strings.Contains(u, " ") {
			unit = u
		} else if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " "), unit
}

// apply adds the declarations to a fresh description.
func (d *describer) apply(t *Type) {
	t.Doc, t.Label, t.def = d.doc, d.label, d.def
	for _, fd := range d.fields {
		if !slices.ContainsFunc(t.Fields, func(f *Field) bool { return f.Name == fd.Name || f.GoName == fd.Name }) {
			t.Problems = append(t.Problems, "FieldDoc: "+t.Name+" has no field "+fd.Name)
		}
	}
	if t.json {
		return
	}
	// The result of a computed value is described without declarations of its
	// own: two types may compute each other.
	for _, c := range d.computed {
		if findField(t.Fields, c.name) != nil {
			t.Problems = append(t.Problems, "Computed: "+c.name+" is the name of a field")
			continue
		}
		t.Computed = append(t.Computed, &ComputedValue{Name: c.name, Doc: c.doc, Unit: c.unit, Type: buildType(c.typ, false, nil), Get: c.get})
	}
	for _, a := range d.actions {
		t.Actions = append(t.Actions, &ActionInfo{Name: a.name, Doc: a.doc, In: ArgsOf(a.in), Out: ArgsOf(a.out), Call: a.call})
	}
}

func findField(list []*Field, name string) *Field {
	for _, f := range list {
		if f.Name == name {
			return f
		}
	}
	return nil
}
