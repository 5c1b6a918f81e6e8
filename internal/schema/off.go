//go:build nomcpdebug

package schema

import (
	"encoding/json"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// Schema stands for a JSON Schema in a build without the debug server: it has
// the fields, so that schemas which hosts write by hand compile, and nobody
// reads them.
type Schema struct {
	ID                    string
	Schema                string
	Ref                   string
	Comment               string
	Defs                  map[string]*Schema
	Definitions           map[string]*Schema
	DependencySchemas     map[string]*Schema
	DependencyStrings     map[string][]string
	Anchor                string
	DynamicAnchor         string
	DynamicRef            string
	Vocabulary            map[string]bool
	Title                 string
	Description           string
	Default               json.RawMessage
	Deprecated            bool
	ReadOnly              bool
	WriteOnly             bool
	Examples              []any
	Type                  string
	Types                 []string
	Enum                  []any
	Const                 *any
	MultipleOf            *float64
	Minimum               *float64
	Maximum               *float64
	ExclusiveMinimum      *float64
	ExclusiveMaximum      *float64
	MinLength             *int
	MaxLength             *int
	Pattern               string
	PrefixItems           []*Schema
	Items                 *Schema
	ItemsArray            []*Schema
	MinItems              *int
	MaxItems              *int
	AdditionalItems       *Schema
	UniqueItems           bool
	Contains              *Schema
	MinContains           *int
	MaxContains           *int
	UnevaluatedItems      *Schema
	MinProperties         *int
	MaxProperties         *int
	Required              []string
	DependentRequired     map[string][]string
	Properties            map[string]*Schema
	PatternProperties     map[string]*Schema
	AdditionalProperties  *Schema
	PropertyNames         *Schema
	UnevaluatedProperties *Schema
	AllOf                 []*Schema
	AnyOf                 []*Schema
	OneOf                 []*Schema
	Not                   *Schema
	If                    *Schema
	Then                  *Schema
	Else                  *Schema
	DependentSchemas      map[string]*Schema
	ContentEncoding       string
	ContentMediaType      string
	ContentSchema         *Schema
	Format                string
	Extra                 map[string]any
	PropertyOrder         []string
}

// Argument returns an empty schema: nothing is listed in this build.
func Argument(*value.Field) *Schema { return &Schema{} }

// Object returns an empty schema.
func Object([]*value.Field) *Schema { return &Schema{} }

// Result returns an empty schema.
func Result(*value.Field) *Schema { return &Schema{} }

// AnyAnswer returns an empty schema.
func AnyAnswer() *Schema { return &Schema{} }

// Publish returns the schema of any object.
func Publish(*Schema) (json.RawMessage, []string, error) {
	return json.RawMessage(`{"type":"object"}`), nil, nil
}

// Answer returns an empty schema.
func Answer(*value.Field) *Schema { return &Schema{} }

// AtLeast returns s.
func AtLeast(s *Schema, _ int) *Schema { return s }
