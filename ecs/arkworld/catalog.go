package arkworld

import (
	"slices"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/ark/ecs"
)

// Catalog describes the world; its archetypes are Ark's tables. What it is
// made from is gathered into a row of numbers; while they are equal the same
// catalog is returned and nothing is allocated.
func (w *World) Catalog() *loupe.Catalog {
	w.sync()
	described := w.redescribe()
	sig := w.signature(w.sigSpare[:0])
	if w.cat != nil && !described && slices.Equal(sig, w.sig) {
		w.sigSpare = sig
		return w.cat
	}
	w.sig, w.sigSpare = sig, w.sig
	w.cat = w.buildCatalog()
	return w.cat
}

// redescribe takes up descriptions that were declared after a type was met.
func (w *World) redescribe() (changed bool) {
	for i, t := range w.types {
		if now := loupe.TypeOf(t.Go); now != t {
			w.types[i], changed = now, true
		}
	}
	return changed
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
			sig = append(sig, uint64(c.id), uint64(c.n))
			for _, t := range c.targets {
				sig = append(sig, pack(t.Entity))
			}
		}
		for _, id := range ecs.ResourceIDs(w.ew) {
			bit := uint64(0)
			if w.ew.Resources().Has(id) {
				bit = 1
			}
			sig = append(sig, bit)
		}
		return sig
	}
	in := w.inner()
	s := &in.storage
	sig = append(sig, uint64(len(s.entityPool.entities)), uint64(cap(s.entityPool.entities)), uint64(cap(s.entities)),
		uint64(s.entityPool.available), uint64(len(s.cache.filters)), uint64(len(in.resources.registry.IDs)))
	bits := uint64(0)
	for i := range in.resources.registry.IDs {
		if in.resources.resources[i] != nil {
			bits |= 1 << (i % 64)
		}
		if i%64 == 63 {
			sig = append(sig, bits)
			bits = 0
		}
	}
	sig = append(sig, bits)
	for i := range s.tables {
		t := &s.tables[i]
		sig = append(sig, uint64(t.len)<<32|uint64(t.cap))
		if t.isFree {
			sig = append(sig, 1<<63)
			continue
		}
		for _, r := range t.relationIDs {
			sig = append(sig, pack(ourEntity(r.target)))
		}
	}
	return sig
}

func pack(e loupe.Entity) uint64 { return uint64(e.ID)<<32 | uint64(e.Gen) }

func (w *World) engine() loupe.Engine {
	e := loupe.Engine{
		Name: "ark", Version: engineVersion, MaxTypes: maxTypes,
		Cannot: []string{
			"giving observers of a spawn or an added component its value: Ark's untyped interface tells them before the value can be set",
			"keeping a relation to a dead entity: Ark resets it",
			"restoring, for entities with two or more relations, the order in which Ark moves rows when a target dies",
			"in another process than the one that captured: restoring compositions without tables, so that an archetype first used after a restore may take another place in the order of iteration",
		},
	}
	if !w.lay {
		e.Cannot = append(e.Cannot, "restoring snapshots and releasing locks: this build's Ark has a memory layout the adapter was not written for")
	}
	return e
}

func (w *World) buildCatalog() *loupe.Catalog {
	cat := loupe.Catalog{Engine: w.engine(), Locked: w.ew.IsLocked()}
	slab := make([]loupe.Component, len(w.types))
	for i, t := range w.types {
		slab[i] = loupe.Component{ID: loupe.TypeID(i), Type: t, Relation: w.rel[i], Tag: t.Size == 0}
		cat.Components = append(cat.Components, &slab[i])
	}
	if w.lay {
		w.countLayout(&cat)
	} else {
		w.countPublic(&cat)
	}
	for i := range cat.Archetypes {
		a := &cat.Archetypes[i]
		for _, id := range a.Components {
			c := &slab[id]
			c.Bytes += int64(a.Capacity) * int64(c.Type.Size)
			c.Entities += a.Entities
			if a.Entities > 0 {
				c.Archetypes++
			}
		}
	}
	for i, id := range ecs.ResourceIDs(w.ew) {
		if t, ok := ecs.ResourceType(w.ew, id); ok {
			_, present := w.resource(id)
			cat.Resources = append(cat.Resources, &loupe.Resource{ID: loupe.TypeID(i), Type: loupe.TypeOf(t), Present: present})
		}
	}
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
		a := w.archetype(c, int(s.tables[i].cap))
		if !s.tables[i].isFree {
			a.Targets = slices.Clone(c.targets)
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
			c := &chunk{id: len(cat.Archetypes), n: t.Size}
			for _, id := range arch.ComponentIDs {
				c.comps = append(c.comps, loupe.TypeID(id))
			}
			cat.Archetypes = append(cat.Archetypes, w.archetype(c, t.Capacity))
		}
	}
	for _, c := range w.scanPublic() {
		cat.Archetypes[c.id].Targets = slices.Clone(c.targets)
	}
}

func (w *World) archetype(c *chunk, capacity int) loupe.Archetype {
	a := loupe.Archetype{ID: c.id, Components: slices.Clone(c.comps), Entities: c.n, Capacity: capacity, BytesPerEntity: 8}
	for _, id := range c.comps {
		a.BytesPerEntity += int(w.types[id].Size)
	}
	a.Bytes = int64(a.BytesPerEntity) * int64(capacity)
	return a
}
