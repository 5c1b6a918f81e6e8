//go:build !nomcpdebug

package tools

import "github.com/google/jsonschema-go/jsonschema"

// Schema is a JSON Schema.
type Schema = jsonschema.Schema
