package builtin

import (
	"encoding/json"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"
)

type orbits struct{ arche.Relation }

// No target is null, as for every entity that is none.
func TestRelationWithoutATargetIsNull(t *testing.T) {
	h := newHarness(t, worldTools()...)
	id := arche.ComponentID[orbits](h.arche)
	h.arche.NewEntity(id)
	e := h.firstEntity()
	for tool, args := range map[string]any{
		"info": map[string]any{"entity": e}, "query": map[string]any{}, "archetypes_list": map[string]any{},
	} {
		b, err := json.Marshal(h.ok(tool, args))
		if err != nil {
			t.Fatal(err)
		}
		if text := string(b); !strings.Contains(text, `"orbits":null`) && !strings.Contains(text, `"relation":"orbits","target":null`) {
			t.Errorf("%s: %s", tool, text)
		}
	}
}
