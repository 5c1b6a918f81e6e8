package value

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

type timed struct {
	Plain time.Duration
	Own   time.Duration `debug:"unit=ms,min=0,max=100"`
	Text  time.Duration
}

// A duration is in nanoseconds where its field does not say otherwise; one that
// has a unit of its own is a number in that.
func TestDurationsHaveTheUnitThatIsDeclared(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[timed]())
	for name, want := range map[string]string{"Plain": "ns", "Own": "ms", "Text": "ns"} {
		if p, err := ty.Path(name); err != nil || p.Field.Unit != want {
			t.Errorf("%s is in %q (%v), want %q", name, p.Field.Unit, err, want)
		}
	}
	v, err := ty.DecodeJSON([]byte(`{"Plain":1500,"Own":70,"Text":"1.5s"}`), reflect.Value{})
	if err != nil || v.Interface() != (timed{1500, 70, 1500 * time.Millisecond}) {
		t.Errorf("%v %v", v, err)
	}
	for _, bad := range []string{`{"Own":101}`, `{"Own":-1}`, `{"Plain":"soon"}`} {
		if _, err := ty.DecodeJSON([]byte(bad), reflect.Value{}); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	if _, err := ty.DecodeJSON([]byte(`{"Own":101}`), reflect.Value{}); !strings.Contains(fmt.Sprint(err), "ms") {
		t.Errorf("the refusal does not say the unit: %v", err)
	}
}

type chain struct {
	N    int
	Next *chain
}

// $more counts what was left out: the fields of a struct behind the ninth
// pointer, the elements of a list, the pairs of a map; the eighth is shown.
func TestMoreCountsWhatWasLeftOut(t *testing.T) {
	const followed, nested = 8, 64 // pointers on one way, lists in lists
	deep := func(n int) *chain {
		var c *chain
		for i := n; i > 0; i-- {
			c = &chain{i, c}
		}
		return c
	}
	for n, cut := range map[int]bool{followed: false, followed + 1: false, followed + 2: true} {
		got := encode(t, *deep(n), EncodeOptions{})
		if strings.Contains(got, `{"$more":2}`) != cut || strings.Contains(got, fmt.Sprintf(`"N":%d,`, followed+1)) != (n > followed) {
			t.Errorf("a chain of %d: %s", n, got)
		}
	}
	// The ninth pointer counts, whether it is one of a type or of a list's elements.
	type ends struct {
		List []*chain
		Map  map[string]*chain
	}
	e := &ends{[]*chain{{}, {}, {}, {}, {}}, map[string]*chain{"a": {}, "b": {}, "c": {}}}
	p1 := &e
	p2 := &p1
	p3 := &p2
	p4 := &p3
	p5 := &p4
	p6 := &p5
	p7 := &p6
	p8 := &p7
	for got, want := range map[string]string{
		encode(t, struct{ P *********ends }{p8}, EncodeOptions{}): `{"P":{"$more":2}}`,
		encode(t, struct{ P ********ends }{p7}, EncodeOptions{}): `{"P":{"List":[{"$more":2},{"$more":2},{"$more":2},{"$more":2},{"$more":2}],` +
			`"Map":{"a":{"$more":2},"b":{"$more":2},"c":{"$more":2}}}}`,
	} {
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	// Lists in lists and maps in maps end at a depth of their own, and count
	// elements and pairs.
	for levels := nested; levels <= nested+1; levels++ {
		list, m := nestedList{nil, nil, nil}, nestedMap{"a": nil, "b": nil}
		for range levels - 1 {
			list, m = nestedList{list}, nestedMap{"x": m}
		}
		for got, more := range map[string]string{encode(t, list, EncodeOptions{}): `{"$more":3}`, encode(t, m, EncodeOptions{}): `{"$more":2}`} {
			if strings.Contains(got, more) != (levels > nested) || strings.Contains(got, `{"$more":1}`) {
				t.Errorf("%d levels: %s", levels, got)
			}
		}
	}
}

type (
	nestedList []nestedList
	nestedMap  map[string]nestedMap
)

// A path says of which type it is, and what it was given.
func TestAPathOfAnotherType(t *testing.T) {
	p, err := TypeOf(reflect.TypeFor[timed]()).Path("Own")
	if err != nil {
		t.Fatal(err)
	}
	for got, root := range map[string]reflect.Value{"value.chain": reflect.ValueOf(&chain{}).Elem(), "no value": {}} {
		_, err := p.Get(root)
		if err == nil || !strings.Contains(err.Error(), `the path "Own" is one of timed, not of `+got) {
			t.Errorf("%s: %v", got, err)
		}
	}
}
