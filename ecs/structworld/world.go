package structworld

import (
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// World is a game's own structs as the debug server sees them. It implements
// [ecs.World] and [ecs.Restorer].
type World struct {
	kinds     []*kind // by TypeID and archetype
	types     []*value.Type
	resources engine.Values
	pool      pool
	maps      bool // some kind is a map
	last      engine.Last
	links     map[reflect.Type]linker // *links[T] by T
}

var (
	_ ecs.World    = (*World)(nil)
	_ ecs.Restorer = (*World)(nil)
)

// noMemory is where the values of a kind without elements, or of a type without
// data, are said to be.
var noMemory = unsafe.Pointer(new(uint64))

// New makes a world of the parts of a game. It panics if two kinds have one name.
func New(parts ...Kind) *World {
	w := &World{pool: pool{slots: make([]slot, 1)}}
	for _, p := range parts {
		p.join(w)
	}
	for i, k := range w.kinds {
		for _, before := range w.kinds[:i] {
			if before.typ.Name == k.typ.Name {
				panic("structworld: two kinds are called " + k.typ.Name)
			}
		}
	}
	return w
}

// Resource shows a value that the game has once: rules, a score, settings. A nil
// pointer makes its type known, without a value.
func Resource[T any](p *T) Kind {
	return Kind{func(w *World) { w.resources.Give(p) }}
}

// look brings all kinds up to date.
func (w *World) look() {
	for _, k := range w.kinds {
		k.look()
	}
}

// Locked implements [ecs.World]: nothing locks.
func (w *World) Locked() bool { return false }

// find gives the slot of a living entity, after a look at its row or, if the
// game has changed something, at all rows of its kind.
func (w *World) find(e ecs.Entity) *slot {
	s := w.pool.at(e)
	if s == nil {
		return nil
	}
	if k := s.kind; !k.store.holds(s.row, e) || s.row >= len(k.Rows) || k.Rows[s.row] != e {
		k.look()
		s = w.pool.at(e)
	}
	return s
}

// Alive implements [ecs.World].
func (w *World) Alive(e ecs.Entity) bool { return w.find(e) != nil }

// Holder implements [ecs.World].
func (w *World) Holder(id uint32) (ecs.Entity, bool) {
	if int64(id) >= int64(len(w.pool.slots)) {
		return ecs.Entity{}, false
	}
	for { // a look may find that another has the slot by now
		e := ecs.Entity{ID: id, Gen: w.pool.slots[id].gen}
		if w.find(e) != nil || w.pool.slots[id].gen == e.Gen {
			return e, w.pool.at(e) != nil
		}
	}
}

// Row implements [ecs.World].
func (w *World) Row(e ecs.Entity) (ecs.Chunk, int, bool) {
	s := w.find(e)
	if s == nil {
		return nil, 0, false
	}
	s.kind.place()
	return s.kind, s.row, true
}

// Chunks implements [ecs.World]: a chunk a kind, in the order in which they were
// given to [New].
func (w *World) Chunks(f ecs.Filter) iter.Seq[ecs.Chunk] {
	return func(yield func(ecs.Chunk) bool) {
		for i, k := range w.kinds {
			if !matches(f, ecs.TypeID(i)) {
				continue
			}
			if k.look(); k.Len() > 0 && !yield(k) {
				return
			}
		}
	}
}

func matches(f ecs.Filter, id ecs.TypeID) bool {
	for _, with := range f.With {
		if with != id {
			return false
		}
	}
	return f.Target == nil && !slices.Contains(f.Without, id) && (!f.Exclusive || slices.Contains(f.With, id))
}

// Resource implements [ecs.World].
func (w *World) Resource(id ecs.TypeID) (reflect.Value, bool) {
	return w.resources.Value(id)
}

// Catalog implements [ecs.World].
func (w *World) Catalog() *ecs.Catalog {
	w.look()
	sig := append(w.last.Blank(), w.pool.changes)
	for _, k := range w.kinds {
		sig = append(sig, uint64(k.store.capacity()))
	}
	if w.last.Holds(sig, w.types) {
		return w.last.Catalog
	}
	total := len(w.pool.slots) - 1
	cat := ecs.Catalog{
		Engine:        ecs.Engine{Name: "structs", FixedArchetypes: true, NeedsComponent: true, Cannot: w.cannot()},
		Entities:      ecs.EntityCounts{Alive: total - len(w.pool.free), Recycled: len(w.pool.free), Total: total, Capacity: cap(w.pool.slots)},
		CachedFilters: -1,
	}
	for i, k := range w.kinds {
		k.typ = w.types[i]
		a := engine.Measured(ecs.Archetype{ID: i, Components: k.Types, Entities: k.Len(), Capacity: max(k.store.capacity(), k.Len())}, w.types)
		cat.MemoryBytes += a.Bytes
		cat.Archetypes = append(cat.Archetypes, a)
	}
	engine.AddComponents(&cat, w.types, make([]bool, len(w.types)))
	w.resources.AddTo(&cat)
	w.last.Catalog = ecs.NewCatalog(cat)
	return w.last.Catalog
}

func (w *World) cannot() []string {
	list := []string{string(ecs.LimitRelations), string(ecs.LimitLocks), string(ecs.LimitUnlock), string(ecs.LimitEvents),
		string(ecs.LimitEmpty) + ": every element is of one kind", string(ecs.LimitComposition) + ": an element stays what it is"}
	for _, k := range w.kinds {
		if k.store.places() && k.typ.Size > 0 {
			list = append(list, string(ecs.LimitIdentity)+": "+k.typ.Name+" is a slice of structs without an ID: an entity is a place in it, and names another element when the game removes or sorts some; embed structworld.ID in "+k.typ.Go.String())
		}
	}
	if w.maps {
		list = append(list, string(ecs.LimitValues)+": the key of a map's element is not part of it; an element that this process has not seen comes back under a new key")
	}
	return list
}
