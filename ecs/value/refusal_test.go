package value

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

type tStats struct {
	HP     int     `debug:"min=0,unit=hp" jsonschema:"hit points"`
	Speed  float32 `debug:"min=-10,max=10"`
	Small  int8
	Big    uint64
	Name   string
	On     bool
	Kind   tKind
	Mode   int    `debug:"enum=Off|Slow:5|Fast"`
	Color  string `debug:"enum=red|green"`
	Seed   int    `debug:"readonly"`
	Secret int    `debug:"hidden"`
	Pos    tVec
	RGB    [3]float32 `debug:"max=1"`
	Slots  []tSlot
	Tags   map[string]int
	Target Entity
	Wait   time.Duration
	Blob   []byte
	Weapon tWeapon
	Next   *tStats
}

func TestLenientInput(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[tStats]())
	tests := []struct{ raw, path, want string }{
		{`{"HP":"4"}`, "HP", `4`},
		{`{"HP":"4.0"}`, "HP", `4`},
		{`{"HP":4.0}`, "HP", `4`},
		{`{"HP":1e3}`, "HP", `1000`},
		{`{"Big":"18446744073709551615"}`, "Big", `"18446744073709551615"`},
		{`{"Big":18446744073709551615}`, "Big", `"18446744073709551615"`},
		{`{"Big":9007199254740993.0}`, "Big", `"9007199254740993"`},
		{`{"Speed":" 4.0 "}`, "Speed", `4`},
		{`{"Speed":"+1.5"}`, "Speed", `1.5`},
		{`{"On":"true"}`, "On", `true`},
		{`{"Kind":"Sniper"}`, "Kind", `"Sniper"`},
		{`{"Kind":2}`, "Kind", `"Sniper"`},
		{`{"Mode":"Fast"}`, "Mode", `"Fast"`},
		{`{"Mode":5}`, "Mode", `"Slow"`},
		{`{"Color":"green"}`, "Color", `"green"`},
		{`{"Pos":"2 3"}`, "Pos", `{"X":2,"Y":3}`},
		{`{"Pos":"2, 3"}`, "Pos", `{"X":2,"Y":3}`},
		{`{"Pos":[2,"NaN"]}`, "Pos", `{"X":2,"Y":"NaN"}`},
		{`{"Pos":"{\"X\":5}"}`, "Pos", `{"X":5,"Y":0}`},
		{`{"RGB":"0.5 0 1"}`, "RGB", `[0.5,0,1]`},
		{`{"RGB":"[0,0,1]"}`, "RGB", `[0,0,1]`},
		{`{"Slots":"[{\"Item\":\"a\"}]"}`, "Slots", `[{"Item":"a","Count":0}]`},
		{`{"Tags":"{\"a\":\"7\"}"}`, "Tags", `{"a":7}`},
		{`{"Target":[42,3]}`, "Target", `"42v3"`},
		{`{"Target":null}`, "Target", `null`},
		{`{"Wait":"1.5s"}`, "Wait", `1500000000`},
		{`{"Blob":[1,2,3]}`, "Blob", `"AQID"`},
		{`{"Weapon":{"$type":"tSword","value":{"Edge":3}}}`, "Weapon", `{"$type":"value.tSword","value":{"Edge":3}}`},
		{`{"Next":{"HP":3}}`, "Next.HP", `3`},
		{`"{\"HP\":3}"`, "HP", `3`},
	}
	for _, tt := range tests {
		v, err := ty.DecodeJSON([]byte(tt.raw), reflect.Value{})
		if err != nil {
			t.Errorf("%s: %v", tt.raw, err)
			continue
		}
		p, err := ty.Path(tt.path)
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := p.Get(v)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := layout.AppendJSON(nil, leaf, EncodeOptions{})
		if tt.path == "Mode" { // labels of a tag belong to the field
			b, _ = layout.AppendJSON(nil, v, EncodeOptions{})
			if !strings.Contains(string(b), `"Mode":`+tt.want) {
				t.Errorf("%s: %s", tt.raw, b)
			}
			continue
		}
		if string(b) != tt.want {
			t.Errorf("%s: %s is %s, want %s", tt.raw, tt.path, b, tt.want)
		}
	}
}

func TestRefusalsTeach(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[tStats]())
	tests := []struct {
		raw  string
		code refusal.Code
		says string // all of these words, separated by |
	}{
		{`{"HP":-4}`, refusal.InvalidArguments, "tStats.HP|-4|at least 0 hp"},
		{`{"HP":4.5}`, refusal.InvalidArguments, "tStats.HP|4.5|whole number"},
		{`{"HP":"many"}`, refusal.InvalidArguments, `tStats.HP|"many"|an integer`},
		{`{"HP":null}`, refusal.InvalidArguments, "tStats.HP|null|an integer"},
		{`{"HP":true}`, refusal.InvalidArguments, "tStats.HP|true"},
		{`{"Speed":11}`, refusal.InvalidArguments, "tStats.Speed|11|from -10 to 10"},
		{`{"Speed":"NaN"}`, refusal.InvalidArguments, "tStats.Speed|NaN|from -10 to 10"},
		{`{"Small":128}`, refusal.InvalidArguments, "tStats.Small|128|-128 to 127"},
		{`{"Small":1e400}`, refusal.InvalidArguments, "tStats.Small|1e400"},
		{`{"Big":-1}`, refusal.InvalidArguments, "tStats.Big|-1|from 0 to 18446744073709551615"},
		{`{"Pos":{"X":1e400}}`, refusal.InvalidArguments, "tStats.Pos.X|1e400|beyond the range"},
		{`{"Pos":{"X":1e-400}}`, refusal.InvalidArguments, "too small"},
		{`{"Pos":{"X":1,"Z":2}}`, refusal.UnknownField, `tStats.Pos|"Z"|X, Y`},
		{`{"Pos":[1,2,3]}`, refusal.InvalidArguments, "tStats.Pos|[1,2,3]|2 numbers"},
		{`{"Pos":"far"}`, refusal.InvalidArguments, `tStats.Pos|"far"|2 numbers`},
		{`{"Pos":["a","b"]}`, refusal.InvalidArguments, `tStats.Pos.X|"a"`},
		{`{"RGB":[0,0,2]}`, refusal.InvalidArguments, "tStats.RGB[2]|2|at most 1"},
		{`{"HQ":1}`, refusal.UnknownField, `tStats has no field "HQ"; it has HP`},
		{`{"Secret":1}`, refusal.UnknownField, `"Secret"`},
		{`{"Seed":9}`, refusal.InvalidArguments, "tStats.Seed|read-only"},
		{`{"Kind":"Wizard"}`, refusal.InvalidArguments, `tStats.Kind|"Wizard"|Grunt, Brute, Sniper`},
		{`{"Kind":300}`, refusal.InvalidArguments, "tStats.Kind|300|0 to 255"},
		{`{"Color":"blue"}`, refusal.InvalidArguments, `"blue"|red, green`},
		{`{"Name":5}`, refusal.InvalidArguments, "tStats.Name|5|a string"},
		{`{"On":1}`, refusal.InvalidArguments, "tStats.On|1|true or false"},
		{`{"Target":"zzz"}`, refusal.InvalidArguments, `tStats.Target|"zzz"|"42v3"`},
		{`{"Target":"42"}`, refusal.InvalidArguments, `"42v3"`},
		{`{"Target":[4294967296,1]}`, refusal.InvalidArguments, "tStats.Target"},
		{`{"Slots":[{"Item":"a"},{"Count":"x"}]}`, refusal.InvalidArguments, `tStats.Slots[1].Count|"x"`},
		{`{"Slots":{"a":1}}`, refusal.InvalidArguments, "a list of objects with Item, Count"},
		{`{"Tags":{"fire":"hot"}}`, refusal.InvalidArguments, `tStats.Tags["fire"]|"hot"`},
		{`{"Tags":[1]}`, refusal.InvalidArguments, "an object"},
		{`{"Blob":"***"}`, refusal.InvalidArguments, "base64"},
		{`{"Weapon":{"Edge":3}}`, refusal.InvalidArguments, "tStats.Weapon|$type"},
		{`{"Weapon":{"$type":"tSwrod","value":{}}}`, refusal.InvalidArguments, "tSwrod"},
		{`{"Weapon":{"$type":"int","value":1}}`, refusal.InvalidArguments, "tWeapon"},
		{`{"Weapon":{"$type":"tSword","value":{"Edgy":1}}}`, refusal.UnknownField, "Edge"},
		{`{"HP":1,"HP":2}`, refusal.InvalidArguments, `"HP"|twice`},
		{`{"HP":1`, refusal.InvalidArguments, "not valid JSON"},
		{`{"HP":01}`, refusal.InvalidArguments, "not valid JSON"},
		{`{"Name":"\ud800"}`, refusal.InvalidArguments, "surrogate"},
		{"{\"Name\":\"\xff\"}", refusal.InvalidArguments, "$bytes"},
		{``, refusal.InvalidArguments, "ends"},
		{`5`, refusal.InvalidArguments, "tStats: got 5, want an object"},
		{strings.Repeat("[", 200), refusal.InvalidArguments, "nested"},
	}
	for _, tt := range tests {
		base := ty.New()
		base.FieldByName("HP").SetInt(7)
		_, err := ty.DecodeJSON([]byte(tt.raw), base)
		var e *refusal.Error
		if !errors.As(err, &e) || e.Code != tt.code {
			t.Errorf("%.40s: %v", tt.raw, err)
			continue
		}
		for _, w := range strings.Split(tt.says, "|") {
			if !strings.Contains(e.Message, w) {
				t.Errorf("%.60s: %q does not say %q", tt.raw, e.Message, w)
			}
		}
		if e.Extra["guide"] == nil {
			t.Errorf("%.40s: no guide", tt.raw)
		}
		if base.FieldByName("HP").Int() != 7 {
			t.Error("the base was changed")
		}
		if _, err := json.Marshal(e); err != nil {
			t.Errorf("%.40s: the refusal does not encode: %v", tt.raw, err)
		}
	}
	_, err := ty.DecodeJSON([]byte(`{"HQ":1}`), reflect.Value{})
	if e := err.(*refusal.Error); len(e.Options) == 0 || e.Options[0] != "HP" || e.Total != 19 {
		t.Errorf("options %v of %d", e.Options, e.Total)
	}
	_, err = ty.DecodeJSON([]byte(`{"Weapon":{"$type":"ecs.tSwrod"}}`), reflect.Value{})
	if e := err.(*refusal.Error); len(e.Options) == 0 || e.Options[0] != "value.tSword" {
		t.Errorf("type options %v", e.Options)
	}
}

// A value that was read goes back whole, read-only fields and all.
func TestReadOnlySentBack(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[tStats]())
	v := ty.New()
	v.FieldByName("Seed").SetInt(11)
	v.FieldByName("HP").SetInt(-3) // the game may leave the declared range
	b, _ := layout.AppendJSON(nil, v, EncodeOptions{})
	if _, err := ty.DecodeJSON(b, v); err != nil {
		t.Error(err)
	}
	if strings.Contains(string(b), "Secret") {
		t.Error("a hidden field is shown")
	}
}

func TestMergeAndReplace(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[tStats]())
	base, err := ty.DecodeJSON([]byte(`{"HP":1,"Name":"n","Pos":[1,2],"Slots":[{"Item":"a","Count":9}],"Tags":{"a":1},"Next":{"HP":5,"Name":"x"}}`), reflect.Value{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := ty.DecodeJSON([]byte(`{"Pos":{"X":7},"Slots":[{"Item":"b"}],"Tags":{"b":2},"Next":{"HP":6}}`), base)
	if err != nil {
		t.Fatal(err)
	}
	s := v.Interface().(tStats)
	if s.HP != 1 || s.Name != "n" || s.Pos != (tVec{7, 2}) || s.Next.Name != "x" || s.Next.HP != 6 {
		t.Errorf("unnamed fields were not kept: %+v", s)
	}
	if s.Slots[0].Count != 0 || len(s.Tags) != 1 || s.Tags["b"] != 2 {
		t.Errorf("lists and maps were not replaced: %+v", s)
	}
	if o := base.Interface().(tStats); o.Next.HP != 5 || o.Tags["a"] != 1 || o.Slots[0].Item != "a" {
		t.Errorf("the base was changed: %+v", o)
	}
}

type tArgs struct {
	Entity string          `json:"entity" jsonschema:"whose"`
	Amount int             `json:"amount" debug:"min=1"`
	Limit  int             `json:"limit,omitempty" debug:"default=50,max=1000"`
	List   []string        `json:"list,omitempty"`
	Bag    map[string]any  `json:"bag,omitempty"`
	Raw    json.RawMessage `json:"raw,omitempty"`
	On     *bool           `json:"on"`
	Skip   int             `json:"-"`
}

func TestArguments(t *testing.T) {
	ty := ArgsOf(reflect.TypeFor[tArgs]())
	v, err := ty.DecodeJSON([]byte(`{"entity":"1v1","amount":"3","bag":{"a":[1,{"b":null}],"n":9007199254740993},"raw":{"k": [1, 2]},"on":null,"list":null}`), reflect.Value{})
	if err != nil {
		t.Fatal(err)
	}
	a := v.Interface().(tArgs)
	want := map[string]any{"a": []any{1.0, map[string]any{"b": nil}}, "n": int64(9007199254740993)}
	if a.Amount != 3 || a.Limit != 50 || !reflect.DeepEqual(a.Bag, want) || string(a.Raw) != `{"k": [1, 2]}` || a.On != nil {
		t.Errorf("%+v", a)
	}
	for raw, says := range map[string]string{
		`{"entity":"1v1"}`:                        "amount is missing",
		`{"entity":"1v1","amount":0}`:             "amount: got 0, want at least 1",
		`{"entity":"1v1","amount":1,"limits":3}`:  `no argument "limits"`,
		`{"entity":"1v1","amount":1,"Skip":3}`:    `"Skip"`,
		`{"entity":"1v1","amount":1,"limit":1e9}`: "at most 1000",
		`{"entity":7,"amount":1}`:                 "entity: got 7, want a string",
		`[]`:                                      "want an object",
	} {
		_, err := ty.DecodeJSON([]byte(raw), reflect.Value{})
		var e *refusal.Error
		if !errors.As(err, &e) || e.Code != refusal.InvalidArguments || !strings.Contains(e.Message, says) {
			t.Errorf("%s: %v", raw, err)
		}
		if strings.Contains(raw, "limits") && !slices.Contains(e.Options, "limit") {
			t.Errorf("options %v", e.Options)
		}
	}
	names := []string{}
	for _, f := range ty.Fields {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "entity amount limit list bag raw on" {
		t.Error(got)
	}
}

func TestPaths(t *testing.T) {
	type inner struct {
		N    int
		List []int
	}
	type comp struct {
		tBase
		A    [3]inner
		S    []inner
		M    map[string]inner
		I    map[int]string
		K    map[tKind]int
		E    map[Entity]int
		P    *inner
		W    tWeapon
		PP   map[string]*inner
		priv inner
		Map2 map[string]map[string]int
	}
	ty := TypeOf(reflect.TypeFor[comp]())
	fresh := func() reflect.Value {
		v := ty.New()
		v.Set(reflect.ValueOf(comp{tBase: tBase{9}, S: []inner{{N: 1, List: []int{5}}, {N: 2}}, M: map[string]inner{"a b": {N: 3}},
			I: map[int]string{-2: "m"}, K: map[tKind]int{tBrute: 4}, E: map[Entity]int{{ID: 4, Gen: 2}: 6}, P: &inner{N: 7}, W: tSword{8},
			PP: map[string]*inner{"x": {N: 9}}, priv: inner{N: 10}}))
		return v
	}
	for path, want := range map[string]string{
		"ID": "9", "tBase.ID": "9", "A[2].N": "0", "S[1].N": "2", "S[0].List[0]": "5", `M["a b"].N`: "3", "I[-2]": `"m"`, `I["-2"]`: `"m"`,
		"K[Brute]": "4", `K["Brute"]`: "4", "E[4v2]": "6", `E["4v2"]`: "6", "P.N": "7", "W.(value.tSword).Edge": "8", `PP["x"].N`: "9", "priv.N": "10",
	} {
		p, err := ty.Path(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		root := fresh()
		v, err := p.Get(root)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got, _ := layout.AppendJSON(nil, v, EncodeOptions{}); string(got) != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
		raw := "77"
		if strings.HasPrefix(path, "I") && path != "ID" {
			raw = `"new"`
		}
		leaf, err := p.Decode([]byte(raw))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := p.Set(root, leaf); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if v, err := p.Get(root); err != nil || !layout.Equal(v, leaf) {
			t.Errorf("%s was not set: %v", path, err)
		}
		if _, ok := p.Fixed(); ok != (path == "ID" || path == "tBase.ID" || path == "A[2].N" || path == "priv.N") {
			t.Errorf("%s: fixed %t", path, ok)
		}
	}
	if off, ok := mustPath(t, ty, "A[1].N").Fixed(); !ok || off != reflect.TypeFor[comp]().Field(1).Offset+reflect.TypeFor[inner]().Size() {
		t.Errorf("offset %d %t", off, ok)
	}
	// Entries that do not exist are made; nil maps too.
	root := fresh()
	for _, path := range []string{`M["new"].N`, `PP["x"].N`, `K[Sniper]`} {
		p := mustPath(t, ty, path)
		leaf, _ := p.Decode([]byte("5"))
		if err := p.Set(root, leaf); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	zero := ty.New()
	p := mustPath(t, ty, `Map2["a"]["b"]`)
	leaf, _ := p.Decode([]byte("5"))
	if err := p.Set(zero, leaf); err != nil {
		t.Error(err)
	}
	if v, err := p.Get(zero); err != nil || v.Int() != 5 {
		t.Errorf("nested map: %v", err)
	}
	// What cannot be reached says why, and nothing changes.
	for path, says := range map[string]string{
		"S[9].N": "2 elements", "P.N": "nil pointer", `PP["q"].N`: "nil pointer", "W.(*value.tBow).Draw": "holds nil", "S[0].List[0]": "0 elements",
	} {
		root := fresh()
		if path != "S[9].N" {
			root = ty.New()
			root.FieldByName("S").Set(reflect.ValueOf([]inner{{}, {}}))
		}
		before := layout.Copy(root)
		p := mustPath(t, ty, path)
		raw := "1"
		leaf, err := p.Decode([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		err = p.Set(root, leaf)
		if !errors.Is(err, refusal.InvalidArguments) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
		if !layout.Equal(before, root) {
			t.Errorf("%s: a refused write changed something", path)
		}
	}
	for path, code := range map[string]refusal.Code{
		"Z": refusal.UnknownField, "A[1].Q": refusal.UnknownField, "A[3]": refusal.InvalidArguments, "A[-1]": refusal.InvalidArguments, "A[x]": refusal.InvalidArguments, "S[": refusal.InvalidArguments,
		"S[0": refusal.InvalidArguments, `M["a`: refusal.InvalidArguments, "ID.X": refusal.UnknownField, ".ID": refusal.InvalidArguments, "A..N": refusal.InvalidArguments, "A.": refusal.InvalidArguments,
		"W.Edge": refusal.InvalidArguments, "W.(nope)": refusal.InvalidArguments, "ID[0]": refusal.InvalidArguments, "K[Wizard]": refusal.InvalidArguments, "A]": refusal.InvalidArguments,
		"M.a": refusal.InvalidArguments, "ID.(int)": refusal.InvalidArguments, strings.Repeat("A", 5000): refusal.InvalidArguments, "\xff": refusal.InvalidArguments,
	} {
		_, err := ty.Path(path)
		if !errors.Is(err, code) {
			t.Errorf("%.30q: %v, want %s", path, err, code)
		}
	}
	_, err := ty.Path("S[0].M")
	if e := err.(*refusal.Error); !slices.Equal(e.Options, []string{"N", "List"}) {
		t.Errorf("options %v", e.Options)
	}
}

func mustPath(t *testing.T, ty *Type, s string) *Path {
	t.Helper()
	p, err := ty.Path(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestGoValues(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[tStats]())
	for _, tt := range []struct {
		path string
		in   any
		want any
	}{
		{"HP", 7.0, int64(7)}, {"HP", int64(7), int64(7)}, {"HP", "7", int64(7)}, {"Speed", 1.5, 1.5}, {"On", true, true}, {"Kind", "Brute", "Brute"},
		{"Kind", 1.0, "Brute"}, {"Mode", "Slow", "Slow"}, {"Target", "4v2", "4v2"}, {"Target", nil, nil}, {"Big", "18446744073709551615", uint64(math.MaxUint64)},
		{"Pos", map[string]any{"X": 1.0, "Y": math.Inf(1)}, map[string]any{"X": 1.0, "Y": math.Inf(1)}},
		{"Slots", []any{map[string]any{"Item": "a", "Count": 2.0}}, []any{map[string]any{"Item": "a", "Count": int64(2)}}},
		{"Tags", map[string]any{"$ref": 1.0}, map[string]any{"$ref": int64(1)}}, {"Name", "caf\xe9", "caf\xe9"}, {"Pos.X", math.Copysign(0, -1), math.Copysign(0, -1)},
	} {
		p := mustPath(t, ty, tt.path)
		leaf, err := p.FromGo(tt.in)
		if err != nil {
			t.Errorf("%s = %v: %v", tt.path, tt.in, err)
			continue
		}
		root := ty.New()
		if err := p.Set(root, leaf); err != nil {
			t.Fatal(err)
		}
		if got, err := p.ToGo(root); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s = %#v came back as %#v (%v)", tt.path, tt.in, got, err)
		}
	}
	for _, in := range []any{4.5, -1.0, "x", math.NaN(), math.Inf(1), nil, 1e300, []any{}, struct{}{}, int64(math.MinInt64)} {
		if _, err := mustPath(t, ty, "HP").FromGo(in); !errors.Is(err, refusal.InvalidArguments) {
			t.Errorf("HP = %v: %v", in, err)
		}
	}
	loop := []any{nil}
	loop[0] = loop
	if _, err := ty.FromGo(map[string]any{"Slots": loop}, reflect.Value{}); !errors.Is(err, refusal.InvalidArguments) {
		t.Errorf("a table that holds itself: %v", err)
	}
	v, err := ty.FromGo(map[string]any{"HP": 5.0}, reflect.Value{})
	if err != nil || v.FieldByName("HP").Int() != 5 {
		t.Errorf("whole value: %v", err)
	}
}
