package donburiworld

import (
	"iter"
	"reflect"
	"slices"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/component"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// World is donburi's world as the debug server sees it. It implements
// [ecs.World] and [ecs.Restorer]. Its methods are called on the frame goroutine
// only.
type World struct {
	dw  donburi.World
	lay bool // look through the verified layout; false: public interface alone

	types  []*value.Type // by TypeID
	comps  []component.IComponentType
	byID   map[component.ComponentTypeId]ecs.TypeID
	seen   int // archetypes whose types are known
	chunks []*chunk
	most   uint32 // without a layout: the highest slot that was met

	resources engine.Values
	last      engine.Last

	breakRestore func() // tests: fail when the world is half restored
}

var (
	_ ecs.World    = (*World)(nil)
	_ ecs.Restorer = (*World)(nil)
)

// New makes the adapter of a world. resources are pointers to what the game has
// once: donburi has no resources of its own.
func New(w donburi.World, resources ...any) *World {
	if w == nil {
		panic("donburiworld.New: nil world")
	}
	a := &World{dw: w, lay: layoutErr == nil && reflect.TypeOf(w) == worldType, byID: map[component.ComponentTypeId]ecs.TypeID{}}
	for _, r := range resources {
		a.resources.Give(r)
	}
	return a
}

// sync takes note of component types that were made since the last call, and of
// event buses among them.
func (w *World) sync() {
	all := donburi.AllComponentTypes()
	for i := len(w.types); i < len(all); i++ {
		w.meet(all[i])
	}
	archetypes := w.dw.Archetypes()
	for ; w.seen < len(archetypes); w.seen++ {
		types := archetypes[w.seen].ComponentTypes()
		bus := slices.ContainsFunc(types, isBusTag)
		for _, t := range types {
			w.meet(t) // one that was made without donburi
			if bus && !isBusTag(t) {
				w.types[w.byID[t.Id()]] = busType(t)
			}
		}
	}
	if w.lay {
		entries.publish(w.inner())
	}
}

func (w *World) meet(c component.IComponentType) {
	if _, known := w.byID[c.Id()]; known {
		return
	}
	w.byID[c.Id()] = ecs.TypeID(len(w.types))
	w.types = append(w.types, typeOf(c))
	w.comps = append(w.comps, c)
}

// typeOf describes a component under donburi's name for it, with the value that
// donburi gives a new one.
func typeOf(c component.IComponentType) *value.Type {
	name := c.Name()
	if name == c.Typ().Name() {
		name = ""
	}
	init := reflect.NewAt(c.Typ(), c.New()).Elem()
	if init.IsZero() {
		init = reflect.Value{}
	}
	return value.ComponentOf(c.Typ(), name, init)
}

// Locked implements [ecs.World]: nothing locks.
func (w *World) Locked() bool { return false }

// Alive implements [ecs.World].
func (w *World) Alive(e ecs.Entity) bool {
	now, ok := w.Holder(e.ID)
	return ok && now == e
}

// Holder implements [ecs.World].
func (w *World) Holder(id uint32) (ecs.Entity, bool) {
	i, row, ok := w.find(id)
	if !ok {
		return ecs.Entity{}, false
	}
	return EntityOf(w.dw.Archetypes()[i].Entities()[row]), true
}

// find gives the archetype and the row of who lives in a slot. donburi's own
// methods do not survive ids that they never gave out.
func (w *World) find(id uint32) (archetype, row int, ok bool) {
	archetypes := w.dw.Archetypes()
	if !w.lay {
		for i, a := range archetypes {
			for row, e := range a.Entities() {
				if uint32(e.Id()) == id {
					return i, row, true
				}
			}
		}
		return 0, 0, false
	}
	locations := w.inner().entities.LocationMap
	if id == 0 || int64(id) >= int64(len(locations)) {
		return 0, 0, false
	}
	at := locations[id]
	if at == nil || !at.Valid || at.Archetype >= len(archetypes) || at.Component >= len(archetypes[at.Archetype].Entities()) {
		return 0, 0, false
	}
	return at.Archetype, at.Component, uint32(archetypes[at.Archetype].Entities()[at.Component].Id()) == id
}

// Row implements [ecs.World].
func (w *World) Row(e ecs.Entity) (ecs.Chunk, int, bool) {
	i, row, ok := w.find(e.ID)
	if !ok || EntityOf(w.dw.Archetypes()[i].Entities()[row]) != e {
		return nil, 0, false
	}
	w.sync()
	return w.chunkOf(i), row, true
}

// Chunks implements [ecs.World]: an archetype each, in the order of donburi's own
// queries.
func (w *World) Chunks(f ecs.Filter) iter.Seq[ecs.Chunk] {
	return func(yield func(ecs.Chunk) bool) {
		w.sync()
		if f.Target != nil {
			return // there are no relations
		}
		for i := 0; i < len(w.dw.Archetypes()); i++ {
			if w.dw.Archetypes()[i].Count() == 0 {
				continue
			}
			if c := w.chunkOf(i); matches(f, c.Types) && !yield(c) {
				return
			}
		}
	}
}

func matches(f ecs.Filter, types []ecs.TypeID) bool {
	for _, id := range f.With {
		if !slices.Contains(types, id) {
			return false
		}
	}
	for _, id := range types {
		if slices.Contains(f.Without, id) || f.Exclusive && !slices.Contains(f.With, id) {
			return false
		}
	}
	return true
}

// Resource implements [ecs.World].
func (w *World) Resource(id ecs.TypeID) (reflect.Value, bool) { return w.resources.Value(id) }

// Catalog implements [ecs.World].
func (w *World) Catalog() *ecs.Catalog {
	w.sync()
	sig := append(w.last.Blank(), uint64(len(w.types)), uint64(w.dw.Len()), w.next(), uint64(len(w.dw.Archetypes())))
	for _, a := range w.dw.Archetypes() {
		sig = append(sig, uint64(len(a.Entities()))<<32|uint64(cap(a.Entities())))
	}
	if !w.last.Holds(sig, w.types) {
		w.last.Catalog = w.makeCatalog()
	}
	return w.last.Catalog
}

// next is the number of slots that have ever been used, and how many of them are
// free now.
func (w *World) next() uint64 {
	if !w.lay {
		for _, a := range w.dw.Archetypes() {
			for _, e := range a.Entities() {
				w.most = max(w.most, uint32(e.Id()))
			}
		}
		return uint64(w.most)
	}
	return uint64(w.inner().nextEntityId)<<32 | uint64(len(w.inner().destroyed))
}

func (w *World) makeCatalog() *ecs.Catalog {
	cat := ecs.Catalog{
		Engine: ecs.Engine{Name: "donburi", Version: donburiEngine.BuildVersion(), NeedsComponent: true,
			Cannot: w.cannot()},
		Entities:      ecs.EntityCounts{Alive: w.dw.Len(), Recycled: int(w.most) - w.dw.Len(), Total: int(w.most), Capacity: int(w.most)},
		CachedFilters: -1,
	}
	if w.lay {
		in := w.inner()
		cat.Entities.Total, cat.Entities.Recycled, cat.Entities.Capacity = int(in.nextEntityId)-1, len(in.destroyed), cap(in.entities.LocationMap)
	}
	for i, a := range w.dw.Archetypes() {
		row := engine.Measured(ecs.Archetype{ID: i, Components: w.chunkOf(i).Types, Entities: a.Count(), Capacity: cap(a.Entities())}, w.types)
		row.BytesPerEntity += int(pointerSize) * len(row.Components)
		row.Bytes = int64(row.BytesPerEntity) * int64(row.Capacity)
		cat.MemoryBytes += row.Bytes
		cat.Archetypes = append(cat.Archetypes, row)
	}
	engine.AddComponents(&cat, w.types, make([]bool, len(w.types)))
	w.resources.AddTo(&cat)
	return ecs.NewCatalog(cat)
}

func (w *World) cannot() []string {
	list := []string{
		string(ecs.LimitRelations), string(ecs.LimitLocks), string(ecs.LimitEmpty),
		string(ecs.LimitUnlock) + ": there are none",
		string(ecs.LimitEvents) + ": OnCreate is told of an entity before its values are set, and nothing of components that come and go",
		string(ecs.LimitOrder) + ": compositions are never taken back, so that one which this world made before those of a snapshot keeps its place in the order of iteration",
	}
	if !w.lay {
		list = append(list, string(ecs.LimitRestore)+": this build's donburi has a memory layout the adapter was not written for")
	}
	return list
}
