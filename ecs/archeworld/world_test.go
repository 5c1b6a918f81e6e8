package archeworld

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
)

type childOf struct {
	ecs.Relation
	Since int
}

type likes struct{ ecs.Relation }

// listener panics on the events of one kind.
type listener struct{ on event.Subscription }

func (l listener) Notify(*ecs.World, ecs.EntityEvent) { panic("the game's listener failed") }
func (l listener) Subscriptions() event.Subscription  { return l.on }
func (l listener) Components() *ecs.Mask              { return nil }

func newFixture(testing.TB) ecstest.Fixture {
	w := ecs.NewWorld(4)
	ecs.ComponentID[childOf](&w)
	for _, c := range ecstest.Components() {
		ecs.TypeID(&w, c)
	}
	ecs.ComponentID[likes](&w)
	ecs.AddResource(&w, &ecstest.Score{Points: 7, Names: []string{"x"}})
	ecs.ResourceID[ecstest.Absent](&w)
	cached := ecs.All()
	w.Cache().Register(&cached)
	arm := func(on event.Subscription) func() func() {
		return func() func() {
			w.SetListener(listener{on})
			return func() { w.SetListener(nil) }
		}
	}
	return ecstest.Fixture{
		World: New(&w),
		Lock: func() func() {
			all := ecs.All()
			q := w.Query(&all)
			return q.Close
		},
		Value: func(e loupe.Entity, t reflect.Type) any {
			return reflect.NewAt(t, w.Get(engineEntity(e), ecs.TypeID(&w, t))).Interface()
		},
		PanicOnSpawn:   arm(event.EntityCreated),
		PanicOnDespawn: arm(event.EntityRemoved),
		State: func() string {
			return fmt.Sprintf("%+v %v %v", *w.Stats(), ecs.ComponentIDs(&w), ecs.ResourceIDs(&w))
		},
	}
}

func TestConformance(t *testing.T) { ecstest.Run(t, newFixture) }

// A build with an unknown memory layout is served by the public interface.
func TestConformanceWithoutLayout(t *testing.T) {
	ecstest.Run(t, func(tb testing.TB) ecstest.Fixture {
		f := newFixture(tb)
		f.World.(*World).lay = false
		return f
	})
}

// The first look at a world may pass over empty relation archetypes.
func TestChunksSkipsEmptyArchetypes(t *testing.T) {
	w := ecs.NewWorld(8)
	id := ecs.ComponentID[childOf](&w)
	var want []loupe.Entity
	for i := range 4 {
		e := ecs.NewBuilder(&w, id).WithRelation(id).New(w.NewEntity())
		if i%2 == 0 {
			w.RemoveEntity(e)
		} else {
			want = append(want, EntityOf(e))
		}
	}
	lw := New(&w)
	for range 2 {
		var got []loupe.Entity
		for c := range lw.Chunks(loupe.Filter{With: []loupe.TypeID{0}}) {
			got = c.AppendEntities(got, 0, c.Len())
		}
		if !slices.Equal(got, want) {
			t.Errorf("Chunks gave %v, want %v", got, want)
		}
	}
}
