package blackbox

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// typesDoc is the block that describes what samples are made of: every type as
// the program had it, so that a stand-in of the same memory can be made where
// the program is not. A later one extends it.
type typesDoc struct {
	Engine     ecs.Engine     `json:"engine"`
	Types      []typeDoc      `json:"types"`
	Components []componentDoc `json:"components"`
	Resources  []componentDoc `json:"resources"`
}

// componentDoc is a component or resource type.
type componentDoc struct {
	Type     int           `json:"type"`
	Relation bool          `json:"relation,omitempty"`
	Shape    string        `json:"shape"`
	SchemaID string        `json:"schemaID"`
	Doc      string        `json:"doc,omitempty"`
	Label    bool          `json:"label,omitempty"`
	Computed []computedDoc `json:"computed,omitempty"`
	Removed  bool          `json:"removed,omitempty"` // by redact: values are not in the file
}

type computedDoc struct {
	Name string `json:"name"`
	Doc  string `json:"doc,omitempty"`
	Unit string `json:"unit,omitempty"`
	Type int    `json:"type"`
}

// typeDoc is a Go type. Types refer to each other by number.
type typeDoc struct {
	Name    string            `json:"name,omitempty"`
	Pkg     string            `json:"pkg,omitempty"`
	Text    string            `json:"text"`
	Kind    string            `json:"kind"` // in memory, as reflect spells it
	Size    uintptr           `json:"size"`
	Fields  []fieldDoc        `json:"fields,omitempty"`
	Elem    int               `json:"elem,omitempty"`
	Key     int               `json:"key,omitempty"`
	Len     int               `json:"len,omitempty"`
	Labels  []value.EnumLabel `json:"labels,omitempty"`
	Open    bool              `json:"openLabels,omitempty"`
	Entity  bool              `json:"entity,omitempty"`
	Opaque  bool              `json:"opaque,omitempty"`
	Flat    bool              `json:"flat,omitempty"`
	Comment []fieldNote       `json:"fieldDocs,omitempty"`
}

type fieldNote struct {
	Name string `json:"name"`
	Tag  string `json:"tag,omitempty"`
	Doc  string `json:"doc,omitempty"`
}

type fieldDoc struct {
	Name     string  `json:"name"`
	Pkg      string  `json:"pkg,omitempty"` // of an unexported field
	Tag      string  `json:"tag,omitempty"`
	Type     int     `json:"type"`
	Offset   uintptr `json:"offset"`
	Embedded bool    `json:"embedded,omitempty"`
	Marker   bool    `json:"marker,omitempty"`
	Private  bool    `json:"private,omitempty"`
}

// describer numbers the types of a program.
type describer struct {
	numbers map[reflect.Type]int
	list    []typeDoc
}

func (d *describer) number(t reflect.Type) int {
	if n, ok := d.numbers[t]; ok {
		return n
	}
	if d.numbers == nil {
		d.numbers = map[reflect.Type]int{}
	}
	n := len(d.list)
	d.numbers[t] = n
	l := value.LayoutOf(t)
	doc := typeDoc{Name: t.Name(), Pkg: t.PkgPath(), Text: t.String(), Kind: t.Kind().String(), Size: t.Size(),
		Entity: l.Kind == value.KindEntity && t.Kind() == reflect.Struct, Opaque: l.Handle, Flat: l.Flat, Labels: l.Labels, Open: l.Open()}
	for _, f := range layout.Declared(t) {
		doc.Comment = append(doc.Comment, fieldNote(f))
	}
	d.list = append(d.list, doc)
	if doc.Opaque || doc.Entity || standard(doc.Name, doc.Pkg) != nil || t == locationType {
		return n
	}
	switch t.Kind() {
	case reflect.Struct:
		private := map[string]bool{}
		for _, p := range l.Parts {
			private[p.Name] = p.Private
		}
		for i := range t.NumField() {
			f := t.Field(i)
			doc.Fields = append(doc.Fields, fieldDoc{Name: f.Name, Pkg: f.PkgPath, Tag: string(f.Tag), Type: d.number(f.Type), Offset: f.Offset,
				Embedded: f.Anonymous, Marker: f.Anonymous && layout.IsMarker(f.Type), Private: private[f.Name]})
		}
	case reflect.Map:
		doc.Key, doc.Elem = d.number(t.Key()), d.number(t.Elem())
	case reflect.Array:
		doc.Len, doc.Elem = t.Len(), d.number(t.Elem())
	case reflect.Slice, reflect.Pointer:
		doc.Elem = d.number(t.Elem())
	}
	d.list[n] = doc
	return n
}

// catalog describes a world's types.
func (d *describer) catalog(cat *ecs.Catalog) *typesDoc {
	doc := &typesDoc{Engine: cat.Engine, Components: []componentDoc{}, Resources: []componentDoc{}}
	for _, c := range cat.Components {
		doc.Components = append(doc.Components, d.component(c.Type, c.Relation))
	}
	for _, r := range cat.Resources {
		doc.Resources = append(doc.Resources, d.component(r.Type, false))
	}
	doc.Types = d.list
	return doc
}

func (d *describer) component(t *value.Type, relation bool) componentDoc {
	c := componentDoc{Type: d.number(t.Go), Relation: relation, Shape: t.Shape, SchemaID: t.SchemaID, Doc: t.Doc}
	if t.Go.Kind() != reflect.Struct {
		return c // nothing can be kept beside its values
	}
	c.Label = t.Label != nil
	for _, v := range t.Computed {
		c.Computed = append(c.Computed, computedDoc{v.Name, v.Doc, v.Unit, d.number(v.Type.Go)})
	}
	return c
}

func (t *typesDoc) bytes() ([]byte, error) { return json.Marshal(t) }

// maxTypes bounds what a file may describe.
const (
	maxTypes     = 20_000
	maxFields    = 4096
	maxTypeBytes = 1 << 20

	maxTypesWeight = 24 << 20
)

func parseTypes(raw []byte) (*typesDoc, error) {
	if len(raw) > 16<<20 {
		return nil, badFile("the description of the types takes %d bytes", len(raw))
	}
	if weight(raw, 256, 112) > maxTypesWeight {
		return nil, badFile("the description of the types tells of too much")
	}
	t := &typesDoc{}
	if err := json.Unmarshal(raw, t); err != nil {
		return nil, badFile("the description of the types is not readable: %v", err)
	}
	if len(t.Types) > maxTypes || len(t.Components) > maxTypes || len(t.Resources) > maxTypes {
		return nil, badFile("%d types, %d components and %d resources are too many", len(t.Types), len(t.Components), len(t.Resources))
	}
	bad := func(n int) bool { return n < 0 || n >= len(t.Types) }
	for i := range t.Types {
		x := &t.Types[i]
		if len(x.Fields) > maxFields || len(x.Labels) > maxFields || bad(x.Elem) || bad(x.Key) || x.Size > maxTypeBytes || x.Len < 0 || x.Len > maxTypeBytes {
			return nil, badFile("type %s is described impossibly", strconv.Quote(x.Text))
		}
		for _, f := range x.Fields {
			if bad(f.Type) {
				return nil, badFile("type %s is described impossibly", strconv.Quote(x.Text))
			}
		}
	}
	for _, c := range slices.Concat(t.Components, t.Resources) {
		if bad(c.Type) || len(c.Computed) > 64 || slices.ContainsFunc(c.Computed, func(v computedDoc) bool { return bad(v.Type) }) {
			return nil, badFile("a component is described impossibly")
		}
	}
	return t, nil
}
