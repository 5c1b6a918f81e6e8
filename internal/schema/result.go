//go:build !nomcpdebug

package schema

import (
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Answer is the output schema of a result described by root; one that is
// no object is wrapped in {"result": ...}. Refusals have the same shape for
// every tool, and clients hold them to the schema too: required fields are
// asked of successes only.
func Answer(root *value.Field) *Schema {
	f := root.Leaf()
	switch f.Kind {
	case value.KindStruct:
		s := fieldType(f, Result)
		if f != root {
			s.Required = nil // a nil pointer is {}
		}
		return answer(s)
	case value.KindMap, value.KindPointer, value.KindInterface, value.KindJSON, value.KindOpaque:
		return answer(&Schema{Type: "object"})
	}
	return answer(&Schema{Type: "object", Properties: map[string]*Schema{"result": Result(root)}, Required: []string{"result"}})
}

// AnyAnswer is the output schema of a result of any names.
func AnyAnswer() *Schema { return answer(&Schema{Type: "object"}) }

func answer(s *Schema) *Schema {
	open := s.Properties == nil // any names: frame and error may be the result's own
	if open {
		s.Properties = map[string]*Schema{}
	}
	frame := &Schema{Description: "the host frame the answer was read in"}
	refusal := &Schema{Description: "why the call was refused (isError)"}
	if !open {
		frame.Type, refusal.Type = "integer", "object"
	}
	if _, own := s.Properties["frame"]; !own {
		s.Properties["frame"] = frame
	}
	if own := s.Properties["error"]; own != nil {
		refusal = &Schema{Description: own.Description, AnyOf: []*Schema{own, refusal}}
	}
	s.Properties["error"] = refusal
	s.AdditionalProperties = nil
	if len(s.Required) > 0 {
		s.AnyOf = []*Schema{{Required: s.Required}, {Required: []string{"error"}}}
		s.Required = nil
	}
	return s
}

// Result is the schema of one described value in a result. Clients throw
// away answers that break it, and what a debugger shows is often what ought not
// to be: so it allows every form that values are written in ("NaN", an entity
// that is none, an integer without a label), and declared ranges are no part
// of it.
func Result(f *value.Field) *Schema {
	s := allow(fieldType(f, Result), f)
	annotate(s, f)
	return s
}

// allow adds the other forms of a value as alternatives: a single "type"
// cannot say them.
func allow(s *Schema, f *value.Field) *Schema {
	forms := f.ResultForms()
	switch {
	case forms.Text:
		return &Schema{Type: "string"}
	case forms.Any:
		return &Schema{}
	case f.Kind == value.KindString || f.Kind == value.KindText:
		// Its labels are for writers; a game may hold any text.
		s.Examples, s.Enum = s.Enum, nil
	}
	var more []*Schema
	if forms.Number {
		more = append(more, &Schema{Type: "integer"})
	}
	if forms.Digits {
		more = append(more, &Schema{Type: "string", Pattern: "^-?[0-9]+$"})
	}
	if forms.NotFinite {
		more = append(more, &Schema{Type: "string", Enum: []any{"NaN", "Infinity", "-Infinity"}})
	}
	if forms.Cut {
		one := 1
		more = append(more, &Schema{Type: "object", PropertyNames: &Schema{Enum: []any{"$ref", "$more"}}, MinProperties: &one})
	}
	if forms.Null {
		more = append(more, &Schema{Type: "null"})
	}
	if len(more) == 0 || isOpen(s) {
		return s
	}
	if s.Type == "" && len(s.AnyOf) > 0 {
		return &Schema{AnyOf: append(s.AnyOf, more...)}
	}
	s.Description = ""
	return &Schema{AnyOf: append([]*Schema{s}, more...)}
}

// isOpen tells a schema that takes any value.
func isOpen(s *Schema) bool { return s.Type == "" && len(s.AnyOf) == 0 && len(s.Enum) == 0 }
