package tools

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/schema"
)

// SchemaOf reflects the schema of an argument or result type: types are always
// single, every property of a described field has its description, range and
// labels. A type that cannot be described becomes an unconstrained property.
// The only error is a T that is no struct or map with text keys.
func SchemaOf[T any]() (*Schema, error) { return inputSchema(reflect.TypeFor[T]()) }

func inputSchema(t reflect.Type) (*Schema, error) {
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
	return schema.Argument(value.ArgsOf(t).Root), nil
}

// outputSchema is the output schema of a tool whose function returns a t.
func outputSchema(t reflect.Type) (*Schema, error) {
	elem := t
	for elem.Kind() == reflect.Pointer && elem.Elem() != elem {
		elem = elem.Elem()
	}
	if elem == reflect.TypeFor[json.RawMessage]() || elem == reflect.TypeFor[Result]() {
		return schema.AnyAnswer(), nil
	}
	return schema.Answer(value.ArgsOf(t).Root), nil
}
