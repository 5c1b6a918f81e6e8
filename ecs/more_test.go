package ecs

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

func TestDecodeOver(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[tStats]())
	p := mustPath(t, ty, "Pos")
	root := ty.New()
	root.FieldByName("Pos").Set(reflect.ValueOf(tVec{1, 2}))
	now, err := p.Get(root)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := p.DecodeOver([]byte(`{"Y":9}`), now)
	if err != nil || leaf.Interface().(tVec) != (tVec{1, 9}) {
		t.Errorf("over the present value: %v %v", leaf, err)
	}
	if leaf, err = p.Decode([]byte(`{"Y":9}`)); err != nil || leaf.Interface().(tVec) != (tVec{0, 9}) {
		t.Errorf("on its own: %v %v", leaf, err)
	}
	if root.FieldByName("Pos").Interface().(tVec) != (tVec{1, 2}) {
		t.Error("decoding wrote")
	}
}

// A few bytes must not make the process allocate without bound.
func TestDecodingIsBounded(t *testing.T) {
	type big struct{ A [1 << 16]int64 }
	raw := `{"L":[` + strings.TrimSuffix(strings.Repeat("{},", 1000), ",") + `]}`
	for _, ty := range []*Type{TypeOf(reflect.TypeFor[struct{ L []big }]()), TypeOf(reflect.TypeFor[struct{ L []*big }]())} {
		if _, err := ty.DecodeJSON([]byte(raw), reflect.Value{}); !errors.Is(err, TooLarge) {
			t.Errorf("%s: %v", ty.Go, err)
		}
	}
}

func TestComputedIsRefusedByName(t *testing.T) {
	type comp struct{ A int }
	Describe(Computed("Twice", func(c *comp) int { return 2 * c.A }))
	ty := TypeOf(reflect.TypeFor[comp]())
	_, err := ty.DecodeJSON([]byte(`{"Twice":4}`), reflect.Value{})
	if !errors.Is(err, InvalidArguments) || !strings.Contains(err.Error(), "Twice") || !strings.Contains(err.Error(), "computed") {
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
	if got != `[{"$type":"ecs.Same","value":{"A":1}}]` {
		t.Errorf("alone: %s", got)
	}
	if _, err := TypeOf(reflect.TypeFor[[]any]()).DecodeJSON([]byte(got), reflect.Value{}); err != nil {
		t.Error(err)
	}
	second := func() any { type Same struct{ B int }; return Same{2} }()
	learnType(reflect.TypeOf(second))
	got = encode(t, []any{first}, EncodeOptions{})
	if !strings.Contains(got, `"$type":"github.com/loupe-ecs/loupe/ecs.Same"`) {
		t.Errorf("with a namesake: %s", got)
	}
	_, err := TypeOf(reflect.TypeFor[[]any]()).DecodeJSON([]byte(got), reflect.Value{})
	if !errors.Is(err, InvalidArguments) || !strings.Contains(err.Error(), "ambiguous") {
		t.Errorf("an ambiguous name was resolved: %v", err)
	}
}
