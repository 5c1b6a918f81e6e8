package builtin

import (
	"encoding/json"
	"testing"

	arche "github.com/mlange-42/arche/ecs"
)

// cLoose has fields whose schema is no object: anything goes, or nothing does.
type cLoose struct {
	Any  any
	Func func()
	List []any
	Map  map[string]any
}

func TestDescribesFieldsOfAnyType(t *testing.T) {
	h, _ := componentHarness(t, ComponentOptions{})
	h.Arche.NewEntity(arche.ComponentID[cLoose](h.Arche))
	c, err := h.World.Catalog().Component("cLoose")
	if err != nil {
		t.Fatal(err)
	}
	d := document(c, nil)
	for field, want := range map[string]string{"Any": "interface {}", "Func": "func()", "List": "[]interface {}", "Map": "map[string]interface {}"} {
		var p struct{ GoType string }
		if err := json.Unmarshal(d.Properties[field], &p); err != nil || p.GoType != want {
			t.Errorf("%s: %s (%v), want goType %s", field, d.Properties[field], err, want)
		}
	}
}
