//go:build nomcpdebug

package tools

import (
	"encoding/json"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// Schema stands for a JSON Schema in a build without the debug server.
type Schema struct{}

// SchemaOf returns an empty schema: nothing is listed in this build.
func SchemaOf[T any]() (*Schema, error) { return &Schema{}, nil }

// FieldSchema returns an empty schema.
func FieldSchema(*value.Field) *Schema { return &Schema{} }

// StructSchema returns an empty schema.
func StructSchema([]*value.Field) *Schema { return &Schema{} }

// ResultSchema returns an empty schema.
func ResultSchema(*value.Field) *Schema { return &Schema{} }

func resultSchema(reflect.Type) (*Schema, error) { return &Schema{}, nil }

func publishSchema(*Schema) (json.RawMessage, []string, error) {
	return json.RawMessage(`{"type":"object"}`), nil, nil
}

func usage(name string, _ *Schema) string { return name + "()" }

// AnswerSchema returns an empty schema.
func AnswerSchema(*value.Field) *Schema { return &Schema{} }

// AtLeast returns s.
func AtLeast(s *Schema, _ int) *Schema { return s }
