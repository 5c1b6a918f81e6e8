package donburiworld_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/donburiworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// component names a component with a value.
func component(t *testing.T, w ecs.World, name string, v any) ecs.Value {
	t.Helper()
	c, err := w.Catalog().Component(name)
	if err != nil {
		t.Fatal(err)
	}
	return ecs.Value{Type: c.ID, Value: reflect.ValueOf(v)}
}

// A callback may remove what a later change of the same batch is about: nobody
// else is changed in its place.
func TestACallbackRemovesWhatALaterChangeIsAbout(t *testing.T) {
	for _, op := range []ecs.Op{ecs.OpSet, ecs.OpAdd, ecs.OpRemove, ecs.OpDespawn} {
		dw := donburi.NewWorld()
		var es []donburi.Entity
		for i := range 4 {
			e := dw.Create(position, health)
			position.Get(dw.Entry(e)).X = float64(i)
			es = append(es, e)
		}
		dw.OnRemove(func(w donburi.World, e donburi.Entity) {
			if e == es[0] {
				w.Remove(es[1])
			}
		})
		w := donburiworld.New(dw)
		second := ecs.Change{Op: op, Entity: donburiworld.EntityOf(es[1])}
		switch op {
		case ecs.OpSet:
			second.Values = []ecs.Value{component(t, w, "Place", Place{9, 9})}
		case ecs.OpAdd:
			second.Values = []ecs.Value{component(t, w, "Shield", Life{9, 9})}
		case ecs.OpRemove:
			second.Types = []ecs.TypeID{component(t, w, "Life", Life{}).Type}
		}
		_, err := w.Apply([]ecs.Change{{Op: ecs.OpDespawn, Entity: donburiworld.EntityOf(es[0])}, second})
		if op == ecs.OpDespawn && err != nil || op != ecs.OpDespawn && !errors.Is(err, refusal.Panicked) {
			t.Errorf("%v: %v", op, err)
		}
		if dw.Len() != 2 {
			t.Errorf("%v: %d entities", op, dw.Len())
		}
		for i, e := range es[2:] {
			if !dw.Valid(e) || position.Get(dw.Entry(e)).X != float64(i+2) || !dw.Entry(e).HasComponent(health) || dw.Entry(e).HasComponent(shield) {
				t.Errorf("%v: entity %d: %v", op, i+2, dw.Entry(e))
			}
		}
	}
}

// What the game removes as soon as it is made gets no values, and is no failure.
func TestACallbackRemovesWhatIsSpawned(t *testing.T) {
	dw := donburi.NewWorld()
	stays := dw.Create(position)
	dw.OnCreate(func(w donburi.World, e donburi.Entity) { w.Remove(e) })
	w := donburiworld.New(dw)
	spawned, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Count: 3, Values: []ecs.Value{component(t, w, "Place", Place{9, 9})}}})
	if err != nil || len(spawned) != 3 || w.Alive(spawned[0]) || dw.Len() != 1 || *position.Get(dw.Entry(stays)) != (Place{}) {
		t.Errorf("%v %v, %d entities", spawned, err, dw.Len())
	}
}
