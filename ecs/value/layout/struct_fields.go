package layout

import (
	"reflect"
	"strings"
)

// structField is one field of a struct before its own type is walked.
type structField struct {
	Field *Field
	Tag   FieldTag
	Pkg   string // of an unexported field
}

// described lists the fields of a struct as clients see them; the result is
// shared, callers copy what they change.
func (l *Layout) Described(jsonMode bool) []structField {
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
		s.Field.Index, s.Field.Offset, s.Field.Optional = i, sf.Offset, true
		list = append(list, s)
	}
	return withDeclarations(t, list)
}

// withDeclarations adds what FieldDoc says.
func withDeclarations(t reflect.Type, list []structField) []structField {
	reg.mu.RLock()
	decls := reg.fields[t]
	reg.mu.RUnlock()
	if len(decls) > 0 {
		for i := range list {
			list[i].describe(decls)
		}
	}
	return list
}

func newField(sf reflect.StructField, name string) structField {
	tag := parseTag(sf.Tag.Get("debug"))
	f := &Field{Name: name, GoName: sf.Name, Go: sf.Type, Doc: sf.Tag.Get("jsonschema"),
		ReadOnly: tag.readOnly, Hidden: tag.hidden, Dangling: tag.dangling, Unexported: sf.PkgPath != "", Embedded: sf.Anonymous}
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
			if sf.Anonymous && name == "" && et.Kind() == reflect.Struct && Of(et).Kind == KindStruct {
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
			s.Field.Index, s.Field.Offset = i, base+sf.Offset
			if behindPtr {
				s.Field.Chain = idx
			}
			for _, o := range strings.Split(rest, ",") {
				switch o {
				case "omitempty":
					s.Field.opts.omitEmpty = true
				case "omitzero":
					s.Field.opts.omitZero = true
				case "string":
					s.Field.opts.quoted = true
				}
			}
			s.Field.Optional = s.Field.opts.omitEmpty || s.Field.opts.omitZero || s.Tag.hasDefault ||
				sf.Type.Kind() == reflect.Pointer || behindPtr
			all = append(all, cand{s, depth, tagged})
		}
	}
	visit(t, 0, nil, false, 0, map[reflect.Type]bool{})
	var list []structField
	for i, c := range all {
		wins := true
		for j, o := range all {
			if i == j || o.Field.Name != c.Field.Name {
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

// applyKind sets what follows from the type and the tag alone.
func ApplyKind(f *Field, tag FieldTag) {
	l := Of(f.Go)
	f.Kind, f.NoWrite = l.Kind, l.noWrite
	f.Min, f.Max, f.Unit, f.Default = tag.Min, tag.Max, tag.Unit, tag.def
	if f.Go == DurationType && f.Unit == "" {
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
		k := Of(t).Kind
		return k == KindFloat || described && (k == KindInt || k == KindUint)
	}
	switch k {
	case KindArray:
		return t.Len() >= 2 && t.Len() <= 4 && number(t.Elem())
	case KindStruct:
		var named []reflect.StructField // what stands in for a type has blank fields besides
		for i := range min(t.NumField(), 16) {
			if sf := t.Field(i); sf.Name != "_" || foreignOf(t) == nil {
				named = append(named, sf)
			}
		}
		n := len(named)
		if n < 2 || n > 4 {
			return false
		}
		for i, sf := range named {
			if !number(sf.Type) || !described && !strings.EqualFold(sf.Name, "xyzw"[i:i+1]) {
				return false
			}
		}
		return true
	}
	return false
}

// index is where a layout keeps what differs between components and arguments.
func index(jsonMode bool) int {
	if jsonMode {
		return 1
	}
	return 0
}

// describe merges what FieldDoc says about the field over its own tag.
func (s *structField) describe(decls []FieldDecl) {
	for _, fd := range decls {
		if fd.Name != s.Field.Name && fd.Name != s.Field.GoName {
			continue
		}
		tag := parseTag(fd.Tag)
		if fd.Doc != "" {
			s.Field.Doc = fd.Doc
		}
		if tag.Min != nil {
			s.Tag.Min = tag.Min
		}
		if tag.Max != nil {
			s.Tag.Max = tag.Max
		}
		if tag.Unit != "" {
			s.Tag.Unit = tag.Unit
		}
		if tag.hasDefault {
			s.Tag.def, s.Tag.hasDefault, s.Field.Optional = tag.def, true, true
		}
		if len(tag.enum) > 0 {
			s.Tag.enum = tag.enum
		}
		s.Tag.vector = s.Tag.vector || tag.vector
		s.Tag.dangling, s.Tag.private = s.Tag.dangling || tag.dangling, s.Tag.private || tag.private
		s.Field.Dangling = s.Tag.dangling
		s.Field.ReadOnly = s.Field.ReadOnly || tag.readOnly
		s.Field.Hidden = s.Field.Hidden || tag.hidden
		s.Tag.Faults = append(s.Tag.Faults, tag.Faults...)
	}
}
