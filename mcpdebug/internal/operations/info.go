package operations

import (
	"encoding/json"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/tools"
)

type infoArgs struct {
	ID string `json:"id" jsonschema:"what the call's _meta named loupe/operation"`
}

type infoResult struct {
	ID     string              `json:"id" jsonschema:"the operation"`
	State  loop.OperationState `json:"state" jsonschema:"committed, running, not_run (refused or given up: nothing was changed) or unknown"`
	Tool   string              `json:"tool,omitempty" jsonschema:"the tool it called"`
	Answer json.RawMessage     `json:"answer,omitempty" jsonschema:"what it answered, or its refusal"`
	Hint   string              `json:"hint,omitempty" jsonschema:"what to do"`
}

func infoTool(h Host) *tools.Tool {
	return tools.NewOff(tools.Spec{Name: "operation_info", Unlisted: true, Effect: tools.ReadOnly, Idempotent: true,
		Description: "What became of a call that carried an operation id, after a lost connection.",
		Example:     `{"id":"op-1"}`},
		func(_ *tools.Call, in infoArgs) (r infoResult, err error) {
			if in.ID == "" || len(in.ID) > loop.MaxOperation {
				return r, &refusal.Error{Code: refusal.InvalidArguments, Message: "an operation id has 1 to 64 bytes", Got: len(in.ID), Want: "1 to 64"}
			}
			state, tool, reply := h.Operation(in.ID)
			r = infoResult{ID: in.ID, State: state, Tool: tool}
			if reply != nil {
				if r.Answer = reply.Structured; r.Answer == nil {
					r.Answer, _ = json.Marshal(map[string]string{"text": reply.Text})
				}
			}
			switch {
			case state == loop.OperationUnknown && tool == "":
				r.Hint = "no call of this id has arrived, or it was more than ten minutes or a thousand operations ago: it is safe to send it with this id if it was sent less than ten minutes ago"
			case state == loop.OperationUnknown:
				r.Hint = "it broke off after it had begun: read what it should have changed"
			case state == loop.OperationNotRun:
				r.Hint = "nothing was changed: the same call may be sent again with this id"
			}
			return r, nil
		})
}
