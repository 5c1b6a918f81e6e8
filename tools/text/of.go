//go:build !nomcpdebug

package text

import (
	"encoding/json"

	"github.com/loupe-ecs/loupe/tools"
)

// Of makes a listing of a registry's tools. check validates a call: the one of
// the server that has the tools, or [tools.Registry.Validate] without one.
func Of(r *tools.Registry, check func(tool string, arguments json.RawMessage) error) *Listing {
	list, _ := r.Registered()
	ts := make([]Tool, len(list))
	for i, p := range list {
		ts[i] = ToolOf(p)
	}
	return NewListing(ts, check)
}

// ToolOf is what is known of a registered tool.
func ToolOf(p *tools.Registered) Tool {
	return Tool{Name: p.Spec.Name, Description: p.Spec.Description, Group: p.Spec.Group, Schema: p.Schema, Fields: p.Fields,
		ReadOnly: p.Spec.Effect == tools.ReadOnly, Unlisted: p.Spec.Unlisted, Example: json.RawMessage(p.Spec.Example)}
}
