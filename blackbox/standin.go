package blackbox

import (
	"fmt"
	"image/color"
	"math/big"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// A stand-in is a type made at run time that lies in memory as the one in the
// file did. A tag on a field of no size tells apart those that are otherwise
// alike. What the labels and computed values of a component were stands behind
// its fields as numbers of a table (extras).

var locationType = reflect.TypeFor[*time.Location]()

// standard finds the types of the standard library that every program has.
func standard(name, pkg string) reflect.Type {
	if pkg == "" {
		return basic[name]
	}
	return known[pkg+"."+name]
}

var basic, known = func() (basic, known map[string]reflect.Type) {
	basic, known = map[string]reflect.Type{}, map[string]reflect.Type{}
	for _, v := range []any{false, 0, int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0), uint64(0), uintptr(0),
		float32(0), float64(0), complex64(0), complex128(0), ""} {
		basic[reflect.TypeOf(v).Name()] = reflect.TypeOf(v)
	}
	for _, t := range []reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[time.Month](), reflect.TypeFor[time.Weekday](),
		reflect.TypeFor[big.Int](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[netip.AddrPort](), reflect.TypeFor[netip.Prefix](),
		reflect.TypeFor[color.RGBA](), reflect.TypeFor[color.NRGBA]()} {
		known[t.PkgPath()+"."+t.Name()] = t
	}
	return basic, known
}()

// builder makes the stand-ins of one file.
type builder struct {
	id      uint64 // of this file: its stand-ins are no other file's
	doc     *typesDoc
	stage   *stage // what was built so far
	types   [maxLevels][]reflect.Type
	atWork  [maxLevels][]bool
	level   int // how often types at work met themselves
	depth   int
	foreign map[reflect.Type]*value.Foreign
}

var builders atomic.Uint64

func newBuilder() *builder { return &builder{id: builders.Add(1)} }

// build makes a catalog of stand-ins, and what chunks are read into. A later
// document extends the one before.
func (b *builder) build(doc *typesDoc) (*ecs.Catalog, *stage, error) {
	buildMu.Lock()
	defer buildMu.Unlock()
	if b.doc != nil && (len(doc.Types) < len(b.doc.Types) || len(doc.Components) < len(b.doc.Components) || len(doc.Resources) < len(b.doc.Resources)) {
		return nil, nil, badFile("types were forgotten on the way")
	}
	b.doc = doc
	for k := range b.types {
		for len(b.types[k]) < len(doc.Types) {
			b.types[k], b.atWork[k] = append(b.types[k], nil), append(b.atWork[k], false)
		}
	}
	st := &stage{doc: doc}
	if b.stage != nil {
		st.components, st.resources = slices.Clone(b.stage.components), slices.Clone(b.stage.resources)
	}
	b.stage, b.foreign = st, map[reflect.Type]*value.Foreign{}
	for i := len(st.components); i < len(doc.Components); i++ {
		st.components = append(st.components, b.component(&doc.Components[i]))
	}
	for i := len(st.resources); i < len(doc.Resources); i++ {
		st.resources = append(st.resources, b.component(&doc.Resources[i]))
	}
	for i := range doc.Types { // types that are met in interfaces alone
		b.of(i)
	}
	for n := range doc.Types {
		for level := 1; level < maxLevels; level++ {
			if t := b.types[level][n]; t != nil && t != b.types[0][n] && b.foreign[t] != nil {
				b.foreign[t].First = b.types[0][n]
			}
		}
	}
	for _, x := range slices.Concat(st.components, st.resources) {
		if f := b.foreign[x.typ]; f != nil && x.typ != x.plain {
			f.First = x.plain
		}
	}
	value.RegisterForeign(b.foreign)
	for _, x := range slices.Concat(st.components, st.resources) {
		if x.flat && !value.LayoutOf(x.plain).Flat {
			return nil, nil, badFile("type %s holds pointers, and is said to hold none", x.plain)
		}
	}
	cat := ecs.Catalog{Engine: doc.Engine, CachedFilters: -1}
	for i, x := range st.components {
		cat.Components = append(cat.Components, &ecs.Component{ID: ecs.TypeID(i), Type: b.shown(x, &doc.Components[i]), Relation: doc.Components[i].Relation})
	}
	for i, x := range st.resources {
		cat.Resources = append(cat.Resources, &ecs.Resource{ID: ecs.TypeID(i), Type: b.shown(x, &doc.Resources[i])})
	}
	return ecs.NewCatalog(cat), st, nil
}

// buildMu: names that are still free in the pool are taken one by one.
var buildMu sync.Mutex

// stage is what a chunk is read into.
type stage struct {
	doc        *typesDoc
	components []*extras
	resources  []*extras
}

// maxLevels is how far down a type that contains itself can be followed: values
// are shown eight references deep.
const maxLevels = 10

// of is the stand-in of type n. One that contains itself goes on at the next
// level; at the last one, and whatever cannot be made, is an opaque one of its
// size.
func (b *builder) of(n int) reflect.Type {
	if t := b.types[b.level][n]; t != nil {
		return t
	}
	d := &b.doc.Types[n]
	if b.atWork[b.level][n] {
		if b.level == maxLevels-1 {
			return b.opaque(d, n)
		}
		b.level++
		defer func() { b.level-- }()
		return b.of(n)
	}
	level := b.level
	b.atWork[level][n] = true
	b.depth++
	t := b.make(d, n)
	b.depth--
	b.atWork[level][n] = false
	if t == nil || t.Size() != d.Size {
		t = b.opaque(d, n)
	}
	b.types[level][n] = t
	return t
}

func (b *builder) make(d *typeDoc, n int) (t reflect.Type) {
	defer func() {
		if recover() != nil { // reflect's own limits
			t = nil
		}
	}()
	switch {
	case b.depth > 64*maxLevels:
		return nil
	case d.Entity:
		return reflect.TypeFor[ecs.Entity]()
	case d.Text == "*time.Location":
		return locationType
	}
	if t := standard(d.Name, d.Pkg); t != nil && t.Kind().String() == d.Kind {
		return t
	}
	if d.Opaque {
		return nil
	}
	switch d.Kind {
	case "struct":
		return b.structOf(d, n, nil)
	case "interface":
		return reflect.TypeFor[any]()
	case "slice":
		return reflect.SliceOf(b.of(d.Elem))
	case "ptr":
		return reflect.PointerTo(b.of(d.Elem))
	case "map":
		if key := b.of(d.Key); key.Comparable() {
			return reflect.MapOf(key, b.of(d.Elem))
		}
		return nil
	case "array":
		e := b.of(d.Elem)
		if e.Size()*uintptr(d.Len) > maxTypeBytes {
			return nil
		}
		return reflect.ArrayOf(d.Len, e)
	}
	return b.scalar(d)
}

// scalar stands for a named number, string or truth value.
func (b *builder) scalar(d *typeDoc) reflect.Type {
	t := basic[d.Kind]
	if t == nil || d.Name == "" {
		return t
	}
	if own := fromPool(d); own != nil {
		b.foreign[own] = b.describe(d)
		return own
	}
	return t
}

func (b *builder) describe(d *typeDoc) *value.Foreign {
	f := &value.Foreign{Foreign: layout.Foreign{Name: d.Name, PkgPath: d.Pkg, Text: d.Text, Labels: d.Labels, OpenLabels: d.Open, Opaque: d.Opaque}}
	for _, c := range d.Comment {
		f.Fields = append(f.Fields, layout.FieldDecl(c))
	}
	return f
}

// identity is a field of no size that tells a stand-in apart.
func (b *builder) identity(d *typeDoc, more string) reflect.StructField {
	return reflect.StructField{Name: "_", PkgPath: "blackbox", Type: reflect.TypeFor[struct{}](), Tag: reflect.StructTag(`loupe:` + strconv.Quote(fmt.Sprintf("%s.%s%s of %d", d.Pkg, d.Text, more, b.id)))}
}

func (b *builder) structOf(d *typeDoc, n int, behind []reflect.StructField) reflect.Type {
	fields := []reflect.StructField{}
	pkg := "blackbox" // all fields that are not exported are of one package
	for _, f := range d.Fields {
		if f.Pkg != "" {
			pkg = f.Pkg
		}
	}
	if d.Name != "" {
		fields = append(fields, b.identity(d, fmt.Sprint("#", n)))
	}
	for _, f := range d.Fields {
		sf := reflect.StructField{Name: f.Name, PkgPath: f.Pkg, Type: b.of(f.Type), Tag: reflect.StructTag(f.Tag), Anonymous: f.Embedded && f.Pkg == "" && !f.Marker}
		switch {
		case f.Marker:
			sf.Name, sf.PkgPath, sf.Tag = "_", pkg, ""
		case f.Private:
			sf.Type = b.opaque(&typeDoc{Name: "private", Pkg: "blackbox", Text: "private", Size: b.doc.Types[f.Type].Size, Opaque: true}, f.Type)
		case f.Name == "_" && f.Pkg == "":
			sf.PkgPath = pkg
		}
		fields = append(fields, sf)
	}
	for i := range behind {
		behind[i].PkgPath = pkg
	}
	if d.Name != "" {
		fields[0].PkgPath = pkg
	}
	t := reflect.StructOf(append(fields, behind...))
	for i, f := range d.Fields {
		if at := t.Field(i + len(fields) - len(d.Fields)); at.Offset != f.Offset {
			return nil
		}
	}
	if d.Name != "" {
		b.foreign[t] = b.describe(d)
	}
	return t
}

// opaque is as large as a type and shows only its name.
func (b *builder) opaque(d *typeDoc, n int) reflect.Type {
	var mem reflect.Type
	switch {
	case d.Size%8 == 0:
		mem = reflect.ArrayOf(int(d.Size/8), reflect.TypeFor[uint64]())
	case d.Size%4 == 0:
		mem = reflect.ArrayOf(int(d.Size/4), reflect.TypeFor[uint32]())
	case d.Size%2 == 0:
		mem = reflect.ArrayOf(int(d.Size/2), reflect.TypeFor[uint16]())
	default:
		mem = reflect.ArrayOf(int(d.Size), reflect.TypeFor[byte]())
	}
	t := reflect.StructOf([]reflect.StructField{b.identity(d, fmt.Sprint("?", n)), {Name: "Bytes", Type: mem}})
	f := b.describe(d)
	f.Opaque, f.Labels, f.Fields = true, nil, nil
	if f.Name == "" {
		f.Name, f.PkgPath = d.Text, "blackbox"
	}
	b.foreign[t] = f
	return t
}

// shown is the description of a component or resource, under the names that the
// type had: stand-ins of named lists and maps have none.
func (b *builder) shown(x *extras, c *componentDoc) *value.Type {
	t, d := *value.TypeOf(x.typ), &b.doc.Types[c.Type]
	if d.Name != "" {
		t.Name, t.Qualified, t.ID = (&layout.Foreign{Name: d.Name, PkgPath: d.Pkg, Text: d.Text}).NamesOf()
	}
	t.Shape, t.SchemaID, t.Doc, t.Size = c.Shape, c.SchemaID, c.Doc, d.Size
	return &t
}

// component makes the stand-in of a component or resource.
func (b *builder) component(c *componentDoc) *extras {
	d := &b.doc.Types[c.Type]
	x := &extras{typ: b.of(c.Type)}
	if c.Removed && len(d.Fields) == 0 { // the type itself may be a plain one, which others have as fields
		x.typ = b.opaque(d, c.Type)
	}
	x.plain, x.flat = x.typ, d.Flat
	count := len(c.Computed)
	if c.Label {
		count++
	}
	if d.Kind == "struct" && d.Name != "" && !d.Opaque && !d.Entity {
		var behind []reflect.StructField
		for range count {
			behind = append(behind, reflect.StructField{Name: "_", PkgPath: "blackbox", Type: reflect.TypeFor[uint32]()})
		}
		own := func() (t reflect.Type) {
			defer func() {
				if recover() != nil {
					t = nil
				}
			}()
			return b.structOf(d, c.Type, behind)
		}()
		if own != nil && count > 0 {
			n := own.NumField() - count
			for k := range count {
				x.offsets = append(x.offsets, own.Field(n+k).Offset)
			}
			x.typ = own
		}
	}
	f := b.foreign[x.typ]
	if f == nil || len(x.offsets) == 0 {
		return x
	}
	for k, v := range c.Computed {
		t := x.table(b.of(v.Type))
		f.Computed = append(f.Computed, value.ForeignValue{Name: v.Name, Doc: v.Doc, Unit: v.Unit, Type: b.of(v.Type), Get: t.getter(x.offsets[k])})
	}
	if c.Label {
		at := x.offsets[len(x.offsets)-1]
		t := x.table(reflect.TypeFor[string]())
		f.Label = func(p unsafe.Pointer) string { return t.at(*(*uint32)(unsafe.Add(p, at))).String() }
	}
	return x
}
