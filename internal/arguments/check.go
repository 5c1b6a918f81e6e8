//go:build !nomcpdebug

package arguments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Checker checks untyped arguments against a schema. The zero Checker is ready.
type Checker struct {
	once     sync.Once
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved // nil: a schema that cannot be resolved
}

func (v *Checker) load(input json.RawMessage) {
	v.once.Do(func() {
		v.schema = &jsonschema.Schema{}
		if json.Unmarshal(input, v.schema) != nil {
			v.schema = &jsonschema.Schema{Type: "object"}
			return
		}
		// Schemas of hosts may refer to what cannot be loaded: the plain checks
		// are done in any case.
		v.resolved, _ = v.schema.Resolve(nil)
	})
}

// Check checks the arguments of an untyped tool against input, the schema that it
// was registered with (always the same one): unknown, missing, mistyped, out of
// range and unlisted values are refused with what is legal. Typed tools check
// while they decode. names are the schema's properties. Any goroutine.
func (v *Checker) Check(input json.RawMessage, names []string, raw json.RawMessage) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	var args map[string]any
	if err := json.Unmarshal(raw, &args); err != nil {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "arguments must be a JSON object: " + err.Error(), Got: clipText(string(raw)), Want: "an object"}
	}
	v.load(input)
	s := v.schema
	closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
	for name := range args {
		if _, ok := s.Properties[name]; !ok && closed && !matchesPattern(s, name) {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("unknown argument %q", name), Got: name,
				Options: refusal.Nearest(name, names), Total: len(names), Hint: "help with this tool's name shows an example"}
		}
	}
	for _, name := range s.Required {
		if _, ok := args[name]; !ok {
			msg := fmt.Sprintf("missing argument %q", name)
			if f := s.Properties[name]; f != nil && f.Description != "" {
				msg += ": " + f.Description
			}
			return &refusal.Error{Code: refusal.InvalidArguments, Message: msg, Want: name, Options: names[:min(len(names), 10)], Total: len(names)}
		}
	}
	for name, x := range args {
		if f := s.Properties[name]; f != nil {
			if err := checkValue(name, f, x); err != nil {
				return err
			}
		}
	}
	if v.resolved != nil {
		if err := v.resolved.Validate(args); err != nil {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: "arguments do not fit the schema: " + err.Error(), Hint: "help with this tool's name shows the schema and an example"}
		}
	}
	return nil
}

func matchesPattern(s *jsonschema.Schema, _ string) bool { return len(s.PatternProperties) > 0 }

// checkValue says in words what the validator would say in JSON Schema's.
func checkValue(name string, s *jsonschema.Schema, v any) error {
	bad := func(format string, a ...any) *refusal.Error {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("argument %q ", name) + fmt.Sprintf(format, a...), Got: v}
	}
	if s.Type != "" && !isA(s.Type, v) {
		e := bad("must be %s, got %s", article(s.Type), article(typeName(v)))
		e.Want = s.Type
		return e
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(x any) bool { return fmt.Sprint(x) == fmt.Sprint(v) }) {
		var options []string
		for _, x := range s.Enum {
			options = append(options, fmt.Sprint(x))
		}
		e := bad("is not one of its values")
		e.Options, e.Total = refusal.Nearest(fmt.Sprint(v), options), len(options)
		return e
	}
	if n, ok := v.(float64); ok {
		if s.Minimum != nil && n < *s.Minimum {
			e := bad("is below its minimum %v", *s.Minimum)
			e.Want = fmt.Sprintf("at least %v", *s.Minimum)
			return e
		}
		if s.Maximum != nil && n > *s.Maximum {
			e := bad("is above its maximum %v", *s.Maximum)
			e.Want = fmt.Sprintf("at most %v", *s.Maximum)
			return e
		}
	}
	return nil
}

func isA(schemaType string, v any) bool {
	got := typeName(v)
	return got == schemaType || schemaType == "integer" && got == "number" && v.(float64) == math.Trunc(v.(float64)) && !math.IsInf(v.(float64), 0)
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func article(typ string) string {
	switch {
	case typ == "null":
		return "null"
	case strings.IndexByte("aeiou", typ[0]) >= 0:
		return "an " + typ
	}
	return "a " + typ
}

func clipText(s string) string {
	if len(s) > 200 {
		return strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}
