package worldtools

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
)

// Each test here is a kind of failure that users of comparable tools have
// reported.

// A NaN made the whole reply vanish; writing one stored null.
func TestNonFiniteNumbersTravel(t *testing.T) {
	h := newWorld(t)
	e := h.Spawn(tooltest.Obj{"Position": tooltest.Obj{"X": "NaN", "Y": "-Infinity"}})
	if p := h.Component(e, "Position"); p["X"] != "NaN" || p["Y"] != "-Infinity" {
		t.Errorf("%v", p)
	}
	h.OK("modify", tooltest.Obj{"entity": e, "component": "Position", "values": tooltest.Obj{"X": "Infinity"}})
	if out := h.OK("query", tooltest.Obj{"where": "isinf(Position.X)"}); tooltest.Num(t, out["matched"]) != 1 {
		t.Errorf("%v", out)
	}
	h.Refused("modify", tooltest.Obj{"entity": e, "component": "Position", "values": tooltest.Obj{"X": nil}}, refusal.InvalidArguments)
}

// A cycle of pointers looped for ever; a deep value overflowed the stack.
func TestCyclesAndDepthEnd(t *testing.T) {
	h := newWorld(t)
	a, b := &Node{Label: "a"}, &Node{Label: "b"}
	a.Next, b.Next = b, a
	e := ecs.Entity(archeEntity(ptr(generic.NewMap1[Chain](h.Arche)).NewWith(&Chain{a})))
	out, err := h.Run("info", `{"entity":"`+e.String()+`"}`)
	if err != nil || !strings.Contains(string(out), "$ref") {
		t.Errorf("%s %v", out, err)
	}
	long := &Node{}
	for range 100000 {
		long = &Node{Next: long}
	}
	e = ecs.Entity(archeEntity(ptr(generic.NewMap1[Chain](h.Arche)).NewWith(&Chain{long})))
	out, err = h.Run("info", `{"entity":"`+e.String()+`"}`)
	if err != nil || !strings.Contains(string(out), "$more") || len(out) > 10000 {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

func archeEntity(e arche.Entity) ecs.Entity {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	var pair [2]uint32
	if err := json.Unmarshal(b, &pair); err != nil {
		panic(err)
	}
	return ecs.Entity{ID: pair[0], Gen: pair[1]}
}

// A string in a legacy code page produced invalid JSON.
func TestInvalidUTF8Travels(t *testing.T) {
	h := newWorld(t)
	ptr(generic.NewMap1[Title](h.Arche)).NewWith(&Title{"caf\xe9"})
	e := h.First(tooltest.Obj{"where": `len(Title.Text) == 4 && Title.Text != "Hero"`})
	v := h.Component(e, "Title")["Text"].(tooltest.Obj)
	if v["$bytes"] != "Y2Fm6Q==" {
		t.Errorf("%v", v)
	}
	h.OK("modify", tooltest.Obj{"entity": e, "component": "Title", "values": tooltest.Obj{"Text": v}})
	if out := h.OK("query", tooltest.Obj{"where": `Title.Text == "caf\xe9"`}); tooltest.Num(t, out["matched"]) != 1 {
		t.Error("the bytes have changed on the way")
	}
}

// One value that could not be encoded failed the whole read of its entity.
func TestOpaqueValuesCostNothingElse(t *testing.T) {
	h := newWorld(t)
	e := archeEntity(ptr(generic.NewMap2[Callback, Position](h.Arche)).NewWith(&Callback{F: func(int) {}, N: 3}, &Position{1, 2})).String()
	if c := h.Component(e, "Callback"); c["N"] != json.Number("3") || c["F"].(tooltest.Obj)["$opaque"] == nil {
		t.Errorf("%v", c)
	}
	h.Refused("modify", tooltest.Obj{"entity": e, "component": "Callback", "values": tooltest.Obj{"F": 1}}, refusal.InvalidArguments, "F")
	h.OK("modify", tooltest.Obj{"entity": e, "component": "Callback", "values": tooltest.Obj{"N": 4}})
	if c := h.Component(e, "Callback"); c["N"] != json.Number("4") || c["F"].(tooltest.Obj)["$opaque"] == nil {
		t.Errorf("a func was lost by modify: %v", c)
	}
}

// 64-bit integers lost digits; tiny and huge floats became 0 and infinity.
func TestNumbersKeepTheirDigits(t *testing.T) {
	h := newWorld(t)
	e := h.Spawn(tooltest.Obj{"Big": tooltest.Obj{"ID": "18446744073709551615", "N": json.Number("-9007199254740993")}})
	if b := h.Component(e, "Big"); b["ID"] != "18446744073709551615" || b["N"] != "-9007199254740993" {
		t.Errorf("%v", b)
	}
	for where, want := range map[string]int64{"Big.N == -9007199254740993": 1, "Big.N == -9007199254740992": 0, "Big.ID == 18446744073709551615": 1, "Big.ID > 18446744073709551614": 1} {
		if n := tooltest.Num(t, h.OK("query", tooltest.Obj{"where": where})["matched"]); n != want {
			t.Errorf("%s: %d", where, n)
		}
	}
	p := h.Spawn(tooltest.Obj{"Position": tooltest.Obj{"X": json.Number("1.2345678901234567e-300"), "Y": json.Number("-0.0")}})
	v := h.Component(p, "Position")
	x, _ := v["X"].(json.Number).Float64()
	y, _ := v["Y"].(json.Number).Float64()
	if x != 1.2345678901234567e-300 || y != 0 || !math.Signbit(y) {
		t.Errorf("%v", v)
	}
	h.Refused("modify", `{"entity":"`+p+`","component":"Position","values":{"X":1e400}}`, refusal.InvalidArguments)
}

// Setting a list failed with "not found" for the very same name; a misspelt
// field reported success; a failed write did not say which of three it was.
func TestRefusedWritesSayWhy(t *testing.T) {
	h := newWorld(t)
	chest := h.First(tooltest.Obj{"with": []string{"Inventory"}})
	h.OK("modify", tooltest.Obj{"entity": chest, "component": "Inventory", "values": tooltest.Obj{"Slots": []tooltest.Obj{{"Item": "axe"}}}})
	if n := len(h.Component(chest, "Inventory")["Slots"].([]any)); n != 1 {
		t.Errorf("%d slots", n)
	}
	e := h.Spawn(tooltest.Obj{"Big": tooltest.Obj{}})
	h.Refused("modify", tooltest.Obj{"entity": e, "component": "Big", "values": tooltest.Obj{"Idd": 1}}, refusal.UnknownField, "ID")
	h.Refused("modify", tooltest.Obj{"entity": e, "component": "Big", "values": tooltest.Obj{"Skip": "x"}}, refusal.InvalidArguments, "read-only")
	h.Refused("modify", tooltest.Obj{"entity": e, "component": "Big", "values": tooltest.Obj{"N": 1.5}}, refusal.InvalidArguments, "1.5")
	h.Refused("modify", tooltest.Obj{"entity": e, "component": "Big", "values": tooltest.Obj{"ID": -1}}, refusal.InvalidArguments, "-1")
	hero := h.First(tooltest.Obj{"with": []string{"Player"}})
	h.OK("modify", tooltest.Obj{"entity": hero, "component": "Position", "values": tooltest.Obj{"X": "4.0"}})
	h.Refused("modify", tooltest.Obj{"entity": hero, "component": "Position", "values": tooltest.Obj{"X": "4,0"}}, refusal.InvalidArguments, "4,0")
	h.Refused("modify", tooltest.Obj{"entity": hero, "component": "Health", "values": tooltest.Obj{"Ratio": 1}}, refusal.InvalidArguments, "computed")
}

// A list stopped silently; a long one failed hard instead of paging.
func TestEveryListSaysThatItIsCut(t *testing.T) {
	h := newWorld(t)
	for i := range 60 {
		h.Arche.NewEntity()
		ptr(generic.NewMap1[Position](h.Arche)).NewWith(&Position{float64(i), math.Pi})
	}
	out := h.OK("query", tooltest.Obj{})
	if out["truncated"] != true || tooltest.Num(t, out["returned"]) != 50 || tooltest.Num(t, out["total"]) != 135 || out["hint"] == nil {
		t.Errorf("%v %v %v", out["truncated"], out["returned"], out["total"])
	}
	for _, tool := range []string{"query", "components_info", "archetypes_list", "resources_list", "world_check", "stats"} {
		raw, err := h.Run(tool, "{}")
		if err != nil || len(raw) > 33<<10 {
			t.Errorf("%s without arguments: %d bytes, %v", tool, len(raw), err)
		}
	}
	for _, tool := range []string{"components_info", "archetypes_list"} {
		key := map[string]string{"components_info": "components", "archetypes_list": "archetypes"}[tool]
		seen, args := 0, tooltest.Obj{"limit": 2}
		for range 50 {
			out := h.OK(tool, args)
			seen += len(out[key].([]any))
			if out["next"] == nil {
				if int64(seen) != tooltest.Num(t, out["total"]) {
					t.Errorf("%s: %d of %v", tool, seen, out["total"])
				}
				break
			}
			args["cursor"] = out["next"]
		}
		h.Refused(tool, tooltest.Obj{"cursor": "bm9uc2Vuc2U"}, refusal.InvalidArguments, "cursor")
	}
}

// A query that registered filters leaked.
func TestQueriesRegisterNothing(t *testing.T) {
	h := newWorld(t)
	before := h.World.Catalog()
	for i := range 200 {
		h.OK("query", tooltest.Obj{"where": "Health.HP < " + json.Number(string(rune('0'+i%10))).String(), "sort": "Position.X"})
	}
	if after := h.World.Catalog(); after != before {
		t.Errorf("filters %d, then %d", before.CachedFilters, after.CachedFilters)
	}
}

// Structural tools in a locked world refuse; field writes go through.
func TestLockedWorld(t *testing.T) {
	h := newWorld(t)
	hero := h.First(tooltest.Obj{"with": []string{"Player"}})
	q := h.Arche.Query(arche.All())
	defer q.Close()
	h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"Position": tooltest.Obj{}}}, refusal.WorldLocked)
	h.Refused("despawn", tooltest.Obj{"entity": hero}, refusal.WorldLocked)
	h.Refused("remove", tooltest.Obj{"entity": hero, "component": "Health"}, refusal.WorldLocked)
	h.OK("modify", tooltest.Obj{"entity": hero, "component": "Health", "values": tooltest.Obj{"HP": 3}})
	h.OK("set", tooltest.Obj{"entity": hero, "component": "Health", "value": tooltest.Obj{"HP": 4}})
}

// Pages go on although whole archetypes have emptied or appeared meanwhile.
func TestQueryCursorSurvivesEmptiedArchetypes(t *testing.T) {
	h := newWorld(t)
	want := map[string]bool{}
	for _, r := range h.OK("query", tooltest.Obj{"with": []string{"Position"}})["entities"].([]any) {
		want[r.(tooltest.Obj)["entity"].(string)] = true
	}
	out := h.OK("query", tooltest.Obj{"with": []string{"Position"}, "limit": 1})
	first := out["entities"].([]any)[0].(tooltest.Obj)["entity"].(string)
	delete(want, first)
	h.OK("despawn", tooltest.Obj{"entity": first}) // the only one of its archetype
	h.Spawn(tooltest.Obj{"Position": tooltest.Obj{}, "Inventory": tooltest.Obj{}})
	for range 40 {
		out = h.OK("query", tooltest.Obj{"with": []string{"Position"}, "limit": 1, "cursor": out["next"]})
		for _, r := range out["entities"].([]any) {
			delete(want, r.(tooltest.Obj)["entity"].(string))
		}
		if out["next"] == nil {
			break
		}
	}
	if len(want) != 0 {
		t.Errorf("never seen: %v", want)
	}
}

func FuzzCursor(f *testing.F) {
	h := newWorld(f)
	next := h.OK("query", tooltest.Obj{"limit": 3})["next"].(string)
	sorted := h.OK("query", tooltest.Obj{"limit": 3, "sort": "Health.HP"})["next"].(string)
	f.Add(next, "")
	f.Add(sorted, "Health.HP")
	f.Add(page.EncodeCursor("query:x", queryCursor{Archetype: -5, Row: -7}), "")
	f.Fuzz(func(t *testing.T, cursor, sort string) {
		h.T = t
		before := h.Image()
		args, _ := json.Marshal(tooltest.Obj{"cursor": cursor, "sort": sort, "limit": 3})
		_, _ = h.Run("query", string(args))
		if h.Image() != before {
			t.Error("a cursor changed the world")
		}
	})
}

// A cursor whose checksum holds may still say anything.
func TestForgedCursorPositions(t *testing.T) {
	h := newWorld(t)
	var c queryCursor
	kind := "query:" + `{"Q":{"Name":"","With":null,"Without":null,"Exclusive":false,"Target":"","Relation":"","Where":""},"Sort":""}`
	next := h.OK("query", tooltest.Obj{"limit": 3})["next"].(string)
	if err := page.DecodeCursor(kind, next, &c); err != nil {
		t.Fatal(err)
	}
	for _, c := range []queryCursor{{Archetype: -5, Row: -7}, {Archetype: 1 << 40, Row: 1 << 40}, {Entity: ecs.Entity{ID: math.MaxUint32, Gen: 1}}, {Done: make([]byte, 1000)}} {
		h.OK("query", tooltest.Obj{"cursor": page.EncodeCursor(kind, c)})
	}
}

// maxBytes bounds the answer, not each of its parts.
func TestInfoKeepsWithinMaxBytes(t *testing.T) {
	h := newWorld(t)
	hero := h.First(tooltest.Obj{"with": []string{"Player"}})
	for range 40 {
		h.Spawn(tooltest.Obj{"Enemy": tooltest.Obj{"Target": hero}})
	}
	for _, most := range []int{1024, 2048, 1 << 20} {
		out := h.OK("info", tooltest.Obj{"entity": hero, "maxBytes": most})
		b, err := json.Marshal(out)
		if err != nil || len(b) > most {
			t.Errorf("maxBytes %d: %d bytes, %v", most, len(b), err)
		}
		if cut := most < 1<<20; (out["truncated"] == true) != cut || cut && out["hint"] == nil {
			t.Errorf("maxBytes %d: truncated %v, hint %v", most, out["truncated"], out["hint"])
		}
	}
}
