package value

import (
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// Guide tells a client how to write values of a type: it is part of the
// description of a component and stands beside every refused value of it.
type Guide struct {
	Type     string          `json:"type"`
	Fields   []GuideField    `json:"fields,omitempty"`
	Example  json.RawMessage `json:"example"` // a whole value that decodes
	Settable []GuidePath     `json:"settable,omitempty"`
	Fixed    []GuidePath     `json:"notSettable,omitempty"`
}

// GuideField describes one field.
type GuideField struct {
	Path       string   `json:"path"`
	Type       string   `json:"type"`
	Unit       string   `json:"unit,omitempty"`
	Min        *float64 `json:"min,omitempty"`
	Max        *float64 `json:"max,omitempty"`
	Enum       []string `json:"enum,omitempty"`
	Default    string   `json:"default,omitempty"`
	ReadOnly   bool     `json:"readOnly,omitempty"`
	Unexported bool     `json:"unexported,omitempty"`
	Computed   bool     `json:"computed,omitempty"`
	Doc        string   `json:"doc,omitempty"`
}

// GuidePath is a path with a value that may be written there, or why none may.
type GuidePath struct {
	Path    string          `json:"path"`
	Example json.RawMessage `json:"example,omitempty"`
	Why     string          `json:"why,omitempty"`
}

const (
	guidePaths = 60
	guideDepth = 4
	exampleLen = 64
)

// Guide gives the type's guide. It is made once; do not change it. Any
// goroutine.
func (t *Type) Guide() *Guide { return t.guide() }

func makeGuide(t *Type) *Guide {
	g := &Guide{Type: t.Qualified}
	for _, f := range t.Fields {
		g.describe("", f, 0)
	}
	for _, c := range t.Computed {
		g.Fields = append(g.Fields, GuideField{Path: c.Name, Type: c.Type.Root.TypeText(), Unit: c.Unit, ReadOnly: true, Computed: true, Doc: c.Doc})
		g.Fixed = append(g.Fixed, GuidePath{Path: c.Name, Why: "it is computed"})
	}
	g.Example = t.example()
	for _, f := range t.Fields {
		g.paths(t, f.Name, f, 0)
	}
	for _, name := range t.Promoted() {
		if p, err := t.Path(name); err == nil {
			g.paths(t, name, p.Field, guideDepth)
		}
	}
	if t.Root.Kind != KindStruct && len(t.Fields) == 0 {
		g.paths(t, "", t.Root, 0)
	}
	return g
}

// try tells whether raw decodes into the leaf.
func (p *Path) try(raw []byte) error {
	n, err := parseJSON(raw)
	if err == nil {
		_, err = p.decode(&n)
	}
	return err
}

func (g *Guide) describe(prefix string, f *Field, depth int) {
	if f.Hidden || len(g.Fields) >= guidePaths {
		return
	}
	g.Fields = append(g.Fields, GuideField{Path: prefix + f.Name, Type: f.TypeText(), Unit: f.Unit, Min: f.Min, Max: f.Max,
		Enum: layout.LabelNames(f.Enum), Default: f.Default, ReadOnly: f.ReadOnly, Unexported: f.Unexported, Doc: f.Doc})
	if f.Kind == KindStruct && !f.Vector && depth < guideDepth {
		for _, c := range f.Fields {
			g.describe(prefix+f.Name+".", c, depth+1)
		}
	}
}

// paths lists what may be written at path and below, each with a value that
// was tried.
func (g *Guide) paths(t *Type, path string, f *Field, depth int) {
	if f.Hidden || len(g.Settable)+len(g.Fixed) >= guidePaths {
		return
	}
	p, err := t.Path(path)
	if err != nil {
		return
	}
	if why := p.Settable(); why != "" {
		g.Fixed = append(g.Fixed, GuidePath{Path: path, Why: why})
		return
	}
	f = p.Field
	raw, ok := exampleFor(f, 0)
	if ok {
		err = p.try(raw)
	}
	if f.Kind == KindArray && !ok && f.Go.Len() > exampleLen {
		g.Settable = append(g.Settable, GuidePath{Path: path, Why: "as a list of " + strconv.Itoa(f.Go.Len()) + " values, too long to show"})
	} else if !ok || err != nil {
		g.Fixed = append(g.Fixed, GuidePath{Path: path, Why: "no value of " + f.Go.String() + " can be written from outside"})
	} else {
		g.Settable = append(g.Settable, GuidePath{Path: path, Example: raw})
	}
	if depth >= guideDepth {
		return
	}
	switch f.Kind {
	case KindStruct:
		for _, c := range f.Fields {
			g.paths(t, path+"."+c.Name, c, depth+1)
		}
	case KindSlice, KindArray:
		if !f.Vector && f.Elem != nil && f.Go.Elem().Size() > 0 && (f.Kind == KindSlice || f.Go.Len() > 0) {
			g.paths(t, path+"[0]", f.Elem, depth+1)
		}
	case KindMap:
		if key, ok := exampleKey(f.Key); ok {
			g.paths(t, path+"["+strconv.Quote(key)+"]", f.Elem, depth+1)
		}
	}
}

func exampleKey(f *Field) (string, bool) {
	v := reflect.New(f.Go)
	if f.Kind == KindString {
		return "name", true
	}
	if f.Kind == KindEntity {
		return "42v3", true
	}
	s, _, err := layout.KeyText(f.Go, false)(v.UnsafePointer())
	return s, err == nil && s != ""
}

// example is a whole value that decodes: an example of every writable field.
func (t *Type) example() json.RawMessage {
	raw, ok := exampleFor(t.Root, 0)
	if ok {
		d := decoder{json: t.json}
		n, err := parseJSON(raw)
		if err == nil {
			v := t.New()
			if d.run(v, t.Root, &n) == nil {
				return raw
			}
		}
	}
	if raw, err := layout.AppendJSON(nil, t.New(), EncodeOptions{JSON: t.json}); err == nil {
		return raw
	}
	return json.RawMessage("{}")
}

// Example gives a JSON value that decodes into the field, the declared default
// if there is one.
func Example(f *Field) (json.RawMessage, bool) { return exampleFor(f, 0) }

func exampleFor(f *Field, depth int) (json.RawMessage, bool) {
	f = (&decoder{}).full(f)
	if f.NoWrite != "" || depth > guideDepth {
		return nil, false
	}
	if f.Default != "" {
		v := reflect.New(f.Go).Elem()
		if (&decoder{}).setDefault(v, f) == nil {
			if b, err := layout.AppendJSON(nil, v, EncodeOptions{}); err == nil {
				return b, true
			}
		}
	}
	switch f.Kind {
	case KindBool:
		return json.RawMessage("true"), true
	case KindInt, KindUint, KindFloat:
		x := 1.0
		switch {
		case f.Min != nil && f.Max != nil:
			x = *f.Min + (*f.Max-*f.Min)/2
			if f.Kind != KindFloat {
				x = float64(int64(x))
			}
			x = min(max(x, *f.Min), *f.Max)
		case f.Min != nil && *f.Min > 1:
			x = *f.Min
		case f.Max != nil && *f.Max < 1:
			x = *f.Max
		}
		return layout.AppendFloat(nil, x, 64), true
	case KindComplex:
		return json.RawMessage("[1,0]"), true
	case KindString:
		if len(f.Enum) > 0 {
			return layout.AppendString(nil, f.Enum[0].Name), true
		}
		return json.RawMessage(`"text"`), true
	case KindEnum:
		for _, l := range f.Enum {
			if f.Min == nil || float64(l.Value) >= *f.Min {
				return layout.AppendString(nil, l.Name), true
			}
		}
		return json.RawMessage("0"), true
	case KindEntity:
		return json.RawMessage(`"42v3"`), true
	case KindBytes:
		if f.Go.Kind() == reflect.Array {
			b, err := layout.AppendJSON(nil, reflect.New(f.Go).Elem(), EncodeOptions{})
			return b, err == nil
		}
		return json.RawMessage(`"AQID"`), true
	case KindText, KindJSON:
		b, err := layout.AppendJSON(nil, reflect.New(f.Go).Elem(), EncodeOptions{})
		return b, err == nil
	case KindStruct:
		out := []byte{'{'}
		for _, c := range f.Fields {
			if c.Hidden || c.ReadOnly {
				continue
			}
			b, ok := exampleFor(c, depth+1)
			if !ok {
				continue
			}
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(layout.AppendString(out, c.Name), ':'), b...)
		}
		return append(out, '}'), true
	case KindArray:
		n := f.Go.Len()
		if n > exampleLen || f.Elem == nil {
			return nil, false
		}
		out := []byte{'['}
		for i := range n {
			b, ok := exampleFor(f.Elem, depth+1)
			if !ok {
				return nil, false
			}
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, b...)
		}
		return append(out, ']'), true
	case KindSlice:
		if b, ok := exampleFor(f.Elem, depth+1); ok {
			return append(append([]byte{'['}, b...), ']'), true
		}
		return json.RawMessage("[]"), true
	case KindMap:
		if key, ok := exampleKey(f.Key); ok {
			if b, ok := exampleFor(f.Elem, depth+1); ok {
				out := append(layout.AppendString([]byte{'{'}, key), ':')
				return append(append(out, b...), '}'), true
			}
		}
		return json.RawMessage("{}"), true
	case KindPointer:
		// One pointer deep is enough to show the form.
		if f.Elem != nil && depth <= 1 {
			if b, ok := exampleFor(f.Elem, depth+guideDepth-1); ok {
				return b, true
			}
		}
		return json.RawMessage("null"), true
	case KindInterface:
		return json.RawMessage("null"), true
	}
	return nil, false
}
