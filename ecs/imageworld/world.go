package imageworld

import (
	"iter"
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// World is a moment of a world. Any goroutine may use it.
type World struct {
	types   *ecs.Catalog
	src     Source
	catalog atomic.Pointer[ecs.Catalog]
	places  atomic.Pointer[[]place]
}

var _ ecs.World = (*World)(nil)

// place is where the entity of a slot is; archetype -1: nowhere.
type place struct{ archetype, row int32 }

// New makes a world of an image. types is a catalog of the world that the image
// was taken of: its types and its engine.
func New(types *ecs.Catalog, img *ecs.Image) *World { return Of(types, imageSource{img}) }

// Of makes a world of a source.
func Of(types *ecs.Catalog, src Source) *World { return &World{types: types, src: src} }

// Moved tells that the source shows another moment now. Nobody else may be using
// the world meanwhile.
func (w *World) Moved() {
	w.catalog.Store(nil)
	w.places.Store(nil)
}

// Changed is Moved to a moment with the same archetypes, lengths and lock: the
// catalog stays.
func (w *World) Changed() { w.places.Store(nil) }

// Catalog implements [ecs.World].
func (w *World) Catalog() *ecs.Catalog {
	if c := w.catalog.Load(); c != nil {
		return c
	}
	pool := w.src.Pool()
	total := max(len(pool.Slots)-int(pool.Reserved), 0)
	c := ecs.Catalog{Engine: w.types.Engine, Locked: w.src.Locked(), CachedFilters: -1,
		Entities: ecs.EntityCounts{Alive: total - int(pool.Available), Recycled: int(pool.Available), Total: total, Capacity: total, First: pool.Reserved}}
	types, relation := make([]*value.Type, len(w.types.Components)), make([]bool, len(w.types.Components))
	for i, comp := range w.types.Components {
		types[i], relation[i] = comp.Type, comp.Relation
	}
	c.MemoryBytes = int64(len(pool.Slots)) * int64(unsafe.Sizeof(ecs.Entity{}))
	for i := range w.src.Archetypes() {
		comps, targets, rows := w.src.Archetype(i)
		a := engine.Measured(ecs.Archetype{ID: i, Components: comps, Targets: targets, Entities: rows, Capacity: rows}, types)
		c.MemoryBytes += a.Bytes
		c.Archetypes = append(c.Archetypes, a)
	}
	engine.AddComponents(&c, types, relation)
	for _, r := range w.types.Resources {
		_, present := w.src.Resource(r.ID)
		c.Resources = append(c.Resources, &ecs.Resource{ID: r.ID, Type: r.Type, Present: present})
	}
	w.catalog.CompareAndSwap(nil, ecs.NewCatalog(c))
	return w.catalog.Load()
}

// Locked implements [ecs.World].
func (w *World) Locked() bool { return w.src.Locked() }

// Alive implements [ecs.World].
func (w *World) Alive(e ecs.Entity) bool {
	now, ok := w.Holder(e.ID)
	return ok && now == e
}

// Holder implements [ecs.World].
func (w *World) Holder(id uint32) (ecs.Entity, bool) {
	if _, ok := w.find(id); !ok {
		return ecs.Entity{}, false
	}
	return w.src.Pool().Slots[id], true
}

// Row implements [ecs.World].
func (w *World) Row(e ecs.Entity) (ecs.Chunk, int, bool) {
	at, ok := w.find(e.ID)
	if !ok || w.src.Pool().Slots[e.ID] != e {
		return nil, 0, false
	}
	if f, ok := w.src.(Foreseer); ok {
		f.Foresee(int(at.archetype)) // who looks at a row looks at all of it
	}
	return w.chunk(int(at.archetype)), int(at.row), true
}

func (w *World) find(id uint32) (place, bool) {
	all := w.places.Load()
	if all == nil {
		all = w.locate()
		w.places.CompareAndSwap(nil, all)
	}
	if int64(id) >= int64(len(*all)) || (*all)[id].archetype < 0 {
		return place{}, false
	}
	return (*all)[id], true
}

// locate finds every entity's row. A slot that no row names is free.
func (w *World) locate() *[]place {
	all := make([]place, len(w.src.Pool().Slots))
	for i := range all {
		all[i].archetype = -1
	}
	for a := range w.src.Archetypes() {
		for row, e := range w.src.Entities(a) {
			if int64(e.ID) < int64(len(all)) {
				all[e.ID] = place{int32(a), int32(row)}
			}
		}
	}
	return &all
}

// Chunks implements [ecs.World].
func (w *World) Chunks(f ecs.Filter) iter.Seq[ecs.Chunk] {
	return func(yield func(ecs.Chunk) bool) {
		for i := range w.src.Archetypes() {
			comps, targets, rows := w.src.Archetype(i)
			if rows > 0 && matches(f, comps, targets) && !yield(w.chunk(i)) {
				return
			}
		}
	}
}

func matches(f ecs.Filter, comps []ecs.TypeID, targets []ecs.Target) bool {
	for _, id := range f.With {
		if !slices.Contains(comps, id) {
			return false
		}
	}
	if len(f.Without) > 0 || f.Exclusive {
		for _, id := range comps {
			if slices.Contains(f.Without, id) || f.Exclusive && !slices.Contains(f.With, id) {
				return false
			}
		}
	}
	return f.Target == nil || slices.ContainsFunc(targets, func(t ecs.Target) bool {
		return t.Entity == *f.Target && (f.Relation == nil || t.Relation == *f.Relation)
	})
}

// Resource implements [ecs.World]. The value is the image's: do not write to it.
func (w *World) Resource(id ecs.TypeID) (reflect.Value, bool) { return w.src.Resource(id) }

// Apply implements [ecs.World]: the past does not change.
func (w *World) Apply([]ecs.Change) ([]ecs.Entity, error) {
	return nil, &refusal.Error{Code: refusal.ReadOnly, Message: "a recorded world can be read, not changed; nothing was done",
		Hint: "leave at out to change the live world; rewind makes the live world what it was then", Next: "rewind"}
}
