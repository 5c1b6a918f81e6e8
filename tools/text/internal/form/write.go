package form

import (
	"bytes"
	"encoding/json"
	"sort"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// Names of elements and attributes that stand for no argument.
const (
	itemElement  = "item"
	entryElement = "entry"
	valueElement = "value"
	keyAttribute = "key"
)

// JSON writes a call as {"tool":...,"arguments":{...}} with the arguments in
// the order of the shape.
func JSON(tool string, s *shape.Shape, args map[string]any) string {
	var b bytes.Buffer
	b.WriteString(`{"tool":`)
	b.Write(marshal(tool))
	b.WriteString(`,"arguments":`)
	writeJSON(&b, s, args)
	b.WriteByte('}')
	return b.String()
}

func writeJSON(b *bytes.Buffer, s *shape.Shape, v any) {
	m, ok := v.(map[string]any)
	list, isList := v.([]any)
	switch {
	case ok && s != nil && s.Kind == shape.Struct:
		b.WriteByte('{')
		n := 0
		for _, f := range ordered(s) {
			if x, given := m[f.Name]; given {
				if n++; n > 1 {
					b.WriteByte(',')
				}
				b.Write(marshal(f.Name))
				b.WriteByte(':')
				writeJSON(b, f.Shape, x)
			}
		}
		b.WriteByte('}')
	case isList && s != nil && s.Kind == shape.List:
		b.WriteByte('[')
		for i, x := range list {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, s.Elem, x)
		}
		b.WriteByte(']')
	case ok && s != nil && s.Kind == shape.Map:
		b.WriteByte('{')
		for i, k := range sortedKeys(m) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(marshal(k))
			b.WriteByte(':')
			writeJSON(b, s.Elem, m[k])
		}
		b.WriteByte('}')
	default:
		b.Write(marshal(v))
	}
}

func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // an example is read by people and models
	if err := e.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

// XML writes a call as an element of the tool's name.
func XML(tool string, s *shape.Shape, args map[string]any) string {
	var b strings.Builder
	writeElement(&b, shape.XMLName(tool), "", s, args)
	return b.String()
}

// writeElement writes a value as an element; attr is written into its start
// tag.
func writeElement(b *strings.Builder, name, attr string, s *shape.Shape, v any) {
	b.WriteString("<" + name + attr)
	var inner strings.Builder
	switch x := v.(type) {
	case map[string]any:
		if s != nil && s.Kind == shape.Map {
			for _, k := range sortedKeys(x) {
				writeEntry(&inner, k, s.Elem, x[k])
			}
			break
		}
		for _, k := range order(s, x) {
			writePart(b, &inner, k, s.Field(k), x[k])
		}
	case []any:
		if s != nil && s.Words() != nil {
			inner.WriteString(escape(words(x)))
			break
		}
		var elem *shape.Shape
		if s != nil {
			elem = s.Elem
		}
		for _, item := range x {
			writeElement(&inner, itemElement, "", elem, item)
		}
	default:
		inner.WriteString(escape(word(v)))
	}
	if inner.Len() == 0 {
		b.WriteString("/>")
		return
	}
	b.WriteString(">" + inner.String() + "</" + name + ">")
}

// writeEntry writes an entry of a map: a plain value or a struct in the entry
// itself, anything else in an element of its own.
func writeEntry(b *strings.Builder, key string, s *shape.Shape, v any) {
	attr := " " + keyAttribute + `="` + escape(key) + `"`
	if wrapped(s) {
		b.WriteString("<" + entryElement + attr + ">")
		writeElement(b, valueElement, "", s, v)
		b.WriteString("</" + entryElement + ">")
		return
	}
	writeElement(b, entryElement, attr, s, v)
}

func wrapped(s *shape.Shape) bool {
	return s != nil && !s.Inline() && s.Kind != shape.Any && (s.Kind != shape.Struct || s.KeyClash())
}

// writePart writes an argument as an attribute or a child, as its shape wants
// it.
func writePart(attrs, children *strings.Builder, name string, f *shape.Field, v any) {
	_, object := v.(map[string]any)
	list, isList := v.([]any)
	xml := shape.XMLName(name)
	switch {
	case f != nil && f.Words() != nil && isList:
		attrs.WriteString(" " + xml + `="` + escape(words(list)) + `"`)
	case f != nil && f.Words() != nil && object:
		// A vector with names.
		var ws []any
		for _, part := range f.Fields {
			ws = append(ws, v.(map[string]any)[part.Name])
		}
		attrs.WriteString(" " + xml + `="` + escape(words(ws)) + `"`)
	case object || isList:
		var s *shape.Shape
		if f != nil {
			s = f.Shape
		}
		writeElement(children, xml, "", s, v)
	default:
		attrs.WriteString(" " + xml + `="` + escape(word(v)) + `"`)
	}
}

func order(s *shape.Shape, m map[string]any) []string {
	var names []string
	for _, f := range ordered(s) {
		if _, ok := m[f.Name]; ok {
			names = append(names, f.Name)
		}
	}
	for _, k := range sortedKeys(m) {
		if s.Field(k) == nil {
			names = append(names, k)
		}
	}
	return names
}

// ordered are the fields as conventions and grammars order them: those that
// are required first.
func ordered(s *shape.Shape) []shape.Field {
	if s == nil {
		return nil
	}
	fields := make([]shape.Field, 0, len(s.Fields))
	for _, required := range []bool{true, false} {
		for _, f := range s.Fields {
			if f.Required == required {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func words(list []any) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = word(v)
	}
	return strings.Join(texts, " ")
}

// word writes a scalar without JSON's quotes.
func word(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case string:
		return x
	case json.Number:
		return x.String()
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return string(marshal(v))
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#10;", "\r", "&#13;", "\t", "&#9;")

func escape(s string) string { return escapes.Replace(s) }
