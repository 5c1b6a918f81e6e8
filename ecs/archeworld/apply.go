package archeworld

import (
	"reflect"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/mlange-42/arche/ecs"
)

// Apply validates all changes, then makes them. Values are deep copies, so
// that the caller may go on using what it passed. A listener of the game that
// panics ends it: the error has code "panic", says which change it was, and
// the entities spawned up to then are returned; the lock that arche takes
// around a removal listener is released again.
func (w *World) Apply(changes []loupe.Change) ([]loupe.Entity, error) {
	w.sync()
	if err := arche.Judge(w, w.last.Catalog, len(w.types), changes); err != nil {
		return nil, err
	}
	var spawned []loupe.Entity
	for i := range changes {
		if p := w.guarded(&changes[i], &spawned); p != nil {
			return spawned, engine.Panicked(changes, i, p, "a listener")
		}
	}
	return spawned, nil
}

// guarded makes one change and returns what it panicked with.
func (w *World) guarded(c *loupe.Change, spawned *[]loupe.Entity) (panicked any) {
	var locks lockMask
	if w.lay {
		locks = w.inner().locks
	}
	defer func() {
		if panicked = recover(); panicked != nil && w.lay {
			w.inner().locks = locks
		}
	}()
	switch c.Op {
	case loupe.OpSpawn:
		w.spawn(c, spawned)
	case loupe.OpSet:
		chunk, row, _ := w.row(c.Entity)
		w.set(chunk, row, c.Values)
	default:
		w.restructure(c)
	}
	return nil
}

// spawn creates all entities of a change with one batch, fills the rows, and
// closes the batch's query, which is when arche tells its listener.
func (w *World) spawn(c *loupe.Change, out *[]loupe.Entity) {
	count := max(c.Count, 1)
	var ids []ecs.ID
	var relation *ecs.ID
	for _, v := range c.Values {
		id := w.ids[v.Type]
		ids = append(ids, id)
		if w.rel[v.Type] {
			relation = &id
		}
	}
	b := ecs.NewBuilder(w.ew, ids...)
	var q ecs.Query
	if relation != nil {
		q = b.WithRelation(*relation).NewBatchQ(count, engineEntity(targetOf(c.Targets)))
	} else {
		q = b.NewBatchQ(count)
	}
	q.Next()
	for _, v := range c.Values {
		t := w.types[v.Type]
		if t.Size == 0 {
			continue
		}
		col := loupe.Column{Base: q.Get(w.ids[v.Type]), Stride: t.Size}
		for row := range count {
			col.Value(t.Go, row).Set(engine.Own(t, v.Value))
		}
	}
	*out = append(*out, EntityOf(q.Entity()))
	for q.Next() {
		*out = append(*out, EntityOf(q.Entity()))
	}
}

func (w *World) set(c *chunk, row int, values []loupe.Value) {
	for _, v := range values {
		t := w.types[v.Type]
		for i, id := range c.Types {
			if id == v.Type && t.Size > 0 {
				c.Cols[i].Value(t.Go, row).Set(engine.Own(t, v.Value))
			}
		}
	}
}

// restructure makes a change that moves the entity's row.
func (w *World) restructure(c *loupe.Change) {
	chunk, row, _ := w.row(c.Entity)
	w.shade(chunk, row)
	defer w.unshade(chunk)
	e := engineEntity(c.Entity)
	switch c.Op {
	case loupe.OpDespawn:
		w.despawn(chunk, e)
	case loupe.OpAdd:
		w.add(c, e)
	case loupe.OpRemove:
		ids := make([]ecs.ID, len(c.Types))
		for i, t := range c.Types {
			ids[i] = w.ids[t]
		}
		w.ew.Remove(e, ids...)
	case loupe.OpRetarget:
		for _, t := range c.Targets {
			w.ew.Relations().Set(e, w.ids[t.Relation], engineEntity(t.Entity))
		}
	}
}

// despawn removes an entity. One that is its own relation target, alone in its
// archetype, would make arche free the archetype twice and panic: it loses the
// target first.
func (w *World) despawn(c *chunk, e ecs.Entity) {
	if t := c.Relations; len(t) > 0 && t[0].Entity == EntityOf(e) {
		w.ew.Relations().Set(e, w.ids[t[0].Relation], ecs.Entity{})
	}
	w.ew.RemoveEntity(e)
}

// add hands arche pointers to copies, so that listeners see the values. The
// calls are deprecated as slow; the generic ones arche offers instead need the
// types at compile time.
func (w *World) add(c *loupe.Change, e ecs.Entity) {
	//lint:ignore SA1019 there is no other call for types known at run time
	comps := make([]ecs.Component, len(c.Values))
	for i, v := range c.Values {
		p := reflect.New(w.types[v.Type].Go)
		p.Elem().Set(engine.Own(w.types[v.Type], v.Value))
		//lint:ignore SA1019 as above
		comps[i] = ecs.Component{ID: w.ids[v.Type], Comp: p.Interface()}
	}
	if len(c.Targets) > 0 {
		//lint:ignore SA1019 as above
		ecs.NewBuilderWith(w.ew, comps...).WithRelation(w.ids[c.Targets[0].Relation]).Add(e, engineEntity(c.Targets[0].Entity))
		return
	}
	//lint:ignore SA1019 as above
	w.ew.Assign(e, comps...)
}
