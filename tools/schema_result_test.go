//go:build !nomcpdebug

package tools_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/schema"
	"github.com/loupe-ecs/loupe/tools"
)

type mood int

func (m mood) String() string {
	if m >= 0 && m < 2 {
		return [...]string{"Calm", "Angry"}[m]
	}
	return fmt.Sprintf("mood(%d)", int(m))
}

type marked struct{ s string }

func (m marked) MarshalText() ([]byte, error)  { return []byte(m.s), nil }
func (m *marked) UnmarshalText(b []byte) error { m.s = string(b); return nil }

type branch struct {
	Name string    `json:"name"`
	Up   *branch   `json:"up"`
	Down []*branch `json:"down"`
	By   map[string]*branch
}

type inner struct {
	X float64 `json:"x" debug:"min=0,max=1,unit=px"`
	N *int    `json:"n"`
}

type Held struct {
	Extra uint64 `json:"extra"`
	At    *inner `json:"at,omitempty"`
}

// everyForm has a result field of each kind whose JSON has several forms.
type everyForm struct {
	Near  ecs.Entity             `json:"near"`
	Maybe ecs.Entity             `json:"maybe,omitzero"`
	HP    int                    `json:"hp" debug:"min=0,max=100"`
	Count uint64                 `json:"count,string"`
	Ratio float64                `json:"ratio" debug:"min=0,max=1"`
	Half  float32                `json:"half,string"`
	Mood  mood                   `json:"mood"`
	Mode  uint8                  `json:"mode" debug:"enum=Off|On"`
	Color string                 `json:"color" debug:"enum=red|green"`
	Exact json.Number            `json:"exact"`
	Raw   json.RawMessage        `json:"raw"`
	Blob  []byte                 `json:"blob"`
	Text  marked                 `json:"text"`
	When  time.Time              `json:"when"`
	Wait  time.Duration          `json:"wait"`
	Any   any                    `json:"any"`
	F     func()                 `json:"f"`
	C     complex64              `json:"c"`
	In    inner                  `json:"in"`
	Ptr   *inner                 `json:"ptr"`
	PP    **int                  `json:"pp"`
	Few   [2]float32             `json:"few"`
	List  []ecs.Entity           `json:"list"`
	Map   map[mood]float64       `json:"map"`
	Tree  branch                 `json:"tree"`
	Error string                 `json:"error"`
	Byers map[string]map[int]any `json:"byers,omitempty"`
	*Held
}

var formTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint64](), reflect.TypeFor[float32](),
	reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[ecs.Entity](), reflect.TypeFor[mood](), reflect.TypeFor[[]byte](),
	reflect.TypeFor[[20]byte](), reflect.TypeFor[marked](), reflect.TypeFor[any](), reflect.TypeFor[branch](), reflect.TypeFor[json.Number](),
	reflect.TypeFor[time.Duration](), reflect.TypeFor[func()](), reflect.TypeFor[complex128](), reflect.TypeFor[inner](), reflect.TypeFor[everyForm](),
}

func randomType(r *rand.Rand, depth int) reflect.Type {
	t := formTypes[r.IntN(len(formTypes))]
	if depth > 3 {
		return t
	}
	switch r.IntN(9) {
	case 0:
		return reflect.PointerTo(randomType(r, depth+1))
	case 1:
		return reflect.SliceOf(randomType(r, depth+1))
	case 2:
		return reflect.ArrayOf(r.IntN(3), randomType(r, depth+1))
	case 3:
		return reflect.MapOf(reflect.TypeFor[string](), randomType(r, depth+1))
	case 4:
		return reflect.MapOf(reflect.TypeFor[ecs.Entity](), randomType(r, depth+1))
	case 5:
		return randomStruct(r, depth+1)
	}
	return t
}

func randomStruct(r *rand.Rand, depth int) reflect.Type {
	tags := []reflect.StructTag{"", `json:",omitempty"`, `json:",omitzero"`, `json:",string"`, `debug:"min=1,max=5"`, `debug:"default=3"`, `debug:"enum=A|B"`, `jsonschema:"text"`}
	fields := make([]reflect.StructField, r.IntN(5))
	for i := range fields {
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: randomType(r, depth), Tag: tags[r.IntN(len(tags))]}
	}
	return reflect.StructOf(fields)
}

func fill(r *rand.Rand, v reflect.Value, depth int) {
	switch v.Type() {
	case reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte([]string{"", "null", "[1]", `{"a":1}`, "7"}[r.IntN(5)]))
		return
	case reflect.TypeFor[json.Number]():
		v.SetString([]string{"1", "1e4", "", "x"}[r.IntN(4)])
		return
	case reflect.TypeFor[marked]():
		v.Set(reflect.ValueOf(marked{[]string{"", "a", "\xff"}[r.IntN(3)]}))
		return
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(r.Int64N(1e9), 0)))
		return
	case reflect.TypeFor[any]():
		if x := []any{nil, 1, math.NaN(), "x", []int(nil), &inner{}, ecs.Entity{}}[r.IntN(7)]; x != nil {
			v.Set(reflect.ValueOf(x))
		}
		return
	}
	some := depth < 6 && r.IntN(3) > 0
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.Uint64()) >> r.IntN(64))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64() >> r.IntN(64))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, -3, 0.5, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(7)])
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(1, math.NaN()))
	case reflect.String:
		v.SetString([]string{"", "red", "blue", "\xff", "$ref"}[r.IntN(5)])
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(r, v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		if some {
			v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
			for i := range v.Len() {
				fill(r, v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if some {
			v.Set(reflect.MakeMap(v.Type()))
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, k, depth+1)
			fill(r, e, depth+1)
			v.SetMapIndex(k, e)
		}
	case reflect.Pointer:
		if some {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth+1)
		}
	}
}

// answerFits encodes a result as a tool does and holds it against the schema
// that the tool publishes.
func answerFits(t *testing.T, v reflect.Value) {
	t.Helper()
	b, err := value.AppendJSON(nil, v, value.EncodeOptions{JSON: true})
	if err != nil {
		t.Fatalf("%v: %v", v.Type(), err)
	}
	if b[0] != '{' {
		b = fmt.Appendf(nil, `{"result":%s}`, b)
	}
	s := schema.Answer(value.ArgsOf(v.Type()).Root)
	published, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(published, &plain); err != nil {
		t.Fatal(err)
	}
	singleTypes(t, plain)
	var again jsonschema.Schema
	if err := json.Unmarshal(published, &again); err != nil {
		t.Fatal(err)
	}
	resolved, err := again.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", published, err)
	}
	var doc any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	if err := resolved.Validate(doc); err != nil {
		t.Fatalf("an answer breaks its own schema: %v\n%s\n%s", err, b, published)
	}
}

func singleTypes(t *testing.T, doc any) {
	switch x := doc.(type) {
	case map[string]any:
		if _, list := x["type"].([]any); list {
			t.Fatalf("a list of types: %v", x)
		}
		for _, y := range x {
			singleTypes(t, y)
		}
	case []any:
		for _, y := range x {
			singleTypes(t, y)
		}
	}
}

// A client throws away an answer that breaks the schema it was promised.
func TestEveryAnswerFitsItsSchema(t *testing.T) {
	answerFits(t, reflect.New(reflect.TypeFor[everyForm]()).Elem())
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		v := reflect.New(reflect.TypeFor[everyForm]()).Elem()
		fill(r, v, 0)
		answerFits(t, v)
		typ := randomType(r, 0)
		if seed%2 == 0 {
			typ = randomStruct(r, 0)
		}
		v = reflect.New(typ).Elem()
		fill(r, v, 0)
		answerFits(t, v)
	}
	loop := &branch{Name: "loop"}
	loop.Up, loop.Down = loop, []*branch{loop}
	answerFits(t, reflect.ValueOf(loop))
	long := make([]*branch, 60_000) // past where pointers are no longer followed
	for i := range long {
		long[i] = &branch{Name: "leaf"}
	}
	answerFits(t, reflect.ValueOf(branch{Down: long}))
}

// What an argument takes is said strictly; only results have other forms.
func TestArgumentSchemasKeepOneForm(t *testing.T) {
	type args struct {
		Who   ecs.Entity `json:"who" jsonschema:"whom"`
		HP    int        `json:"hp" debug:"min=0,max=9,unit=hp"`
		Inner inner      `json:"inner" jsonschema:"a part"`
	}
	s, err := tools.SchemaOf[args]()
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(s)
	want := `{"type":"object","properties":{"who":{"type":"string","description":"whom"},` +
		`"hp":{"type":"integer","description":"in hp","maximum":9,"minimum":0},` +
		`"inner":{"type":"object","description":"a part","properties":{"x":{"type":"number","description":"in px","maximum":1,"minimum":0},"n":{"type":"integer","description":"int"}},"required":["x"],"additionalProperties":false}},` +
		`"required":["who","hp","inner"],"additionalProperties":false}`
	var got, exp any
	if json.Unmarshal(b, &got) != nil || json.Unmarshal([]byte(want), &exp) != nil || !reflect.DeepEqual(got, exp) {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}

// One name where a list of names is wanted means that one.
func TestOneNameServesAsAList(t *testing.T) {
	type args struct {
		With []string `json:"with,omitempty" jsonschema:"names"`
	}
	tool := tools.New(tools.Spec{Name: "who", Description: "Lists the names it got."}, func(_ *tools.Frame, in args) (args, error) { return in, nil })
	for in, want := range map[string]string{
		`{"with":"Enemy"}`:              `{"with":["Enemy"]}`,
		`{"with":["A","B"]}`:            `{"with":["A","B"]}`,
		`{"with":"[\"A\",\"B\"]"}`:      `{"with":["A","B"]}`,
		`{"with":"Pair[int,game.Foo]"}`: `{"with":["Pair[int,game.Foo]"]}`,
		`{"with":null}`:                 `{}`,
	} {
		if got, err := run(t, nil, tool, in); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", in, got, err, want)
		}
	}
	if _, err := run(t, nil, tool, `{"with":7}`); err == nil {
		t.Error("a number is no list of names")
	}
}
