package archeworld

import (
	"testing"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/arche/ecs"
)

func TestEntitiesAreConvertedBothWays(t *testing.T) {
	w := ecs.NewWorld()
	w.NewEntity()
	reused := w.NewEntity()
	w.RemoveEntity(reused)
	reused = w.NewEntity()
	e := EntityOf(reused)
	if back, ok := Entity(e); !ok || back != reused || e.Gen == 0 && e.ID == 0 {
		t.Errorf("%v became %v and came back as %v, %t", reused, e, back, ok)
	}
	if e, ok := Entity(loupe.Entity{}); ok || e != (ecs.Entity{}) {
		t.Errorf("none became %v, %t", e, ok)
	}
	if EntityOf(ecs.Entity{}) != (loupe.Entity{}) {
		t.Error("the engine's zero entity is not none")
	}
}
