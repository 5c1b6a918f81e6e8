package worldtools

import (
	"fmt"
	"testing"

	ark "github.com/mlange-42/ark/ecs"

	"github.com/loupe-ecs/loupe/ecs/arkworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
)

// Mount and Owner are two relations that one entity may have.
type (
	Mount struct{ ark.RelationMarker }
	Owner struct{ ark.RelationMarker }
	Spot  struct{ X float64 }
)

// newArkWorld has four Spots and no relation yet, in an engine with many
// relations for each entity.
func newArkWorld(t *testing.T) (h *tooltest.Harness, spots []string) {
	h = tooltest.New(t, Tools(nil)...)
	w := ark.NewWorld()
	h.World = arkworld.New(w)
	ark.ComponentID[Mount](w)
	ark.ComponentID[Owner](w)
	spot := ark.NewMap1[Spot](w)
	for range 4 {
		spot.NewEntity(&Spot{})
	}
	for _, row := range h.OK("query", tooltest.Obj{})["entities"].([]any) {
		spots = append(spots, row.(tooltest.Obj)["entity"].(string))
	}
	return h, spots
}

func TestSeveralRelations(t *testing.T) {
	h, s := newArkWorld(t)
	horse, king, other, plain := s[0], s[1], s[2], s[3]
	both := tooltest.Obj{"Mount": tooltest.Obj{}, "Owner": tooltest.Obj{}, "Spot": tooltest.Obj{}}
	out := h.OK("spawn", tooltest.Obj{"components": both, "targets": tooltest.Obj{"Mount": horse, "Owner": king}})
	rider := out["entity"].(string)
	want := fmt.Sprint(tooltest.Obj{"Mount": horse, "Owner": king})
	if got := fmt.Sprint(out["entities"].([]any)[0].(tooltest.Obj)["relations"]); got != want {
		t.Errorf("spawn shows %v, want %v", got, want)
	}
	if got := fmt.Sprint(h.OK("info", tooltest.Obj{"entity": rider})["relations"]); got != want {
		t.Errorf("info shows %v, want %v", got, want)
	}
	h.OK("spawn", tooltest.Obj{"components": both, "targets": tooltest.Obj{"Mount": king, "Owner": horse}})

	// The archetype shows every relation, in the same order as target the first.
	rows := h.OK("archetypes_list", tooltest.Obj{"with": []string{"Mount"}})["archetypes"].([]any)
	if len(rows) != 2 {
		t.Fatalf("archetypes %v", rows)
	}
	row := rows[0].(tooltest.Obj)
	got := tooltest.Obj{}
	for _, r := range row["targets"].([]any) {
		got[r.(tooltest.Obj)["relation"].(string)] = r.(tooltest.Obj)["target"]
	}
	if fmt.Sprint(got) != want || row["target"] != row["targets"].([]any)[0].(tooltest.Obj)["target"] {
		t.Errorf("archetypes_list: %v, want %v", row, want)
	}
	info := h.OK("archetypes_info", tooltest.Obj{"id": row["id"]})
	if fmt.Sprint(info["targets"]) != fmt.Sprint(row["targets"]) || fmt.Sprint(info["sample"].([]any)[0].(tooltest.Obj)["relations"]) != want {
		t.Errorf("archetypes_info: %v", info)
	}

	// A target of any relation, or of one.
	if n := tooltest.Num(t, h.OK("query", tooltest.Obj{"target": horse})["matched"]); n != 2 {
		t.Errorf("target: %d", n)
	}
	out = h.OK("query", tooltest.Obj{"target": horse, "relation": "Mount", "explain": true})
	found := out["entities"].([]any)
	if len(found) != 1 || found[0].(tooltest.Obj)["entity"] != rider || fmt.Sprint(found[0].(tooltest.Obj)["relations"]) != want {
		t.Errorf("relation: %v", out)
	}
	h.Refused("query", tooltest.Obj{"target": horse, "relation": "Spot"}, refusal.InvalidArguments, "no relation", "Mount")
	h.Refused("query", tooltest.Obj{"target": horse, "relation": "Mnt"}, refusal.UnknownComponent, "relation", "Mount")
	h.Refused("query", tooltest.Obj{"relation": "Mount"}, refusal.InvalidArguments, "there is no target")

	// set moves one, or several at once; the values stay.
	out = h.OK("set", tooltest.Obj{"entity": rider, "component": "Mount", "target": other})
	if got := fmt.Sprint(out["relations"]); got != fmt.Sprint(tooltest.Obj{"Mount": other, "Owner": king}) {
		t.Errorf("set target: %v", got)
	}
	out = h.OK("set", tooltest.Obj{"entity": rider, "component": "Mount", "targets": tooltest.Obj{"Mount": horse, "Owner": other}})
	if got := fmt.Sprint(out["relations"]); got != fmt.Sprint(tooltest.Obj{"Mount": horse, "Owner": other}) {
		t.Errorf("set targets: %v", got)
	}
	h.OK("set", tooltest.Obj{"entity": plain, "component": "Owner", "target": king})
	out = h.OK("set", tooltest.Obj{"entity": plain, "component": "Mount", "targets": tooltest.Obj{"Mount": horse, "Owner": other}})
	if got := fmt.Sprint(out["relations"]); got != fmt.Sprint(tooltest.Obj{"Mount": horse, "Owner": other}) || out["added"] != true {
		t.Errorf("set adds with targets: %v", out)
	}

	h.Refused("spawn", tooltest.Obj{"components": both, "target": horse}, refusal.InvalidArguments, "several", "targets")
	h.Refused("spawn", tooltest.Obj{"components": both, "target": horse, "targets": tooltest.Obj{"Mount": horse}}, refusal.InvalidArguments, "one of the two")
	h.Refused("spawn", tooltest.Obj{"components": both, "targets": tooltest.Obj{"Mount": "99v7"}}, refusal.UnknownEntity, "99v7")
	h.Refused("spawn", tooltest.Obj{"components": both, "targets": tooltest.Obj{"Mount": "1"}}, refusal.InvalidArguments, "targets.Mount")
	h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"Spot": tooltest.Obj{}}, "targets": tooltest.Obj{"Mount": horse}}, refusal.InvalidArguments, "no relation Mount")
	h.Refused("spawn", tooltest.Obj{"components": both, "targets": tooltest.Obj{"Spot": horse}}, refusal.InvalidArguments, "Spot is no relation", "Owner")
}
