package shape

import (
	"math"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	schemas "github.com/loupe-ecs/loupe/internal/schema"
)

// maxNesting bounds what is followed of a schema: it may come from anywhere.
const maxNesting = 16

// OfSchema is the shape of arguments that a JSON Schema describes. What it
// cannot follow (references, alternatives, conditions) becomes Any: the checks
// know it.
func OfSchema(schema *jsonschema.Schema) *Shape {
	if schema == nil || len(schema.Properties) == 0 {
		// No arguments, or any: as the schema is closed or not.
		s := &Shape{Kind: Struct}
		if schema == nil || !closed(schema) {
			s = &Shape{Kind: Map, Elem: &Shape{}}
		}
		return s
	}
	return ofSchema(schema, 0)
}

func closed(s *jsonschema.Schema) bool {
	return s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
}

func ofSchema(schema *jsonschema.Schema, depth int) *Shape {
	if schema == nil || depth > maxNesting || schema.Ref != "" || schema.DynamicRef != "" {
		return &Shape{}
	}
	s := ofType(schema, depth)
	s.Doc = schema.Description
	return s
}

func ofType(schema *jsonschema.Schema, depth int) *Shape {
	if len(schema.Enum) > 0 || schema.Const != nil {
		values := schema.Enum
		if schema.Const != nil {
			values = []any{*schema.Const}
		}
		labels, texts := literals(values)
		return &Shape{Kind: Label, Labels: labels, Literal: !texts}
	}
	switch schema.Type {
	case "boolean":
		return &Shape{Kind: Bool}
	case "integer", "number":
		return numeric(schema)
	case "string":
		s := text()
		s.Pattern = schema.Pattern
		s.Least, s.Most = bounds(schema.MinLength, schema.MaxLength)
		return s
	case "array":
		if schema.Items == nil {
			break
		}
		s := &Shape{Kind: List, Elem: ofSchema(schema.Items, depth+1)}
		s.Least, s.Most = bounds(schema.MinItems, schema.MaxItems)
		return s
	case "object":
		return object(schema, depth)
	}
	return &Shape{}
}

func numeric(schema *jsonschema.Schema) *Shape {
	s := &Shape{Kind: Number}
	low, high := schema.Minimum, schema.Maximum
	if schema.ExclusiveMinimum != nil {
		low, s.MinOpen = schema.ExclusiveMinimum, true
	}
	if schema.ExclusiveMaximum != nil {
		high, s.MaxOpen = schema.ExclusiveMaximum, true
	}
	if schema.Type == "integer" {
		s.Kind = Int
		low, high = inclusive(low, s.MinOpen, math.Ceil, 1), inclusive(high, s.MaxOpen, math.Floor, -1)
		s.MinOpen, s.MaxOpen = false, false
	}
	if low != nil {
		s.Min = decimal(*low)
	}
	if high != nil {
		s.Max = decimal(*high)
	}
	return s
}

// inclusive is the first whole number within a bound.
func inclusive(bound *float64, open bool, round func(float64) float64, step float64) *float64 {
	if bound == nil {
		return nil
	}
	b := round(*bound)
	if open && b == *bound {
		b += step
	}
	return &b
}

func bounds(least, most *int) (int, int) {
	lo, hi := 0, -1
	if least != nil {
		lo = *least
	}
	if most != nil {
		hi = *most
	}
	return lo, hi
}

func object(schema *jsonschema.Schema, depth int) *Shape {
	if len(schema.Properties) == 0 {
		if closed(schema) {
			return &Shape{Kind: Struct}
		}
		return &Shape{Kind: Map, Elem: ofSchema(schema.AdditionalProperties, depth+1)}
	}
	s := &Shape{Kind: Struct}
	if schema.MinProperties != nil {
		s.AtLeast = *schema.MinProperties
	}
	for _, name := range schemas.Names(schema) {
		s.Fields = append(s.Fields, Field{ofSchema(schema.Properties[name], depth+1), name, slices.Contains(schema.Required, name)})
	}
	return s
}
