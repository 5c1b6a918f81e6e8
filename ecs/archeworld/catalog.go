package archeworld

import (
	"slices"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
)

// Catalog describes the world. What it is made from (lengths, capacities,
// targets, types, resources, lock) is gathered into a row of numbers, about 3
// per archetype; while they are equal the same catalog is returned and nothing
// is allocated.
func (w *World) Catalog() *loupe.Catalog {
	w.sync()
	if !w.last.Holds(w.signature(w.last.Blank()), w.types) {
		w.last.Catalog = w.makeCatalog()
	}
	return w.last.Catalog
}

func (w *World) signature(sig []uint64) []uint64 {
	lock := uint64(0)
	if w.ew.IsLocked() {
		lock = 1
	}
	sig = append(sig, lock, uint64(len(w.types)))
	if !w.lay {
		s := w.ew.Stats()
		sig = append(sig, uint64(s.Entities.Total), uint64(s.Entities.Recycled), uint64(s.Entities.Capacity), uint64(s.Memory), uint64(s.CachedFilters))
		for _, c := range w.scanPublic() {
			sig = engine.SignChunk(sig, c)
		}
		return engine.SignPresent(sig, w.resources().Keep())
	}
	in := w.inner()
	sig = append(sig, uint64(len(in.entityPool.entities)), uint64(cap(in.entityPool.entities)), uint64(cap(in.entities)),
		uint64(in.entityPool.available), uint64(len(in.filterCache.filters)), uint64(len(in.resources.registry.IDs)))
	sig = engine.SignPresent(sig, in.resources.resources[:len(in.resources.registry.IDs)])
	for i, n := range in.nodePointers {
		if !n.IsActive {
			continue
		}
		if !n.HasRelation {
			if a := n.archetype; a != nil {
				sig = append(sig, uint64(i), uint64(a.len)<<32|uint64(a.cap))
			}
			continue
		}
		for j := int32(0); j < n.archetypes.len; j++ {
			a := n.archetypes.at(j)
			sig = append(sig, uint64(i), uint64(a.len)<<32|uint64(a.cap), engine.SignEntity(EntityOf(a.RelationTarget)), uint64(uint32(a.index)))
		}
	}
	return sig
}

func (w *World) makeCatalog() *loupe.Catalog {
	cat := loupe.Catalog{
		Engine: loupe.Engine{
			Name: "arche", Version: engineVersion,
			MaxTypes: maxTypes, RelationsPerEntity: 1, DanglingTargets: true, PointerHazard: true,
			Cannot: arche.Cannot(w.lay,
				"several relations: an entity has one at most",
				"order after restoring: in a world that has made compositions before others which the snapshot has and it lacks (another process, or files loaded in turn), those compositions stay; should the game use one later, its archetype may take another place in the order of iteration than it would have in the world that was captured",
			),
		},
		Locked: w.ew.IsLocked(),
	}
	if w.lay {
		countLayout(w, &cat)
	} else {
		countPublic(w, &cat)
	}
	engine.AddComponents(&cat, w.types, w.rel)
	w.resources().AddTo(&cat)
	return loupe.NewCatalog(cat)
}

// entityIndexBytes is what arche keeps per entity slot besides the handle.
const entityIndexBytes = 16

func countLayout(w *World, cat *loupe.Catalog) {
	in := w.inner()
	pool := &in.entityPool
	total := max(len(pool.entities)-1, 0)
	cat.Entities = loupe.EntityCounts{Alive: total - int(pool.available), Recycled: int(pool.available), Total: total, Capacity: cap(pool.entities)}
	cat.CachedFilters = len(in.filterCache.filters)
	cat.MemoryBytes = int64(cap(in.entities))*entityIndexBytes + int64(cap(pool.entities))*8
	w.walk(func(n *archNode, c *chunk) bool { return true })
	cat.Archetypes = make([]loupe.Archetype, len(w.all))
	for i, c := range w.all {
		c.refresh()
		a := engine.Measured(loupe.Archetype{ID: c.ID, Components: slices.Clone(c.Types), Entities: c.Len(), Capacity: int(c.arch.cap)}, w.types)
		if c.arch.index >= 0 { // a deactivated archetype has no target
			a.Targets = slices.Clone(c.Relations)
		}
		cat.MemoryBytes += a.Bytes
		cat.Archetypes[i] = a
	}
}

func countPublic(w *World, cat *loupe.Catalog) {
	s := w.ew.Stats()
	cat.Entities = loupe.EntityCounts{Alive: s.Entities.Used, Recycled: s.Entities.Recycled, Total: s.Entities.Total, Capacity: s.Entities.Capacity}
	cat.CachedFilters = s.CachedFilters
	cat.MemoryBytes = int64(s.Memory)
	for _, node := range s.Nodes {
		for _, arch := range node.Archetypes {
			if !node.IsActive {
				continue
			}
			a := loupe.Archetype{ID: len(cat.Archetypes), Entities: arch.Size, Capacity: arch.Capacity}
			for _, id := range node.ComponentIDs {
				a.Components = append(a.Components, loupe.TypeID(id))
			}
			cat.Archetypes = append(cat.Archetypes, engine.Measured(a, w.types))
		}
	}
	for _, c := range w.scanPublic() {
		cat.Archetypes[c.ID].Targets = slices.Clone(c.Relations)
	}
}
