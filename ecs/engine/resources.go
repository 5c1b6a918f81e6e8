package engine

import (
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Store is an engine's store of resources. Get gives nil for one that is
// absent; Add is called for those only.
type Store[ID any] interface {
	Get(ID) any
	Add(ID, any)
}

// Resources are the resources of an engine's world W, which the engine knows by
// ID and Loupe by their place among the registered ones.
type Resources[W, ID any] struct {
	world *W
	store Store[ID]
	ids   []ID // by TypeID
	typ   func(*W, ID) (reflect.Type, bool)
}

// ResourcesOf are those registered now.
func ResourcesOf[W, ID any](w *W, store Store[ID], ids func(*W) []ID, typ func(*W, ID) (reflect.Type, bool)) Resources[W, ID] {
	return Resources[W, ID]{world: w, store: store, ids: ids(w), typ: typ}
}

// Value returns the value behind a resource: the pointer's target, or a copy
// where the game added the value itself. A nil pointer, or a value of another
// type than the registered one (which an engine's untyped Add lets pass),
// counts as absent.
func (r Resources[W, ID]) Value(id ecs.TypeID) (reflect.Value, bool) {
	if id < 0 || int(id) >= len(r.ids) {
		return reflect.Value{}, false
	}
	t, ok := r.typ(r.world, r.ids[id])
	v := reflect.ValueOf(r.store.Get(r.ids[id]))
	switch {
	case !ok || !v.IsValid():
	case v.Kind() == reflect.Pointer && !v.IsNil() && v.Type().Elem() == t:
		return v.Elem(), true
	case v.Type() == t:
		return v, true
	}
	return reflect.Value{}, false
}

// AddTo describes the resources in a catalog.
func (r Resources[W, ID]) AddTo(cat *ecs.Catalog) {
	for i, id := range r.ids {
		if t, ok := r.typ(r.world, id); ok {
			_, present := r.Value(ecs.TypeID(i))
			cat.Resources = append(cat.Resources, &ecs.Resource{ID: ecs.TypeID(i), Type: value.TypeOf(t), Present: present})
		}
	}
}

// Capture copies the resources into an image. One that holds a value of another
// type than its own is left out: there is nothing that could be put back.
func (r Resources[W, ID]) Capture(img *ecs.Image) {
	img.Resources = img.Resources[:0]
	for i, id := range r.ids {
		to := ecs.ImageResource{ID: ecs.TypeID(i)}
		v, ok := r.Value(to.ID)
		if ok {
			to.Value = value.Copy(v)
		} else if r.store.Get(id) != nil {
			continue
		}
		img.Resources = append(img.Resources, to)
	}
}

// Keep returns what the game added, nil where there is nothing: an engine's
// Reset drops it, while the game keeps pointers to it.
func (r Resources[W, ID]) Keep() []any {
	kept := make([]any, len(r.ids))
	for i, id := range r.ids {
		kept[i] = r.store.Get(id)
	}
	return kept
}

// Restore puts the game's own resource objects into a store that is empty, with
// the image's contents.
func (r Resources[W, ID]) Restore(img *ecs.Image, kept []any) {
	content := map[ecs.TypeID]reflect.Value{}
	for _, res := range img.Resources {
		content[res.ID] = res.Value
	}
	for i, id := range r.ids {
		v, listed := content[ecs.TypeID(i)]
		was := reflect.ValueOf(kept[i])
		switch {
		case !listed:
			if kept[i] != nil {
				r.store.Add(id, kept[i])
			}
		case !v.IsValid():
		case was.IsValid() && was.Type() == reflect.PointerTo(v.Type()) && !was.IsNil():
			was.Elem().Set(value.Copy(v))
			r.store.Add(id, kept[i])
		case was.IsValid() && was.Type() == v.Type():
			r.store.Add(id, value.Copy(v).Interface())
		default:
			p := reflect.New(v.Type())
			p.Elem().Set(value.Copy(v))
			r.store.Add(id, p.Interface())
		}
	}
}
