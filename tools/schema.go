//go:build !nomcpdebug

package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loupe-ecs/loupe/ecs"
)

// Schema is a JSON Schema.
type Schema = jsonschema.Schema

// SchemaOf reflects the schema of an argument or result type: types are always
// single, every property of a described field has its description, range and
// labels. A type that cannot be described becomes an unconstrained property.
// The only error is a T that is no struct or map with text keys.
func SchemaOf[T any]() (*Schema, error) { return schemaOf(reflect.TypeFor[T]()) }

func schemaOf(t reflect.Type) (*Schema, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String, t.Kind() == reflect.Interface,
		t == reflect.TypeFor[json.RawMessage](), t == reflect.TypeFor[Result]():
		return &Schema{Type: "object"}, nil
	case t.Kind() != reflect.Struct:
		return nil, fmt.Errorf("%v is no struct: arguments and results are JSON objects", t)
	}
	return FieldSchema(ecs.ArgsOf(t).Root), nil
}

// resultSchema is schemaOf for results. A result that is no object is wrapped
// in {"result": ...}. Refusals have the same shape for every tool, and clients
// hold them to the schema too: required fields are asked of successes only.
func resultSchema(t reflect.Type) (*Schema, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s, err := schemaOf(t)
	if err != nil {
		return AnswerSchema(ecs.ArgsOf(t).Root), nil
	}
	return answerSchema(s), nil
}

// AnswerSchema is the output schema of a result described by root; one that is
// no object is wrapped in {"result": ...}.
func AnswerSchema(root *ecs.Field) *Schema {
	if root.Kind == ecs.KindStruct {
		return answerSchema(FieldSchema(root))
	}
	return answerSchema(&Schema{Type: "object", Properties: map[string]*Schema{"result": FieldSchema(root)}, Required: []string{"result"}})
}

// AtLeast asks for at least n properties.
func AtLeast(s *Schema, n int) *Schema {
	s.MinProperties = &n
	return s
}

func answerSchema(s *Schema) *Schema {
	if s.Properties == nil {
		s.Properties = map[string]*Schema{}
	}
	if _, own := s.Properties["frame"]; !own {
		s.Properties["frame"] = &Schema{Type: "integer", Description: "the host frame the answer was read in"}
	}
	s.Properties["error"] = &Schema{Type: "object", Description: "why the call was refused (isError)"}
	s.AdditionalProperties = nil
	if len(s.Required) > 0 {
		s.AnyOf = []*Schema{{Required: s.Required}, {Required: []string{"error"}}}
		s.Required = nil
	}
	return s
}

// FieldSchema is the schema of one described value.
func FieldSchema(f *ecs.Field) *Schema {
	s := fieldType(f)
	s.Description = f.Doc
	if f.Unit != "" {
		s.Description = strings.TrimSpace(s.Description + " (" + f.Unit + ")")
	}
	s.Minimum, s.Maximum = f.Min, f.Max
	if f.Kind == ecs.KindUint && s.Minimum == nil {
		s.Minimum = new(float64)
	}
	if f.Default != "" {
		switch {
		case json.Valid([]byte(f.Default)) && f.Kind != ecs.KindString && f.Kind != ecs.KindEnum:
			s.Default = json.RawMessage(f.Default)
		default:
			s.Default = json.RawMessage(strconv.Quote(f.Default))
		}
	}
	if f.ReadOnly {
		s.ReadOnly = true
	}
	return s
}

func fieldType(f *ecs.Field) *Schema {
	switch f.Kind {
	case ecs.KindBool:
		return &Schema{Type: "boolean"}
	case ecs.KindInt:
		return &Schema{Type: "integer"}
	case ecs.KindUint:
		return &Schema{Type: "integer"}
	case ecs.KindFloat:
		return &Schema{Type: "number"}
	case ecs.KindString, ecs.KindBytes, ecs.KindText:
		s := &Schema{Type: "string"}
		for _, l := range f.Enum {
			s.Enum = append(s.Enum, l.Name)
		}
		return s
	case ecs.KindEnum:
		s := &Schema{Type: "string"}
		for _, l := range f.Enum {
			s.Enum = append(s.Enum, l.Name)
		}
		return s
	case ecs.KindEntity:
		return &Schema{Type: "string", Pattern: `^[0-9]+v[0-9]+$`}
	case ecs.KindPointer:
		if f.Elem != nil {
			return FieldSchema(f.Elem)
		}
	case ecs.KindArray, ecs.KindSlice:
		s := &Schema{Type: "array"}
		if f.Elem != nil {
			s.Items = FieldSchema(f.Elem)
		}
		if f.Kind == ecs.KindArray {
			n := f.Go.Len()
			s.MinItems, s.MaxItems = &n, &n
		}
		return s
	case ecs.KindMap:
		s := &Schema{Type: "object"}
		if f.Elem != nil {
			s.AdditionalProperties = FieldSchema(f.Elem)
		}
		return s
	case ecs.KindStruct:
		if f.Recursive {
			return &Schema{Type: "object"}
		}
		return StructSchema(f.Fields)
	}
	return &Schema{}
}

// StructSchema is the schema of an object with the given properties, closed to
// others. Hidden fields are left out.
func StructSchema(fields []*ecs.Field) *Schema {
	s := &Schema{Type: "object", Properties: map[string]*Schema{}, AdditionalProperties: &Schema{Not: &Schema{}}}
	for _, f := range fields {
		if f.Hidden {
			continue
		}
		s.Properties[f.Name] = FieldSchema(f)
		s.PropertyOrder = append(s.PropertyOrder, f.Name)
		if !f.Optional && f.Default == "" {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

// publishSchema encodes a schema and refuses what strict clients reject: a
// root that is no object, a list-typed "type", "required": null, a $ref with
// brackets.
func publishSchema(s *Schema) (json.RawMessage, []string, error) {
	if s == nil {
		return json.RawMessage(`{"type":"object"}`), nil, nil
	}
	if s.Type != "object" {
		return nil, nil, fmt.Errorf("the root must be of the type object, got %q %v", s.Type, s.Types)
	}
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
	return b, propertyNames(s), nil
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
