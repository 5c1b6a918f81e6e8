package snapshot

import (
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/value"
)

type (
	oldVitals struct{ HP int32 }
	newVitals struct {
		HP  int32
		Max int32 `debug:"min=1,max=500"`
	}
)

// A field that is new to the game starts inside its declared range, as in a
// component that is spawned.
func TestAnAddedFieldStartsInsideItsRange(t *testing.T) {
	b := newFake(types(typ[oldVitals]()), nil)
	b.rows(nil, []oldVitals{{3}, {4}})
	n := newFake(types(typ[newVitals]()), nil)
	load(t, save(t, b.w, nil), n.w, &Options{Rename: map[string]string{
		value.LayoutOf(reflect.TypeFor[oldVitals]()).Name: value.LayoutOf(reflect.TypeFor[newVitals]()).Name,
	}})
	if got, want := columnOf[newVitals](t, n.w, 0), []newVitals{{3, 1}, {4, 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
