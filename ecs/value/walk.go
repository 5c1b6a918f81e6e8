package value

import (
	"reflect"
	"sync"
)

const (
	// maxFields bounds the tree of one description: a component that points
	// into a library's innards must not describe the library.
	maxFields = 2048
	maxDepth  = 24
)

// TypeOf describes t as a component or resource: fields by their Go names.
// Described once and cached; Describe for the same type later replaces it.
// Any goroutine.
func TypeOf(t reflect.Type) *Type { return describeType(t, false) }

// ArgsOf describes t as arguments or result of a tool: fields by their JSON
// names, `json:"-"` left out, embedded structs flattened as encoding/json
// does. Any goroutine.
func ArgsOf(t reflect.Type) *Type { return describeType(t, true) }

func describeType(t reflect.Type, jsonMode bool) *Type {
	slot := &LayoutOf(t).Described[index(jsonMode)]
	if ty, ok := slot.Load().(*Type); ok {
		return ty
	}
	if !jsonMode {
		LearnType(t)
	}
	slot.CompareAndSwap(nil, buildType(t, jsonMode, describerOf(t)))
	return slot.Load().(*Type)
}

func buildType(t reflect.Type, jsonMode bool, d *describer) *Type {
	w := walker{root: t, json: jsonMode, on: map[reflect.Type]bool{}}
	root := &Field{Go: t}
	w.fill(root, fieldTag{}, 0)
	ty := &Type{
		Go: t, Name: shortName(t), Qualified: qualifiedName(t), ID: fullName(t), Size: t.Size(),
		PointerFree: flat(t), Root: root, Fields: root.Fields, json: jsonMode, Problems: w.problems,
	}
	if d != nil {
		d.apply(ty)
	}
	ty.checkDefaults()
	ty.Shape = shapeOf(t)
	ty.SchemaID = schemaOf(ty)
	ty.guide = sync.OnceValue(func() *Guide { return makeGuide(ty) })
	return ty
}

type walker struct {
	root     reflect.Type
	json     bool
	on       map[reflect.Type]bool
	count    int
	problems []string
}

// fill completes a field whose Go type and names are known.
func (w *walker) fill(f *Field, tag fieldTag, depth int) {
	w.count++
	t := f.Go
	applyKind(f, tag)
	if !w.json {
		implyDefault(f)
	}
	if f.noWrite != "" {
		f.ReadOnly = true
	}
	switch f.Kind {
	case KindStruct, KindArray, KindSlice, KindMap, KindPointer:
	default:
		return
	}
	if w.on[t] || w.count > maxFields || depth > maxDepth {
		f.Recursive = true
		return
	}
	if t.Name() != "" || t.Kind() == reflect.Struct {
		w.on[t] = true
		defer delete(w.on, t)
	}
	sub := func(t reflect.Type) *Field {
		e := &Field{Go: t, ReadOnly: f.ReadOnly, Dangling: f.Dangling}
		// A range or unit on a list is one on its numbers.
		w.fill(e, fieldTag{min: tag.min, max: tag.max, unit: tag.unit}, depth+1)
		e.ReadOnly = e.ReadOnly || f.ReadOnly
		return e
	}
	switch f.Kind {
	case KindStruct:
		for _, c := range LayoutOf(t).described(w.json) {
			child := *c.field
			child.ReadOnly = child.ReadOnly || f.ReadOnly || child.Unexported && !sameModule(c.pkg, w.root.PkgPath())
			child.Dangling = child.Dangling || f.Dangling
			ct := c.tag
			if f.Vector && f.Kind == KindStruct {
				if ct.min == nil {
					ct.min = tag.min
				}
				if ct.max == nil {
					ct.max = tag.max
				}
				if ct.unit == "" {
					ct.unit = tag.unit
				}
			}
			for _, p := range ct.faults {
				w.problems = append(w.problems, t.String()+"."+child.GoName+": "+p)
			}
			w.fill(&child, ct, depth+1)
			f.Fields = append(f.Fields, &child)
		}
	case KindMap:
		f.Key = &Field{Go: t.Key(), Dangling: f.Dangling}
		w.fill(f.Key, fieldTag{}, depth+1)
		f.Elem = sub(t.Elem())
	default:
		f.Elem = sub(t.Elem())
	}
}
