package arkworld

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/mlange-42/ark/ecs"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

type pos struct{ X, Y float64 }

// The game keeps registered filters, mappers, observers and resource pointers
// over a restore, which sends no events.
func TestRestoreKeepsHandles(t *testing.T) {
	w := ecs.NewWorld(8)
	mapper := ecs.NewMap1[pos](w)
	child := ecs.NewMap2[pos, childOf](w)
	cached := ecs.NewFilter1[pos](w).Register()
	parent := mapper.NewEntity(&pos{})
	byTarget := ecs.NewFilter1[childOf](w).Relations(ecs.Rel[childOf](parent)).Register()
	events := 0
	ecs.Observe(ecs.OnCreateEntity).Do(func(ecs.Entity) { events++ }).Register(w)
	ecs.Observe(ecs.OnRemoveEntity).Do(func(ecs.Entity) { events++ }).Register(w)
	score := &ecstest.Score{Points: 1}
	ecs.AddResource(w, score)
	lw := New(w)
	for range 5 {
		child.NewEntity(&pos{}, &childOf{}, ecs.Rel[childOf](parent))
	}
	count := func() (n, m int) {
		q := cached.Query()
		n = q.Count()
		q.Close()
		r := byTarget.Query()
		m = r.Count()
		r.Close()
		return n, m
	}
	order := func() (es []ecs.Entity) {
		q := cached.Query()
		for q.Next() {
			es = append(es, q.Entity())
		}
		return es
	}
	before := order()
	var img loupe.Image
	if err := lw.Capture(&img); err != nil {
		t.Fatal(err)
	}
	w.RemoveEntity(parent)
	mapper.NewEntity(&pos{})
	score.Points = 2
	events = 0
	if err := lw.Restore(&img); err != nil {
		t.Fatal(err)
	}
	if events != 0 {
		t.Errorf("the restore sent %d events", events)
	}
	if n, m := count(); n != 6 || m != 5 {
		t.Errorf("the cached filters find %d and %d entities, want 6 and 5", n, m)
	}
	if after := order(); !slices.Equal(after, before) {
		t.Errorf("the cached filter's order is %v, was %v", after, before)
	}
	if lw.Catalog().CachedFilters != 2 {
		t.Errorf("%d filters are cached, want 2", lw.Catalog().CachedFilters)
	}
	if got := ecs.GetResource[ecstest.Score](w); got != score || score.Points != 1 {
		t.Errorf("resource %p with %d, want %p with 1", got, got.Points, score)
	}
	e := mapper.NewEntity(&pos{X: 1})
	if mapper.Get(e).X != 1 || events != 1 {
		t.Errorf("the mapper or the observer is gone: %d events", events)
	}
	// Tables come and go in the cached filters as before.
	w.RemoveEntity(parent)
	if n, m := count(); n != 6 || m != 0 {
		t.Errorf("after the target's death the cached filters find %d and %d entities, want 6 and 0", n, m)
	}
	other := mapper.NewEntity(&pos{})
	child.NewEntity(&pos{}, &childOf{}, ecs.Rel[childOf](other))
	if n, m := count(); n != 8 || m != 0 {
		t.Errorf("with a new target the cached filters find %d and %d entities, want 8 and 0", n, m)
	}
}

// Should the engine panic after every check, the world is put back.
func TestRestoreRollsBack(t *testing.T) {
	w := newFixture(t).World.(*World)
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
	if err := w.Restore(&empty); !errors.Is(err, refusal.Panicked) {
		t.Fatalf("Restore gave %v, want code panic", err)
	}
	if ecstest.Hash(w) != hash {
		t.Error("the world was not put back")
	}
	if w.Catalog().CachedFilters != 2 {
		t.Error("the cached filters are gone")
	}
}

// Past its limit of component types Ark cannot make archetypes: refusals, no
// panics.
func TestTooManyTypes(t *testing.T) {
	if maxTypes == 64 {
		t.Skip("with the tag ark_tiny Ark registers no type that it cannot work with")
	}
	w := ecs.NewWorld(4)
	e := ecs.NewMap1[pos](w).NewEntity(&pos{})
	lw := New(w)
	for i := range maxTypes {
		ecs.TypeID(w, reflect.ArrayOf(i+1, reflect.TypeFor[uint16]()))
	}
	if n := len(lw.Catalog().Components); n != maxTypes+1 {
		t.Fatalf("%d components", n)
	}
	hash := ecstest.Hash(lw)
	le := EntityOf(e)
	value := func(id loupe.TypeID) []loupe.Value {
		return []loupe.Value{{Type: id, Value: reflect.Zero(reflect.ArrayOf(int(id), reflect.TypeFor[uint16]()))}}
	}
	for _, c := range []loupe.Change{
		{Op: loupe.OpSpawn, Values: value(maxTypes)}, {Op: loupe.OpAdd, Entity: le, Values: value(maxTypes)},
		{Op: loupe.OpSpawn, Values: value(1)}, {Op: loupe.OpAdd, Entity: le, Values: value(1)}, {Op: loupe.OpRemove, Entity: le, Types: []loupe.TypeID{0}},
	} {
		if _, err := lw.Apply([]loupe.Change{c}); !errors.Is(err, refusal.NotSupported) {
			t.Errorf("%s gave %v, want not_supported", c.Op, err)
		}
	}
	if ecstest.Hash(lw) != hash {
		t.Error("a refused change did something")
	}
	if _, err := lw.Apply([]loupe.Change{{Op: loupe.OpDespawn, Entity: le}}); err != nil {
		t.Error(err)
	}
}

// A game may replace its world under the same pointer, or reset it.
func TestWorldReplaced(t *testing.T) {
	w := ecs.NewWorld(4)
	a := ecs.NewMap1[pos](w).NewEntity(&pos{})
	lw := New(w)
	lw.Catalog()
	lw.Row(EntityOf(a))
	replace(w)
	b := ecs.NewMap2[childOf, pos](w).NewEntity(&childOf{}, &pos{}, ecs.Rel[childOf](ecs.Entity{}))
	if cat := lw.Catalog(); len(cat.Components) != 2 || cat.Components[0].Type.Go != reflect.TypeFor[childOf]() {
		t.Fatalf("the catalog still describes the old world: %v", cat.Components[0].Type.Go)
	}
	if c, _, ok := lw.Row(EntityOf(b)); !ok || len(c.Components()) != 2 {
		t.Error("the new world's entity has no row")
	}
	w.Reset()
	if lw.Alive(EntityOf(b)) || lw.Catalog().Entities.Alive != 0 {
		t.Error("an entity outlived Reset")
	}
}

// replace does what *w = *ecs.NewWorld() does, which vet forbids for the lock
// inside.
func replace(w *ecs.World) {
	reflect.ValueOf(w).Elem().Set(reflect.ValueOf(ecs.NewWorld(4)).Elem())
}

func ExampleNew() {
	world := ecs.NewWorld()
	ecs.NewMap1[pos](world).NewEntity(&pos{1, 2})

	w := New(world)
	spawned, err := w.Apply([]loupe.Change{{Op: loupe.OpSpawn, Count: 2, Values: []loupe.Value{{Type: 0, Value: reflect.ValueOf(pos{3, 4})}}}})
	fmt.Println(spawned, err)
	for c := range w.Chunks(loupe.Filter{With: []loupe.TypeID{0}}) {
		fmt.Println(c.Len(), "entities with", w.Catalog().Components[0].Name)
	}
	_, err = w.Apply([]loupe.Change{{Op: loupe.OpDespawn, Entity: loupe.Entity{ID: 99}}})
	fmt.Println(err)
	// Output:
	// [3v0 4v0] <nil>
	// 3 entities with pos
	// entity 99v0 never lived in this world
}
