package layout

import (
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// registry is what the program declared about its types. Declarations belong
// to init functions, but are safe at any time: each one drops the caches.
type registry struct {
	mu       sync.RWMutex
	entities map[reflect.Type]*entityForm // nil: laid out as Entity
	markers  map[reflect.Type]bool
	opaque   map[reflect.Type]bool
	labels   map[reflect.Type][]EnumLabel
	fields   map[reflect.Type][]FieldDecl
	foreign  map[reflect.Type]*Foreign
}

var reg = registry{
	entities: map[reflect.Type]*entityForm{reflect.TypeFor[Entity](): nil},
	markers:  map[reflect.Type]bool{},
	opaque:   map[reflect.Type]bool{},
	labels:   map[reflect.Type][]EnumLabel{},
	fields:   map[reflect.Type][]FieldDecl{},
	foreign:  map[reflect.Type]*Foreign{},
}

var (
	// known resolves the $type of interface values; it only grows.
	known sync.Map // string -> []reflect.Type
	// knownMu serializes the growth.
	knownMu sync.Mutex
)

// Files may name Entity as the package that had it called it.
func init() {
	for _, name := range []string{"value.Entity", "github.com/loupe-ecs/loupe/ecs/value.Entity"} {
		known.Store(name, []reflect.Type{reflect.TypeFor[Entity]()})
	}
}

func declare(f func()) {
	reg.mu.Lock()
	f()
	reg.mu.Unlock()
	current.Store(new(layouts))
}

func declared(set map[reflect.Type]bool, t reflect.Type) bool {
	reg.mu.RLock()
	defer reg.mu.RUnlock()
	return set[t]
}

// RegisterEntityType says that t (two uint32: id, generation) is an engine's
// entity type: it is shown and accepted as "42v3". Adapters call it at init.
// Types of another layout are ignored; [RegisterEntityForm] takes those.
func RegisterEntityType(t reflect.Type) {
	if t == nil || t.Size() != 8 || !Flat(t) {
		return
	}
	declare(func() { reg.entities[t] = nil })
}

// RegisterEntityForm says that T is an engine's entity type, or a handle that
// stands for one entity, whatever it looks like in memory: to reads one, from
// makes one. The entity that means none must become T's zero value and the other
// way round. from may be nil: then values of T are shown and no client can write
// them. A pointer that is registered is never followed, and a copy shares it.
// Adapters call it at init; both functions must be good on any goroutine.
func RegisterEntityForm[T any](to func(T) Entity, from func(Entity) T) {
	f := &entityForm{load: func(p unsafe.Pointer) Entity { return to(*(*T)(p)) }}
	if from != nil {
		f.store = func(p unsafe.Pointer, e Entity) { *(*T)(p) = from(e) }
	}
	declare(func() { reg.entities[reflect.TypeFor[T]()] = f })
}

// FieldDecl says of a field of a struct what its own tags leave open.
type FieldDecl struct{ Name, Tag, Doc string }

// DeclareFields says what else is known of the fields of t, instead of what was
// said before. Everything that was worked out about types is worked out anew.
func DeclareFields(t reflect.Type, decls []FieldDecl) {
	declare(func() { reg.fields[t] = decls })
}

// RegisterMarkerType says that embedding t carries no data (an engine's
// relation marker): the field is left out everywhere.
func RegisterMarkerType(t reflect.Type) {
	if t == nil {
		return
	}
	declare(func() { reg.markers[t] = true })
}

// RegisterOpaqueType says that values of t are not to be looked into: they are
// shown as {"$opaque"}, never written, and a copy shares what they point at.
// Adapters register the engine's world type, hosts their windows and textures.
func RegisterOpaqueType(t reflect.Type) {
	if t == nil {
		return
	}
	declare(func() { reg.opaque[t] = true })
}

// RegisterType makes T known as a dynamic type of interface values: it may be
// written as {"$type":"game.Sword","value":...}. Types that were described or
// seen in a world are known already.
func RegisterType[T any]() { LearnType(reflect.TypeFor[T]()) }

// EnumLabels declares the labels of an integer type (they win over String()).
// At init. Types that are no integers are ignored.
func EnumLabels[T comparable](labels map[T]string) {
	t := reflect.TypeFor[T]()
	var list []EnumLabel
	for v, name := range labels {
		rv := reflect.ValueOf(v)
		switch {
		case rv.CanInt():
			list = append(list, EnumLabel{name, rv.Int()})
		case rv.CanUint():
			list = append(list, EnumLabel{name, int64(rv.Uint())})
		default:
			return
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Value < list[j].Value })
	declare(func() { reg.labels[t] = list })
}

// KnownTypes lists the types known under a name, as RegisterType, Describe and
// the worlds of this process made them known: short, qualified or full, also
// wrapped as in *T, []T, map[K]V. More than one means the name is ambiguous.
// Any goroutine may call it.
func KnownTypes(name string) []reflect.Type { return slices.Clone(TypeByName(name)) }

// LearnType is RegisterType for a type met at run time. Any goroutine may call
// it; it is cheap for a type that is known.
func LearnType(t reflect.Type) {
	if t == nil {
		return
	}
	full := FullName(t)
	if has(full, t) {
		return
	}
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		LearnType(t.Elem())
	}
	knownMu.Lock()
	defer knownMu.Unlock()
	// The full name last: it is what says that t is known.
	for _, name := range []string{goName(t), ShortName(t), QualifiedName(t), full} {
		if !has(name, t) {
			old, _ := known.Load(name)
			list, _ := old.([]reflect.Type)
			known.Store(name, append(list[:len(list):len(list)], t))
		}
	}
}

func has(name string, t reflect.Type) bool {
	v, ok := known.Load(name)
	if !ok {
		return false
	}
	for _, k := range v.([]reflect.Type) {
		if k == t {
			return true
		}
	}
	return false
}

// dynName is how a dynamic type is written as $type: as in Go, with the full
// path where two known types share that form.
func DynName(t reflect.Type) string {
	name := goName(t)
	if v, ok := known.Load(name); ok && len(v.([]reflect.Type)) > 1 {
		return FullName(t)
	}
	return name
}

// dynPrefix is what stands before a value in an interface, and how many types
// had the name when it was made.
type dynPrefix struct {
	text []byte
	name string
	n    int
}

// typePrefix gives {"$type":"game.Sword","value": and makes the type known.
func typePrefix(t reflect.Type) []byte {
	l := Of(t)
	if p := l.dynamicPrefix.Load(); p != nil {
		if list, ok := known.Load(p.name); ok && len(list.([]reflect.Type)) == p.n {
			return p.text
		}
	}
	LearnType(t)
	p := dynPrefix{name: goName(t)}
	if list, ok := known.Load(p.name); ok {
		p.n = len(list.([]reflect.Type))
	}
	p.text = append(AppendString([]byte(`{"$type":`), DynName(t)), `,"value":`...)
	l.dynamicPrefix.Store(&p)
	return p.text
}

var basicTypes = func() map[string]reflect.Type {
	m := map[string]reflect.Type{}
	for _, v := range []any{false, 0, int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0),
		uint64(0), uintptr(0), float32(0), float64(0), complex64(0), complex128(0), ""} {
		t := reflect.TypeOf(v)
		m[t.String()] = t
	}
	m["any"] = reflect.TypeFor[any]()
	m["interface {}"] = m["any"]
	m["byte"], m["rune"], m["error"] = m["uint8"], m["int32"], reflect.TypeFor[error]()
	return m
}()

// typeByName resolves a $type. A list of more than one is ambiguous.
func TypeByName(name string) []reflect.Type {
	name = strings.TrimSpace(name)
	if t, ok := basicTypes[name]; ok {
		return []reflect.Type{t}
	}
	if v, ok := known.Load(name); ok {
		return v.([]reflect.Type)
	}
	wrap := func(rest string, f func(reflect.Type) reflect.Type) []reflect.Type {
		var out []reflect.Type
		for _, t := range TypeByName(rest) {
			if t = f(t); t != nil {
				out = append(out, t)
			}
		}
		return out
	}
	switch {
	case len(name) > 256:
	case strings.HasPrefix(name, "*"):
		return wrap(name[1:], reflect.PointerTo)
	case strings.HasPrefix(name, "[]"):
		return wrap(name[2:], reflect.SliceOf)
	case strings.HasPrefix(name, "map["):
		if key, elem, ok := cutKey(name[4:]); ok {
			if k := TypeByName(key); len(k) == 1 && k[0].Comparable() {
				return wrap(elem, func(t reflect.Type) reflect.Type { return reflect.MapOf(k[0], t) })
			}
		}
	case strings.HasPrefix(name, "["):
		if n, elem, ok := strings.Cut(name[1:], "]"); ok {
			// The bound keeps a forged name from asking for a huge type.
			if n, err := strconv.Atoi(n); err == nil && n >= 0 && n <= 1024 {
				return wrap(elem, func(t reflect.Type) reflect.Type {
					if t.Size() > 1<<16 {
						return nil
					}
					return reflect.ArrayOf(n, t)
				})
			}
		}
	}
	return nil
}

// cutKey parts the type of a map's keys, which may have brackets of its own,
// from that of its elements.
func cutKey(s string) (key, elem string, ok bool) {
	depth := 1
	for i, c := range s {
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return s[:i], s[i+1:], true
			}
		}
	}
	return "", "", false
}

// implementers lists the known types that may be stored in interface type t.
func Implementers(t reflect.Type) []string {
	seen := map[reflect.Type]bool{}
	var names []string
	add := func(c reflect.Type) {
		if !seen[c] && c.Kind() != reflect.Interface && c.AssignableTo(t) {
			seen[c] = true
			names = append(names, DynName(c))
		}
	}
	known.Range(func(_, v any) bool {
		for _, c := range v.([]reflect.Type) {
			add(c)
			if t.NumMethod() > 0 && c.Kind() != reflect.Pointer && c.Kind() != reflect.Interface {
				add(reflect.PointerTo(c))
			}
		}
		return true
	})
	sort.Strings(names)
	return names
}
