package value

import (
	"reflect"
	"strings"
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
	slot := &LayoutOf(t).types[index(jsonMode)]
	if ty := slot.Load(); ty != nil {
		return ty
	}
	if !jsonMode {
		LearnType(t)
	}
	reg.mu.RLock()
	d := reg.describers[t]
	reg.mu.RUnlock()
	slot.CompareAndSwap(nil, buildType(t, jsonMode, d))
	return slot.Load()
}

// index is where a layout keeps what differs between components and arguments.
func index(jsonMode bool) int {
	if jsonMode {
		return 1
	}
	return 0
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
		f.implyDefault()
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

// applyKind sets what follows from the type and the tag alone.
func applyKind(f *Field, tag fieldTag) {
	l := LayoutOf(f.Go)
	f.Kind, f.noWrite = l.Kind, l.noWrite
	f.Min, f.Max, f.Unit, f.Default = tag.min, tag.max, tag.unit, tag.def
	if f.Go == durationType && f.Unit == "" {
		f.Unit = "ns"
	}
	if f.Kind == KindEnum {
		f.Enum, f.open = l.Labels, l.openLabels
	}
	if len(tag.enum) > 0 {
		switch {
		case f.Kind == KindInt || f.Kind == KindUint || f.Kind == KindEnum:
			f.Kind, f.Enum, f.open = KindEnum, tag.enum, false
		case f.Kind == KindString:
			f.Enum = tag.enum
		}
	}
	f.Vector = isVector(f.Go, f.Kind, tag.vector)
}

// isVector: 2 to 4 numbers. Arrays of floats and structs of exactly X, Y[, Z[,
// W]] floats are vectors as they are; others when their tag says so.
func isVector(t reflect.Type, k Kind, described bool) bool {
	number := func(t reflect.Type) bool {
		k := LayoutOf(t).Kind
		return k == KindFloat || described && (k == KindInt || k == KindUint)
	}
	switch k {
	case KindArray:
		return t.Len() >= 2 && t.Len() <= 4 && number(t.Elem())
	case KindStruct:
		n := t.NumField()
		if n < 2 || n > 4 {
			return false
		}
		for i := range n {
			sf := t.Field(i)
			if !number(sf.Type) || !described && !strings.EqualFold(sf.Name, "xyzw"[i:i+1]) {
				return false
			}
		}
		return true
	}
	return false
}

// structField is one field of a struct before its own type is walked.
type structField struct {
	field *Field
	tag   fieldTag
	pkg   string // of an unexported field
}

// described lists the fields of a struct as clients see them; the result is
// shared, callers copy what they change.
func (l *Layout) described(jsonMode bool) []structField {
	switch {
	case l.jsonFields == nil:
		return nil
	case jsonMode:
		return l.jsonFields()
	}
	return l.fields
}

// structFields lists the visible fields of a struct type.
func structFields(t reflect.Type) []structField {
	var list []structField
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Name == "_" || sf.Anonymous && declared(reg.markers, sf.Type) {
			continue
		}
		s := newField(sf, sf.Name)
		s.field.Index, s.field.Offset, s.field.Optional = i, sf.Offset, true
		list = append(list, s)
	}
	return withDeclarations(t, list)
}

// withDeclarations adds what FieldDoc says.
func withDeclarations(t reflect.Type, list []structField) []structField {
	reg.mu.RLock()
	d := reg.describers[t]
	reg.mu.RUnlock()
	if d != nil {
		for i := range list {
			list[i].describe(d)
		}
	}
	return list
}

func newField(sf reflect.StructField, name string) structField {
	tag := parseTag(sf.Tag.Get("debug"))
	f := &Field{Name: name, GoName: sf.Name, Go: sf.Type, Doc: sf.Tag.Get("jsonschema"),
		ReadOnly: tag.readOnly, Hidden: tag.hidden, Dangling: tag.dangling, Unexported: sf.PkgPath != "", embedded: sf.Anonymous}
	return structField{f, tag, sf.PkgPath}
}

// jsonFields lists fields as encoding/json sees them: names from tags,
// embedded structs flattened, of equal names the shallowest, then the tagged.
func jsonFields(t reflect.Type) []structField {
	type cand struct {
		structField
		depth  int
		tagged bool
	}
	var all []cand
	var visit func(t reflect.Type, base uintptr, index []int, behindPtr bool, depth int, on map[reflect.Type]bool)
	visit = func(t reflect.Type, base uintptr, index []int, behindPtr bool, depth int, on map[reflect.Type]bool) {
		if on[t] {
			return
		}
		on[t] = true
		defer delete(on, t)
		for i := range t.NumField() {
			sf := t.Field(i)
			tag, hasTag := sf.Tag.Lookup("json")
			if tag == "-" || sf.Name == "_" || sf.Anonymous && declared(reg.markers, sf.Type) {
				continue
			}
			name, rest, _ := strings.Cut(tag, ",")
			idx := append(index[:len(index):len(index)], i)
			et := sf.Type
			ptr := et.Kind() == reflect.Pointer
			if ptr && et.Name() == "" {
				et = et.Elem()
			}
			if sf.Anonymous && name == "" && et.Kind() == reflect.Struct && LayoutOf(et).Kind == KindStruct {
				// An unexported pointer cannot be allocated from outside.
				if sf.PkgPath != "" && ptr {
					continue
				}
				visit(et, base+sf.Offset, idx, behindPtr || ptr, depth+1, on)
				continue
			}
			if sf.PkgPath != "" {
				continue
			}
			tagged := hasTag && name != ""
			if name == "" {
				name = sf.Name
			}
			s := newField(sf, name)
			s.field.Index, s.field.Offset = i, base+sf.Offset
			if behindPtr {
				s.field.chain = idx
			}
			for _, o := range strings.Split(rest, ",") {
				switch o {
				case "omitempty":
					s.field.opts.omitEmpty = true
				case "omitzero":
					s.field.opts.omitZero = true
				case "string":
					s.field.opts.quoted = true
				}
			}
			s.field.Optional = s.field.opts.omitEmpty || s.field.opts.omitZero || s.tag.hasDefault ||
				sf.Type.Kind() == reflect.Pointer || behindPtr
			all = append(all, cand{s, depth, tagged})
		}
	}
	visit(t, 0, nil, false, 0, map[reflect.Type]bool{})
	var list []structField
	for i, c := range all {
		wins := true
		for j, o := range all {
			if i == j || o.field.Name != c.field.Name {
				continue
			}
			if o.depth < c.depth || o.depth == c.depth && (o.tagged || !c.tagged) {
				wins = false
			}
		}
		if wins {
			list = append(list, c.structField)
		}
	}
	return withDeclarations(t, list)
}
