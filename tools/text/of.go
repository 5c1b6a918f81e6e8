//go:build !nomcpdebug

package text

import (
	"encoding/json"

	"github.com/loupe-ecs/loupe/tools"
)

// Of makes a listing of registered tools. check validates a call: the one of
// the server that has the tools, or [tools.Registry.Validate] without one.
func Of(l *tools.Listing, check func(tool string, arguments json.RawMessage) error) *Listing {
	ts := make([]Tool, len(l.Tools))
	for i, p := range l.Tools {
		ts[i] = ToolOf(p)
	}
	return NewListing(ts, check)
}

// ToolOf is what is known of a registered tool.
func ToolOf(p *tools.Published) Tool {
	return Tool{Name: p.Spec.Name, Description: p.Spec.Description, Group: p.Spec.Group, Schema: p.Schema, Fields: p.Fields,
		ReadOnly: p.Spec.Effect == tools.ReadOnly, Unlisted: p.Spec.Unlisted, Example: json.RawMessage(p.Spec.Example)}
}
