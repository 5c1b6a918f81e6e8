package engine

import (
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Values are resources of a world whose engine has none of its own: values that
// a game has once, each given to the adapter as a pointer. The objects stay the
// game's; a restore changes their contents.
type Values struct{ list []given }

type given struct {
	typ *value.Type
	ptr reflect.Value // nil pointer: the type is known, and absent
}

// Give adds what ptr points at. It panics if ptr is no pointer.
func (v *Values) Give(ptr any) {
	p := reflect.ValueOf(ptr)
	if p.Kind() != reflect.Pointer {
		panic("a resource is given as a pointer, not as a " + reflect.TypeOf(ptr).String())
	}
	v.list = append(v.list, given{value.TypeOf(p.Type().Elem()), p})
}

// Value is what [ecs.World.Resource] answers.
func (v *Values) Value(id ecs.TypeID) (reflect.Value, bool) {
	if id < 0 || int(id) >= len(v.list) || v.list[id].ptr.IsNil() {
		return reflect.Value{}, false
	}
	return v.list[id].ptr.Elem(), true
}

// AddTo describes the resources in a catalog.
func (v *Values) AddTo(cat *ecs.Catalog) {
	for i := range v.list {
		r := &v.list[i]
		r.typ = r.typ.Current()
		cat.Resources = append(cat.Resources, &ecs.Resource{ID: ecs.TypeID(i), Type: r.typ, Present: !r.ptr.IsNil()})
	}
}

// Capture copies them into an image.
func (v *Values) Capture(img *ecs.Image) {
	img.Resources = img.Resources[:0]
	for i, r := range v.list {
		to := ecs.ImageResource{ID: ecs.TypeID(i)}
		if !r.ptr.IsNil() {
			to.Value = value.Copy(r.ptr.Elem())
		}
		img.Resources = append(img.Resources, to)
	}
}

// Restore gives those that are present the contents that they have in an image.
func (v *Values) Restore(img *ecs.Image) {
	for _, r := range img.Resources {
		if to := v.list[r.ID]; r.Value.IsValid() && !to.ptr.IsNil() {
			to.ptr.Elem().Set(value.Copy(r.Value))
		}
	}
}
