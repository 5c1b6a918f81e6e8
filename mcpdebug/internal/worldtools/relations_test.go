package worldtools

import (
	"encoding/json"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
)

type orbits struct{ arche.Relation }

// No target is null, as for every entity that is none.
func TestRelationWithoutATargetIsNull(t *testing.T) {
	h := tooltest.New(t, Tools(nil)...)
	id := arche.ComponentID[orbits](h.Arche)
	h.Arche.NewEntity(id)
	e := h.FirstEntity()
	for tool, args := range map[string]any{
		"info": map[string]any{"entity": e}, "query": map[string]any{}, "archetypes_list": map[string]any{},
	} {
		b, err := json.Marshal(h.OK(tool, args))
		if err != nil {
			t.Fatal(err)
		}
		if text := string(b); !strings.Contains(text, `"orbits":null`) && !strings.Contains(text, `"relation":"orbits","target":null`) {
			t.Errorf("%s: %s", tool, text)
		}
	}
}
