package operations

import (
	"encoding/json"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

type callArgs struct {
	Tool      string         `json:"tool" jsonschema:"its name: help lists all"`
	Arguments map[string]any `json:"arguments,omitempty" jsonschema:"its arguments"`
}

// callTool is the entry of tools/list: the server runs the tool that is named
// in its place.
func callTool() *tools.Tool {
	return tools.New(tools.Spec{Name: tools.CallName, Description: "Calls any tool by name, listed or not.",
		Example: `{"tool":"stats"}`},
		func(*tools.Frame, callArgs) (map[string]json.RawMessage, error) {
			return nil, &refusal.Error{Code: refusal.NotSupported, Message: "call is a name for other tools and does not run itself"}
		})
}
