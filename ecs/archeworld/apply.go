package archeworld

import (
	"fmt"
	"reflect"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/arche/ecs"
)

// Apply validates all changes, then makes them. Values are deep copies, so
// that the caller may go on using what it passed. A listener of the game that
// panics ends it: the error has code "panic", says which change it was, and
// the entities spawned up to then are returned; the lock that arche takes
// around a removal listener is released again.
func (w *World) Apply(changes []loupe.Change) ([]loupe.Entity, error) {
	w.sync()
	cat := w.cat
	if cat == nil || len(cat.Components) != len(w.types) {
		cat = w.Catalog()
	}
	if err := loupe.ValidateChangesWith(cat, w, changes); err != nil {
		return nil, err
	}
	if err := w.tooManyTypes(changes); err != nil {
		return nil, err
	}
	var spawned []loupe.Entity
	for i := range changes {
		var err error
		if spawned, err = w.guarded(&changes[i], spawned); err != nil {
			e := err.(*loupe.Error)
			e.Message = fmt.Sprintf("change %d of %d (%s) panicked: %v; the changes before it are made", i+1, len(changes), changes[i].Op, e.Got)
			return spawned, e
		}
	}
	return spawned, nil
}

// tooManyTypes: beyond arche's limit every archetype that does not exist yet
// panics half-made.
func (w *World) tooManyTypes(changes []loupe.Change) error {
	if len(w.types) <= maxTypes {
		return nil
	}
	for i := range changes {
		switch changes[i].Op {
		case loupe.OpSpawn, loupe.OpAdd, loupe.OpRemove, loupe.OpRetarget:
			return &loupe.Error{Code: loupe.NotSupported,
				Message: fmt.Sprintf("%d component types are registered and arche works with %d: it cannot make new archetypes any more", len(w.types), maxTypes),
				Got:     len(w.types), Want: maxTypes, Hint: "values can be set and entities despawned; the game must register fewer types"}
		}
	}
	return nil
}

// guarded makes one change and turns a panic into an error.
func (w *World) guarded(c *loupe.Change, spawned []loupe.Entity) (out []loupe.Entity, err error) {
	out = spawned
	var locks lockMask
	if w.lay {
		locks = w.inner().locks
	}
	defer func() {
		if p := recover(); p != nil {
			if w.lay {
				w.inner().locks = locks
			}
			err = &loupe.Error{Code: loupe.Panicked, Got: fmt.Sprint(p), Hint: "a listener of the game panicked on the event of this change"}
		}
	}()
	switch c.Op {
	case loupe.OpSpawn:
		w.spawn(c, &out)
	case loupe.OpSet:
		chunk, row, _ := w.row(c.Entity)
		w.set(chunk, row, c.Values)
	default:
		w.restructure(c)
	}
	return out, nil
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
		var target loupe.Entity
		if len(c.Targets) > 0 {
			target = c.Targets[0].Entity
		}
		q = b.WithRelation(*relation).NewBatchQ(count, engineEntity(target))
	} else {
		q = b.NewBatchQ(count)
	}
	q.Next()
	for _, v := range c.Values {
		t := w.types[v.Type]
		col := column{q.Get(w.ids[v.Type]), t.Size}
		if t.Size == 0 {
			continue
		}
		for row := range count {
			value := v.Value
			if !t.PointerFree {
				value = loupe.Copy(value)
			}
			at(t.Go, col, row).Set(value)
		}
	}
	*out = append(*out, ourEntity(q.Entity()))
	for q.Next() {
		*out = append(*out, ourEntity(q.Entity()))
	}
}

func (w *World) set(c *chunk, row int, values []loupe.Value) {
	for _, v := range values {
		t := w.types[v.Type]
		for i, id := range c.comps {
			if id == v.Type && t.Size > 0 {
				at(t.Go, c.cols[i], row).Set(own(t, v.Value))
			}
		}
	}
}

func own(t *loupe.Type, v reflect.Value) reflect.Value {
	if t.PointerFree {
		return v
	}
	return loupe.Copy(v)
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
	if c.rel >= 0 && c.target == ourEntity(e) {
		w.ew.Relations().Set(e, w.ids[c.rel], ecs.Entity{})
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
		p.Elem().Set(own(w.types[v.Type], v.Value))
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
