package snapshot

import (
	"math/rand"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// remember makes a dynamic type known, so that the same process can load what
// it saved.
func remember(t reflect.Type) { value.LearnType(t) }

// hidden lists types of the standard library that games keep behind an
// interface, some of which no one outside can name. Without math/rand's source
// no rand.Rand could be loaded by a fresh process.
var hidden = sync.OnceValue(func() map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for _, t := range []reflect.Type{reflect.TypeOf(rand.NewSource(1)).Elem(), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration]()} {
		out[value.LayoutOf(t).Name] = t
	}
	return out
})

// typeNames finds the Go type that a file names.
type typeNames struct {
	cat       *ecs.Catalog
	rename    map[string]string
	reachable map[string][]reflect.Type
}

// resolve returns the Go type of file type w, nil if this process lacks it.
func (k *typeNames) resolve(d *decoder, w, depth int) reflect.Type {
	t := &d.types[w]
	if depth > 8 {
		return nil
	}
	if t.name != "" {
		return k.named(d, w, t.name)
	}
	part := func(w int) reflect.Type { return k.resolve(d, w, depth+1) }
	switch t.kind {
	case kSlice:
		if e := part(t.elem); e != nil {
			return reflect.SliceOf(e)
		}
	case kPointer:
		if e := part(t.elem); e != nil {
			return reflect.PointerTo(e)
		}
	case kLocation:
		return reflect.TypeFor[*time.Location]()
	case kMap:
		key, elem := part(t.key), part(t.elem)
		if key != nil && elem != nil && key.Comparable() {
			return reflect.MapOf(key, elem)
		}
	case kArray:
		// The bound keeps a forged file from asking for a huge type.
		if e := part(t.elem); e != nil && t.count <= 1<<16 && uint64(e.Size())*t.count <= 1<<20 {
			return reflect.ArrayOf(int(t.count), e)
		}
	case kInterface:
		return reflect.TypeFor[any]()
	case kStruct:
		if len(t.fields) == 0 {
			return reflect.TypeFor[struct{}]()
		}
		return k.anonymous(d, w)
	}
	return nil
}

func (k *typeNames) named(d *decoder, w int, name string) reflect.Type {
	if to, ok := k.rename[name]; ok {
		name = to
	}
	found := slices.DeleteFunc(slices.Clone(value.KnownTypes(name)), func(t reflect.Type) bool { return value.LayoutOf(t).Name != name })
	if t := hidden()[name]; t != nil {
		found = append(found, t)
	}
	found = append(found, k.inCatalog()[name]...)
	for _, t := range found { // types local to functions may share a name
		if d.same(w, nodeOf(t)) {
			return t
		}
	}
	if len(found) > 0 {
		return found[0]
	}
	return nil
}

// anonymous finds a struct type without a name among those in use.
func (k *typeNames) anonymous(d *decoder, w int) reflect.Type {
	for _, t := range k.inCatalog()[""] {
		if d.same(w, nodeOf(t)) {
			return t
		}
	}
	return nil
}

// inCatalog indexes every type that the world's components and resources
// reach.
func (k *typeNames) inCatalog() map[string][]reflect.Type {
	if k.reachable != nil {
		return k.reachable
	}
	k.reachable = map[string][]reflect.Type{}
	seen := map[*node]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.Name != "" || n.kind == kStruct {
			k.reachable[n.Name] = append(k.reachable[n.Name], n.Go)
		}
		for _, f := range n.fields {
			walk(f.node)
		}
		walk(n.key)
		walk(n.elem)
	}
	for _, c := range k.cat.Components {
		walk(nodeOf(c.Type.Go))
	}
	for _, r := range k.cat.Resources {
		walk(nodeOf(r.Type.Go))
	}
	return k.reachable
}
