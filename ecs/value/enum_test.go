package value

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// tLevel has a String for every number: its labels are examples.
type tLevel int

func (l tLevel) String() string {
	return "L" + string(rune('a'+int(l)%26)) + fmt.Sprintf("_%c", 'a'+rune(int(l)/26))
}

type tLamp struct {
	Color uint8 `debug:"enum=Red|Green|Blue"`
	Kind  tKind
	Level tLevel
	Names map[tKind]int
}

// A number outside a declared enum is shown as it is, and not taken.
func TestNumbersOutsideAnEnumAreRefused(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[tLamp]())
	if got := encode(t, tLamp{Color: 9, Kind: 77, Level: 70}, EncodeOptions{}); got != `{"Color":9,"Kind":77,"Level":70,"Names":null}` {
		t.Errorf("shown as %s", got)
	}
	for _, raw := range []string{`{"Color":3}`, `{"Color":"3"}`, `{"Color":255}`, `{"Kind":3}`, `{"Kind":"77"}`, `{"Names":{"9":1}}`} {
		_, err := ty.DecodeJSON([]byte(raw), reflect.Value{})
		var e *refusal.Error
		if !errors.As(err, &e) || e.Code != refusal.InvalidArguments || len(e.Options) != 3 {
			t.Errorf("%s: %v", raw, err)
		}
	}
	for _, path := range []string{"Color", "Kind"} {
		if _, err := mustPath(t, ty, path).FromGo(int64(3)); !errors.Is(err, refusal.InvalidArguments) {
			t.Errorf("a script wrote 3 into %s: %v", path, err)
		}
	}
	for raw, want := range map[string]tLamp{`{"Color":2}`: {Color: 2}, `{"Color":"Blue"}`: {Color: 2}, `{"Kind":1.0}`: {Kind: tBrute}, `{"Level":70}`: {Level: 70}} {
		v, err := ty.DecodeJSON([]byte(raw), reflect.Value{})
		if err != nil || v.Interface().(tLamp).Color != want.Color || v.Interface().(tLamp).Kind != want.Kind || v.Interface().(tLamp).Level != want.Level {
			t.Errorf("%s: %v, %v", raw, v, err)
		}
	}
	// What was read may be sent back with the rest.
	base := reflect.ValueOf(&tLamp{Color: 9}).Elem()
	if v, err := ty.DecodeJSON([]byte(`{"Color":9,"Kind":"Brute"}`), base); err != nil || v.Interface().(tLamp).Kind != tBrute {
		t.Errorf("%v, %v", v, err)
	}
}

// A path shows the labels of the field's own tag.
func TestPathsShowLabels(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[tLamp]())
	root := reflect.ValueOf(&tLamp{Color: 1, Kind: tSniper}).Elem()
	for path, want := range map[string]string{"Color": `"Green"`, "Kind": `"Sniper"`, "": `{"Color":"Green","Kind":"Sniper","Level":"La_a","Names":null}`} {
		p := mustPath(t, ty, path)
		v, err := p.Get(root)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := p.AppendJSON(nil, v, EncodeOptions{}); err != nil || string(b) != want {
			t.Errorf("%s: %s, want %s, %v", path, b, want, err)
		}
	}
}

type tParty struct {
	Leader  Entity
	Members []Entity
	Marked  map[Entity]string
	Past    struct{ Killer Entity } `debug:"dangling"`
	Next    *tParty
	Any     any
	N       int
}

func TestEntitiesAreFoundWhereverTheyAre(t *testing.T) {
	v := &tParty{Leader: Entity{ID: 1, Gen: 1}, Members: []Entity{{ID: 2, Gen: 1}, {ID: 3, Gen: 1}}, Marked: map[Entity]string{{ID: 4, Gen: 1}: "x"}, Any: []any{Entity{ID: 6, Gen: 1}}}
	v.Past.Killer = Entity{ID: 5, Gen: 1}
	v.Next = &tParty{Next: v, Leader: Entity{ID: 7, Gen: 1}} // a cycle
	layout.LearnType(reflect.TypeFor[Entity]())
	var got []string
	layout.Of(reflect.TypeFor[tParty]()).EachEntity(reflect.ValueOf(v).UnsafePointer(), func(at *EntityAt) bool {
		if !at.Entity.IsZero() {
			got = append(got, fmt.Sprintf("%s=%v %t", at.Path(), at.Entity, at.Dangling))
		}
		return true
	})
	want := []string{"Leader=1v1 false", "Members[0]=2v1 false", "Members[1]=3v1 false", `Marked["4v1"]=4v1 false`, "Past.Killer=5v1 true",
		"Next.Leader=7v1 false", "Any.([]interface {})[0].(layout.Entity)=6v1 false"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// The result of an action reads the same in a script and as a tool's answer.
func TestResultsForScriptsHaveTheirJSONNames(t *testing.T) {
	type result struct {
		HP   int    `json:"hp"`
		Note string `json:"note,omitempty"`
	}
	got := ArgsOf(reflect.TypeFor[result]()).ToGo(reflect.ValueOf(result{HP: 5}))
	if want := map[string]any{"hp": int64(5)}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
