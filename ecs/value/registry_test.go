package value

import (
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

type tEngineEntity struct{ id, gen uint32 }

func (tEngineEntity) MarshalJSON() ([]byte, error) { return []byte("[1]"), nil }

func TestEngineTypes(t *testing.T) {
	layout.RegisterEntityType(reflect.TypeFor[tEngineEntity]())
	layout.RegisterMarkerType(reflect.TypeFor[tMarker]())
	layout.RegisterEntityType(reflect.TypeFor[string]()) // ignored: another layout
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
	if err != nil || !layout.Equal(back, reflect.ValueOf(v)) {
		t.Errorf("%v %v", back, err)
	}
	if k := TypeOf(reflect.TypeFor[string]()).Root.Kind; k != KindString {
		t.Errorf("string became kind %d", k)
	}
}
