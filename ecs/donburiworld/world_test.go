package donburiworld

import (
	"reflect"
	"testing"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/component"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
)

// kit are the kit's component types: donburi knows them once for all worlds.
var kit = []component.IComponentType{
	donburi.NewComponentType[ecstest.Position](), donburi.NewComponentType[ecstest.Velocity](), donburi.NewComponentType[ecstest.Health](),
	donburi.NewComponentType[ecstest.Flag](), donburi.NewComponentType[ecstest.Blob](), donburi.NewComponentType[ecstest.Name](),
	donburi.NewComponentType[ecstest.Bag](), donburi.NewComponentType[ecstest.Unused](),
}

func newFixture(testing.TB) ecstest.Fixture {
	w := donburi.NewWorld()
	panics := map[string]bool{}
	w.OnCreate(func(donburi.World, donburi.Entity) {
		if panics["create"] {
			panic("the game's callback failed")
		}
	})
	w.OnRemove(func(donburi.World, donburi.Entity) {
		if panics["remove"] {
			panic("the game's callback failed")
		}
	})
	arm := func(what string) func() func() {
		return func() func() {
			panics[what] = true
			return func() { panics[what] = false }
		}
	}
	return ecstest.Fixture{
		World: New(w, &ecstest.Score{Points: 7, Names: []string{"x"}}, (*ecstest.Absent)(nil)),
		Value: func(e ecs.Entity, t reflect.Type) any {
			for _, c := range kit {
				if c.Typ() == t {
					return reflect.NewAt(t, w.Entry(Entity(e)).Component(c)).Interface()
				}
			}
			return nil
		},
		PanicOnSpawn: arm("create"), PanicOnDespawn: arm("remove"),
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
