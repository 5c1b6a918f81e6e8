//go:build !nomcpdebug

// Package schema writes JSON Schemas of described Go types: of arguments, which
// are strict, and of results, which allow whatever a debugger may have to show.
package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// Schema is a JSON Schema.
type Schema = jsonschema.Schema

// AtLeast asks for at least n properties.
func AtLeast(s *Schema, n int) *Schema {
	s.MinProperties = &n
	return s
}

// Argument is the schema of one described value as an argument.
func Argument(f *value.Field) *Schema {
	s := fieldType(f, Argument)
	if f.Min != nil {
		s.Minimum = f.Min
	}
	s.Maximum = f.Max
	annotate(s, f)
	return s
}

// annotate adds what a schema tells people of a field.
func annotate(s *Schema, f *value.Field) {
	s.Description = f.Doc
	switch {
	case f.Unit != "" && f.Doc != "":
		s.Description += " (" + f.Unit + ")"
	case f.Unit != "":
		s.Description = "in " + f.Unit
	}
	if f.Default != "" {
		switch {
		case json.Valid([]byte(f.Default)) && f.Kind != value.KindString && f.Kind != value.KindEnum:
			s.Default = json.RawMessage(f.Default)
		default:
			s.Default = json.RawMessage(strconv.Quote(f.Default))
		}
	}
	s.ReadOnly = f.ReadOnly
	if s.Description == "" && isOpen(s) {
		s.Description = anyOf(f)
	}
}

// typeWords is what an undocumented property says of itself: its Go type.
func typeWords(f *value.Field) string {
	text := strings.TrimLeft(f.TypeText(), "*")
	if len(text) > 48 { // a struct without a name
		text = text[:45] + "..."
	}
	return text
}

// anyOf describes a value of any shape: a schema that says nothing is encoded as
// the bare true, for which strict clients throw away a whole listing.
func anyOf(f *value.Field) string {
	switch {
	case f.Kind == value.KindInterface && f.Go.NumMethod() > 0:
		return "a " + f.Go.String() + `, as {"$type":...,"value":...}`
	case f.Go == nil || f.Kind == value.KindInterface || f.Kind == value.KindJSON:
		return "any value"
	}
	return "a " + f.Go.String()
}

// fieldType is the schema of a value by its kind alone; sub makes those of its
// parts.
func fieldType(f *value.Field, sub func(*value.Field) *Schema) *Schema {
	switch f.Kind {
	case value.KindBool:
		return &Schema{Type: "boolean"}
	case value.KindInt:
		return &Schema{Type: "integer"}
	case value.KindUint:
		return &Schema{Type: "integer", Minimum: new(float64)}
	case value.KindFloat:
		return &Schema{Type: "number"}
	case value.KindString, value.KindBytes, value.KindText, value.KindEnum:
		s := &Schema{Type: "string"}
		for _, l := range f.Enum {
			s.Enum = append(s.Enum, l.Name)
		}
		return s
	case value.KindEntity:
		// No pattern: read-only tools take bare numbers too, and the decoder
		// knows which form a tool wants.
		return &Schema{Type: "string"}
	case value.KindPointer:
		if f.Elem != nil {
			return sub(f.Elem)
		}
	case value.KindArray, value.KindSlice:
		s := &Schema{Type: "array"}
		if f.Elem != nil {
			s.Items = sub(f.Elem)
		}
		if f.Kind == value.KindArray {
			n := f.Go.Len()
			s.MinItems, s.MaxItems = &n, &n
		}
		return s
	case value.KindMap:
		s := &Schema{Type: "object"}
		if f.Elem != nil {
			s.AdditionalProperties = sub(f.Elem)
		}
		return s
	case value.KindStruct:
		if f.Recursive {
			return &Schema{Type: "object"}
		}
		return structSchema(f.Fields, sub)
	}
	return &Schema{}
}

// Object is the schema of an object with the given properties as
// arguments, closed to others. Hidden fields are left out.
func Object(fields []*value.Field) *Schema { return structSchema(fields, Argument) }

func structSchema(fields []*value.Field, sub func(*value.Field) *Schema) *Schema {
	s := &Schema{Type: "object", Properties: map[string]*Schema{}, AdditionalProperties: &Schema{Not: &Schema{}}}
	for _, f := range fields {
		if f.Hidden {
			continue
		}
		p := sub(f)
		if p.Description == "" && f.Go != nil {
			p.Description = typeWords(f)
		}
		s.Properties[f.Name] = p
		s.PropertyOrder = append(s.PropertyOrder, f.Name)
		if !f.Optional && f.Default == "" {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

// Publish encodes a schema and refuses what strict clients reject: a
// root that is no object, a list-typed "type", "required": null, a $ref with
// brackets.
func Publish(s *Schema) (json.RawMessage, []string, error) {
	if s == nil {
		return json.RawMessage(`{"type":"object"}`), nil, nil
	}
	if s.Type != "object" {
		return nil, nil, fmt.Errorf("the root must be of the type object, got %q %v", s.Type, s.Types)
	}
	s = s.CloneSchemas()
	sayAny(s)
	b, err := json.Marshal(s)
	if err != nil {
		return nil, nil, err
	}
	var doc any
	if err := json.Unmarshal(b, &doc); err != nil {
		return nil, nil, err
	}
	if err := strict(doc, "#"); err != nil {
		return nil, nil, err
	}
	return b, Names(s), nil
}

// sayAny gives the schemas below s that allow everything, or nothing, a
// description: see anyOf. A host's own schemas may have such, and clients are
// to have a host's tools.
func sayAny(s *Schema) {
	say := func(sub *Schema) {
		if sub == nil {
			return
		}
		switch b, _ := json.Marshal(sub); string(b) {
		case "true":
			sub.Description = "any value"
		case "false":
			sub.Description = "no value is allowed"
		}
		sayAny(sub)
	}
	for _, m := range []map[string]*Schema{s.Properties, s.PatternProperties, s.Defs} {
		for _, sub := range m {
			say(sub)
		}
	}
	for _, list := range [][]*Schema{s.PrefixItems, s.AnyOf, s.OneOf, s.AllOf} {
		for _, sub := range list {
			say(sub)
		}
	}
	say(s.Items)
	if s.AdditionalProperties != nil { // where true and false are what everybody writes
		sayAny(s.AdditionalProperties)
	}
}

func strict(doc any, at string) error {
	switch v := doc.(type) {
	case map[string]any:
		for k, x := range v {
			where := at + "/" + k
			switch {
			case strings.HasSuffix(at, "/properties"): // k is a property's name
			case k == "type":
				if _, list := x.([]any); list {
					return fmt.Errorf("%s is a list; strict clients want a single type", where)
				}
			case k == "required" && x == nil:
				return fmt.Errorf("%s is null; leave it out or give an array", where)
			case k == "$ref":
				if r, ok := x.(string); ok && strings.ContainsAny(r, "[]") {
					return fmt.Errorf("%s has brackets, which strict clients reject", where)
				}
			}
			if err := strict(x, where); err != nil {
				return err
			}
		}
	case []any:
		for i, x := range v {
			if err := strict(x, at+"/"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
	}
	return nil
}
