package sandbox_test

import (
	"fmt"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/sandbox"
)

type Placed struct{ Position }

type Vitals struct {
	HP  int `debug:"min=0"`
	Max int `debug:"min=1"`
}

// Scripts write the names that Go lends from an embedded struct, and what they
// spawn starts inside its declared range, as the tools do.
func TestScriptsSpawnAsTheToolsDo(t *testing.T) {
	f := newFixture(t, 0, sandbox.Options{})
	arche.ComponentID[Placed](&f.w)
	arche.ComponentID[Vitals](&f.w)
	for code, want := range map[string]string{
		`local e = world.spawn{Placed={X=1}, Vitals={HP=3}}; world.flush(); e.Placed.Y = 2; return e.Placed.X + e.Placed.Y, e.Vitals.Max`: "[3 1]",
		`local e = world.spawn{Position={}}; world.flush(); e:add("Vitals", {HP=2}); world.flush(); return e.Vitals.HP, e.Vitals.Max`:     "[2 1]",
		`local e = world.spawn{Position={}}; world.flush(); e:add("Vitals"); world.flush(); return e.Vitals.HP, e.Vitals.Max`:             "[0 1]",
	} {
		r, err := f.run(code, false)
		if err != nil {
			t.Errorf("%s: %v", code, err)
		} else if got := fmt.Sprint(r.Values); got != want {
			t.Errorf("%s: got %s, want %s", code, got, want)
		}
	}
}
