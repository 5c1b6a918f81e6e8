package donburiworld

import (
	"fmt"
	"reflect"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/component"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
)

// Apply implements [ecs.World]. A callback of the game that panics ends it: the
// error has code "panic" and the entities spawned up to then are returned.
func (w *World) Apply(changes []ecs.Change) ([]ecs.Entity, error) {
	w.sync()
	if err := donburiEngine.Judge(w, w.last.Catalog, len(w.types), changes); err != nil {
		return nil, err
	}
	var spawned []ecs.Entity
	for i := range changes {
		if p := w.guarded(&changes[i], &spawned); p != nil {
			return spawned, engine.Panicked(changes, i, p, "a callback")
		}
	}
	return spawned, nil
}

// guarded makes one change and returns what it panicked with.
func (w *World) guarded(c *ecs.Change, spawned *[]ecs.Entity) (panicked any) {
	defer func() { panicked = recover() }()
	if c.Op != ecs.OpSpawn && c.Op != ecs.OpDespawn && !w.Alive(c.Entity) { // donburi would change another in its place
		panic(fmt.Sprintf("a callback of an earlier change has removed entity %v", c.Entity))
	}
	switch c.Op {
	case ecs.OpSpawn:
		types := make([]component.IComponentType, len(c.Values))
		for i, v := range c.Values {
			types[i] = w.comps[v.Type]
		}
		MendCounters(w.dw)
		for range max(c.Count, 1) {
			e := w.dw.Create(types...)
			*spawned = append(*spawned, EntityOf(e))
			w.most = max(w.most, uint32(e.Id()))
			if w.dw.Valid(e) { // no callback has removed it
				w.set(e, c.Values, true)
			}
		}
	case ecs.OpDespawn:
		w.dw.Remove(Entity(c.Entity))
	case ecs.OpAdd:
		entry := w.dw.Entry(Entity(c.Entity))
		for _, v := range c.Values {
			entry.AddComponent(w.comps[v.Type])
		}
		MendCounters(w.dw)
		w.set(entry.Entity(), c.Values, true)
	case ecs.OpRemove:
		entry := w.dw.Entry(Entity(c.Entity))
		for _, id := range c.Types {
			entry.RemoveComponent(w.comps[id])
		}
		MendCounters(w.dw)
	case ecs.OpSet:
		w.set(Entity(c.Entity), c.Values, false)
	}
	return nil
}

// set writes values where donburi has them: the game may hold their addresses.
// fresh: donburi has just made them.
func (w *World) set(e donburi.Entity, values []ecs.Value, fresh bool) {
	entry := w.dw.Entry(e)
	for _, v := range values {
		t, c := w.types[v.Type], w.comps[v.Type]
		if fresh && t.Go != c.Typ() { // an event bus is not of its declared type
			entry.SetComponent(c, reflect.New(t.Go).UnsafePointer())
		}
		reflect.NewAt(t.Go, entry.Component(c)).Elem().Set(engine.Own(t, v.Value))
	}
}

// MendCounters sets right what donburi 1.15.7 miscounts: rows of compositions
// whose first entity came by Add. The next Create of such a composition would
// panic. It costs a few nanoseconds a composition, and does nothing if donburi is
// another version than the adapter knows.
func MendCounters(w donburi.World) {
	a := World{dw: w}
	if layoutErr != nil || reflect.TypeOf(w) != worldType {
		return
	}
	in := a.inner()
	for i, arch := range in.archetypes {
		if n, counted := in.components.componentIndices[i]; n != len(arch.entities)-1 && (counted || len(arch.entities) > 0) {
			in.components.componentIndices[i] = len(arch.entities) - 1
		}
	}
}

// worldType is the type of donburi's worlds.
var worldType = reflect.TypeOf(donburi.NewWorld())
