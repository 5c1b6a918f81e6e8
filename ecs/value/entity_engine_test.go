package value

import (
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// engineEntity has the layout of an engine's own entity type: other names, and
// unexported.
type engineEntity struct{ id, gen uint32 }

type hunts struct{ Prey engineEntity }

func TestEntitiesOfAnEngineAreReadAndWritten(t *testing.T) {
	layout.RegisterEntityType(reflect.TypeFor[engineEntity]())
	typ := TypeOf(reflect.TypeFor[hunts]())
	v, err := typ.DecodeJSON([]byte(`{"Prey":"42v3"}`), reflect.Value{})
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Interface().(hunts); got != (hunts{engineEntity{42, 3}}) {
		t.Errorf("decoded %+v, want 42v3", got)
	}
	if got, err := layout.AppendJSON(nil, v, EncodeOptions{}); err != nil || string(got) != `{"Prey":"42v3"}` {
		t.Errorf("encoded %s, %v", got, err)
	}
}
