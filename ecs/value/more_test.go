package value

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// A few bytes must not make the process allocate without bound.
func TestDecodingIsBounded(t *testing.T) {
	type big struct{ A [1 << 16]int64 }
	raw := `{"L":[` + strings.TrimSuffix(strings.Repeat("{},", 1000), ",") + `]}`
	for _, ty := range []*Type{TypeOf(reflect.TypeFor[struct{ L []big }]()), TypeOf(reflect.TypeFor[struct{ L []*big }]())} {
		if _, err := ty.DecodeJSON([]byte(raw), reflect.Value{}); !errors.Is(err, refusal.TooLarge) {
			t.Errorf("%s: %v", ty.Go, err)
		}
	}
}

func TestComputedIsRefusedByName(t *testing.T) {
	type comp struct{ A int }
	Describe(Computed("Twice", func(c *comp) int { return 2 * c.A }))
	ty := TypeOf(reflect.TypeFor[comp]())
	_, err := ty.DecodeJSON([]byte(`{"Twice":4}`), reflect.Value{})
	if !errors.Is(err, refusal.InvalidArguments) || !strings.Contains(err.Error(), "Twice") || !strings.Contains(err.Error(), "computed") {
		t.Error(err)
	}
}

func TestCopyKeepsIdentities(t *testing.T) {
	type comp struct {
		Err  error
		Text strings.Builder
	}
	v := &comp{Err: io.EOF}
	v.Text.WriteString("abc")
	c := Copy(reflect.ValueOf(v).Elem()).Addr().Interface().(*comp)
	if c.Err != io.EOF {
		t.Error("a sentinel error was copied")
	}
	c.Text.WriteString("d") // would panic had it kept the address of the original
	v.Text.WriteString("e")
	if c.Text.String() != "abcd" || v.Text.String() != "abce" {
		t.Errorf("%q %q", c.Text.String(), v.Text.String())
	}
}

// The name of a dynamic type grows longer when another type of that name
// becomes known, and both resolve.
func TestAmbiguousDynamicTypes(t *testing.T) {
	first := func() any { type Same struct{ A int }; return Same{1} }()
	got := encode(t, []any{first}, EncodeOptions{})
	if got != `[{"$type":"value.Same","value":{"A":1}}]` {
		t.Errorf("alone: %s", got)
	}
	if _, err := TypeOf(reflect.TypeFor[[]any]()).DecodeJSON([]byte(got), reflect.Value{}); err != nil {
		t.Error(err)
	}
	second := func() any { type Same struct{ B int }; return Same{2} }()
	LearnType(reflect.TypeOf(second))
	got = encode(t, []any{first}, EncodeOptions{})
	if !strings.Contains(got, `"$type":"github.com/loupe-ecs/loupe/ecs/value.Same"`) {
		t.Errorf("with a namesake: %s", got)
	}
	_, err := TypeOf(reflect.TypeFor[[]any]()).DecodeJSON([]byte(got), reflect.Value{})
	if !errors.Is(err, refusal.InvalidArguments) || !strings.Contains(err.Error(), "ambiguous") {
		t.Errorf("an ambiguous name was resolved: %v", err)
	}
}

// A result is written for a schema that says string and object.
func TestResultsAreNotEscaped(t *testing.T) {
	v := map[string]any{"$ref": "#/x", "s": "caf\xe9", "k\xff": 1}
	if got := encode(t, v, EncodeOptions{JSON: true}); got != "{\"$ref\":\"#/x\",\"k\uFFFD\":1,\"s\":\"caf\uFFFD\"}" {
		t.Error(got)
	}
	ty := ArgsOf(reflect.TypeFor[struct {
		M map[string]any `json:"m"`
	}]())
	in, err := ty.DecodeJSON([]byte(`{"m":{"$ref":"#/x"}}`), reflect.Value{})
	if err != nil || encode(t, in.Interface(), EncodeOptions{JSON: true}) != `{"m":{"$ref":"#/x"}}` {
		t.Error(err)
	}
}

func TestPlainListsFromGo(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[struct {
		L []string
		M map[string]int
	}]())
	v, err := ty.FromGo(map[string]any{"L": []string{"a"}, "M": map[string]int{"b": 1}}, reflect.Value{})
	if err != nil || encode(t, v.Interface(), EncodeOptions{}) != `{"L":["a"],"M":{"b":1}}` {
		t.Error(err)
	}
}

type tEngineEntity struct{ id, gen uint32 }

func (tEngineEntity) MarshalJSON() ([]byte, error) { return []byte("[1]"), nil }

type tMarker struct{}

func TestEngineTypes(t *testing.T) {
	RegisterEntityType(reflect.TypeFor[tEngineEntity]())
	RegisterMarkerType(reflect.TypeFor[tMarker]())
	RegisterEntityType(reflect.TypeFor[string]()) // ignored: another layout
	type childOf struct {
		//lint:ignore U1000 embedded as engines do it
		tMarker
		Parent tEngineEntity
		All    map[tEngineEntity]tEngineEntity
	}
	v := childOf{Parent: tEngineEntity{4, 2}, All: map[tEngineEntity]tEngineEntity{{1, 2}: {}}}
	got := encode(t, v, EncodeOptions{})
	if got != `{"Parent":"4v2","All":{"1v2":null}}` {
		t.Error(got)
	}
	back, err := TypeOf(reflect.TypeFor[childOf]()).DecodeJSON([]byte(got), reflect.Value{})
	if err != nil || !Equal(back, reflect.ValueOf(v)) {
		t.Errorf("%v %v", back, err)
	}
	if k := TypeOf(reflect.TypeFor[string]()).Root.Kind; k != KindString {
		t.Errorf("string became kind %d", k)
	}
}

// Setting a list of strings by its path is plain assignment, whatever sent it.
func TestListOfStringsByPath(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[tSecret]())
	p := mustPath(t, ty, "list")
	for _, raw := range []string{`["a","b"]`, `"[\"a\",\"b\"]"`} {
		root := ty.New()
		leaf, err := p.Decode([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Set(root, leaf); err != nil {
			t.Fatal(err)
		}
		b, _ := AppendJSON(nil, root, EncodeOptions{})
		if string(b) != `{"Open":0,"hidden":0,"list":["a","b"]}` {
			t.Errorf("%s: %s", raw, b)
		}
	}
}

func TestRemoveEntry(t *testing.T) {
	type inner struct{ Tags map[string]int }
	type outer struct {
		In  map[string]inner
		Nil map[int]int
		N   int
	}
	ty := TypeOf(reflect.TypeFor[outer]())
	root := ty.New()
	v := root.Addr().Interface().(*outer)
	v.In = map[string]inner{"a": {map[string]int{"x": 1, "y": 2}}}
	for _, sel := range []string{`In["a"].Tags["x"]`, `In["a"].Tags["none"]`, `In["none"].Tags["x"]`, `In["none"]`, `Nil[3]`} {
		p := mustPath(t, ty, sel)
		if err := p.Remove(root); !p.Entry() || err != nil {
			t.Errorf("%s: %v", sel, err)
		}
	}
	if want := (outer{In: map[string]inner{"a": {map[string]int{"y": 2}}}}); !reflect.DeepEqual(*v, want) {
		t.Errorf("left %+v, want %+v", *v, want)
	}
	for _, sel := range []string{"N", "In", ""} {
		p := mustPath(t, ty, sel)
		if err := p.Remove(root); p.Entry() || !errors.Is(err, refusal.InvalidArguments) {
			t.Errorf("%q: %v", sel, err)
		}
	}
}
