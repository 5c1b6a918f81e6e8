package worldtools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Bounty holds entities in every way a component can.
type Bounty struct {
	Head   arche.Entity
	List   []arche.Entity
	Prices map[arche.Entity]int
	Any    any
	Past   arche.Entity `debug:"dangling"`
	Color  uint8        `debug:"enum=Red|Green|Blue"`
}

// Board is a resource that does.
type Board struct{ Wanted []arche.Entity }

// An id that no engine gave out must not reach the game, wherever in a value it
// stands; a dead one only where the tag says so.
func TestEntitiesInsideValuesMustLive(t *testing.T) {
	h := newWorld(t)
	arche.AddResource(h.Arche, &Board{})
	hero := h.First(tooltest.Obj{"with": []string{"Player"}})
	m := generic.NewMap1[Bounty](h.Arche)
	e := archeEntity(m.NewWith(&Bounty{})).String()
	gone := archeEntity(m.NewWith(&Bounty{})).String()
	h.OK("despawn", tooltest.Obj{"entity": gone})
	value.RegisterType[arche.Entity]()
	const never = "999999v0"
	for _, id := range []string{never, gone} {
		code := map[string]refusal.Code{never: refusal.UnknownEntity, gone: refusal.EntityDead}[id]
		for _, values := range []tooltest.Obj{
			{"Head": id}, {"List": []string{hero, id}}, {"Prices": tooltest.Obj{id: 1}}, {`Prices["` + id + `"]`: 1},
			{"Any": tooltest.Obj{"$type": "ecs.Entity", "value": id}},
		} {
			r := h.Refused("modify", tooltest.Obj{"entity": e, "component": "Bounty", "values": values}, code)
			if !strings.Contains(r.Message, "Bounty") || !strings.Contains(r.Message, id) {
				t.Errorf("%v: %s", values, r.Message)
			}
			if strings.Contains(keyOf(values), "[") {
				continue // a path, no value
			}
			h.Refused("set", tooltest.Obj{"entity": e, "component": "Bounty", "value": values}, code)
			h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"Bounty": values}}, code)
		}
		h.Refused("resources_modify", tooltest.Obj{"name": "Board", "values": tooltest.Obj{"Wanted": []string{id}}}, code)
	}
	h.Refused("modify", tooltest.Obj{"entity": e, "component": "Bounty", "values": tooltest.Obj{"Past": never}}, "unknown_entity")
	h.OK("modify", tooltest.Obj{"entity": e, "component": "Bounty", "values": tooltest.Obj{"Past": gone}})
	h.OK("set", tooltest.Obj{"entity": e, "component": "Bounty", "value": tooltest.Obj{"Past": gone, "Head": hero}})
	h.OK("modify", tooltest.Obj{"entity": e, "component": "Bounty", "values": tooltest.Obj{"Head": nil, "List": []any{nil, hero}, "Prices": tooltest.Obj{hero: 3}}})
	h.OK("resources_modify", tooltest.Obj{"name": "Board", "values": tooltest.Obj{"Wanted": []string{hero}}})
	// What may dangle is no finding.
	for _, f := range h.OK("world_check", tooltest.Obj{})["findings"].([]any) {
		if strings.HasPrefix(f.(tooltest.Obj)["subject"].(string), "Bounty") && f.(tooltest.Obj)["code"] == "dead_reference" {
			t.Errorf("%v", f)
		}
	}
}

func keyOf(values tooltest.Obj) string {
	for k := range values {
		return k
	}
	return ""
}

// A number that no label has is not written, is found where the game wrote it,
// and a path shows the labels of the field's own tag.
func TestEnumsByTag(t *testing.T) {
	h := newWorld(t)
	m := generic.NewMap1[Bounty](h.Arche)
	made := m.NewWith(&Bounty{Color: 1})
	e := archeEntity(made).String()
	h.Refused("modify", tooltest.Obj{"entity": e, "component": "Bounty", "values": tooltest.Obj{"Color": 3}}, "invalid_arguments")
	h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"Enemy": tooltest.Obj{"Kind": 3}}}, "invalid_arguments")
	out := h.OK("modify", tooltest.Obj{"entity": e, "component": "Bounty", "values": tooltest.Obj{"Color": 2}})
	if out["before"].(tooltest.Obj)["Color"] != "Green" || out["after"].(tooltest.Obj)["Color"] != "Blue" {
		t.Errorf("%v", out)
	}
	out = h.OK("query", tooltest.Obj{"with": []string{"Bounty"}, "select": []string{"Bounty.Color"}})
	if v := out["entities"].([]any)[0].(tooltest.Obj)["values"].(tooltest.Obj)["Bounty.Color"]; v != "Blue" {
		t.Errorf("select shows %v", v)
	}
	m.Get(made).Color = 77
	if v := h.OK("info", tooltest.Obj{"entity": e})["components"].(tooltest.Obj)["Bounty"].(tooltest.Obj)["Color"]; v != json.Number("77") {
		t.Errorf("info shows %v", v)
	}
	for _, f := range h.OK("world_check", tooltest.Obj{})["findings"].([]any) {
		if f.(tooltest.Obj)["code"] == "not_a_label" && f.(tooltest.Obj)["subject"] == "Bounty.Color" && strings.Contains(f.(tooltest.Obj)["text"].(string), e) {
			return
		}
	}
	t.Error("world_check does not see a number without a label")
}
