package snapshot

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// The same types as an older and a newer build of a game have them. Rename
// brings the names together.
type (
	oldKind uint8
	newKind int16

	oldSlot struct {
		Item  string
		Count int32
		Gone  bool
	}
	newSlot struct {
		Count  int64
		Item   string
		Shiny  bool `debug:"default=true"`
		Extra_ [2]int
	}
	oldUnit struct {
		HP      int32
		Speed   float32
		Kind    oldKind
		Removed []string
		Text    string
		Slots   []oldSlot
		ByName  map[string]oldSlot
		Link    *oldSlot
		Grid    [2]int8
		Wide    int64
		Whole   float64
		Any     any
		Dead    *int
	}
	newUnit struct {
		Grid   [4]int8
		Slots  []newSlot
		ByName map[string]newSlot
		Link   *newSlot
		Kind   newKind
		Speed  float64
		HP     int64
		Text   int // was a string: nothing in common
		Wide   int8
		Whole  uint16
		Any    any
		Fresh  map[string]int
	}
	oldPoint struct{ X, Y float64 }
	newPoint struct{ Y, X float32 }
)

func init() {
	value.EnumLabels(map[oldKind]string{0: "Grunt", 1: "Brute", 2: "Sniper"})
	value.EnumLabels(map[newKind]string{10: "Sniper", 11: "Grunt", 12: "Brute"})
	value.Describe[newUnit](value.Default(newUnit{Fresh: map[string]int{"d": 1}, Text: 5, Grid: [4]int8{9, 9, 9, 9}}))
	value.Describe[newSlot](value.Default(newSlot{Shiny: true}))
}

var renames = map[string]string{
	value.LayoutOf(reflect.TypeFor[oldUnit]()).Name:  value.LayoutOf(reflect.TypeFor[newUnit]()).Name,
	value.LayoutOf(reflect.TypeFor[oldPoint]()).Name: value.LayoutOf(reflect.TypeFor[newPoint]()).Name,
	value.LayoutOf(reflect.TypeFor[oldSlot]()).Name:  value.LayoutOf(reflect.TypeFor[newSlot]()).Name,
}

func unit(i int) oldUnit {
	n := 4
	return oldUnit{HP: int32(-i), Speed: 1.5, Kind: oldKind(i % 3), Removed: []string{"a"}, Text: "t",
		Slots: []oldSlot{{"axe", int32(i), true}, {"bow", 2, false}}, ByName: map[string]oldSlot{"k": {"key", 3, true}},
		Link: &oldSlot{"link", 4, true}, Grid: [2]int8{1, 2}, Wide: 100, Whole: 7, Any: oldSlot{"any", 1, true}, Dead: &n}
}

func TestFieldsAreMatchedByName(t *testing.T) {
	b := newFake(types(typ[oldUnit](), typ[oldPoint]()), nil)
	var units []oldUnit
	var points []oldPoint
	for i := range 10 {
		units = append(units, unit(i))
		points = append(points, oldPoint{float64(i), 0.5})
	}
	b.rows(nil, units, points)
	data := save(t, b.w, nil)

	n := newFake(types(typ[newUnit](), typ[newPoint]()), nil)
	refused(t, data, n.w, refusal.BadSnapshot, nil)
	rep := load(t, data, n.w, &Options{Rename: renames})
	for i, u := range columnOf[newUnit](t, n.w, 0) {
		want := newUnit{Grid: [4]int8{1, 2, 9, 9}, Slots: []newSlot{{int64(i), "axe", true, [2]int{}}, {2, "bow", true, [2]int{}}},
			ByName: map[string]newSlot{"k": {3, "key", true, [2]int{}}}, Link: &newSlot{4, "link", true, [2]int{}},
			Kind: newKind([]int{11, 12, 10}[i%3]), Speed: 1.5, HP: int64(-i), Text: 5, Wide: 100, Whole: 7,
			Any: newSlot{1, "any", true, [2]int{}}, Fresh: map[string]int{"d": 1}}
		if !reflect.DeepEqual(u, want) {
			t.Fatalf("row %d:\n%+v\nwant\n%+v", i, u, want)
		}
	}
	if p := columnOf[newPoint](t, n.w, 0)[3]; p != (newPoint{0.5, 3}) {
		t.Errorf("%+v", p)
	}
	// Defaults are not shared between rows.
	columnOf[newUnit](t, n.w, 0)[0].Fresh["d"] = 2
	if columnOf[newUnit](t, n.w, 0)[1].Fresh["d"] != 1 {
		t.Error("two rows share a default")
	}
	got := map[string]string{}
	for _, p := range rep.Projected {
		got[p.Field] += p.Change + " "
	}
	for field, want := range map[string]string{"Removed": "dropped ", "Fresh": "added ", "Text": "dropped added ", "Speed": "converted ", "HP": "converted ",
		"Kind": "converted ", "Slots[].Gone": "dropped ", "Slots[].Shiny": "added ", "Slots[].Count": "converted ", "Grid": "converted ", "Dead": "dropped ", "X": "converted "} {
		if got[field] != want {
			t.Errorf("%s is reported as %q, want %q", field, got[field], want)
		}
	}
}

func TestConversionsAreLosslessOrRefused(t *testing.T) {
	for name, change := range map[string]func(*oldUnit){
		"Wide":  func(u *oldUnit) { u.Wide = 128 },
		"Whole": func(u *oldUnit) { u.Whole = 7.5 },
	} {
		b := newFake(types(typ[oldUnit]()), nil)
		u := unit(1)
		change(&u)
		b.rows(nil, []oldUnit{unit(0), u})
		n := newFake(types(typ[newUnit]()), nil)
		e := refused(t, save(t, b.w, nil), n.w, refusal.BadSnapshot, &Options{Rename: renames})
		if !strings.Contains(e.Message, name) || !strings.Contains(e.Message, "fit") {
			t.Errorf("%s: %s", name, e.Message)
		}
	}
	b := newFake(types(typ[oldPoint]()), nil)
	b.rows(nil, []oldPoint{{0.1, 0}})
	n := newFake(types(typ[newPoint]()), nil)
	if e := refused(t, save(t, b.w, nil), n.w, refusal.BadSnapshot, &Options{Rename: renames}); !strings.Contains(e.Message, "0.1") {
		t.Error(e.Message)
	}
}

func TestNumbers(t *testing.T) {
	kinds := map[kind][]uint64{kInt: {1, 2, 4, 8}, kUint: {1, 2, 4, 8}, kFloat: {4, 8}}
	values := []number{{kind: kInt, i: 0}, {kind: kInt, i: -1}, {kind: kInt, i: 127}, {kind: kInt, i: 128}, {kind: kInt, i: -128}, {kind: kInt, i: -129},
		{kind: kInt, i: math.MaxInt64}, {kind: kInt, i: math.MinInt64}, {kind: kInt, i: 1 << 53}, {kind: kInt, i: 1<<53 + 1},
		{kind: kUint, u: math.MaxUint64}, {kind: kUint, u: 1 << 63}, {kind: kUint, u: 255}, {kind: kFloat, f: 0.5}, {kind: kFloat, f: math.NaN()},
		{kind: kFloat, f: math.Inf(1)}, {kind: kFloat, f: math.Copysign(0, -1)}, {kind: kFloat, f: 1 << 63}, {kind: kFloat, f: 1 << 64}, {kind: kFloat, f: -1 << 63}, {kind: kFloat, f: 16777217}}
	stored := 0
	for _, x := range values {
		for k, sizes := range kinds {
			for _, size := range sizes {
				n := &node{kind: k, Layout: &value.Layout{Size: uintptr(size)}}
				var mem [8]byte
				p := reflect.ValueOf(&mem).UnsafePointer()
				if !x.store(n, p) {
					continue
				}
				stored++
				var e encoder
				encodeScalar(n.Size)(&e, p)
				var budget int64
				d := &decoder{reader: reader{data: e.buf, budget: &budget}}
				y := d.number(k, size)
				// What was stored reads as the same mathematical value.
				if x.String() != y.String() && fmt.Sprint(bigOf(x)) != fmt.Sprint(bigOf(y)) {
					t.Errorf("%s as %s%d became %s", x, kindNames[k], 8*size, y)
				}
			}
		}
	}
	if stored != 91 {
		t.Errorf("%d conversions were possible, want 91", stored)
	}
}

func bigOf(x number) string {
	if x.kind == kFloat && !math.IsInf(x.f, 0) && x.f == x.f && !(x.f == 0 && math.Signbit(x.f)) {
		return fmt.Sprintf("%.1f", x.f)
	}
	return x.String() + map[bool]string{true: ".0"}[x.kind != kFloat]
}

func TestALabelThatIsGone(t *testing.T) {
	type a struct{ K oldKind }
	type b struct{ K fewKind }
	o := newFake(types(typ[a]()), nil)
	o.rows(nil, []a{{0}, {2}})
	n := newFake(types(typ[b]()), nil)
	e := refused(t, save(t, o.w, nil), n.w, refusal.BadSnapshot, &Options{Rename: map[string]string{value.LayoutOf(typ[a]()).Name: value.LayoutOf(typ[b]()).Name}})
	if !strings.Contains(e.Message, "Sniper") {
		t.Error(e.Message)
	}
}

type fewKind uint8

func init() { value.EnumLabels(map[fewKind]string{0: "Grunt", 1: "Brute"}) }

func TestAComponentThatBecameAnotherKind(t *testing.T) {
	type was struct{ A, B int }
	type is []string
	o := newFake(types(typ[was]()), nil)
	o.rows(nil, []was{{1, 2}, {3, 4}})
	n := newFake(types(typ[is]()), nil)
	rep := load(t, save(t, o.w, nil), n.w, &Options{Rename: map[string]string{value.LayoutOf(typ[was]()).Name: value.LayoutOf(typ[is]()).Name}})
	if got := columnOf[is](t, n.w, 0); len(got) != 2 || got[0] != nil || len(rep.Projected) != 2 {
		t.Errorf("%v %+v", got, rep.Projected)
	}
}

type unknownDyn struct{ A int }

func TestADynamicTypeThatIsNotKnown(t *testing.T) {
	b := newFake(types(typ[sink]()), nil)
	b.rows(nil, []sink{{Any: unknownDyn{3}, Lead: 1}})
	data := save(t, b.w, nil)
	// The process that saved it knows it; make it another process's type.
	head, body := unpack(t, data)
	other := bytes.ReplaceAll(body, []byte("unknownDyn"), []byte("unknownXyz"))
	data = pack(head, other)
	e := refused(t, data, b.w, refusal.BadSnapshot, nil)
	if !strings.Contains(e.Hint, "RegisterType") || !strings.Contains(e.Message, "unknownXyz") {
		t.Errorf("%+v", e)
	}
	rep := load(t, data, b.w, &Options{AllowUnknown: true})
	if s := columnOf[sink](t, b.w, 0)[0]; s.Any != nil || s.Lead != 1 || len(rep.Skipped) != 1 {
		t.Errorf("%+v %+v", s.Any, rep.Skipped)
	}
}

// The same component of an older and a newer build, its labels reordered: they
// stand in the tag alone.
type (
	oldLamp struct {
		Color uint8 `debug:"enum=Red|Green|Blue"`
		Mode  string
	}
	newLamp struct {
		Color uint8 `debug:"enum=Blue|Red|Green"`
		Mode  string
	}
)

func TestLabelsOfATagAreLoadedByName(t *testing.T) {
	o := newFake(types(typ[oldLamp]()), nil)
	o.rows(nil, []oldLamp{{0, "r"}, {1, "g"}, {2, "b"}, {9, "none"}})
	n := newFake(types(typ[newLamp]()), nil)
	rep := load(t, save(t, o.w, nil), n.w, &Options{Rename: map[string]string{value.LayoutOf(typ[oldLamp]()).Name: value.LayoutOf(typ[newLamp]()).Name}})
	if got, want := columnOf[newLamp](t, n.w, 0), []newLamp{{1, "r"}, {2, "g"}, {0, "b"}, {9, "none"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("loaded %v, want %v", got, want)
	}
	want := Projection{Type: value.LayoutOf(typ[newLamp]()).Name, Field: "Color", Change: Converted,
		From: "uint8 (Red:0 Green:1 Blue:2)", To: "uint8 (Blue:0 Red:1 Green:2)"}
	if len(rep.Projected) != 1 || rep.Projected[0] != want {
		t.Errorf("projected %+v, want %+v", rep.Projected, want)
	}
}
