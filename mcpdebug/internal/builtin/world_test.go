package builtin

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

type Position struct{ X, Y float64 }
type Velocity struct{ X, Y float64 }
type Health struct {
	HP  int `debug:"min=0,unit=hp"`
	Max int
}
type Kind uint8

const (
	Grunt Kind = iota
	Brute
	Sniper
)

func (k Kind) String() string {
	if int(k) < 3 {
		return [...]string{"Grunt", "Brute", "Sniper"}[k]
	}
	return fmt.Sprintf("Kind(%d)", k)
}

type Enemy struct {
	Kind   Kind
	Target arche.Entity
	Aggro  float64
}
type Player struct{}
type Title struct{ Text string }
type Slot struct {
	Item  string
	Count int
}
type Inventory struct {
	Slots []Slot
	Tags  map[string]int
	Note  string
}
type ChildOf struct{ arche.Relation }
type Followers struct{ List []arche.Entity }
type Big struct {
	ID   uint64
	N    int64
	Skip string `debug:"readonly"`
}
type Node struct {
	Label string
	Next  *Node
}
type Chain struct{ Head *Node }
type Callback struct {
	F func(int)
	N int
}
type Score struct{ Points int }
type Byval struct{ N int }

func init() {
	value.Describe(value.Label(func(t *Title) string { return t.Text }))
	value.Describe(value.Computed("Ratio", func(h *Health) float64 { return float64(h.HP) / float64(h.Max) }))
}

// newWorld is a harness with a player, enemies, a chest and children.
func newWorld(t testing.TB) *harness {
	h := newHarness(t, worldTools()...)
	w := h.arche
	arche.AddResource(w, &Score{Points: 3})
	p := ptr(generic.NewMap4[Position, Health, Player, Title](w)).NewWith(&Position{1, 2}, &Health{100, 100}, &Player{}, &Title{"Hero"})
	em := generic.NewMap4[Position, Health, Enemy, Velocity](w)
	for i := range 10 {
		em.NewWith(&Position{float64(i), 0}, &Health{i * 10, 100}, &Enemy{Kind: Kind(i % 3), Target: p, Aggro: float64(i) / 10}, &Velocity{})
	}
	ptr(generic.NewMap2[Inventory, Title](w)).NewWith(&Inventory{Slots: []Slot{{"torch", 2}, {"rope", 1}}, Tags: map[string]int{"fire": 3}}, &Title{"Chest"})
	child := arche.ComponentID[ChildOf](w)
	arche.NewBuilder(w, arche.ComponentID[Position](w), child).WithRelation(child).NewBatch(3, p)
	for _, reg := range []func(*arche.World) arche.ID{arche.ComponentID[Big], arche.ComponentID[Followers], arche.ComponentID[Chain], arche.ComponentID[Callback]} {
		reg(w)
	}
	return h
}

func (h *harness) first(query map[string]any) string {
	h.t.Helper()
	out := h.ok("query", query)
	return out["entities"].([]any)[0].(map[string]any)["entity"].(string)
}

func num(t testing.TB, v any) int64 {
	t.Helper()
	n, err := v.(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

type obj = map[string]any

func TestQueryFindsCountsAndSelects(t *testing.T) {
	h := newWorld(t)
	out := h.ok("query", obj{"where": `Health.HP < 50 && Enemy.Kind == "Brute"`, "select": []string{"Health.HP", "Enemy.Kind"}})
	if num(t, out["matched"]) != 2 { // 1 and 4
		t.Fatalf("matched %v", out)
	}
	for _, r := range out["entities"].([]any) {
		if r.(obj)["values"].(obj)["Enemy.Kind"] != "Brute" {
			t.Errorf("row %v", r)
		}
	}
	if out := h.ok("query", obj{"name": "HER"}); num(t, out["matched"]) != 1 || out["entities"].([]any)[0].(obj)["name"] != "Hero" {
		t.Errorf("by name: %v", out)
	}
	if out := h.ok("query", obj{"with": []string{"Position"}, "without": []string{"Enemy", "ChildOf"}}); num(t, out["matched"]) != 1 {
		t.Errorf("without: %v", out)
	}
	hero := h.first(obj{"with": []string{"Player"}})
	if out := h.ok("query", obj{"target": hero}); num(t, out["matched"]) != 3 {
		t.Errorf("target: %v", out)
	}
	slot, _, _ := strings.Cut(hero, "v")
	if out := h.ok("query", obj{"target": json.Number(slot)}); num(t, out["matched"]) != 3 {
		t.Errorf("bare target: %v", out)
	}
	if out := h.ok("query", obj{"where": fmt.Sprintf("Enemy.Target == %q", hero)}); num(t, out["matched"]) != 10 {
		t.Errorf("entity literal: %v", out)
	}
	if out := h.ok("query", obj{"where": "Health.Ratio > 0.85"}); num(t, out["matched"]) != 2 {
		t.Errorf("computed: %v", out)
	}
	if out := h.ok("query", obj{"values": false, "with": []string{"Player"}}); out["entities"].([]any)[0].(obj)["values"] != nil {
		t.Errorf("values: %v", out)
	}
	h.arche.NewEntity()
	if out := h.ok("query", obj{"exclusive": true, "with": []string{}}); num(t, out["matched"]) != 1 {
		t.Errorf("bare entities: %v", out)
	}
}

func TestQueryRefusals(t *testing.T) {
	h := newWorld(t)
	h.refused("query", obj{"with": []string{"Positon"}}, refusal.UnknownComponent, "Position")
	h.refused("query", obj{"without": []string{"Nope"}}, refusal.UnknownComponent)
	h.refused("query", obj{"with": []string{"Health"}, "where": "Health.HQ < 3"}, refusal.UnknownField, "HP", "column 1", "^")
	h.refused("query", obj{"where": "Health.HP <"}, refusal.InvalidArguments, "column")
	h.refused("query", obj{"limits": 3}, refusal.InvalidArguments, "limit")
	h.refused("query", obj{"limit": -1}, refusal.InvalidArguments)
	h.refused("query", obj{"select": []string{"Health.HQ"}}, refusal.UnknownField, "HP")
	h.refused("query", obj{"sort": "Inventory"}, refusal.InvalidArguments)
	h.refused("query", obj{"cursor": "abc"}, refusal.InvalidArguments, "cursor")
	h.refused("query", obj{"target": "999"}, refusal.UnknownEntity)
	h.refused("query", obj{"with": []string{"Enemy"}, "without": []string{"Enemy"}}, refusal.InvalidArguments)
	h.refused("query", obj{"where": `Enemy.Kind == "Brut"`}, refusal.InvalidArguments, "Brute")
}

func TestQueryPagesVisitEveryEntityOnce(t *testing.T) {
	for _, sort := range []string{"", "Health.HP", "-Health.HP", "Position.X + 1"} {
		t.Run(sort, func(t *testing.T) {
			h := newWorld(t)
			args := obj{"limit": 4, "sort": sort}
			seen, n := map[string]bool{}, 0
			for pages := 0; ; pages++ {
				if pages > 20 {
					t.Fatal("the pages do not end")
				}
				out := h.ok("query", args)
				if num(t, out["matched"]) != 15 || num(t, out["total"]) != 15 {
					t.Fatalf("matched: %v", out)
				}
				if out["worldChanged"] != nil {
					t.Errorf("nothing changed, yet worldChanged")
				}
				for _, r := range out["entities"].([]any) {
					seen[r.(obj)["entity"].(string)] = true
					n++
				}
				if out["next"] == nil {
					if out["truncated"] != false {
						t.Errorf("truncated without next")
					}
					break
				}
				args["cursor"] = out["next"]
			}
			if n != 15 || len(seen) != 15 {
				t.Errorf("%d rows, %d entities", n, len(seen))
			}
		})
	}
}

func TestQueryCursorSurvivesDespawns(t *testing.T) {
	for _, sort := range []string{"", "-Health.HP"} {
		h := newWorld(t)
		all := map[string]bool{}
		for _, r := range h.ok("query", obj{"with": []string{"Enemy"}})["entities"].([]any) {
			all[r.(obj)["entity"].(string)] = true
		}
		out := h.ok("query", obj{"with": []string{"Enemy"}, "limit": 3, "sort": sort})
		var last string
		for _, r := range out["entities"].([]any) {
			last = r.(obj)["entity"].(string)
			delete(all, last)
		}
		h.ok("despawn", obj{"entity": last})
		out = h.ok("query", obj{"with": []string{"Enemy"}, "sort": sort, "cursor": out["next"]})
		if out["worldChanged"] != true {
			t.Errorf("sort %q: worldChanged is not said", sort)
		}
		for _, r := range out["entities"].([]any) {
			e := r.(obj)["entity"].(string)
			if !all[e] {
				t.Errorf("sort %q: %s came twice", sort, e)
			}
			delete(all, e)
		}
		if len(all) != 0 {
			t.Errorf("sort %q: never seen: %v", sort, all)
		}
		other := h.ok("query", obj{"limit": 3})["next"]
		h.refused("query", obj{"with": []string{"Enemy"}, "cursor": other}, refusal.InvalidArguments, "cursor")
	}
}

func TestQuerySorts(t *testing.T) {
	h := newWorld(t)
	out := h.ok("query", obj{"with": []string{"Enemy"}, "sort": "-Health.HP", "select": []string{"Health.HP"}, "limit": 3})
	var got []string
	for _, r := range out["entities"].([]any) {
		got = append(got, r.(obj)["values"].(obj)["Health.HP"].(json.Number).String())
	}
	if strings.Join(got, " ") != "90 80 70" {
		t.Errorf("descending: %v", got)
	}
}

func TestListsHonourMaxBytes(t *testing.T) {
	h := newWorld(t)
	for i := range 200 {
		ptr(generic.NewMap1[Title](h.arche)).NewWith(&Title{strings.Repeat("x", i)})
	}
	raw, err := h.run("query", `{"with":["Title"],"limit":1000,"maxBytes":4096}`)
	if err != nil || len(raw) > 5000 {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
	out := h.ok("query", obj{"with": []string{"Title"}, "limit": 1000, "maxBytes": 4096})
	if out["truncated"] != true || out["next"] == nil || out["hint"] == nil || num(t, out["matched"]) != 202 {
		t.Errorf("%v", out)
	}
	ptr(generic.NewMap1[Inventory](h.arche)).NewWith(&Inventory{Note: strings.Repeat("n", 15<<20)})
	out = h.ok("query", obj{"where": "len(Inventory.Note) > 1000"})
	row := out["entities"].([]any)[0].(obj)
	if row["errors"].(obj)["Inventory"] == nil {
		t.Errorf("a huge row: %v", row)
	}
	out = h.ok("info", obj{"entity": row["entity"]})
	if out["errors"].(obj)["Inventory"] == nil {
		t.Errorf("info of a huge component: %v", out["errors"])
	}
}

func TestExplainTellsWhyNothingMatches(t *testing.T) {
	h := newWorld(t)
	ex := h.ok("query", obj{"where": "Health.HP > 1000 && Position.X > 3", "explain": true})["explain"].(obj)
	conds := ex["conditions"].([]any)
	if len(conds) != 2 || num(t, conds[0].(obj)["rows"]) != 11 || num(t, conds[1].(obj)["alone"]) != 6 {
		t.Errorf("conditions: %v", conds)
	}
	if !strings.Contains(ex["why"].(string), "Health.HP > 1000") {
		t.Errorf("why: %v", ex["why"])
	}
	ex = h.ok("query", obj{"with": []string{"Player", "Enemy"}, "explain": true})["explain"].(obj)
	if !strings.Contains(ex["why"].(string), "with Enemy") {
		t.Errorf("why: %v", ex["why"])
	}
}

func TestInfo(t *testing.T) {
	h := newWorld(t)
	hero := h.first(obj{"with": []string{"Player"}})
	out := h.ok("info", obj{"entity": hero})
	if out["alive"] != true || out["name"] != "Hero" || out["components"].(obj)["Position"].(obj)["X"] != json.Number("1") {
		t.Errorf("%v", out)
	}
	if n := len(out["referencedBy"].([]any)); n != 13 {
		t.Errorf("referencedBy: %d", n)
	}
	if out["computed"].(obj)["Health.Ratio"] != json.Number("1") {
		t.Errorf("computed: %v", out["computed"])
	}
	child := h.first(obj{"with": []string{"ChildOf"}})
	if out := h.ok("info", obj{"entity": child}); out["relations"].(obj)["ChildOf"] != hero {
		t.Errorf("relations: %v", out["relations"])
	}
	h.refused("info", obj{"entity": "zzz"}, refusal.InvalidArguments)
	h.refused("info", obj{"entity": hero, "components": []string{"Enemy"}}, refusal.ComponentMissing, "Health")
	e := h.ok("spawn", obj{"components": obj{"Position": obj{}}})["entity"].(string)
	h.ok("despawn", obj{"entity": e})
	if out := h.ok("info", obj{"entity": e}); out["alive"] != false {
		t.Errorf("dead: %v", out)
	}
	now := h.ok("spawn", obj{"components": obj{"Title": obj{"Text": "Heir"}}})["entity"].(string)
	if out := h.ok("info", obj{"entity": e}); out["holder"] != now || out["holderName"] != "Heir" {
		t.Errorf("holder: %v, want %s", out, now)
	}
	list := h.ok("spawn", obj{"components": obj{"Followers": obj{"List": []string{now}}}})["entity"].(string)
	refs := h.ok("info", obj{"entity": now})["referencedBy"].([]any)
	if len(refs) != 1 || refs[0].(obj)["entity"] != list || refs[0].(obj)["path"] != "List[0]" {
		t.Errorf("reference inside a slice: %v", refs)
	}
}

func TestSpawn(t *testing.T) {
	h := newWorld(t)
	out := h.ok("spawn", obj{"components": obj{"Position": obj{"X": 5, "Y": 6}}})
	if num(t, out["count"]) != 1 || out["entities"].([]any)[0].(obj)["entity"] != out["entity"] {
		t.Errorf("%v", out)
	}
	out = h.ok("spawn", obj{"components": obj{"Inventory": obj{"Tags": obj{"a": 1}}}, "count": 30})
	if num(t, out["count"]) != 30 || len(out["entities"].([]any)) != 20 {
		t.Errorf("many: %v", out["count"])
	}
	// Each has a map of its own.
	h.ok("modify", obj{"entity": out["entity"], "component": "Inventory", "values": obj{`Tags["a"]`: 9}})
	if n := num(t, h.ok("query", obj{"where": `Inventory.Tags["a"] == 9`})["matched"]); n != 1 {
		t.Errorf("%d entities share a map", n)
	}
	hero := h.first(obj{"with": []string{"Player"}})
	child := h.ok("spawn", obj{"components": obj{"ChildOf": obj{}}, "target": hero})["entity"]
	if out := h.ok("info", obj{"entity": child}); out["relations"].(obj)["ChildOf"] != hero {
		t.Errorf("target: %v", out)
	}
	h.refused("spawn", obj{"components": obj{"Position": obj{}}, "target": hero}, refusal.InvalidArguments, "ChildOf")
	h.refused("spawn", obj{"components": obj{"Position": obj{"X": 1}, "Bogus": obj{}}}, refusal.UnknownComponent)
	e := h.refused("spawn", obj{"components": obj{"Position": obj{"X": 1}, "Health": obj{"HP": "x"}}}, refusal.InvalidArguments, "HP")
	if e.Extra["guide"] == nil {
		t.Error("a refused value comes without the guide")
	}
	h.refused("spawn", obj{"components": obj{"Score": obj{}}}, refusal.UnknownComponent, "resource")
	h.refused("spawn", obj{"components": obj{"Position": obj{}}, "count": 1000000}, refusal.InvalidArguments)
	h.refused("spawn", obj{"components": obj{"ChildOf": obj{}}, "target": "999v0"}, refusal.UnknownEntity)
}

func TestSetRemoveDespawn(t *testing.T) {
	h := newWorld(t)
	e := h.ok("spawn", obj{"components": obj{"Position": obj{"X": 5, "Y": 6}}})["entity"]
	out := h.ok("set", obj{"entity": e, "component": "Position", "value": obj{"X": 1}})
	if out["added"] != false || out["values"].(obj)["Position"].(obj)["Y"] != json.Number("0") {
		t.Errorf("set replaces the whole value: %v", out)
	}
	if out := h.ok("set", obj{"entity": e, "component": "Health", "value": obj{"HP": 1}}); out["added"] != true {
		t.Errorf("set adds: %v", out)
	}
	if out := h.ok("remove", obj{"entity": e, "component": "Health"}); out["removed"] != true {
		t.Errorf("remove: %v", out)
	}
	if out := h.ok("remove", obj{"entity": e, "component": "Health"}); out["skipped"] != true {
		t.Errorf("remove what is not there: %v", out)
	}
	id, _, _ := strings.Cut(e.(string), "v")
	h.refused("despawn", obj{"entity": json.Number(id)}, refusal.InvalidArguments, "whole id")
	if out := h.ok("despawn", obj{"entities": []any{e, e, "999v0"}}); num(t, out["despawned"]) != 1 || num(t, out["skipped"]) != 1 {
		t.Errorf("despawn: %v", out)
	}
	if out := h.ok("despawn", obj{"entity": e}); num(t, out["skipped"]) != 1 {
		t.Errorf("despawn again: %v", out)
	}
	h.refused("set", obj{"entity": e, "component": "Position", "value": obj{}}, refusal.EntityDead)
	h.refused("remove", obj{"entity": e, "component": "Position"}, refusal.EntityDead)
	h.refused("despawn", obj{}, refusal.InvalidArguments)
	hero, other := h.first(obj{"with": []string{"Player"}}), h.first(obj{"with": []string{"Enemy"}})
	child := h.first(obj{"target": hero})
	h.ok("set", obj{"entity": child, "component": "ChildOf", "target": other})
	if out := h.ok("info", obj{"entity": child}); out["relations"].(obj)["ChildOf"] != other {
		t.Errorf("retarget: %v", out["relations"])
	}
}

func TestModify(t *testing.T) {
	h := newWorld(t)
	hero := h.first(obj{"with": []string{"Player"}})
	out := h.ok("modify", obj{"entity": hero, "component": "Health", "values": obj{"HP": "4"}})
	if num(t, out["changed"]) != 1 || out["before"].(obj)["HP"] != json.Number("100") || out["after"].(obj)["HP"] != json.Number("4") {
		t.Errorf("%v", out)
	}
	h.refused("modify", obj{"entity": hero, "component": "Position", "values": obj{"X": 1, "Zz": 2}}, refusal.UnknownField, "Y")
	h.refused("modify", obj{"entity": hero, "component": "Health", "values": obj{"HP": 1, "Max": "many"}}, refusal.InvalidArguments)
	h.refused("modify", obj{"entity": hero, "component": "Health", "values": obj{"HP": -1}}, refusal.InvalidArguments, "0")
	h.refused("modify", obj{"entity": hero, "component": "Health", "values": obj{}}, refusal.InvalidArguments, "HP")
	h.refused("modify", obj{"entity": hero, "component": "Enemy", "values": obj{"Aggro": 1}}, refusal.ComponentMissing, "Health")
	h.refused("modify", obj{"entity": "999v0", "component": "Health", "values": obj{"HP": 1}}, refusal.UnknownEntity)
	h.refused("modify", obj{"component": "Health", "values": obj{"HP": 1}}, refusal.InvalidArguments, "entities")
	e := h.first(obj{"with": []string{"Enemy"}})
	h.refused("modify", obj{"entity": e, "component": "Enemy", "values": obj{"Kind": "Wizard"}}, refusal.InvalidArguments, "Sniper")
	out = h.ok("modify", obj{"entities": []string{hero, e, "999v0"}, "component": "Health", "values": obj{"HP": 5}})
	if num(t, out["skipped"]) != 1 || num(t, out["changed"]) != 2 || len(out["rows"].([]any)) != 2 {
		t.Errorf("list: %v", out)
	}
	out = h.ok("modify", obj{"query": obj{"where": "Enemy.Aggro >= 0.5"}, "component": "Health", "values": obj{"HP": 1, "Max": 2}})
	if num(t, out["changed"]) != 10 || num(t, out["entities"]) != 5 {
		t.Errorf("query: %v", out)
	}
	h.refused("modify", obj{"query": obj{"where": "Health.HP > 1e6"}, "component": "Health", "values": obj{"HP": 1}}, refusal.NotFound)
	chest := h.first(obj{"with": []string{"Inventory"}})
	h.ok("modify", obj{"entity": chest, "component": "Inventory", "values": obj{"Slots[1].Count": 7, `Tags["fire"]`: 8}})
	inv := h.ok("info", obj{"entity": chest})["components"].(obj)["Inventory"].(obj)
	if inv["Slots"].([]any)[1].(obj)["Count"] != json.Number("7") || inv["Tags"].(obj)["fire"] != json.Number("8") {
		t.Errorf("paths: %v", inv)
	}
	h.refused("modify", obj{"entity": chest, "component": "Inventory", "values": obj{"Note": "x", "Slots[9].Count": 7}}, refusal.InvalidArguments)
}

func TestResources(t *testing.T) {
	h := newWorld(t)
	if out := h.ok("resources_list", obj{}); num(t, out["total"]) != 1 {
		t.Errorf("%v", out)
	}
	if out := h.ok("resources_info", obj{"name": "Score"}); out["value"].(obj)["Points"] != json.Number("3") {
		t.Errorf("%v", out)
	}
	h.ok("resources_modify", obj{"name": "Score", "values": obj{"Points": 7}})
	if out := h.ok("resources_info", obj{"name": "Score", "path": "Points"}); out["value"] != json.Number("7") {
		t.Errorf("%v", out)
	}
	h.refused("resources_info", obj{"name": "Scor"}, refusal.NotFound, "Score")
	h.refused("resources_info", obj{"name": "Position"}, refusal.NotFound, "component")
	h.refused("resources_modify", obj{"name": "Score", "values": obj{"Points": "x"}}, refusal.InvalidArguments)
	h.refused("resources_modify", obj{"name": "Score", "values": obj{"Pints": 1}}, refusal.UnknownField, "Points")
}

func TestArchetypesAndStats(t *testing.T) {
	h := newWorld(t)
	out := h.ok("archetypes_list", obj{"with": []string{"Enemy"}})
	row := out["archetypes"].([]any)[0].(obj)
	if num(t, out["total"]) != 1 || num(t, row["entities"]) != 10 {
		t.Errorf("%v", out)
	}
	if out := h.ok("archetypes_info", obj{"id": row["id"]}); len(out["sample"].([]any)) != 10 {
		t.Errorf("%v", out)
	}
	h.refused("archetypes_info", obj{"id": 99999}, refusal.NotFound)
	if out := h.ok("stats", obj{}); num(t, out["entities"].(obj)["alive"]) != 15 || out["locked"] != false {
		t.Errorf("%v", out)
	}
	out = h.ok("components_info", obj{"names": []string{"Health"}})
	fields := out["components"].([]any)[0].(obj)["fields"].([]any)
	if fields[0].(obj)["unit"] != "hp" || len(fields) != 3 {
		t.Errorf("fields: %v", fields)
	}
	if out := h.ok("components_info", obj{}); out["components"].([]any)[0].(obj)["fields"] != nil {
		t.Error("the call without arguments gives fields")
	}
}

func TestWorldCheck(t *testing.T) {
	h := newWorld(t)
	hero := h.first(obj{"with": []string{"Player"}})
	ptr(generic.NewMap1[Position](h.arche)).NewWith(&Position{math.NaN(), 0})
	h.ok("despawn", obj{"entity": hero})
	codes := func() map[string]obj {
		m := map[string]obj{}
		for _, f := range h.ok("world_check", obj{})["findings"].([]any) {
			m[f.(obj)["code"].(string)] = f.(obj)
		}
		return m
	}
	found := codes()
	for code, subject := range map[string]string{"non_finite": "Position.X", "dangling_target": "ChildOf", "dead_reference": "Enemy.Target"} {
		if found[code] == nil || found[code]["subject"] != subject || found[code]["hint"] == "" {
			t.Errorf("%s: %v", code, found[code])
		}
	}
	if found["pointer_hazard"] == nil {
		t.Error("no pointer_hazard")
	}
	if found["world_locked"] != nil {
		t.Error("world_locked without a lock")
	}
	q := h.arche.Query(arche.All())
	if found := codes(); found["world_locked"] == nil {
		t.Error("no world_locked")
	}
	q.Close()
}

// Observing must leave the world as it was: its content, type count and statistics.
func TestReadingChangesNothing(t *testing.T) {
	h := newWorld(t)
	hero := h.first(obj{"with": []string{"Player"}})
	before, stats, cat := h.image(), h.arche.Stats().String(), h.world.Catalog()
	for range 3 {
		h.ok("query", obj{"where": "Health.HP > 0 || has(Enemy)", "sort": "-Health.HP", "explain": true})
		h.ok("info", obj{"entity": hero})
		h.ok("world_check", obj{})
		h.ok("components_info", obj{"detail": true})
		h.ok("archetypes_list", obj{"empty": true})
		h.ok("resources_info", obj{"name": "Score"})
		h.ok("stats", obj{})
	}
	if h.image() != before || h.arche.Stats().String() != stats || h.world.Catalog() != cat {
		t.Error("reading changed the world")
	}
}

// A catalog taken before the game registered a type is no reason to refuse it.
func TestStaleCatalog(t *testing.T) {
	h := newHarness(t, worldTools()...)
	h.stale = h.world.Catalog()
	ptr(generic.NewMap2[Position, Health](h.arche)).NewWith(&Position{}, &Health{HP: 3})
	if out := h.ok("query", obj{"where": "Health.HP == 3", "sort": "Health.HP", "select": []string{"Health.HP"}}); num(t, out["matched"]) != 1 {
		t.Errorf("%v", out)
	}
	h.ok("spawn", obj{"components": obj{"Health": obj{"HP": 3}}})
	h.refused("spawn", obj{"components": obj{"Helth": obj{"HP": 3}}}, refusal.UnknownComponent, "Health")
}

func ptr[T any](v T) *T { return &v }
