package layout

import (
	"net/netip"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
)

// Layout is one Go type in memory: what lies where, how its values look to
// clients, and what can be reached from one. Everything that walks values
// (JSON, copies, snapshots, searches for entities) walks layouts, so that all
// of it agrees on what a handle is and where a walk ends. A Layout is worked
// out once for a type, is immutable and shared; types may be recursive, so
// layouts form a graph. Any goroutine may read it.
type Layout struct {
	Go     reflect.Type
	Name   string       // import path and name; "" for a type without a name
	Mem    reflect.Kind // kind in memory: Go.Kind()
	Kind   Kind         // kind for clients
	Size   uintptr
	Labels []EnumLabel // of an integer type
	Parts  []Part      // of a struct, in memory order
	Key    *Layout     // of a map
	Elem   *Layout     // of an array, slice, map or pointer
	Len    int         // of an array

	// Handle: the type stands for something of the running process (a lock, a
	// file, a function); nobody looks inside, and it has neither Parts nor Elem.
	Handle bool
	// Atom: one value whatever it consists of, because its identity is a pointer
	// that the standard library keeps: *time.Location, netip.Addr.
	Atom bool
	// Flat: the collector has nothing to follow.
	Flat bool
	// Deep: a value can lead back to itself, or to any depth.
	Deep bool
	// References: there are pointers, maps or interfaces in it, or below it.
	References bool
	// Handles: a handle is at a fixed place in it, or behind pointers, or may be
	// in an interface.
	Handles bool
	// Entities: an entity may be in it, or below it.
	Entities bool

	entity     *entityForm // of a KindEntity that is laid out otherwise than Entity
	openLabels bool        // Labels are examples: other numbers are values too

	noWrite string // why no client can write a value
	scatter bool   // a shallow copy shares memory with the original
	fields  []structField

	// Made when they are first asked for.
	jsonFields    func() []structField
	codecs        [2]atomic.Pointer[codec] // for components, for arguments
	types         [2]atomic.Value
	dynamicPrefix atomic.Pointer[dynPrefix]
}

// TypeSlot is where package value keeps how it describes the type, as a component
// or as arguments.
func (l *Layout) TypeSlot(jsonMode bool) *atomic.Value { return &l.types[index(jsonMode)] }

// Part is a field of a struct. Fields without a name (_) are padding and no
// parts.
type Part struct {
	Name   string
	Offset uintptr
	Layout *Layout
	// Labels are those of the field's tag, or of its type.
	Labels []EnumLabel
	// Dangling: the tag allows entities that are dead.
	Dangling bool
	// Private: the tag says that no file that leaves the machine has it.
	Private bool
}

// layouts hold what follows from types and declarations. A declaration begins
// a new set, so that what was worked out without it is never found again.
type layouts struct{ byType sync.Map } // reflect.Type -> *Layout

var (
	current   atomic.Pointer[layouts]
	publishMu sync.Mutex
)

func init() { current.Store(new(layouts)) }

// LayoutOf gives the layout of t.
func Of(t reflect.Type) *Layout {
	set := current.Load()
	for {
		if l, ok := set.byType.Load(t); ok {
			return l.(*Layout)
		}
		b := layoutBuild{set: set, made: map[reflect.Type]*Layout{}}
		l := b.layout(t)
		b.settle()
		if b.publish() {
			return l
		}
	}
}

// layoutBuild makes the layouts of a type and of all that it reaches. Labels
// are asked of methods of the game, so no lock is held meanwhile.
type layoutBuild struct {
	set  *layouts
	made map[reflect.Type]*Layout
	list []*Layout
}

// publish makes the layouts known; false if another goroutine has made some of
// them meanwhile: then they are built again, on top of those.
func (b *layoutBuild) publish() bool {
	publishMu.Lock()
	defer publishMu.Unlock()
	for _, l := range b.list {
		if _, taken := b.set.byType.Load(l.Go); taken {
			return false
		}
	}
	for _, l := range b.list {
		b.set.byType.Store(l.Go, l)
	}
	return true
}

var locationType = reflect.TypeFor[*time.Location]()

func (b *layoutBuild) layout(t reflect.Type) *Layout {
	if l, ok := b.set.byType.Load(t); ok {
		return l.(*Layout)
	}
	if l := b.made[t]; l != nil {
		return l
	}
	l := &Layout{Go: t, Mem: t.Kind(), Size: t.Size(), Flat: Flat(t)}
	l.Labels, l.openLabels = labelsOf(t)
	b.made[t] = l
	b.list = append(b.list, l)
	if typeName(t) != "" {
		l.Name = FullName(t)
	}
	if l.classify(); l.Kind == KindEntity {
		l.Labels = nil // a number it may be, but none with names
	}
	l.Atom = t == locationType || t == reflect.TypeFor[netip.Addr]()
	if l.Handle || l.Atom {
		return l
	}
	switch l.Mem {
	case reflect.Struct:
		l.fields = structFields(t)
		l.jsonFields = sync.OnceValue(func() []structField { return jsonFields(t) })
		b.parts(l)
	case reflect.Map:
		l.Key, l.Elem = b.layout(t.Key()), b.layout(t.Elem())
	case reflect.Array:
		l.Len = t.Len()
		l.Elem = b.layout(t.Elem())
	case reflect.Slice, reflect.Pointer:
		l.Elem = b.layout(t.Elem())
	}
	return l
}

func (b *layoutBuild) parts(l *Layout) {
	described := map[int]*structField{}
	for i := range l.fields {
		described[l.fields[i].Field.Index] = &l.fields[i]
	}
	for i := range l.Go.NumField() {
		sf := l.Go.Field(i)
		if sf.Name == "_" {
			continue
		}
		p := Part{Name: sf.Name, Offset: sf.Offset, Layout: b.layout(sf.Type)}
		p.Labels = p.Layout.Labels
		if f := described[i]; f != nil {
			p.Dangling, p.Private = f.Tag.dangling, f.Tag.private
			if len(f.Tag.enum) > 0 && isInteger(sf.Type) {
				p.Labels = f.Tag.enum
			}
		}
		l.Parts = append(l.Parts, p)
	}
}

// settle works out what runs through cycles, to a fixed point.
func (b *layoutBuild) settle() {
	for changed := true; changed; {
		changed = false
		for _, l := range b.list {
			was := [4]bool{l.References, l.Handles, l.Entities, l.scatter}
			l.infer()
			changed = changed || was != [4]bool{l.References, l.Handles, l.Entities, l.scatter}
		}
	}
	for _, l := range b.list {
		l.Deep = deep(l, map[*Layout]bool{})
	}
}

func (l *Layout) infer() {
	mem := l.Mem
	if l.Atom {
		return
	}
	l.Entities = l.Entities || l.Kind == KindEntity
	l.Handles = l.Handles || l.Handle && l.Kind != KindEntity
	l.scatter = l.scatter || isLock(l.Go)
	if l.Handle {
		return
	}
	switch mem {
	case reflect.Pointer, reflect.Map, reflect.Interface:
		l.References = true
		fallthrough
	case reflect.Slice:
		l.scatter = l.scatter || !(mem == reflect.Pointer && shared(l.Elem))
	}
	if mem == reflect.Interface {
		l.Handles, l.Entities = true, true
	}
	for i := range l.Parts {
		p := l.Parts[i].Layout
		l.References, l.Handles, l.Entities, l.scatter = l.References || p.References, l.Handles || p.Handles, l.Entities || p.Entities, l.scatter || p.scatter
	}
	if e := l.Elem; e != nil {
		l.References, l.Entities = l.References || e.References, l.Entities || e.Entities
		l.Handles = l.Handles || e.Handles && (mem == reflect.Array || mem == reflect.Pointer)
		l.scatter = l.scatter || mem == reflect.Array && l.Len > 0 && e.scatter
	}
	if l.Key != nil {
		l.Entities = l.Entities || l.Key.Entities
	}
}

// deep looks for a way from l to a pointer, an interface or back to l, as far
// as clients are shown it.
func deep(l *Layout, on map[*Layout]bool) bool {
	switch l.Kind {
	case KindPointer, KindInterface:
		return true
	case KindArray, KindSlice, KindMap, KindStruct:
	default:
		return false
	}
	if on[l] {
		return true
	}
	on[l] = true
	defer delete(on, l)
	for i := range l.Parts {
		if deep(l.Parts[i].Layout, on) {
			return true
		}
	}
	return l.Key != nil && deep(l.Key, on) || l.Elem != nil && deep(l.Elem, on)
}

// flat reports whether values of t hold nothing the collector follows.
func Flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() == 0 || Flat(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !Flat(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Complex128
}

// Open tells whether Labels are examples: other numbers are values too.
func (l *Layout) Open() bool { return l.openLabels }
