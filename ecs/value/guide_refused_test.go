package value

import (
	"reflect"
	"testing"
)

// fussyLevel refuses the number that a guide would try first.
type fussyLevel struct {
	Step int `debug:"min=3,max=2"`
}

// A path for which no example can be found must not keep the guide, and with
// it every later refusal, waiting for itself.
func TestGuideOfATypeWhoseExamplesAreRefused(t *testing.T) {
	g := TypeOf(reflect.TypeFor[fussyLevel]()).Guide()
	if len(g.Fixed) != 1 || g.Fixed[0].Path != "Step" || g.Fixed[0].Why == "" {
		t.Errorf("got %+v, want Step among the paths that cannot be written", g)
	}
}
