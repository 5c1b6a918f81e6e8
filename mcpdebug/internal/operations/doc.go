// Package operations holds the tools that are about other calls: call (any tool
// by name), batch (many in one frame, all or nothing), experiment (what differs
// if I do this), operation_info (what became of a call that I named).
package operations

import (
	"encoding/json"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/tools"
)

// Host is what the tools need of the server.
type Host interface {
	// Operation tells what became of a named call. Any goroutine.
	Operation(id string) (state loop.OperationState, tool string, reply *tools.Reply)
}

// Tools are in listing order.
func Tools(h Host) []*tools.Tool {
	return tools.Family(tools.Spec{Group: "operations"}, callTool(), batchTool(), experimentTool(), infoTool(h))
}

// step is one call of a batch or an experiment.
type step struct {
	Tool      string          `json:"tool" jsonschema:"its name"`
	Arguments json.RawMessage `json:"arguments,omitempty" jsonschema:"its arguments"`
}
