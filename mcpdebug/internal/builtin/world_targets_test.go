package builtin

import (
	"fmt"
	"testing"

	ark "github.com/mlange-42/ark/ecs"

	"github.com/loupe-ecs/loupe/ecs/arkworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Mount and Owner are two relations that one entity may have.
type (
	Mount struct{ ark.RelationMarker }
	Owner struct{ ark.RelationMarker }
	Spot  struct{ X float64 }
)

// newArkWorld has four Spots and no relation yet, in an engine with many
// relations for each entity.
func newArkWorld(t *testing.T) (h *harness, spots []string) {
	h = newHarness(t, worldTools()...)
	w := ark.NewWorld()
	h.world = arkworld.New(w)
	ark.ComponentID[Mount](w)
	ark.ComponentID[Owner](w)
	spot := ark.NewMap1[Spot](w)
	for range 4 {
		spot.NewEntity(&Spot{})
	}
	for _, row := range h.ok("query", obj{})["entities"].([]any) {
		spots = append(spots, row.(obj)["entity"].(string))
	}
	return h, spots
}

func TestSeveralRelations(t *testing.T) {
	h, s := newArkWorld(t)
	horse, king, other, plain := s[0], s[1], s[2], s[3]
	both := obj{"Mount": obj{}, "Owner": obj{}, "Spot": obj{}}
	out := h.ok("spawn", obj{"components": both, "targets": obj{"Mount": horse, "Owner": king}})
	rider := out["entity"].(string)
	want := fmt.Sprint(obj{"Mount": horse, "Owner": king})
	if got := fmt.Sprint(out["entities"].([]any)[0].(obj)["relations"]); got != want {
		t.Errorf("spawn shows %v, want %v", got, want)
	}
	if got := fmt.Sprint(h.ok("info", obj{"entity": rider})["relations"]); got != want {
		t.Errorf("info shows %v, want %v", got, want)
	}
	h.ok("spawn", obj{"components": both, "targets": obj{"Mount": king, "Owner": horse}})

	// The archetype shows every relation, in the same order as target the first.
	rows := h.ok("archetypes_list", obj{"with": []string{"Mount"}})["archetypes"].([]any)
	if len(rows) != 2 {
		t.Fatalf("archetypes %v", rows)
	}
	row := rows[0].(obj)
	got := obj{}
	for _, r := range row["targets"].([]any) {
		got[r.(obj)["relation"].(string)] = r.(obj)["target"]
	}
	if fmt.Sprint(got) != want || row["target"] != row["targets"].([]any)[0].(obj)["target"] {
		t.Errorf("archetypes_list: %v, want %v", row, want)
	}
	info := h.ok("archetypes_info", obj{"id": row["id"]})
	if fmt.Sprint(info["targets"]) != fmt.Sprint(row["targets"]) || fmt.Sprint(info["sample"].([]any)[0].(obj)["relations"]) != want {
		t.Errorf("archetypes_info: %v", info)
	}

	// A target of any relation, or of one.
	if n := num(t, h.ok("query", obj{"target": horse})["matched"]); n != 2 {
		t.Errorf("target: %d", n)
	}
	out = h.ok("query", obj{"target": horse, "relation": "Mount", "explain": true})
	found := out["entities"].([]any)
	if len(found) != 1 || found[0].(obj)["entity"] != rider || fmt.Sprint(found[0].(obj)["relations"]) != want {
		t.Errorf("relation: %v", out)
	}
	h.refused("query", obj{"target": horse, "relation": "Spot"}, refusal.InvalidArguments, "no relation", "Mount")
	h.refused("query", obj{"target": horse, "relation": "Mnt"}, refusal.UnknownComponent, "relation", "Mount")
	h.refused("query", obj{"relation": "Mount"}, refusal.InvalidArguments, "there is no target")

	// set moves one, or several at once; the values stay.
	out = h.ok("set", obj{"entity": rider, "component": "Mount", "target": other})
	if got := fmt.Sprint(out["relations"]); got != fmt.Sprint(obj{"Mount": other, "Owner": king}) {
		t.Errorf("set target: %v", got)
	}
	out = h.ok("set", obj{"entity": rider, "component": "Mount", "targets": obj{"Mount": horse, "Owner": other}})
	if got := fmt.Sprint(out["relations"]); got != fmt.Sprint(obj{"Mount": horse, "Owner": other}) {
		t.Errorf("set targets: %v", got)
	}
	h.ok("set", obj{"entity": plain, "component": "Owner", "target": king})
	out = h.ok("set", obj{"entity": plain, "component": "Mount", "targets": obj{"Mount": horse, "Owner": other}})
	if got := fmt.Sprint(out["relations"]); got != fmt.Sprint(obj{"Mount": horse, "Owner": other}) || out["added"] != true {
		t.Errorf("set adds with targets: %v", out)
	}

	h.refused("spawn", obj{"components": both, "target": horse}, refusal.InvalidArguments, "several", "targets")
	h.refused("spawn", obj{"components": both, "target": horse, "targets": obj{"Mount": horse}}, refusal.InvalidArguments, "one of the two")
	h.refused("spawn", obj{"components": both, "targets": obj{"Mount": "99v7"}}, refusal.UnknownEntity, "99v7")
	h.refused("spawn", obj{"components": both, "targets": obj{"Mount": "1"}}, refusal.InvalidArguments, "targets.Mount")
	h.refused("spawn", obj{"components": obj{"Spot": obj{}}, "targets": obj{"Mount": horse}}, refusal.InvalidArguments, "no relation Mount")
	h.refused("spawn", obj{"components": both, "targets": obj{"Spot": horse}}, refusal.InvalidArguments, "Spot is no relation", "Owner")
}
