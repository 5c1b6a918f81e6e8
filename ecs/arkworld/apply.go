package arkworld

import (
	"reflect"
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/mlange-42/ark/ecs"
)

// Apply validates all changes, then makes them. Values are deep copies, so
// that the caller may go on using what it passed. An observer of the game that
// panics ends it: the error has code "panic", says which change it was, and
// the entities spawned up to then are returned; the lock that Ark takes around
// observers is released again.
func (w *World) Apply(changes []loupe.Change) ([]loupe.Entity, error) {
	w.sync()
	if err := ark.Judge(w, w.last.Catalog, len(w.types), changes); err != nil {
		return nil, err
	}
	var spawned []loupe.Entity
	for i := range changes {
		if p := w.guarded(&changes[i], &spawned); p != nil {
			return spawned, engine.Panicked(changes, i, p, "an observer")
		}
	}
	return spawned, nil
}

// guarded makes one change and returns what it panicked with. The world was not locked
// before: the lock an observer's panic leaves is the only one.
func (w *World) guarded(c *loupe.Change, spawned *[]loupe.Entity) (panicked any) {
	defer func() {
		if panicked = recover(); panicked != nil && w.lay && c.Op != loupe.OpSet {
			_ = w.Unlock() // cannot fail with the layout verified
		}
	}()
	u := w.ew.Unsafe()
	e := engineEntity(c.Entity)
	switch c.Op {
	case loupe.OpSpawn:
		ids, rels := w.relations(c)
		for range max(c.Count, 1) {
			e := u.NewEntityRel(ids, rels...)
			*spawned = append(*spawned, EntityOf(e))
			w.set(u, e, c.Values)
		}
	case loupe.OpDespawn:
		w.ew.RemoveEntity(e)
	case loupe.OpAdd:
		ids, rels := w.relations(c)
		u.AddRel(e, ids, rels...)
		w.set(u, e, c.Values)
	case loupe.OpRemove:
		ids := make([]ecs.ID, len(c.Types))
		for i, t := range c.Types {
			ids[i] = w.ids[t]
		}
		u.Remove(e, ids...)
	case loupe.OpSet:
		w.set(u, e, c.Values)
	case loupe.OpRetarget:
		rels := make([]ecs.Relation, len(c.Targets))
		for i, t := range c.Targets {
			rels[i] = ecs.RelID(w.ids[t.Relation], engineEntity(t.Entity))
		}
		u.SetRelations(e, rels...)
	}
	return nil
}

// relations gives the types of a change's values, and a target for each
// relation among them: Ark wants them all.
func (w *World) relations(c *loupe.Change) (ids []ecs.ID, rels []ecs.Relation) {
	for _, v := range c.Values {
		ids = append(ids, w.ids[v.Type])
		if !w.rel[v.Type] {
			continue
		}
		var target loupe.Entity
		for _, t := range c.Targets {
			if t.Relation == v.Type {
				target = t.Entity
			}
		}
		rels = append(rels, ecs.RelID(w.ids[v.Type], engineEntity(target)))
	}
	return ids, rels
}

func (w *World) set(u ecs.Unsafe, e ecs.Entity, values []loupe.Value) {
	for _, v := range values {
		t := w.types[v.Type]
		if t.Size == 0 {
			continue
		}
		at(t.Go, u.Get(e, w.ids[v.Type])).Set(engine.Own(t, v.Value))
	}
}

// at is the addressable value at p.
func at(t reflect.Type, p unsafe.Pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }
