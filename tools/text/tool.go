package text

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools/text/internal/form"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// Tool is what is known of a tool.
type Tool struct {
	Name        string
	Description string
	Group       string
	// Schema is the JSON Schema of the arguments; nil: any object.
	Schema *jsonschema.Schema
	// Fields are the described Go values that Schema was made of. They know
	// more: the width of an integer, which text is an entity. nil: the schema
	// is all there is (it was written by hand, or came over the wire).
	Fields []*value.Field
	// ReadOnly tools take an entity by its slot number, too.
	ReadOnly bool
	// Unlisted tools come last where not all have room.
	Unlisted bool
	// Example is the JSON of an arguments object that works.
	Example json.RawMessage

	args *shape.Shape
}

// shape is that of the arguments.
func (t *Tool) shape() *shape.Shape {
	if t.args != nil {
		return t.args
	}
	if t.Fields == nil {
		return shape.OfSchema(t.Schema)
	}
	least := 0
	if t.Schema != nil && t.Schema.MinProperties != nil {
		least = *t.Schema.MinProperties
	}
	return shape.OfFields(t.Fields, least, t.ReadOnly)
}

// example is the arguments of a call that works.
func (t *Tool) example() map[string]any {
	var args map[string]any
	if len(t.Example) > 0 && json.Unmarshal(t.Example, &args) == nil && args != nil {
		return args
	}
	s := t.shape()
	if s.Kind != shape.Struct {
		return map[string]any{}
	}
	return s.ExampleArguments()
}

// ExampleXML and ExampleJSON write a call that works, to copy.
func (t *Tool) ExampleXML() string { return form.XML(t.Name, t.shape(), t.example()) }

// ExampleJSON is ExampleXML in the JSON form.
func (t *Tool) ExampleJSON() string { return form.JSON(t.Name, t.shape(), t.example()) }
