package value

import (
	"reflect"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

type anyHolder struct{ Any any }

type dynamicKey struct{ X, Y int }

// What an interface holds comes back from its JSON with the same type: maps
// with keys of every comparable kind, and containers of containers.
func TestDynamicTypesComeBack(t *testing.T) {
	RegisterType[dynamicKey]()
	ty := TypeOf(reflect.TypeFor[anyHolder]())
	for _, v := range []any{
		map[[2]int]string{{1, 2}: "x"}, map[[1][2]string]bool{{{"a", "b"}}: true}, map[[2]int]map[[1]bool]int{{3, 4}: {{true}: 5}},
		map[dynamicKey][]int{{1, 2}: {3}}, map[uint8]any{7: "x"}, [2][]map[string]int{{{"a": 1}}, nil}, []*int{nil}, map[string]string{},
	} {
		raw, err := layout.AppendJSON(nil, reflect.ValueOf(anyHolder{v}), EncodeOptions{})
		if err != nil {
			t.Fatalf("%T: %v", v, err)
		}
		back, err := ty.DecodeJSON(raw, reflect.Value{})
		if err != nil {
			t.Errorf("%T: %s: %v", v, raw, err)
		} else if got := back.Interface().(anyHolder).Any; !reflect.DeepEqual(got, v) {
			t.Errorf("%T: %s gives %#v, want %#v", v, raw, got, v)
		}
	}
}

// A type that cannot be is refused, never a panic of reflect and never another.
func TestDynamicTypesThatCannotBe(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[anyHolder]())
	for _, name := range []string{"map[[]int]string", "map[map[string]int]int", "map[func()]int", "map[[2][]int]string", "map[string", "map[[2]int", "map[]int",
		"[1024][1024][1024]int", "[-1]int", "[1025]int", "map[[2]int]", "[]"} {
		_, err := ty.DecodeJSON([]byte(`{"Any":{"$type":"`+name+`","value":{}}}`), reflect.Value{})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
