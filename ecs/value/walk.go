package value

import (
	"reflect"
	"sync"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
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
	slot := layout.Of(t).TypeSlot(jsonMode)
	if ty, ok := slot.Load().(*Type); ok {
		return ty
	}
	if !jsonMode {
		layout.LearnType(t)
	}
	slot.CompareAndSwap(nil, buildType(t, jsonMode, describerOf(t)))
	return slot.Load().(*Type)
}

func buildType(t reflect.Type, jsonMode bool, d *describer) *Type {
	w := walker{root: t, json: jsonMode, on: map[reflect.Type]bool{}}
	root := &Field{Go: t}
	w.fill(root, layout.FieldTag{}, 0)
	ty := &Type{
		Go: t, Name: layout.ShortName(t), Qualified: layout.QualifiedName(t), ID: layout.FullName(t), Size: t.Size(),
		PointerFree: layout.Flat(t), Root: root, Fields: root.Fields, json: jsonMode, Problems: w.problems,
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
func (w *walker) fill(f *Field, tag layout.FieldTag, depth int) {
	w.count++
	t := f.Go
	layout.ApplyKind(f, tag)
	if !w.json {
		implyDefault(f)
	}
	if f.NoWrite != "" {
		f.ReadOnly = true
	}
	switch f.Kind {
	case KindStruct, KindArray, KindSlice, KindMap, KindPointer:
	default:
		return
	}
	if w.on[layout.Whole(t)] || w.count > maxFields || depth > maxDepth {
		f.Recursive = true
		return
	}
	if t.Name() != "" || t.Kind() == reflect.Struct {
		w.on[layout.Whole(t)] = true
		defer delete(w.on, layout.Whole(t))
	}
	sub := func(t reflect.Type) *Field {
		e := &Field{Go: t, ReadOnly: f.ReadOnly, Dangling: f.Dangling}
		// A range or unit on a list is one on its numbers.
		w.fill(e, layout.FieldTag{Min: tag.Min, Max: tag.Max, Unit: tag.Unit}, depth+1)
		e.ReadOnly = e.ReadOnly || f.ReadOnly
		return e
	}
	switch f.Kind {
	case KindStruct:
		for _, c := range layout.Of(t).Described(w.json) {
			child := *c.Field
			child.ReadOnly = child.ReadOnly || f.ReadOnly || child.Unexported && !layout.SameModule(c.Pkg, layout.PkgPath(w.root))
			child.Dangling = child.Dangling || f.Dangling
			ct := c.Tag
			if f.Vector && f.Kind == KindStruct {
				if ct.Min == nil {
					ct.Min = tag.Min
				}
				if ct.Max == nil {
					ct.Max = tag.Max
				}
				if ct.Unit == "" {
					ct.Unit = tag.Unit
				}
			}
			for _, p := range ct.Faults {
				w.problems = append(w.problems, t.String()+"."+child.GoName+": "+p)
			}
			w.fill(&child, ct, depth+1)
			f.Fields = append(f.Fields, &child)
		}
	case KindMap:
		f.Key = &Field{Go: t.Key(), Dangling: f.Dangling}
		w.fill(f.Key, layout.FieldTag{}, depth+1)
		f.Elem = sub(t.Elem())
	default:
		f.Elem = sub(t.Elem())
	}
}
