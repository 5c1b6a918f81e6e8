package value

import (
	"errors"
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

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
		b, _ := layout.AppendJSON(nil, root, EncodeOptions{})
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
