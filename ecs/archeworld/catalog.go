package archeworld

import (
	"slices"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/arche/ecs"
)

// Catalog describes the world. What it is made from (lengths, capacities,
// targets, types, resources, lock) is gathered into a row of numbers, about 3
// per archetype; while they are equal the same catalog is returned and nothing
// is allocated.
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
			sig = append(sig, uint64(c.id), uint64(c.n), pack(c.target))
		}
		for _, id := range w.resourceIDs() {
			sig = append(sig, presence(w, id))
		}
		return sig
	}
	in := w.inner()
	sig = append(sig, uint64(len(in.entityPool.entities)), uint64(cap(in.entityPool.entities)), uint64(cap(in.entities)),
		uint64(in.entityPool.available), uint64(len(in.filterCache.filters)), uint64(len(in.resources.registry.IDs)))
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
			sig = append(sig, uint64(i), uint64(a.len)<<32|uint64(a.cap), pack(ourEntity(a.RelationTarget)), uint64(uint32(a.index)))
		}
	}
	return sig
}

func pack(e loupe.Entity) uint64 { return uint64(e.ID)<<32 | uint64(e.Gen) }

func presence(w *World, id ecs.ResID) uint64 {
	if w.ew.Resources().Has(id) {
		return 1
	}
	return 0
}

func (w *World) engine() loupe.Engine {
	e := loupe.Engine{
		Name: engineName, Version: engineVersion,
		MaxTypes: maxTypes, RelationsPerEntity: 1, DanglingTargets: true, PointerHazard: true,
		Cannot: []string{
			"more than one relation per entity",
			"in a world that has made compositions before others which the snapshot has and it lacks (another process, or files loaded in turn): taking those compositions back; should the game use one later, its archetype may take another place in the order of iteration than it would have in the world that was captured",
		},
	}
	if !w.lay {
		e.Cannot = append(e.Cannot, "restoring snapshots and releasing locks: this build's arche has a memory layout the adapter was not written for")
	}
	return e
}

func (w *World) buildCatalog() *loupe.Catalog {
	cat := loupe.Catalog{Engine: w.engine(), Locked: w.ew.IsLocked(), CachedFilters: -1}
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
	for i, id := range w.resourceIDs() {
		if t, ok := ecs.ResourceType(w.ew, id); ok {
			_, present := w.resource(id)
			cat.Resources = append(cat.Resources, &loupe.Resource{ID: loupe.TypeID(i), Type: loupe.TypeOf(t), Present: present})
		}
	}
	return loupe.NewCatalog(cat)
}

// entityIndexBytes is what arche keeps per entity slot besides the handle.
const entityIndexBytes = 16

func (w *World) countLayout(cat *loupe.Catalog) {
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
		a := w.archetype(c, int(c.arch.cap))
		if c.rel >= 0 && c.arch.index >= 0 { // a deactivated archetype has no target
			a.Targets = slices.Clone(c.Targets())
		}
		cat.MemoryBytes += a.Bytes
		cat.Archetypes[i] = a
	}
}

func (w *World) countPublic(cat *loupe.Catalog) {
	s := w.ew.Stats()
	cat.Entities = loupe.EntityCounts{Alive: s.Entities.Used, Recycled: s.Entities.Recycled, Total: s.Entities.Total, Capacity: s.Entities.Capacity}
	cat.CachedFilters = s.CachedFilters
	cat.MemoryBytes = int64(s.Memory)
	for _, node := range s.Nodes {
		for _, arch := range node.Archetypes {
			if !node.IsActive {
				continue
			}
			c := &chunk{id: len(cat.Archetypes), n: arch.Size}
			for _, id := range node.ComponentIDs {
				c.comps = append(c.comps, loupe.TypeID(id))
			}
			cat.Archetypes = append(cat.Archetypes, w.archetype(c, arch.Capacity))
		}
	}
	for _, c := range w.scanPublic() {
		cat.Archetypes[c.id].Targets = slices.Clone(c.Targets())
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
