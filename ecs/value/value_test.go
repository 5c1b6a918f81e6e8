package value

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

type tKind uint8

const (
	tGrunt tKind = iota
	tBrute
	tSniper
)

func (k tKind) String() string {
	switch k {
	case tGrunt:
		return "Grunt"
	case tBrute:
		return "Brute"
	case tSniper:
		return "Sniper"
	}
	return fmt.Sprintf("tKind(%d)", uint8(k))
}

type tVec struct{ X, Y float64 }

type tSlot struct {
	Item  string
	Count int
}

type tNode struct {
	Name   string
	Parent *tNode
	Kids   []*tNode
}

type tWeapon interface{ Damage() int }

type tSword struct{ Edge int }

func (s tSword) Damage() int { return s.Edge }

type tBow struct{ Draw float64 }

func (b *tBow) Damage() int { return int(b.Draw) }

type tSecret struct {
	Open   int
	hidden int
	list   []string
}

type tBase struct{ ID int }

type tEmbeds struct {
	tBase
	Own string
}

type tText struct{ a, b int }

func (t tText) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d/%d", t.a, t.b), nil }
func (t *tText) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%d/%d", &t.a, &t.b)
	return err
}

type tJSON struct{ v []int }

func (t *tJSON) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]any{"v": t.v}) }
func (t *tJSON) UnmarshalJSON(b []byte) error {
	var m struct{ V []int }
	err := json.Unmarshal(b, &m)
	t.v = m.V
	return err
}

type tShown struct{ n int }

func (t tShown) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "#%d", t.n), nil }

type tBadJSON struct{ A int }

func (tBadJSON) MarshalJSON() ([]byte, error) { return []byte("{oops"), nil }

type tPanics struct{ A int }

func (tPanics) MarshalText() ([]byte, error) { panic("torn") }

type tOpaque struct {
	F func(int)
	C chan string
	M sync.Mutex
	N int
}

type tPair[A, B any] struct {
	First  A
	Second B
}

func init() {
	RegisterType[tSword]()
	RegisterType[*tBow]()
}

func encode(t *testing.T, v any, o EncodeOptions) string {
	t.Helper()
	b, err := layout.AppendJSON(nil, reflect.ValueOf(v), o)
	if err != nil {
		t.Fatalf("encode %T: %v", v, err)
	}
	if !json.Valid(b) {
		t.Fatalf("encode %T: invalid JSON %s", v, b)
	}
	return string(b)
}

// Every row of the table of values: the JSON written down, and the way back.
func TestValuesBothWays(t *testing.T) {
	long := make([]byte, 300)
	for i := range long {
		long[i] = byte(i)
	}
	nan := math.NaN()
	tests := []struct {
		name string
		v    any
		json string
	}{
		{"bool", true, `true`},
		{"int", -42, `-42`},
		{"int8", int8(-128), `-128`},
		{"largest safe", int64(1<<53 - 1), `9007199254740991`},
		{"beyond safe", int64(1 << 53), `"9007199254740992"`},
		{"min int64", int64(math.MinInt64), `"-9223372036854775808"`},
		{"max uint64", uint64(math.MaxUint64), `"18446744073709551615"`},
		{"uintptr", uintptr(7), `7`},
		{"float", 1.5, `1.5`},
		{"shortest", 0.1, `0.1`},
		{"float32 shortest", float32(0.1), `0.1`},
		{"tiny", 1.2345678901234568e-300, `1.2345678901234568e-300`},
		{"denormal", 5e-324, `5e-324`},
		{"largest", math.MaxFloat64, `1.7976931348623157e+308`},
		{"whole", 16777217.0, `16777217`},
		{"large whole", 1e20, `100000000000000000000`},
		{"negative zero", math.Copysign(0, -1), `-0.0`},
		{"NaN", nan, `"NaN"`},
		{"+Inf", math.Inf(1), `"Infinity"`},
		{"-Inf", float32(math.Inf(-1)), `"-Infinity"`},
		{"complex", complex(1, -2.5), `[1,-2.5]`},
		{"complex64", complex64(complex(0.1, 0)), `[0.1,0]`},
		{"string", "héllo ☃ \"q\" \\ \x00 \U0001F600\n", `"héllo ☃ \"q\" \\ \u0000 😀\n"`},
		{"not UTF-8", "caf\xe9", `{"$bytes":"Y2Fm6Q=="}`},
		{"bytes", []byte{1, 2, 3}, `"AQID"`},
		{"nil bytes", []byte(nil), `null`},
		{"empty bytes", []byte{}, `""`},
		{"array of 17 bytes", [17]byte{1}, `"AQAAAAAAAAAAAAAAAAAAAAA="`},
		{"array of 4 bytes", [4]byte{1, 2, 3, 4}, `[1,2,3,4]`},
		{"entity", Entity{ID: 42, Gen: 3}, `"42v3"`},
		{"no entity", Entity{}, `null`},
		{"label", tBrute, `"Brute"`},
		{"struct", tVec{1, -2}, `{"X":1,"Y":-2}`},
		{"empty struct", struct{}{}, `{}`},
		{"array", [3]int{1, 2, 3}, `[1,2,3]`},
		{"slice", []tSlot{{"a", 1}, {"b", 2}}, `[{"Item":"a","Count":1},{"Item":"b","Count":2}]`},
		{"nil slice", []int(nil), `null`},
		{"empty slice", []int{}, `[]`},
		{"nested slices", [][]int{nil, {}, {1}}, `[null,[],[1]]`},
		{"map", map[string]int{"ice": -1, "fire": 3}, `{"fire":3,"ice":-1}`},
		{"nil map", map[string]int(nil), `null`},
		{"empty map", map[string]int{}, `{}`},
		{"int keys", map[int]string{10: "b", 9: "a", -1: "c"}, `{"-1":"c","9":"a","10":"b"}`},
		{"uint keys", map[uint64]bool{math.MaxUint64: true, 2: false}, `{"2":false,"18446744073709551615":true}`},
		{"label keys", map[tKind]int{tSniper: 1, tGrunt: 2}, `{"Grunt":2,"Sniper":1}`},
		{"entity keys", map[Entity]int{{ID: 2, Gen: 1}: 1, {ID: 1, Gen: 5}: 2, {}: 3}, `{"0v0":3,"1v5":2,"2v1":1}`},
		{"text keys", map[tText]int{{1, 2}: 3}, `{"1/2":3}`},
		{"bool keys", map[bool]int{true: 1, false: 0}, `{"false":0,"true":1}`},
		{"float keys", map[float64]int{0.5: 1}, `{"0.5":1}`},
		{"struct keys", map[tVec]int{{1, 2}: 3}, `{"{\"X\":1,\"Y\":2}":3}`},
		{"reserved keys", map[string]int{"$ref": 1, "$more": 2, "$$x": 3, "$y": 4}, `{"$$$x":3,"$$more":2,"$$ref":1,"$y":4}`},
		{"not UTF-8 keys", map[string]int{"\xff": 1}, `{"$bytes:/w==":1}`},
		{"pointer", &tVec{3, 4}, `{"X":3,"Y":4}`},
		{"nil pointer", (*tVec)(nil), `null`},
		{"pointer to pointer", func() **int { n := 5; p := &n; return &p }(), `5`},
		{"interface", []tWeapon{tSword{4}, nil, &tBow{1.5}}, `[{"$type":"value.tSword","value":{"Edge":4}},null,{"$type":"*value.tBow","value":{"Draw":1.5}}]`},
		{"any", []any{1, "s", 2.5, nil, true, int64(1 << 60), []any{nan}},
			`[{"$type":"int","value":1},{"$type":"string","value":"s"},{"$type":"float64","value":2.5},null,` +
				`{"$type":"bool","value":true},{"$type":"int64","value":"1152921504606846976"},{"$type":"[]interface {}","value":[{"$type":"float64","value":"NaN"}]}]`},
		{"text", tText{3, 4}, `"3/4"`},
		{"JSON", struct{ J tJSON }{tJSON{[]int{1, 2}}}, `{"J":{"v":[1,2]}}`},
		{"time", time.Date(2024, 2, 29, 12, 0, 0, 5, time.UTC), `"2024-02-29T12:00:00.000000005Z"`},
		{"duration", 1500 * time.Millisecond, `1500000000`},
		{"big", struct{ N *big.Int }{big.NewInt(0).Lsh(big.NewInt(1), 80)}, `{"N":"1208925819614629174706176"}`},
		{"address", netip.MustParseAddr("10.0.0.1"), `"10.0.0.1"`},
		{"unexported", tSecret{1, 2, []string{"x"}}, `{"Open":1,"hidden":2,"list":["x"]}`},
		{"embedded", tEmbeds{tBase{7}, "o"}, `{"tBase":{"ID":7},"Own":"o"}`},
		{"raw", struct{ R json.RawMessage }{json.RawMessage(`{"a":[1,2]}`)}, `{"R":{"a":[1,2]}}`},
		{"generic", tPair[int, []tVec]{1, []tVec{{1, 2}}}, `{"First":1,"Second":[{"X":1,"Y":2}]}`},
		{"anonymous", struct{ A struct{ B [2]bool } }{}, `{"A":{"B":[false,false]}}`},
		{"long bytes", long, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := encode(t, tt.v, EncodeOptions{})
			if tt.json != "" && got != tt.json {
				t.Errorf("encoded %s\nwant    %s", got, tt.json)
			}
			ty := TypeOf(reflect.TypeOf(tt.v))
			back, err := ty.DecodeJSON([]byte(got), reflect.Value{})
			if err != nil {
				t.Fatalf("decode %s: %v", got, err)
			}
			if tt.name == "time" || tt.name == "address" || tt.name == "big" { // their pointers differ, their text does not
				if again := encode(t, back.Interface(), EncodeOptions{}); again != got {
					t.Errorf("came back as %s, went as %s", again, got)
				}
				return
			}
			if !layout.Equal(back, reflect.ValueOf(tt.v)) {
				t.Errorf("%s came back as %#v", got, back.Interface())
			}
		})
	}
}

func TestBulkCutsBytes(t *testing.T) {
	v := struct{ Data []byte }{make([]byte, 1000)}
	got := encode(t, v, EncodeOptions{Bulk: true})
	if !strings.Contains(got, `"$len":1000`) || len(got) > 500 {
		t.Fatalf("bulk: %d bytes, %s", len(got), got)
	}
	ty := TypeOf(reflect.TypeOf(v))
	if back, err := ty.DecodeJSON([]byte(got), reflect.ValueOf(v)); err != nil || !layout.Equal(back, reflect.ValueOf(v)) {
		t.Errorf("a cut value sent back over its whole: %v", err)
	}
	if _, err := ty.DecodeJSON([]byte(got), reflect.Value{}); !errors.Is(err, refusal.InvalidArguments) || !strings.Contains(err.Error(), "cut") {
		t.Errorf("a cut value was taken for the whole: %v", err)
	}
}

func TestCycles(t *testing.T) {
	root := &tNode{Name: "root"}
	kid := &tNode{Name: "kid", Parent: root}
	root.Kids = []*tNode{kid, kid}
	got := encode(t, root, EncodeOptions{})
	want := `{"Name":"root","Parent":null,"Kids":[{"Name":"kid","Parent":{"$ref":""},"Kids":null},{"Name":"kid","Parent":{"$ref":""},"Kids":null}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	type holder struct{ Root *tNode }
	h := holder{root}
	got = encode(t, h, EncodeOptions{})
	if !strings.Contains(got, `"Parent":{"$ref":"Root"}`) {
		t.Errorf("the reference does not name its path: %s", got)
	}
	ty := TypeOf(reflect.TypeFor[holder]())
	back, err := ty.DecodeJSON([]byte(got), reflect.Value{})
	if err != nil {
		t.Fatal(err)
	}
	b := back.Interface().(holder)
	if b.Root.Kids[0].Parent != b.Root {
		t.Error("the cycle was not closed again")
	}
	if !layout.Equal(back, reflect.ValueOf(h)) {
		t.Error("the cyclic value changed on the way")
	}
	_, err = ty.DecodeJSON([]byte(`{"Root":{"Parent":{"$ref":"Nope"}}}`), reflect.Value{})
	if !errors.Is(err, refusal.InvalidArguments) {
		t.Errorf("a reference to nowhere: %v", err)
	}
	m := map[string]any{}
	m["self"] = m
	if got := encode(t, m, EncodeOptions{}); !strings.Contains(got, "$ref") {
		t.Errorf("a map that holds itself: %s", got)
	}
	s := []any{nil}
	s[0] = s
	if got := encode(t, s, EncodeOptions{}); !strings.Contains(got, "$ref") {
		t.Errorf("a slice that holds itself: %s", got)
	}
}

func TestDepthIsCut(t *testing.T) {
	var n *tNode
	for i := range 300_000 {
		n = &tNode{Name: fmt.Sprint(i), Parent: n}
	}
	got := encode(t, n, EncodeOptions{})
	if !strings.Contains(got, `{"$more":3}`) || len(got) > 1000 {
		t.Fatalf("%d bytes: %.300s", len(got), got)
	}
	ty := TypeOf(reflect.TypeFor[*tNode]())
	back, err := ty.DecodeJSON([]byte(got), reflect.ValueOf(n))
	if err != nil {
		t.Fatal(err)
	}
	depth := 0
	for p := back.Interface().(*tNode); p != nil; p = p.Parent {
		depth++
	}
	if depth != 300_000 {
		t.Errorf("what was cut was not kept: depth %d", depth)
	}
	if _, err := ty.DecodeJSON([]byte(got), reflect.Value{}); !errors.Is(err, refusal.InvalidArguments) {
		t.Errorf("a placeholder over nothing: %v", err)
	}
	// A graph with very many ways to the same nodes stays small.
	wide := &tNode{}
	for range 7 {
		up := &tNode{}
		for range 60 {
			up.Kids = append(up.Kids, wide)
		}
		wide = up
	}
	if got := encode(t, wide, EncodeOptions{}); len(got) > 2*layout.PointerBudget {
		t.Errorf("a shared graph became %d bytes", len(got))
	}
}

func TestOpaque(t *testing.T) {
	v := &tOpaque{F: func(int) {}, N: 1}
	got := encode(t, v, EncodeOptions{})
	want := `{"F":{"$opaque":"func(int)"},"C":null,"M":{"$opaque":"sync.Mutex"},"N":1}`
	if got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	ty := TypeOf(reflect.TypeFor[tOpaque]())
	back, err := ty.DecodeJSON([]byte(strings.Replace(got, `"N":1`, `"N":2`, 1)), reflect.ValueOf(v).Elem())
	if err != nil {
		t.Fatalf("sent back as read: %v", err)
	}
	if b := back.Addr().Interface().(*tOpaque); b.F == nil || b.N != 2 {
		t.Errorf("kept on modify: F=%v N=%d", b.F != nil, b.N)
	}
	for _, raw := range []string{`{"F":{"$opaque":"func(int)"}}`, `{"F":1}`, `{"C":{"$opaque":"chan string"}}`, `{"M":{}}`} {
		if _, err := ty.DecodeJSON([]byte(raw), reflect.Value{}); !errors.Is(err, refusal.InvalidArguments) {
			t.Errorf("%s onto a new value: %v", raw, err)
		}
	}
	p, err := ty.Path("F")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Decode([]byte(`{"$opaque":"func(int)"}`)); !errors.Is(err, refusal.InvalidArguments) {
		t.Errorf("a path to a func was writable: %v", err)
	}
}

func TestMarshalersThatFail(t *testing.T) {
	for _, v := range []any{tBadJSON{}, tPanics{}, struct{ R json.RawMessage }{json.RawMessage("{")}, struct{ In []tPanics }{make([]tPanics, 1)}} {
		out, err := layout.AppendJSON([]byte("kept"), reflect.ValueOf(v), EncodeOptions{})
		if err == nil || string(out) != "kept" {
			t.Errorf("%T: %q, %v", v, out, err)
		}
	}
	ty := TypeOf(reflect.TypeFor[struct{ S tShown }]())
	if !ty.Fields[0].ReadOnly {
		t.Error("a type without UnmarshalText is not marked read-only")
	}
	if _, err := ty.DecodeJSON([]byte(`{"S":"#5"}`), reflect.Value{}); err == nil || !strings.Contains(err.Error(), "UnmarshalText") {
		t.Errorf("written all the same: %v", err)
	}
	// A promoted method must not hide the siblings of the embedded field.
	type carrier struct {
		tText
		HP int
	}
	if got := encode(t, carrier{tText{1, 2}, 5}, EncodeOptions{}); got != `{"tText":"1/2","HP":5}` {
		t.Errorf("promoted MarshalText: %s", got)
	}
}

func TestForeignUnexportedIsReadOnly(t *testing.T) {
	type comp struct {
		When time.Timer
		Own  tSecret
	}
	ty := TypeOf(reflect.TypeFor[comp]())
	for _, f := range ty.Fields {
		for _, c := range f.Fields {
			if !c.Unexported {
				continue
			}
			if foreign := f.Name == "When"; c.ReadOnly != foreign {
				t.Errorf("%s.%s: read-only %t", f.Name, c.Name, c.ReadOnly)
			}
		}
	}
	if f := findField(ty.Fields[1].Fields, "hidden"); f == nil || !f.Unexported || f.ReadOnly {
		t.Errorf("own unexported field: %+v", f)
	}
}

// JSON mode is what tool results are written with.
func TestResultMode(t *testing.T) {
	type inner struct {
		A int `json:"a"`
	}
	type Base struct {
		ID int `json:"id"`
	}
	type ptrBase struct{ Deep string }
	type result struct {
		Base
		*ptrBase
		Name   string           `json:"name,omitempty"`
		List   []inner          `json:"list"`
		Map    map[string]inner `json:"map"`
		None   *inner           `json:"none,omitempty"`
		Skip   int              `json:"-"`
		Raw    json.RawMessage  `json:"raw"`
		Any    any              `json:"any"`
		Num    float64          `json:"num"`
		Time   time.Time        `json:"time,omitzero"`
		Text   int              `json:"text,string"`
		Kind   tKind            `json:"kind"`
		E      Entity           `json:"entity"`
		Bag    map[string]any   `json:"bag,omitempty"`
		secret int
	}
	v := result{Base: Base{1}, Raw: json.RawMessage(`[1]`), Any: map[string]any{"x": []any{1, math.NaN(), "s"}}, Num: math.Inf(1), Text: 5,
		Kind: tBrute, E: Entity{ID: 1, Gen: 2}, secret: 1}
	got := encode(t, v, EncodeOptions{JSON: true})
	want := `{"id":1,"list":[],"map":{},"raw":[1],"any":{"x":[1,"NaN","s"]},"num":"Infinity","text":"5","kind":"Brute","entity":"1v2"}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var e *refusal.Error = &refusal.Error{Code: refusal.NotFound, Message: "m", Got: int64(1 << 60)}
	if got := encode(t, e, EncodeOptions{JSON: true}); got != `{"code":"not_found","message":"m","got":"1152921504606846976"}` {
		t.Errorf("an error object: %s", got)
	}
}
