package builtin

import (
	"reflect"
	"strconv"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

const (
	maxReferences = 50
	// maxRefTime bounds what a search through the whole world may cost one frame.
	maxRefTime = 4 * time.Millisecond
	refDepth   = 6
)

// refField is an entity field at a fixed offset.
type refField struct {
	path   string
	offset uintptr
}

// entityFieldsOf lists the entity fields at fixed offsets, and whether there
// may be others behind slices, maps, pointers or interfaces.
func entityFieldsOf(t *value.Type) (fixed []refField, dynamic bool) {
	var walk func(path string, off uintptr, f *value.Field, depth int)
	walk = func(path string, off uintptr, f *value.Field, depth int) {
		switch f.Kind {
		case value.KindEntity:
			fixed = append(fixed, refField{path, off})
		case value.KindStruct:
			for _, c := range f.Fields {
				p := c.Name
				if path != "" {
					p = path + "." + c.Name
				}
				walk(p, off+c.Offset, c, depth+1)
			}
		case value.KindArray:
			if f.Elem == nil || !mayHoldEntity(f.Elem, 0) {
				return
			}
			if f.Go.Len() > 64 {
				dynamic = true
				return
			}
			for i := range f.Go.Len() {
				walk(path+"["+strconv.Itoa(i)+"]", off+uintptr(i)*f.Go.Elem().Size(), f.Elem, depth+1)
			}
		default:
			dynamic = dynamic || mayHoldEntity(f, 0)
		}
	}
	if t.Root != nil {
		walk("", 0, t.Root, 0)
	}
	return fixed, dynamic
}

// mayHoldEntity reports whether a value of the field can have an entity in it.
func mayHoldEntity(f *value.Field, depth int) bool {
	if f == nil || depth > refDepth {
		return false
	}
	switch f.Kind {
	case value.KindEntity, value.KindInterface:
		return true
	case value.KindStruct:
		for _, c := range f.Fields {
			if mayHoldEntity(c, depth+1) {
				return true
			}
		}
	case value.KindMap:
		return mayHoldEntity(f.Key, depth+1) || mayHoldEntity(f.Elem, depth+1)
	case value.KindArray, value.KindSlice, value.KindPointer:
		return mayHoldEntity(f.Elem, depth+1)
	}
	return false
}

// eachEntityIn visits entities anywhere inside a value, to a bounded depth.
func eachEntityIn(path string, f *value.Field, v reflect.Value, depth int, visit func(path string, e ecs.Entity) bool) bool {
	if depth > refDepth || !mayHoldEntity(f, 0) {
		return true
	}
	switch f.Kind {
	case value.KindEntity:
		if v.CanAddr() {
			return visit(path, *(*ecs.Entity)(v.Addr().UnsafePointer()))
		}
		if v.Kind() == reflect.Struct && v.NumField() == 2 {
			return visit(path, ecs.Entity{ID: uint32(v.Field(0).Uint()), Gen: uint32(v.Field(1).Uint())})
		}
	case value.KindStruct:
		for _, c := range f.Fields {
			if c.Index >= v.NumField() || v.Type().Field(c.Index).Type != c.Go {
				continue
			}
			if !eachEntityIn(dotted(path, c.Name), c, v.Field(c.Index), depth+1, visit) {
				return false
			}
		}
	case value.KindArray, value.KindSlice:
		for i := range v.Len() {
			if !eachEntityIn(path+"["+strconv.Itoa(i)+"]", f.Elem, v.Index(i), depth+1, visit) {
				return false
			}
		}
	case value.KindPointer:
		if !v.IsNil() {
			return eachEntityIn(path, f.Elem, v.Elem(), depth+1, visit)
		}
	case value.KindMap:
		for it := v.MapRange(); it.Next(); {
			key := path + "[" + keyText(it.Key()) + "]"
			if !eachEntityIn(key, f.Key, it.Key(), depth+1, visit) || !eachEntityIn(key, f.Elem, it.Value(), depth+1, visit) {
				return false
			}
		}
	}
	return true
}

func dotted(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func keyText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return strconv.Quote(v.String())
	}
	b, err := value.AppendJSON(nil, v, value.EncodeOptions{Bulk: true})
	if err != nil {
		return "?"
	}
	return string(b)
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
		fixed, dynamic := entityFieldsOf(comp.Type)
		if len(fixed) == 0 && !dynamic {
			continue
		}
		for c := range w.Chunks(ecs.Filter{With: []ecs.TypeID{comp.ID}}) {
			base, stride, ok := c.Column(comp.ID)
			if !ok {
				continue
			}
			for row := range c.Len() {
				if row%256 == 255 && time.Now().After(deadline) {
					return refs, true
				}
				p := unsafe.Add(base, uintptr(row)*stride)
				for _, f := range fixed {
					if *(*ecs.Entity)(unsafe.Add(p, f.offset)) == e && !found(c, row, comp, f.path) {
						return refs, ended
					}
				}
				if !dynamic {
					continue
				}
				seen := map[string]bool{}
				for _, f := range fixed {
					seen[f.path] = true
				}
				goOn := eachEntityIn("", comp.Type.Root, reflect.NewAt(comp.Type.Go, p).Elem(), 0, func(path string, x ecs.Entity) bool {
					if x != e || seen[path] {
						return true
					}
					seen[path] = true
					return found(c, row, comp, path)
				})
				if !goOn {
					return refs, ended
				}
			}
			if time.Now().After(deadline) {
				return refs, true
			}
		}
	}
	return refs, ended
}
