package builtin

import (
	"encoding/json"
	"strings"
	"testing"

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
	arche.AddResource(h.arche, &Board{})
	hero := h.first(obj{"with": []string{"Player"}})
	m := generic.NewMap1[Bounty](h.arche)
	e := archeEntity(m.NewWith(&Bounty{})).String()
	gone := archeEntity(m.NewWith(&Bounty{})).String()
	h.ok("despawn", obj{"entity": gone})
	value.RegisterType[arche.Entity]()
	const never = "999999v0"
	for _, id := range []string{never, gone} {
		code := map[string]refusal.Code{never: refusal.UnknownEntity, gone: refusal.EntityDead}[id]
		for _, values := range []obj{
			{"Head": id}, {"List": []string{hero, id}}, {"Prices": obj{id: 1}}, {`Prices["` + id + `"]`: 1},
			{"Any": obj{"$type": "ecs.Entity", "value": id}},
		} {
			r := h.refused("modify", obj{"entity": e, "component": "Bounty", "values": values}, code)
			if !strings.Contains(r.Message, "Bounty") || !strings.Contains(r.Message, id) {
				t.Errorf("%v: %s", values, r.Message)
			}
			if strings.Contains(keyOf(values), "[") {
				continue // a path, no value
			}
			h.refused("set", obj{"entity": e, "component": "Bounty", "value": values}, code)
			h.refused("spawn", obj{"components": obj{"Bounty": values}}, code)
		}
		h.refused("resources_modify", obj{"name": "Board", "values": obj{"Wanted": []string{id}}}, code)
	}
	h.refused("modify", obj{"entity": e, "component": "Bounty", "values": obj{"Past": never}}, "unknown_entity")
	h.ok("modify", obj{"entity": e, "component": "Bounty", "values": obj{"Past": gone}})
	h.ok("set", obj{"entity": e, "component": "Bounty", "value": obj{"Past": gone, "Head": hero}})
	h.ok("modify", obj{"entity": e, "component": "Bounty", "values": obj{"Head": nil, "List": []any{nil, hero}, "Prices": obj{hero: 3}}})
	h.ok("resources_modify", obj{"name": "Board", "values": obj{"Wanted": []string{hero}}})
	// What may dangle is no finding.
	for _, f := range h.ok("world_check", obj{})["findings"].([]any) {
		if strings.HasPrefix(f.(obj)["subject"].(string), "Bounty") && f.(obj)["code"] == "dead_reference" {
			t.Errorf("%v", f)
		}
	}
}

func keyOf(values obj) string {
	for k := range values {
		return k
	}
	return ""
}

// A number that no label has is not written, is found where the game wrote it,
// and a path shows the labels of the field's own tag.
func TestEnumsByTag(t *testing.T) {
	h := newWorld(t)
	m := generic.NewMap1[Bounty](h.arche)
	made := m.NewWith(&Bounty{Color: 1})
	e := archeEntity(made).String()
	h.refused("modify", obj{"entity": e, "component": "Bounty", "values": obj{"Color": 3}}, "invalid_arguments")
	h.refused("spawn", obj{"components": obj{"Enemy": obj{"Kind": 3}}}, "invalid_arguments")
	out := h.ok("modify", obj{"entity": e, "component": "Bounty", "values": obj{"Color": 2}})
	if out["before"].(obj)["Color"] != "Green" || out["after"].(obj)["Color"] != "Blue" {
		t.Errorf("%v", out)
	}
	out = h.ok("query", obj{"with": []string{"Bounty"}, "select": []string{"Bounty.Color"}})
	if v := out["entities"].([]any)[0].(obj)["values"].(obj)["Bounty.Color"]; v != "Blue" {
		t.Errorf("select shows %v", v)
	}
	m.Get(made).Color = 77
	if v := h.ok("info", obj{"entity": e})["components"].(obj)["Bounty"].(obj)["Color"]; v != json.Number("77") {
		t.Errorf("info shows %v", v)
	}
	for _, f := range h.ok("world_check", obj{})["findings"].([]any) {
		if f.(obj)["code"] == "not_a_label" && f.(obj)["subject"] == "Bounty.Color" && strings.Contains(f.(obj)["text"].(string), e) {
			return
		}
	}
	t.Error("world_check does not see a number without a label")
}
