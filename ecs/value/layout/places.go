package layout

import (
	"reflect"
	"strconv"
	"unsafe"
)

// Place is a value at a fixed distance from the beginning of another.
type Place struct {
	Path     string // "" is the whole
	Offset   uintptr
	Layout   *Layout
	Labels   []EnumLabel
	Dangling bool
}

// Labelled reports whether the integer at at is one that the place's labels know,
// or leave open.
func (p *Place) Labelled(at unsafe.Pointer) bool {
	f := Field{Enum: p.Labels, open: p.Layout.openLabels}
	return f.Labelled(ReadInt(p.Layout.Mem, at))
}

// maxFixed bounds the arrays that are taken apart: what has more elements is a
// matter for walks over values.
const maxFixed = 64

// Places lists the values at fixed places that want asks for; neither their
// parts nor what lies behind a reference are looked at. whole is false if large
// arrays were left out.
func (l *Layout) Places(want func(*Layout, []EnumLabel) bool) (list []Place, whole bool) {
	whole = true
	var walk func(p Place)
	walk = func(p Place) {
		switch l := p.Layout; {
		case want(l, p.Labels):
			list = append(list, p)
		case l.Mem == reflect.Struct:
			for i := range l.Parts {
				part := &l.Parts[i]
				path := part.Name
				if p.Path != "" {
					path = p.Path + "." + path
				}
				walk(Place{path, p.Offset + part.Offset, part.Layout, part.Labels, p.Dangling || part.Dangling})
			}
		case l.Mem == reflect.Array && l.Len > maxFixed:
			whole = false
		case l.Mem == reflect.Array && l.Elem != nil:
			for i := range l.Len {
				walk(Place{p.Path + "[" + strconv.Itoa(i) + "]", p.Offset + uintptr(i)*l.Elem.Size, l.Elem, l.Elem.Labels, p.Dangling})
			}
		}
	}
	walk(Place{Layout: l, Labels: l.Labels})
	return list, whole
}

// EntityAt is an entity that was found in a value.
type EntityAt struct {
	Entity Entity
	// Dangling: the tag of a field on the way allows entities that are dead.
	Dangling bool
	path     []segment
}

// Path is where it was found, as [Type.Path] reads it. The path of a map's key
// is that of its entry.
func (e *EntityAt) Path() string { return pathText(e.path) }

// EachEntity visits every entity in the value at p, behind slices, maps,
// pointers and interfaces too; what is shared is visited once. It ends, and is
// false, when visit is. Frame goroutine, or on a copy any other.
func (l *Layout) EachEntity(p unsafe.Pointer, visit func(*EntityAt) bool) bool {
	if !l.Entities {
		return true
	}
	w := entityWalk{visit: visit}
	if l.Deep {
		w.met(p, l.Go, 0)
	}
	return w.value(l, p)
}

// entityWalk looks for entities. Its depth is bounded: a list of a million
// nodes must not need a million stack frames.
type entityWalk struct {
	at    EntityAt
	visit func(*EntityAt) bool
	seen  map[copyKey]bool
	depth int
}

const maxEntityDepth = 1000

// met reports whether a reference was followed before.
func (w *entityWalk) met(p unsafe.Pointer, t reflect.Type, n int) bool {
	key := copyKey{p, t, n}
	if w.seen[key] {
		return true
	}
	if w.seen == nil {
		w.seen = map[copyKey]bool{}
	}
	w.seen[key] = true
	return false
}

func (w *entityWalk) step(s segment, l *Layout, p unsafe.Pointer) bool {
	w.at.path = append(w.at.path, s)
	ok := w.value(l, p)
	w.at.path = w.at.path[:len(w.at.path)-1]
	return ok
}

func (w *entityWalk) value(l *Layout, p unsafe.Pointer) bool {
	if !l.Entities || w.depth > maxEntityDepth {
		return true
	}
	if l.Kind == KindEntity {
		w.at.Entity = l.LoadEntity(p)
		return w.visit(&w.at)
	}
	w.depth++
	defer func() { w.depth-- }()
	switch l.Mem {
	case reflect.Struct:
		for i := range l.Parts {
			part := &l.Parts[i]
			outer := w.at.Dangling
			w.at.Dangling = outer || part.Dangling
			ok := w.step(segment{name: part.Name}, part.Layout, unsafe.Add(p, part.Offset))
			if w.at.Dangling = outer; !ok {
				return false
			}
		}
	case reflect.Array:
		return w.list(l.Elem, p, l.Len)
	case reflect.Slice:
		h := (*SliceHeader)(p)
		return h.Len == 0 || w.met(h.Data, l.Go, h.Len) || w.list(l.Elem, h.Data, h.Len)
	case reflect.Pointer:
		to := *(*unsafe.Pointer)(p)
		return to == nil || w.met(to, l.Elem.Go, 0) || w.value(l.Elem, to)
	case reflect.Interface:
		v := reflect.NewAt(l.Go, p).Elem()
		if v.IsNil() {
			return true
		}
		held := Of(v.Elem().Type())
		if !held.Entities {
			return true
		}
		box := reflect.New(held.Go)
		box.Elem().Set(v.Elem())
		return w.step(segment{name: "(" + DynName(held.Go) + ")"}, held, box.UnsafePointer())
	case reflect.Map:
		return w.mapping(l, reflect.NewAt(l.Go, p).Elem())
	}
	return true
}

func (w *entityWalk) list(elem *Layout, p unsafe.Pointer, n int) bool {
	for i := range n {
		if !w.step(segment{index: i}, elem, unsafe.Add(p, uintptr(i)*elem.Size)) {
			return false
		}
	}
	return true
}

func (w *entityWalk) mapping(l *Layout, m reflect.Value) bool {
	if m.Len() == 0 || w.met(m.UnsafePointer(), l.Go, 0) {
		return true
	}
	text := KeyText(l.Key.Go, false)
	k, e := reflect.New(l.Key.Go), reflect.New(l.Elem.Go)
	for it := m.MapRange(); it.Next(); {
		k.Elem().SetIterKey(it)
		e.Elem().SetIterValue(it)
		name, _, _ := text(k.UnsafePointer())
		at := segment{name: name, key: true}
		if !w.step(at, l.Key, k.UnsafePointer()) || !w.step(at, l.Elem, e.UnsafePointer()) {
			return false
		}
	}
	return true
}
