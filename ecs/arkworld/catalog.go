package arkworld

import (
	"slices"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
)

// Catalog describes the world; its archetypes are Ark's tables. What it is
// made from is gathered into a row of numbers; while they are equal the same
// catalog is returned and nothing is allocated.
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
	s := &in.storage
	sig = append(sig, uint64(len(s.entityPool.entities)), uint64(cap(s.entityPool.entities)), uint64(cap(s.entities)),
		uint64(s.entityPool.available), uint64(len(s.cache.filters)), uint64(len(in.resources.registry.IDs)))
	sig = engine.SignPresent(sig, in.resources.resources[:len(in.resources.registry.IDs)])
	for i := range s.tables {
		t := &s.tables[i]
		sig = append(sig, uint64(t.len)<<32|uint64(t.cap))
		if t.isFree {
			sig = append(sig, 1<<63)
			continue
		}
		for _, r := range t.relationIDs {
			sig = append(sig, engine.SignEntity(EntityOf(r.target)))
		}
	}
	return sig
}

func (w *World) makeCatalog() *loupe.Catalog {
	cat := loupe.Catalog{
		Engine: loupe.Engine{
			Name: "ark", Version: engineVersion, MaxTypes: maxTypes,
			Cannot: ark.Cannot(w.lay,
				"events: observers of a spawn or an added component are told before its value is set; Ark's untyped interface knows no other order",
				"dead targets: Ark resets a relation when its target dies",
				"order after restoring: for entities with two or more relations, the order in which Ark moves rows when a target dies",
				"order after restoring: in another process than the one that captured, an archetype first used after a restore may take another place in the order of iteration",
			),
		},
		Locked: w.ew.IsLocked(),
	}
	if w.lay {
		w.countLayout(&cat)
	} else {
		w.countPublic(&cat)
	}
	engine.AddComponents(&cat, w.types, w.rel)
	w.resources().AddTo(&cat)
	return loupe.NewCatalog(cat)
}

func (w *World) countLayout(cat *loupe.Catalog) {
	s := &w.inner().storage
	pool := &s.entityPool
	total := max(len(pool.entities)-reserved, 0)
	cat.Entities = loupe.EntityCounts{Alive: total - int(pool.available), Recycled: int(pool.available), Total: total, Capacity: cap(pool.entities), First: reserved}
	cat.CachedFilters = len(s.cache.filters)
	cat.MemoryBytes = int64(cap(s.entities))*8 + int64(cap(pool.entities))*8
	cat.Archetypes = make([]loupe.Archetype, len(s.tables))
	for i := range s.tables {
		c := w.chunkOf(uint32(i))
		a := engine.Measured(loupe.Archetype{ID: c.ID, Components: slices.Clone(c.Types), Entities: c.Len(), Capacity: int(s.tables[i].cap)}, w.types)
		if !s.tables[i].isFree {
			a.Targets = slices.Clone(c.Relations)
		}
		cat.MemoryBytes += a.Bytes
		cat.Archetypes[i] = a
	}
}

func (w *World) countPublic(cat *loupe.Catalog) {
	s := w.ew.Stats()
	cat.Entities = loupe.EntityCounts{Alive: s.Entities.Used, Recycled: s.Entities.Recycled, Total: s.Entities.Total, Capacity: s.Entities.Capacity, First: reserved}
	cat.CachedFilters = s.CachedFilters
	cat.MemoryBytes = int64(s.Memory)
	for _, arch := range s.Archetypes {
		for _, t := range arch.Tables {
			a := loupe.Archetype{ID: len(cat.Archetypes), Entities: t.Size, Capacity: t.Capacity}
			for _, id := range arch.ComponentIDs {
				a.Components = append(a.Components, loupe.TypeID(id))
			}
			cat.Archetypes = append(cat.Archetypes, engine.Measured(a, w.types))
		}
	}
	for _, c := range w.scanPublic() {
		cat.Archetypes[c.ID].Targets = slices.Clone(c.Relations)
	}
}
