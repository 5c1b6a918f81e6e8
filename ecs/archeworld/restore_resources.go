package archeworld

import (
	"reflect"

	loupe "github.com/loupe-ecs/loupe/ecs"
)

// keepResources: arche's Reset drops them, the game keeps pointers to them.
func (w *World) keepResources() []any {
	ids := w.resourceIDs()
	kept := make([]any, len(ids))
	for i, id := range ids {
		kept[i] = w.ew.Resources().Get(id)
	}
	return kept
}

// restoreResources puts the game's own resource objects back, with the
// image's contents.
func (w *World) restoreResources(img *loupe.Image, kept []any) {
	content := map[loupe.TypeID]reflect.Value{}
	for _, r := range img.Resources {
		content[r.ID] = r.Value
	}
	for i, id := range w.resourceIDs() {
		v, listed := content[loupe.TypeID(i)]
		was := reflect.ValueOf(kept[i])
		switch {
		case !listed:
			if kept[i] != nil {
				w.ew.Resources().Add(id, kept[i])
			}
		case !v.IsValid():
		case was.IsValid() && was.Type() == reflect.PointerTo(v.Type()) && !was.IsNil():
			was.Elem().Set(loupe.Copy(v))
			w.ew.Resources().Add(id, kept[i])
		case was.IsValid() && was.Type() == v.Type():
			w.ew.Resources().Add(id, loupe.Copy(v).Interface())
		default:
			p := reflect.New(v.Type())
			p.Elem().Set(loupe.Copy(v))
			w.ew.Resources().Add(id, p.Interface())
		}
	}
}
