package arkworld

import (
	"iter"
	"reflect"
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/mlange-42/ark/ecs"
)

func init() {
	value.RegisterEntityType(reflect.TypeFor[ecs.Entity]())
	value.RegisterMarkerType(reflect.TypeFor[ecs.RelationMarker]())
	value.RegisterOpaqueType(reflect.TypeFor[ecs.World]())
}

// reserved is how many slots Ark keeps for itself: none, and any (wildcard).
const reserved = 2

// World is Ark's world as the debug server sees it. It implements
// [loupe.World], [loupe.Unlocker] and [loupe.Restorer]. Its methods are called
// on the frame goroutine only.
type World struct {
	ew  *ecs.World
	lay bool // look through the verified layout; false: public interface alone

	types []*value.Type // by TypeID
	ids   []ecs.ID
	rel   []bool
	root  *archetypeData // tells a world that was replaced under its pointer

	arches []mask   // by archetype
	tables []*chunk // by table

	last engine.Last

	breakRestore func() // tests: fail when the world is half restored
}

var (
	_ loupe.World    = (*World)(nil)
	_ loupe.Unlocker = (*World)(nil)
	_ loupe.Restorer = (*World)(nil)
)

// New makes the adapter of an Ark world. Nothing has to be registered; the
// adapter may be made before or after the game's types, and stays valid when
// the game resets the world.
func New(w *ecs.World) *World {
	if w == nil {
		panic("arkworld.New: nil world")
	}
	return &World{ew: w, lay: layoutErr == nil}
}

// inner looks through the verified layout.
func (w *World) inner() *world { return (*world)(unsafe.Pointer(w.ew)) }

// Locked reports whether a query is open, or was never closed.
func (w *World) Locked() bool { return w.ew.IsLocked() }

// sync takes note of component types registered since the last call. It
// registers none itself.
func (w *World) sync() {
	if w.lay {
		s := &w.inner().storage
		var root *archetypeData
		if len(s.archetypes) > 0 {
			root = s.archetypes[0].archetypeData
		}
		if root != w.root || len(s.registry.IDs) < len(w.types) {
			*w = World{ew: w.ew, lay: w.lay, root: root, breakRestore: w.breakRestore}
		}
		if len(s.registry.IDs) == len(w.types) {
			return
		}
	}
	ids := ecs.ComponentIDs(w.ew)
	for _, id := range ids[min(len(w.types), len(ids)):] {
		info, ok := ecs.ComponentInfo(w.ew, id)
		if !ok {
			return
		}
		w.ids = append(w.ids, id)
		w.types = append(w.types, value.TypeOf(info.Type))
		w.rel = append(w.rel, info.IsRelation)
	}
}

// Alive reports whether e lives. Ark's own Alive reads beyond its table for a
// forged handle, which no recover can catch; this one does not.
func (w *World) Alive(e loupe.Entity) bool {
	now, ok := w.Holder(e.ID)
	return ok && now == e
}

// Holder returns the entity that lives in slot id now.
func (w *World) Holder(id uint32) (loupe.Entity, bool) {
	if id < reserved {
		return loupe.Entity{}, false
	}
	if !w.lay {
		if c, row, ok := engine.FindSlot(w.scanPublic(), id); ok {
			return c.Entity(row), true
		}
		return loupe.Entity{}, false
	}
	s := &w.inner().storage
	if int64(id) >= int64(len(s.entityPool.entities)) || int64(id) >= int64(len(s.entities)) {
		return loupe.Entity{}, false
	}
	e := EntityOf(s.entityPool.entities[id])
	if e.ID != id { // a free slot holds the number of the next free one
		return loupe.Entity{}, false
	}
	at := s.entities[id]
	if int64(at.table) >= int64(len(s.tables)) {
		return loupe.Entity{}, false
	}
	t := &s.tables[at.table]
	return e, at.row < t.len && *(*loupe.Entity)(unsafe.Add(t.entities.pointer, uintptr(at.row)*8)) == e
}

// Row finds an entity's row.
func (w *World) Row(e loupe.Entity) (loupe.Chunk, int, bool) {
	w.sync()
	if c, row, ok := w.row(e); ok {
		return c, row, true
	}
	return nil, 0, false
}

func (w *World) row(e loupe.Entity) (*chunk, int, bool) {
	if !w.Alive(e) {
		return nil, 0, false
	}
	if !w.lay {
		return engine.FindSlot(w.scanPublic(), e.ID)
	}
	at := w.inner().storage.entities[e.ID]
	return w.chunkOf(at.table), int(at.row), true
}

// chunkOf brings the chunk of a table up to date.
func (w *World) chunkOf(id uint32) *chunk {
	t := &w.inner().storage.tables[id]
	if int(id) >= len(w.tables) {
		w.tables = append(w.tables, make([]*chunk, int(id)+1-len(w.tables))...)
	}
	c := w.tables[id]
	if c == nil {
		c = &chunk{Chunk: engine.Chunk{ID: int(id), Cols: make([]loupe.Column, len(t.ids))}}
		for _, id := range t.ids {
			c.Types = append(c.Types, loupe.TypeID(id.Index()))
			c.mask.set(loupe.TypeID(id.Index()))
		}
		w.tables[id] = c
	}
	c.refresh(t)
	return c
}

// Chunks visits the tables that have rows and match, in the order of Ark's own
// queries. No query is open: the body may open its own, and set values, but not
// change the structure.
func (w *World) Chunks(f loupe.Filter) iter.Seq[loupe.Chunk] {
	return func(yield func(loupe.Chunk) bool) {
		w.sync()
		m, ok := w.match(f)
		if !ok {
			return
		}
		if !w.lay {
			for _, c := range w.scanPublic() {
				if m.composition(&c.mask) && m.targets(c.Relations) && !yield(c) {
					return
				}
			}
			return
		}
		s := &w.inner().storage
		for i := 0; i < len(s.archetypes); i++ {
			if i >= len(w.arches) {
				w.arches = append(w.arches, s.archetypes[i].mask.mask())
			}
			if !m.composition(&w.arches[i]) {
				continue
			}
			for j := 0; j < len(s.archetypes[i].tables.tables); j++ {
				id := s.archetypes[i].tables.tables[j]
				if s.tables[id].len == 0 {
					continue
				}
				c := w.chunkOf(id)
				if m.targets(c.Relations) && !yield(c) {
					return
				}
			}
		}
	}
}

// Resource returns the value behind a resource: the pointer's target, or a
// copy where the game added the value itself.
func (w *World) Resource(id loupe.TypeID) (reflect.Value, bool) { return w.resources().Value(id) }

func (w *World) resources() engine.Resources[ecs.World, ecs.ResID] {
	return engine.ResourcesOf(w.ew, w.ew.Resources(), ecs.ResourceIDs, ecs.ResourceType)
}

// Unlock releases every lock an interrupted query or observer left behind. Ark
// has no call for it: the lock bits are cleared in place, if the layout is the
// verified one; a crash_layout error and no change otherwise.
func (w *World) Unlock() error {
	if !w.lay {
		return noLayout()
	}
	l := &w.inner().storage.locks
	l.locks = lockMask{}
	l.bitPool.length, l.bitPool.next, l.bitPool.available = 0, 0, 0
	return nil
}

// engineVersion is Ark's version in this build.
var engineVersion = ark.BuildVersion()
