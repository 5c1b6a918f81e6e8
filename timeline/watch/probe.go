package watch

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// probe looks at one value of a world and knows what it was at the last look.
type probe struct {
	*Compiled
	id   ecs.TypeID // of the component or resource
	typ  reflect.Type
	off  uintptr // plain: of the leaf in it
	size uintptr // plain: of the leaf
	kind probeKind

	there bool          // whether the last look found a value
	last  reflect.Value // what it was, addressable and the probe's own
	seen  unsafe.Pointer
	n     int    // countKind
	gone  string // why there is no value
}

type probeKind uint8

const (
	plainKind    probeKind = iota // a value without pointers, at a fixed place in a component
	deepKind                      // another value in a component
	plainResKind                  // the same in a resource
	deepResKind
	tagKind // a component without data
	lifeKind
	countKind
)

func newProbe(c *Compiled) *probe {
	p := &probe{Compiled: c}
	switch {
	case c.count != nil:
		p.kind = countKind
		return p
	case c.path == nil:
		p.kind = lifeKind
		return p
	case c.comp != nil:
		p.id, p.typ, p.kind = c.comp.ID, c.comp.Type.Go, deepKind
	default:
		p.id, p.typ, p.kind = c.resource.ID, c.resource.Type.Go, deepResKind
	}
	leaf := c.path.Type()
	off, fixed := c.path.Fixed()
	switch {
	case p.kind == deepKind && p.typ.Size() == 0:
		p.kind = tagKind
	case fixed && leaf.Size() > 0 && value.TypeOf(leaf).PointerFree:
		p.off, p.size = off, leaf.Size()
		p.kind = map[probeKind]probeKind{deepKind: plainKind, deepResKind: plainResKind}[p.kind]
		p.last = reflect.New(leaf).Elem()
		p.seen = p.last.Addr().UnsafePointer()
	}
	return p
}

// changed tells whether the value is another than at the last look, at the price
// of a look where it is not. It says yes too often (for padding, for a copy that
// is equal): take decides.
func (p *probe) changed(w ecs.World, loc ecs.Locator) bool {
	var at unsafe.Pointer
	switch p.kind {
	case plainKind:
		at = loc.Locate(p.entity, p.id)
	case plainResKind:
		at = loc.LocateResource(p.id)
	case tagKind:
		return (loc.Locate(p.entity, p.id) != nil) != p.there
	case lifeKind:
		return w.Alive(p.entity) != p.there
	case countKind:
		return p.count.Count(w) != p.n
	default:
		return p.deepChanged(loc)
	}
	if at == nil || !p.there {
		return (at != nil) != p.there
	}
	at = unsafe.Add(at, p.off)
	switch p.size {
	case 8:
		return *(*uint64)(at) != *(*uint64)(p.seen)
	case 4:
		return *(*uint32)(at) != *(*uint32)(p.seen)
	case 1:
		return *(*uint8)(at) != *(*uint8)(p.seen)
	}
	return string(unsafe.Slice((*byte)(at), p.size)) != string(unsafe.Slice((*byte)(p.seen), p.size))
}

func (p *probe) deepChanged(loc ecs.Locator) bool {
	v, _ := p.read(loc)
	if !v.IsValid() || !p.there {
		return v.IsValid() != p.there
	}
	return !value.Equal(v, p.last)
}

// read gives the value where it is, invalid with the reason if there is none.
func (p *probe) read(loc ecs.Locator) (v reflect.Value, why string) {
	var at unsafe.Pointer
	if p.comp != nil {
		at = loc.Locate(p.entity, p.id)
	} else {
		at = loc.LocateResource(p.id)
	}
	if at == nil {
		return v, "removed"
	}
	v, err := p.path.Get(reflect.NewAt(p.typ, at).Elem())
	if err != nil {
		return reflect.Value{}, err.Error()
	}
	return v, ""
}

// take makes the present value the last one. It gives the one before and the
// one now, invalid where there is none, as values that nobody changes, and
// whether they differ.
func (p *probe) take(w ecs.World, loc ecs.Locator) (before, after reflect.Value, differ bool) {
	before = p.shown()
	was := p.there
	p.gone = ""
	switch p.kind {
	case lifeKind:
		p.there = w.Alive(p.entity)
	case tagKind:
		p.there = loc.Locate(p.entity, p.id) != nil
	case countKind:
		n := p.n
		p.n = p.count.Count(w)
		return before, p.shown(), n != p.n
	default:
		v, why := p.read(loc)
		p.there, p.gone = v.IsValid(), why
		switch {
		case !p.there:
		case p.size > 0:
			old := p.last
			p.last = reflect.New(v.Type()).Elem()
			p.seen = p.last.Addr().UnsafePointer()
			// Bytes, with the padding: the quick look compares those.
			copy(unsafe.Slice((*byte)(p.seen), p.size), unsafe.Slice((*byte)(unsafe.Pointer(v.UnsafeAddr())), p.size))
			if was && value.Equal(old, p.last) {
				return before, before, false
			}
		default:
			p.last = value.Copy(v)
		}
	}
	if !p.there {
		p.gone = p.missing(w)
	}
	after = p.shown()
	return before, after, was != p.there || p.there && p.kind != lifeKind && p.kind != tagKind
}

// missing says why there is no value.
func (p *probe) missing(w ecs.World) string {
	switch {
	case p.resource != nil && (p.gone == "" || p.gone == "removed"):
		return "the resource was removed"
	case p.resource == nil && !w.Alive(p.entity):
		if e, ok := w.Holder(p.entity.ID); ok {
			return fmt.Sprintf("despawned; %s has its slot now", e)
		}
		return "despawned"
	case p.gone == "" || p.gone == "removed":
		return "the component was removed"
	}
	return p.gone
}

// shown is the value of the last look as it is told: invalid where there is
// none.
func (p *probe) shown() reflect.Value {
	switch p.kind {
	case lifeKind:
		return reflect.ValueOf(p.there)
	case countKind:
		return reflect.ValueOf(p.n)
	case tagKind:
		if p.there {
			return reflect.Zero(p.typ)
		}
		return reflect.Value{}
	}
	if !p.there {
		return reflect.Value{}
	}
	return p.last
}

// over reports whether nothing more can be seen: entities do not come back.
func (p *probe) over(w ecs.World) bool {
	return p.count == nil && p.resource == nil && !w.Alive(p.entity)
}
