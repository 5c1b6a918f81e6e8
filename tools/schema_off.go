//go:build nomcpdebug

package tools

import "github.com/loupe-ecs/loupe/internal/schema"

// Schema stands for a JSON Schema in a build without the debug server.
type Schema = schema.Schema
