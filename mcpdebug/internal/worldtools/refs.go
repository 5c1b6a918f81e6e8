package worldtools

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

const (
	maxReferences = 50
	// maxRefTime bounds what a search through the whole world may cost one frame.
	maxRefTime = 4 * time.Millisecond
)

// isEntity asks for entities at fixed places.
func isEntity(l *value.Layout, _ []value.EnumLabel) bool { return l.Kind == value.KindEntity }

// entityPlaces lists the entities at fixed places, and whether there may be
// others, in large arrays or behind references.
func entityPlaces(t *value.Type) (fixed []value.Place, others bool) {
	l := value.LayoutOf(t.Go)
	if !l.Entities {
		return nil, false
	}
	behind, whole := l.Places(func(l *value.Layout, _ []value.EnumLabel) bool {
		return l.Entities && l.Kind != value.KindEntity && l.Mem != reflect.Struct && l.Mem != reflect.Array
	})
	fixed, _ = l.Places(isEntity)
	return fixed, len(behind) > 0 || !whole
}

func dotted(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// referencesTo finds the components of entities that name e: relation targets
// and entity fields, wherever in a value they are. It is ended, and says so,
// after 50 finds or 4 ms.
func referencesTo(w ecs.World, cat *ecs.Catalog, e ecs.Entity) (refs []reference, ended bool) {
	deadline := time.Now().Add(maxRefTime)
	found := func(c ecs.Chunk, row int, comp *ecs.Component, path string) bool {
		if len(refs) == maxReferences {
			ended = true
			return false
		}
		refs = append(refs, reference{Entity: c.Entity(row).String(), Name: ecs.LabelOf(cat, c, row), Component: comp.Name, Path: path})
		return true
	}
	for c := range w.Chunks(ecs.Filter{Target: &e}) {
		for _, t := range c.Targets() {
			if t.Entity != e {
				continue
			}
			for row := range c.Len() {
				if !found(c, row, cat.Components[t.Relation], "") {
					return refs, ended
				}
			}
		}
	}
	for _, comp := range cat.Components {
		if comp.Entities == 0 {
			continue
		}
		fixed, others := entityPlaces(comp.Type)
		if len(fixed) == 0 && !others {
			continue
		}
		layout := value.LayoutOf(comp.Type.Go)
		for c := range w.Chunks(ecs.Filter{With: []ecs.TypeID{comp.ID}}) {
			col, ok := c.Column(comp.ID)
			if !ok {
				continue
			}
			for row := range c.Len() {
				if row%256 == 255 && time.Now().After(deadline) {
					return refs, true
				}
				p := col.At(row)
				if others {
					last := ""
					goOn := layout.EachEntity(p, func(at *value.EntityAt) bool {
						if at.Entity != e || at.Path() == last { // a map's key, and its entry
							return true
						}
						last = at.Path()
						return found(c, row, comp, last)
					})
					if !goOn {
						return refs, ended
					}
					continue
				}
				for _, f := range fixed {
					if f.Layout.LoadEntity(unsafe.Add(p, f.Offset)) == e && !found(c, row, comp, f.Path) {
						return refs, ended
					}
				}
			}
			if time.Now().After(deadline) {
				return refs, true
			}
		}
	}
	return refs, ended
}
