package worldtools

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
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
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
func newWorld(t testing.TB) *tooltest.Harness {
	h := tooltest.New(t, Tools(nil)...)
	w := h.Arche
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

func TestQueryFindsCountsAndSelects(t *testing.T) {
	h := newWorld(t)
	out := h.OK("query", tooltest.Obj{"where": `Health.HP < 50 && Enemy.Kind == "Brute"`, "select": []string{"Health.HP", "Enemy.Kind"}})
	if tooltest.Num(t, out["matched"]) != 2 { // 1 and 4
		t.Fatalf("matched %v", out)
	}
	for _, r := range out["entities"].([]any) {
		if r.(tooltest.Obj)["values"].(tooltest.Obj)["Enemy.Kind"] != "Brute" {
			t.Errorf("row %v", r)
		}
	}
	if out := h.OK("query", tooltest.Obj{"name": "HER"}); tooltest.Num(t, out["matched"]) != 1 || out["entities"].([]any)[0].(tooltest.Obj)["name"] != "Hero" {
		t.Errorf("by name: %v", out)
	}
	if out := h.OK("query", tooltest.Obj{"with": []string{"Position"}, "without": []string{"Enemy", "ChildOf"}}); tooltest.Num(t, out["matched"]) != 1 {
		t.Errorf("without: %v", out)
	}
	hero := h.First(tooltest.Obj{"with": []string{"Player"}})
	if out := h.OK("query", tooltest.Obj{"target": hero}); tooltest.Num(t, out["matched"]) != 3 {
		t.Errorf("target: %v", out)
	}
	slot, _, _ := strings.Cut(hero, "v")
	if out := h.OK("query", tooltest.Obj{"target": json.Number(slot)}); tooltest.Num(t, out["matched"]) != 3 {
		t.Errorf("bare target: %v", out)
	}
	if out := h.OK("query", tooltest.Obj{"where": fmt.Sprintf("Enemy.Target == %q", hero)}); tooltest.Num(t, out["matched"]) != 10 {
		t.Errorf("entity literal: %v", out)
	}
	if out := h.OK("query", tooltest.Obj{"where": "Health.Ratio > 0.85"}); tooltest.Num(t, out["matched"]) != 2 {
		t.Errorf("computed: %v", out)
	}
	if out := h.OK("query", tooltest.Obj{"values": false, "with": []string{"Player"}}); out["entities"].([]any)[0].(tooltest.Obj)["values"] != nil {
		t.Errorf("values: %v", out)
	}
	h.Arche.NewEntity()
	if out := h.OK("query", tooltest.Obj{"exclusive": true, "with": []string{}}); tooltest.Num(t, out["matched"]) != 1 {
		t.Errorf("bare entities: %v", out)
	}
}

func TestQueryRefusals(t *testing.T) {
	h := newWorld(t)
	h.Refused("query", tooltest.Obj{"with": []string{"Positon"}}, refusal.UnknownComponent, "Position")
	h.Refused("query", tooltest.Obj{"without": []string{"Nope"}}, refusal.UnknownComponent)
	h.Refused("query", tooltest.Obj{"with": []string{"Health"}, "where": "Health.HQ < 3"}, refusal.UnknownField, "HP", "column 1", "^")
	h.Refused("query", tooltest.Obj{"where": "Health.HP <"}, refusal.InvalidArguments, "column")
	h.Refused("query", tooltest.Obj{"limits": 3}, refusal.InvalidArguments, "limit")
	h.Refused("query", tooltest.Obj{"limit": -1}, refusal.InvalidArguments)
	h.Refused("query", tooltest.Obj{"select": []string{"Health.HQ"}}, refusal.UnknownField, "HP")
	h.Refused("query", tooltest.Obj{"sort": "Inventory"}, refusal.InvalidArguments)
	h.Refused("query", tooltest.Obj{"cursor": "abc"}, refusal.InvalidArguments, "cursor")
	h.Refused("query", tooltest.Obj{"target": "999"}, refusal.UnknownEntity)
	h.Refused("query", tooltest.Obj{"with": []string{"Enemy"}, "without": []string{"Enemy"}}, refusal.InvalidArguments)
	h.Refused("query", tooltest.Obj{"where": `Enemy.Kind == "Brut"`}, refusal.InvalidArguments, "Brute")
}

func TestQueryPagesVisitEveryEntityOnce(t *testing.T) {
	for _, sort := range []string{"", "Health.HP", "-Health.HP", "Position.X + 1"} {
		t.Run(sort, func(t *testing.T) {
			h := newWorld(t)
			args := tooltest.Obj{"limit": 4, "sort": sort}
			seen, n := map[string]bool{}, 0
			for pages := 0; ; pages++ {
				if pages > 20 {
					t.Fatal("the pages do not end")
				}
				out := h.OK("query", args)
				if tooltest.Num(t, out["matched"]) != 15 || tooltest.Num(t, out["total"]) != 15 {
					t.Fatalf("matched: %v", out)
				}
				if out["worldChanged"] != nil {
					t.Errorf("nothing changed, yet worldChanged")
				}
				for _, r := range out["entities"].([]any) {
					seen[r.(tooltest.Obj)["entity"].(string)] = true
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
		for _, r := range h.OK("query", tooltest.Obj{"with": []string{"Enemy"}})["entities"].([]any) {
			all[r.(tooltest.Obj)["entity"].(string)] = true
		}
		out := h.OK("query", tooltest.Obj{"with": []string{"Enemy"}, "limit": 3, "sort": sort})
		var last string
		for _, r := range out["entities"].([]any) {
			last = r.(tooltest.Obj)["entity"].(string)
			delete(all, last)
		}
		h.OK("despawn", tooltest.Obj{"entity": last})
		out = h.OK("query", tooltest.Obj{"with": []string{"Enemy"}, "sort": sort, "cursor": out["next"]})
		if out["worldChanged"] != true {
			t.Errorf("sort %q: worldChanged is not said", sort)
		}
		for _, r := range out["entities"].([]any) {
			e := r.(tooltest.Obj)["entity"].(string)
			if !all[e] {
				t.Errorf("sort %q: %s came twice", sort, e)
			}
			delete(all, e)
		}
		if len(all) != 0 {
			t.Errorf("sort %q: never seen: %v", sort, all)
		}
		other := h.OK("query", tooltest.Obj{"limit": 3})["next"]
		h.Refused("query", tooltest.Obj{"with": []string{"Enemy"}, "cursor": other}, refusal.InvalidArguments, "cursor")
	}
}

func TestQuerySorts(t *testing.T) {
	h := newWorld(t)
	out := h.OK("query", tooltest.Obj{"with": []string{"Enemy"}, "sort": "-Health.HP", "select": []string{"Health.HP"}, "limit": 3})
	var got []string
	for _, r := range out["entities"].([]any) {
		got = append(got, r.(tooltest.Obj)["values"].(tooltest.Obj)["Health.HP"].(json.Number).String())
	}
	if strings.Join(got, " ") != "90 80 70" {
		t.Errorf("descending: %v", got)
	}
}

func TestListsHonourMaxBytes(t *testing.T) {
	h := newWorld(t)
	for i := range 200 {
		ptr(generic.NewMap1[Title](h.Arche)).NewWith(&Title{strings.Repeat("x", i)})
	}
	raw, err := h.Run("query", `{"with":["Title"],"limit":1000,"maxBytes":4096}`)
	if err != nil || len(raw) > 5000 {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
	out := h.OK("query", tooltest.Obj{"with": []string{"Title"}, "limit": 1000, "maxBytes": 4096})
	if out["truncated"] != true || out["next"] == nil || out["hint"] == nil || tooltest.Num(t, out["matched"]) != 202 {
		t.Errorf("%v", out)
	}
	ptr(generic.NewMap1[Inventory](h.Arche)).NewWith(&Inventory{Note: strings.Repeat("n", 15<<20)})
	out = h.OK("query", tooltest.Obj{"where": "len(Inventory.Note) > 1000"})
	row := out["entities"].([]any)[0].(tooltest.Obj)
	if row["errors"].(tooltest.Obj)["Inventory"] == nil {
		t.Errorf("a huge row: %v", row)
	}
	out = h.OK("info", tooltest.Obj{"entity": row["entity"]})
	if out["errors"].(tooltest.Obj)["Inventory"] == nil {
		t.Errorf("info of a huge component: %v", out["errors"])
	}
}

func TestExplainTellsWhyNothingMatches(t *testing.T) {
	h := newWorld(t)
	ex := h.OK("query", tooltest.Obj{"where": "Health.HP > 1000 && Position.X > 3", "explain": true})["explain"].(tooltest.Obj)
	conds := ex["conditions"].([]any)
	if len(conds) != 2 || tooltest.Num(t, conds[0].(tooltest.Obj)["rows"]) != 11 || tooltest.Num(t, conds[1].(tooltest.Obj)["alone"]) != 6 {
		t.Errorf("conditions: %v", conds)
	}
	if !strings.Contains(ex["why"].(string), "Health.HP > 1000") {
		t.Errorf("why: %v", ex["why"])
	}
	ex = h.OK("query", tooltest.Obj{"with": []string{"Player", "Enemy"}, "explain": true})["explain"].(tooltest.Obj)
	if !strings.Contains(ex["why"].(string), "with Enemy") {
		t.Errorf("why: %v", ex["why"])
	}
}

func TestInfo(t *testing.T) {
	h := newWorld(t)
	hero := h.First(tooltest.Obj{"with": []string{"Player"}})
	out := h.OK("info", tooltest.Obj{"entity": hero})
	if out["alive"] != true || out["name"] != "Hero" || out["components"].(tooltest.Obj)["Position"].(tooltest.Obj)["X"] != json.Number("1") {
		t.Errorf("%v", out)
	}
	if n := len(out["referencedBy"].([]any)); n != 13 {
		t.Errorf("referencedBy: %d", n)
	}
	if out["computed"].(tooltest.Obj)["Health.Ratio"] != json.Number("1") {
		t.Errorf("computed: %v", out["computed"])
	}
	child := h.First(tooltest.Obj{"with": []string{"ChildOf"}})
	if out := h.OK("info", tooltest.Obj{"entity": child}); out["relations"].(tooltest.Obj)["ChildOf"] != hero {
		t.Errorf("relations: %v", out["relations"])
	}
	h.Refused("info", tooltest.Obj{"entity": "zzz"}, refusal.InvalidArguments)
	h.Refused("info", tooltest.Obj{"entity": hero, "components": []string{"Enemy"}}, refusal.ComponentMissing, "Health")
	e := h.OK("spawn", tooltest.Obj{"components": tooltest.Obj{"Position": tooltest.Obj{}}})["entity"].(string)
	h.OK("despawn", tooltest.Obj{"entity": e})
	if out := h.OK("info", tooltest.Obj{"entity": e}); out["alive"] != false {
		t.Errorf("dead: %v", out)
	}
	now := h.OK("spawn", tooltest.Obj{"components": tooltest.Obj{"Title": tooltest.Obj{"Text": "Heir"}}})["entity"].(string)
	if out := h.OK("info", tooltest.Obj{"entity": e}); out["holder"] != now || out["holderName"] != "Heir" {
		t.Errorf("holder: %v, want %s", out, now)
	}
	list := h.OK("spawn", tooltest.Obj{"components": tooltest.Obj{"Followers": tooltest.Obj{"List": []string{now}}}})["entity"].(string)
	refs := h.OK("info", tooltest.Obj{"entity": now})["referencedBy"].([]any)
	if len(refs) != 1 || refs[0].(tooltest.Obj)["entity"] != list || refs[0].(tooltest.Obj)["path"] != "List[0]" {
		t.Errorf("reference inside a slice: %v", refs)
	}
}

func TestSpawn(t *testing.T) {
	h := newWorld(t)
	out := h.OK("spawn", tooltest.Obj{"components": tooltest.Obj{"Position": tooltest.Obj{"X": 5, "Y": 6}}})
	if tooltest.Num(t, out["count"]) != 1 || out["entities"].([]any)[0].(tooltest.Obj)["entity"] != out["entity"] {
		t.Errorf("%v", out)
	}
	out = h.OK("spawn", tooltest.Obj{"components": tooltest.Obj{"Inventory": tooltest.Obj{"Tags": tooltest.Obj{"a": 1}}}, "count": 30})
	if tooltest.Num(t, out["count"]) != 30 || len(out["entities"].([]any)) != 20 {
		t.Errorf("many: %v", out["count"])
	}
	// Each has a map of its own.
	h.OK("modify", tooltest.Obj{"entity": out["entity"], "component": "Inventory", "values": tooltest.Obj{`Tags["a"]`: 9}})
	if n := tooltest.Num(t, h.OK("query", tooltest.Obj{"where": `Inventory.Tags["a"] == 9`})["matched"]); n != 1 {
		t.Errorf("%d entities share a map", n)
	}
	hero := h.First(tooltest.Obj{"with": []string{"Player"}})
	child := h.OK("spawn", tooltest.Obj{"components": tooltest.Obj{"ChildOf": tooltest.Obj{}}, "target": hero})["entity"]
	if out := h.OK("info", tooltest.Obj{"entity": child}); out["relations"].(tooltest.Obj)["ChildOf"] != hero {
		t.Errorf("target: %v", out)
	}
	h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"Position": tooltest.Obj{}}, "target": hero}, refusal.InvalidArguments, "ChildOf")
	h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"Position": tooltest.Obj{"X": 1}, "Bogus": tooltest.Obj{}}}, refusal.UnknownComponent)
	e := h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"Position": tooltest.Obj{"X": 1}, "Health": tooltest.Obj{"HP": "x"}}}, refusal.InvalidArguments, "HP")
	if e.Extra["guide"] == nil {
		t.Error("a refused value comes without the guide")
	}
	h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"Score": tooltest.Obj{}}}, refusal.UnknownComponent, "resource")
	h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"Position": tooltest.Obj{}}, "count": 1000000}, refusal.InvalidArguments)
	h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"ChildOf": tooltest.Obj{}}, "target": "999v0"}, refusal.UnknownEntity)
}

func TestSetRemoveDespawn(t *testing.T) {
	h := newWorld(t)
	e := h.OK("spawn", tooltest.Obj{"components": tooltest.Obj{"Position": tooltest.Obj{"X": 5, "Y": 6}}})["entity"]
	out := h.OK("set", tooltest.Obj{"entity": e, "component": "Position", "value": tooltest.Obj{"X": 1}})
	if out["added"] != false || out["values"].(tooltest.Obj)["Position"].(tooltest.Obj)["Y"] != json.Number("0") {
		t.Errorf("set replaces the whole value: %v", out)
	}
	if out := h.OK("set", tooltest.Obj{"entity": e, "component": "Health", "value": tooltest.Obj{"HP": 1}}); out["added"] != true {
		t.Errorf("set adds: %v", out)
	}
	if out := h.OK("remove", tooltest.Obj{"entity": e, "component": "Health"}); out["removed"] != true {
		t.Errorf("remove: %v", out)
	}
	if out := h.OK("remove", tooltest.Obj{"entity": e, "component": "Health"}); out["skipped"] != true {
		t.Errorf("remove what is not there: %v", out)
	}
	id, _, _ := strings.Cut(e.(string), "v")
	h.Refused("despawn", tooltest.Obj{"entity": json.Number(id)}, refusal.InvalidArguments, "whole id")
	if out := h.OK("despawn", tooltest.Obj{"entities": []any{e, e, "999v0"}}); tooltest.Num(t, out["despawned"]) != 1 || tooltest.Num(t, out["skipped"]) != 1 {
		t.Errorf("despawn: %v", out)
	}
	if out := h.OK("despawn", tooltest.Obj{"entity": e}); tooltest.Num(t, out["skipped"]) != 1 {
		t.Errorf("despawn again: %v", out)
	}
	h.Refused("set", tooltest.Obj{"entity": e, "component": "Position", "value": tooltest.Obj{}}, refusal.EntityDead)
	h.Refused("remove", tooltest.Obj{"entity": e, "component": "Position"}, refusal.EntityDead)
	h.Refused("despawn", tooltest.Obj{}, refusal.InvalidArguments)
	hero, other := h.First(tooltest.Obj{"with": []string{"Player"}}), h.First(tooltest.Obj{"with": []string{"Enemy"}})
	child := h.First(tooltest.Obj{"target": hero})
	h.OK("set", tooltest.Obj{"entity": child, "component": "ChildOf", "target": other})
	if out := h.OK("info", tooltest.Obj{"entity": child}); out["relations"].(tooltest.Obj)["ChildOf"] != other {
		t.Errorf("retarget: %v", out["relations"])
	}
}

func TestModify(t *testing.T) {
	h := newWorld(t)
	hero := h.First(tooltest.Obj{"with": []string{"Player"}})
	out := h.OK("modify", tooltest.Obj{"entity": hero, "component": "Health", "values": tooltest.Obj{"HP": "4"}})
	if tooltest.Num(t, out["changed"]) != 1 || out["before"].(tooltest.Obj)["HP"] != json.Number("100") || out["after"].(tooltest.Obj)["HP"] != json.Number("4") {
		t.Errorf("%v", out)
	}
	h.Refused("modify", tooltest.Obj{"entity": hero, "component": "Position", "values": tooltest.Obj{"X": 1, "Zz": 2}}, refusal.UnknownField, "Y")
	h.Refused("modify", tooltest.Obj{"entity": hero, "component": "Health", "values": tooltest.Obj{"HP": 1, "Max": "many"}}, refusal.InvalidArguments)
	h.Refused("modify", tooltest.Obj{"entity": hero, "component": "Health", "values": tooltest.Obj{"HP": -1}}, refusal.InvalidArguments, "0")
	h.Refused("modify", tooltest.Obj{"entity": hero, "component": "Health", "values": tooltest.Obj{}}, refusal.InvalidArguments, "HP")
	h.Refused("modify", tooltest.Obj{"entity": hero, "component": "Enemy", "values": tooltest.Obj{"Aggro": 1}}, refusal.ComponentMissing, "Health")
	h.Refused("modify", tooltest.Obj{"entity": "999v0", "component": "Health", "values": tooltest.Obj{"HP": 1}}, refusal.UnknownEntity)
	h.Refused("modify", tooltest.Obj{"component": "Health", "values": tooltest.Obj{"HP": 1}}, refusal.InvalidArguments, "entities")
	e := h.First(tooltest.Obj{"with": []string{"Enemy"}})
	h.Refused("modify", tooltest.Obj{"entity": e, "component": "Enemy", "values": tooltest.Obj{"Kind": "Wizard"}}, refusal.InvalidArguments, "Sniper")
	out = h.OK("modify", tooltest.Obj{"entities": []string{hero, e, "999v0"}, "component": "Health", "values": tooltest.Obj{"HP": 5}})
	if tooltest.Num(t, out["skipped"]) != 1 || tooltest.Num(t, out["changed"]) != 2 || len(out["rows"].([]any)) != 2 {
		t.Errorf("list: %v", out)
	}
	out = h.OK("modify", tooltest.Obj{"query": tooltest.Obj{"where": "Enemy.Aggro >= 0.5"}, "component": "Health", "values": tooltest.Obj{"HP": 1, "Max": 2}})
	if tooltest.Num(t, out["changed"]) != 10 || tooltest.Num(t, out["entities"]) != 5 {
		t.Errorf("query: %v", out)
	}
	h.Refused("modify", tooltest.Obj{"query": tooltest.Obj{"where": "Health.HP > 1e6"}, "component": "Health", "values": tooltest.Obj{"HP": 1}}, refusal.NotFound)
	chest := h.First(tooltest.Obj{"with": []string{"Inventory"}})
	h.OK("modify", tooltest.Obj{"entity": chest, "component": "Inventory", "values": tooltest.Obj{"Slots[1].Count": 7, `Tags["fire"]`: 8}})
	inv := h.OK("info", tooltest.Obj{"entity": chest})["components"].(tooltest.Obj)["Inventory"].(tooltest.Obj)
	if inv["Slots"].([]any)[1].(tooltest.Obj)["Count"] != json.Number("7") || inv["Tags"].(tooltest.Obj)["fire"] != json.Number("8") {
		t.Errorf("paths: %v", inv)
	}
	h.Refused("modify", tooltest.Obj{"entity": chest, "component": "Inventory", "values": tooltest.Obj{"Note": "x", "Slots[9].Count": 7}}, refusal.InvalidArguments)
}

func TestResources(t *testing.T) {
	h := newWorld(t)
	if out := h.OK("resources_list", tooltest.Obj{}); tooltest.Num(t, out["total"]) != 1 {
		t.Errorf("%v", out)
	}
	if out := h.OK("resources_info", tooltest.Obj{"name": "Score"}); out["value"].(tooltest.Obj)["Points"] != json.Number("3") {
		t.Errorf("%v", out)
	}
	h.OK("resources_modify", tooltest.Obj{"name": "Score", "values": tooltest.Obj{"Points": 7}})
	if out := h.OK("resources_info", tooltest.Obj{"name": "Score", "path": "Points"}); out["value"] != json.Number("7") {
		t.Errorf("%v", out)
	}
	h.Refused("resources_info", tooltest.Obj{"name": "Scor"}, refusal.NotFound, "Score")
	h.Refused("resources_info", tooltest.Obj{"name": "Position"}, refusal.NotFound, "component")
	h.Refused("resources_modify", tooltest.Obj{"name": "Score", "values": tooltest.Obj{"Points": "x"}}, refusal.InvalidArguments)
	h.Refused("resources_modify", tooltest.Obj{"name": "Score", "values": tooltest.Obj{"Pints": 1}}, refusal.UnknownField, "Points")
}

func TestArchetypesAndStats(t *testing.T) {
	h := newWorld(t)
	out := h.OK("archetypes_list", tooltest.Obj{"with": []string{"Enemy"}})
	row := out["archetypes"].([]any)[0].(tooltest.Obj)
	if tooltest.Num(t, out["total"]) != 1 || tooltest.Num(t, row["entities"]) != 10 {
		t.Errorf("%v", out)
	}
	if out := h.OK("archetypes_info", tooltest.Obj{"id": row["id"]}); len(out["sample"].([]any)) != 10 {
		t.Errorf("%v", out)
	}
	h.Refused("archetypes_info", tooltest.Obj{"id": 99999}, refusal.NotFound)
	// No filter is a number; an engine that cannot tell has none.
	if n, told := h.OK("stats", tooltest.Obj{})["cachedFilters"]; !told || tooltest.Num(t, n) != 0 {
		t.Errorf("cached filters: %v", n)
	}
	if out := h.OK("stats", tooltest.Obj{}); tooltest.Num(t, out["entities"].(tooltest.Obj)["alive"]) != 15 || out["locked"] != false {
		t.Errorf("%v", out)
	}
	out = h.OK("components_info", tooltest.Obj{"names": []string{"Health"}})
	fields := out["components"].([]any)[0].(tooltest.Obj)["fields"].([]any)
	if fields[0].(tooltest.Obj)["unit"] != "hp" || len(fields) != 3 {
		t.Errorf("fields: %v", fields)
	}
	if out := h.OK("components_info", tooltest.Obj{}); out["components"].([]any)[0].(tooltest.Obj)["fields"] != nil {
		t.Error("the call without arguments gives fields")
	}
}

func TestWorldCheck(t *testing.T) {
	h := newWorld(t)
	hero := h.First(tooltest.Obj{"with": []string{"Player"}})
	ptr(generic.NewMap1[Position](h.Arche)).NewWith(&Position{math.NaN(), 0})
	h.OK("despawn", tooltest.Obj{"entity": hero})
	codes := func() map[string]tooltest.Obj {
		m := map[string]tooltest.Obj{}
		for _, f := range h.OK("world_check", tooltest.Obj{})["findings"].([]any) {
			m[f.(tooltest.Obj)["code"].(string)] = f.(tooltest.Obj)
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
	q := h.Arche.Query(arche.All())
	if found := codes(); found["world_locked"] == nil {
		t.Error("no world_locked")
	}
	q.Close()
}

// Observing must leave the world as it was: its content, type count and statistics.
func TestReadingChangesNothing(t *testing.T) {
	h := newWorld(t)
	hero := h.First(tooltest.Obj{"with": []string{"Player"}})
	before, stats, cat := h.Image(), h.Arche.Stats().String(), h.World.Catalog()
	for range 3 {
		h.OK("query", tooltest.Obj{"where": "Health.HP > 0 || has(Enemy)", "sort": "-Health.HP", "explain": true})
		h.OK("info", tooltest.Obj{"entity": hero})
		h.OK("world_check", tooltest.Obj{})
		h.OK("components_info", tooltest.Obj{"detail": true})
		h.OK("archetypes_list", tooltest.Obj{"empty": true})
		h.OK("resources_info", tooltest.Obj{"name": "Score"})
		h.OK("stats", tooltest.Obj{})
	}
	if h.Image() != before || h.Arche.Stats().String() != stats || h.World.Catalog() != cat {
		t.Error("reading changed the world")
	}
}

// A catalog taken before the game registered a type is no reason to refuse it.
func TestStaleCatalog(t *testing.T) {
	h := tooltest.New(t, Tools(nil)...)
	h.Stale = h.World.Catalog()
	ptr(generic.NewMap2[Position, Health](h.Arche)).NewWith(&Position{}, &Health{HP: 3})
	if out := h.OK("query", tooltest.Obj{"where": "Health.HP == 3", "sort": "Health.HP", "select": []string{"Health.HP"}}); tooltest.Num(t, out["matched"]) != 1 {
		t.Errorf("%v", out)
	}
	h.OK("spawn", tooltest.Obj{"components": tooltest.Obj{"Health": tooltest.Obj{"HP": 3}}})
	h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"Helth": tooltest.Obj{"HP": 3}}}, refusal.UnknownComponent, "Health")
}

func ptr[T any](v T) *T { return &v }
