package archeworld

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/generic"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

type pos struct{ X, Y float64 }
type vel struct{ X, Y float64 }

// counting counts events and panics when told to.
type counting struct {
	events int
	panics bool
}

func (l *counting) Notify(*ecs.World, ecs.EntityEvent) {
	l.events++
	if l.panics {
		panic("listener")
	}
}
func (l *counting) Subscriptions() event.Subscription { return event.All }
func (l *counting) Components() *ecs.Mask             { return nil }

// The game keeps cached filters, generic filters, mappers, a listener and
// resource pointers over a restore, and a restore sends no events.
func TestRestoreKeepsHandles(t *testing.T) {
	w := ecs.NewWorld(8)
	posID, childID := ecs.ComponentID[pos](&w), ecs.ComponentID[childOf](&w)
	all := ecs.All(posID)
	cached := w.Cache().Register(&all)
	registered := generic.NewFilter1[pos]()
	registered.Register(&w)
	mapper := generic.NewMap1[pos](&w)
	l := &counting{}
	w.SetListener(l)
	score := &ecstest.Score{Points: 1}
	ecs.AddResource(&w, score)
	lw := New(&w)

	parent := w.NewEntity(posID)
	target := ecs.NewRelationFilter(ecs.All(childID), parent)
	byTarget := w.Cache().Register(&target)
	for range 5 {
		ecs.NewBuilder(&w, posID, childID).WithRelation(childID).New(parent)
	}
	count := func(f ecs.Filter) int {
		q := w.Query(f)
		defer q.Close()
		return q.Count()
	}
	var img loupe.Image
	if err := lw.Capture(&img); err != nil {
		t.Fatal(err)
	}
	w.RemoveEntity(parent)
	w.NewEntity(posID)
	score.Points = 2
	events := l.events
	if err := lw.Restore(&img); err != nil {
		t.Fatal(err)
	}
	if l.events != events {
		t.Errorf("the restore sent %d events", l.events-events)
	}
	if n := count(&cached); n != 6 {
		t.Errorf("the cached filter finds %d entities, want 6", n)
	}
	if n := count(&byTarget); n != 5 {
		t.Errorf("the cached relation filter finds %d entities, want 5", n)
	}
	q := registered.Query(&w)
	if n := q.Count(); n != 6 {
		t.Errorf("the registered generic filter finds %d entities, want 6", n)
	}
	q.Close()
	mapper.Get(parent).X = 3
	if got := (*pos)(w.Get(parent, posID)).X; got != 3 {
		t.Errorf("the mapper wrote elsewhere: %v", got)
	}
	if got := ecs.GetResource[ecstest.Score](&w); got != score || score.Points != 1 {
		t.Errorf("resource %p with %d, want %p with 1", got, got.Points, score)
	}
	w.NewEntity(posID)
	if l.events != events+1 {
		t.Errorf("the listener is gone: %d events", l.events-events)
	}
	// A target that dies takes its archetype out of the cached filter.
	for _, e := range entitiesOf(lw) {
		if e != EntityOf(parent) {
			w.RemoveEntity(engineEntity(e))
		}
	}
	w.RemoveEntity(parent)
	other := w.NewEntity(posID)
	ecs.NewBuilder(&w, posID, childID).WithRelation(childID).New(other)
	if n := count(&byTarget); n != 0 {
		t.Errorf("the cached filter by a dead target finds %d entities of another", n)
	}
}

func entitiesOf(w *World) (es []loupe.Entity) {
	for c := range w.Chunks(loupe.Filter{}) {
		es = c.AppendEntities(es, 0, c.Len())
	}
	return es
}

// The relation archetypes of a cached filter keep their order.
func TestRestoreKeepsCachedOrder(t *testing.T) {
	w := ecs.NewWorld(8)
	childID := ecs.ComponentID[childOf](&w)
	mask := ecs.All(childID)
	cached := w.Cache().Register(&mask)
	lw := New(&w)
	var parents []ecs.Entity
	for range 6 {
		p := w.NewEntity()
		parents = append(parents, p)
		ecs.NewBuilder(&w, childID).WithRelation(childID).New(p)
	}
	order := func() (es []ecs.Entity) {
		q := w.Query(&cached)
		for q.Next() {
			es = append(es, q.Entity())
		}
		return es
	}
	// Free two archetypes and use one slot again: the cache swaps.
	for _, i := range []int{1, 3} {
		q := w.Query(&mask)
		var kill []ecs.Entity
		for q.Next() {
			if q.Relation(childID) == parents[i] {
				kill = append(kill, q.Entity())
			}
		}
		for _, e := range append(kill, parents[i]) {
			w.RemoveEntity(e)
		}
	}
	ecs.NewBuilder(&w, childID).WithRelation(childID).New(parents[0])
	ecs.NewBuilder(&w, childID).WithRelation(childID).New(w.NewEntity())
	before := order()
	var img loupe.Image
	if err := lw.Capture(&img); err != nil {
		t.Fatal(err)
	}
	if err := lw.Restore(&img); err != nil {
		t.Fatal(err)
	}
	if after := order(); !slices.Equal(after, before) {
		t.Errorf("the cached filter's order is %v, was %v", after, before)
	}
}

// Should the engine panic after every check, the world is put back.
func TestRestoreRollsBack(t *testing.T) {
	f := newFixture(t)
	w := f.World.(*World)
	value := []loupe.Value{{Type: 1, Value: reflect.ValueOf(ecstest.Position{X: 1})}}
	if _, err := w.Apply([]loupe.Change{{Op: loupe.OpSpawn, Count: 10, Values: value}}); err != nil {
		t.Fatal(err)
	}
	hash := ecstest.Hash(w)
	var empty loupe.Image
	if err := newFixture(t).World.(*World).Capture(&empty); err != nil {
		t.Fatal(err)
	}
	failed := false
	w.breakRestore = func() {
		if !failed {
			failed = true
			panic("engine")
		}
	}
	err := w.Restore(&empty)
	if !errors.Is(err, refusal.Panicked) {
		t.Fatalf("Restore gave %v, want code panic", err)
	}
	if ecstest.Hash(w) != hash {
		t.Error("the world was not put back")
	}
}

// Past 240 component types arche cannot make archetypes: refusals, no panics.
func TestTooManyTypes(t *testing.T) {
	if maxTypes == ecs.MaskTotalBits {
		t.Skip("this build's arche registers no type that it cannot work with")
	}
	w := ecs.NewWorld(4)
	id := ecs.ComponentID[pos](&w)
	e := w.NewEntity(id)
	lw := New(&w)
	for i := range 240 {
		ecs.TypeID(&w, reflect.ArrayOf(i+1, reflect.TypeFor[uint16]()))
	}
	if n := len(lw.Catalog().Components); n != 241 {
		t.Fatalf("%d components", n)
	}
	hash := ecstest.Hash(lw)
	le := EntityOf(e)
	last := []loupe.Value{{Type: 240, Value: reflect.Zero(reflect.ArrayOf(240, reflect.TypeFor[uint16]()))}}
	first := []loupe.Value{{Type: 1, Value: reflect.Zero(reflect.ArrayOf(1, reflect.TypeFor[uint16]()))}}
	for _, c := range []loupe.Change{
		{Op: loupe.OpSpawn, Values: last}, {Op: loupe.OpAdd, Entity: le, Values: last}, {Op: loupe.OpSet, Entity: le, Values: last},
		{Op: loupe.OpSpawn, Values: first}, {Op: loupe.OpAdd, Entity: le, Values: first}, {Op: loupe.OpRemove, Entity: le, Types: []loupe.TypeID{0}},
	} {
		if _, err := lw.Apply([]loupe.Change{c}); !errors.Is(err, refusal.NotSupported) {
			t.Errorf("%s gave %v, want not_supported", c.Op, err)
		}
	}
	if ecstest.Hash(lw) != hash {
		t.Error("a refused change did something")
	}
	if c, row, ok := lw.Row(le); !ok {
		t.Error("no row")
	} else if _, ok := c.Column(240); ok || row != 0 {
		t.Error("a column of a type beyond the limit")
	}
	var img loupe.Image
	if err := lw.Capture(&img); err != nil {
		t.Fatal(err)
	}
	if err := lw.Restore(&img); !errors.Is(err, refusal.NotSupported) {
		t.Errorf("Restore gave %v", err)
	}
	if _, err := lw.Apply([]loupe.Change{{Op: loupe.OpDespawn, Entity: le}}); err != nil {
		t.Error(err)
	}
}

// A game may replace its world under the same pointer, or reset it.
func TestWorldReplaced(t *testing.T) {
	w := ecs.NewWorld(4)
	a := w.NewEntity(ecs.ComponentID[pos](&w))
	lw := New(&w)
	lw.Catalog()
	lw.Row(EntityOf(a))
	w = ecs.NewWorld(4)
	b := w.NewEntity(ecs.ComponentID[vel](&w), ecs.ComponentID[pos](&w))
	cat := lw.Catalog()
	if len(cat.Components) != 2 || cat.Components[0].Type.Go != reflect.TypeFor[vel]() {
		t.Fatalf("the catalog still describes the old world: %v", cat.Components[0].Type.Go)
	}
	if c, _, ok := lw.Row(EntityOf(b)); !ok || len(c.Components()) != 2 {
		t.Error("the new world's entity has no row")
	}
	w.Reset()
	if lw.Alive(EntityOf(b)) || lw.Catalog().Entities.Alive != 0 {
		t.Error("an entity outlived Reset")
	}
	w = ecs.World{}
	lw.Catalog()
	lw.Row(EntityOf(b))
	if _, err := lw.Apply([]loupe.Change{{Op: loupe.OpSpawn}}); !errors.Is(err, refusal.Panicked) {
		t.Errorf("a spawn in a world that was never made gave %v", err)
	}
}

// Resources need not be pointers, and pointers may be nil.
func TestOddResources(t *testing.T) {
	w := ecs.NewWorld(4)
	byValue, nilPtr, other := ecs.ResourceID[int](&w), ecs.ResourceID[pos](&w), ecs.ResourceID[string](&w)
	w.Resources().Add(byValue, 42)
	w.Resources().Add(nilPtr, (*pos)(nil))
	w.Resources().Add(other, 3.5)
	lw := New(&w)
	if v, ok := lw.Resource(0); !ok || v.Int() != 42 || v.CanAddr() {
		t.Errorf("the resource added by value: %v %v", v, ok)
	}
	for id := loupe.TypeID(1); id < 3; id++ {
		if v, ok := lw.Resource(id); ok {
			t.Errorf("resource %d: %v", id, v)
		}
	}
	var img loupe.Image
	if err := lw.Capture(&img); err != nil {
		t.Fatal(err)
	}
	w.Resources().Remove(byValue)
	w.Resources().Add(byValue, 43)
	if err := lw.Restore(&img); err != nil {
		t.Fatal(err)
	}
	if got := w.Resources().Get(byValue); got != 42 {
		t.Errorf("the resource added by value is %v after the restore", got)
	}
	if got := w.Resources().Get(other); got != 3.5 {
		t.Errorf("the resource of another type is %v after the restore", got)
	}
}

// What arche itself does with an entity that targets itself, which despawn
// steps around. When this fails arche was mended and the detour can go.
func TestEngineSelfTarget(t *testing.T) {
	w := ecs.NewWorld(4)
	id := ecs.ComponentID[childOf](&w)
	e := w.NewEntity(id)
	w.Relations().Set(e, id, e)
	defer func() {
		if recover() == nil {
			t.Error("arche removes an entity that targets itself without a panic")
		}
	}()
	w.RemoveEntity(e)
}

func ExampleNew() {
	world := ecs.NewWorld()
	posID := ecs.ComponentID[pos](&world)
	world.NewEntity(posID)

	w := New(&world)
	spawned, err := w.Apply([]loupe.Change{{Op: loupe.OpSpawn, Count: 2, Values: []loupe.Value{{Type: 0, Value: reflect.ValueOf(pos{3, 4})}}}})
	fmt.Println(spawned, err)
	for c := range w.Chunks(loupe.Filter{With: []loupe.TypeID{0}}) {
		fmt.Println(c.Len(), "entities with", w.Catalog().Components[0].Name)
	}
	_, err = w.Apply([]loupe.Change{{Op: loupe.OpDespawn, Entity: loupe.Entity{ID: 99}}})
	fmt.Println(err)
	// Output:
	// [2v0 3v0] <nil>
	// 3 entities with pos
	// entity 99v0 never lived in this world
}
