package arkworld

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/mlange-42/ark/ecs"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
)

type childOf struct {
	ecs.RelationMarker
	Since int
}

type likes struct{ ecs.RelationMarker }

func newFixture(testing.TB) ecstest.Fixture {
	w := ecs.NewWorld(4, relationCapacity)
	ecs.ComponentID[childOf](w)
	for _, c := range ecstest.Components() {
		ecs.TypeID(w, c)
	}
	ecs.ComponentID[likes](w)
	ecs.AddResource(w, &ecstest.Score{Points: 7, Names: []string{"x"}})
	ecs.ResourceID[ecstest.Absent](w)
	ecs.NewFilter0(w).Register()
	ecs.NewFilter1[childOf](w).Register()
	arm := func(on ecs.EventType) func() func() {
		return func() func() {
			o := ecs.Observe(on).Do(func(ecs.Entity) { panic("the game's observer failed") }).Register(w)
			return func() { o.Unregister(w) }
		}
	}
	return ecstest.Fixture{
		World: New(w),
		Lock: func() func() {
			q := ecs.NewFilter0(w).Query()
			return q.Close
		},
		Value: func(e loupe.Entity, t reflect.Type) any {
			return reflect.NewAt(t, w.Unsafe().Get(engineEntity(e), ecs.TypeID(w, t))).Interface()
		},
		PanicOnSpawn:   arm(ecs.OnCreateEntity),
		PanicOnDespawn: arm(ecs.OnRemoveEntity),
		State: func() string {
			return fmt.Sprintf("%+v %v %v", *w.Stats(), ecs.ComponentIDs(w), ecs.ResourceIDs(w))
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

// The layout must be the mirrored one in the version the module requires:
// otherwise every case would pass by the slow way unnoticed.
func TestLayoutVerified(t *testing.T) {
	if layoutErr != nil {
		t.Fatal(layoutErr)
	}
}
