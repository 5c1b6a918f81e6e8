package value

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
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
	layout.LearnType(reflect.TypeOf(second))
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

type tMarker struct{}
