package builtin

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
	"github.com/loupe-ecs/loupe/tools/text"
)

// helpHost is what the tools that explain the server need of it.
type helpHost interface {
	offerHost
	freshHost
	Components() *ComponentTools
	App() *host.App
	Status() Status
	// ReadOnly: the server refuses tools that change anything.
	ReadOnly() bool
	// Limits are the server's limits.
	Limits() Limits
}

// offerHost tells what clients may call.
type offerHost interface {
	Registry() *tools.Registry
	// Catalog is the last published one; nil without a world.
	Catalog() *ecs.Catalog
	// Offers tells whether a registered tool may be called and seen under the
	// server's allow and deny lists.
	Offers(tool string) bool
}

func helpTools(h helpHost, subsystems []Subsystem) []*tools.Tool {
	return []*tools.Tool{helpTool(h), describeTool(h), capabilitiesTool(h, subsystems)}
}

type helpArgs struct {
	Tool   string `json:"tool,omitempty" jsonschema:"one in full"`
	Group  string `json:"group,omitempty" jsonschema:"one in lines"`
	Detail bool   `json:"detail,omitempty" jsonschema:"all in lines"`
}

type helpResult struct {
	Start  []string    `json:"start,omitempty" jsonschema:"how to begin"`
	Groups []helpGroup `json:"groups,omitempty" jsonschema:"every tool by group"`
	Tool   *toolHelp   `json:"tool,omitempty" jsonschema:"the tool that was asked for"`
	Total  int         `json:"total" jsonschema:"how many tools there are, listed or not"`
	Hint   string      `json:"hint,omitempty" jsonschema:"how to ask for more"`
}

type helpGroup struct {
	Group string   `json:"group" jsonschema:"name of the group; ?tools=NAME in the URL lists it alone"`
	Tools []string `json:"tools" jsonschema:"names; with group or detail, calling convention and purpose; for generated tools, the component and what can be done with it"`
}

type toolHelp struct {
	Name         string          `json:"name" jsonschema:"name of the tool"`
	Group        string          `json:"group" jsonschema:"group of the tool"`
	Description  string          `json:"description" jsonschema:"when to call it, what it changes, what to call next"`
	Usage        string          `json:"usage" jsonschema:"calling convention in one line; ? marks optional arguments"`
	Example      json.RawMessage `json:"example,omitempty" jsonschema:"arguments that work"`
	Text         string          `json:"text,omitempty" jsonschema:"the same call in text, for call_text"`
	Flags        toolFlags       `json:"flags" jsonschema:"what it does and when it may run"`
	Listed       bool            `json:"listed" jsonschema:"whether tools/list shows it; it can be called in any case"`
	InputSchema  json.RawMessage `json:"inputSchema" jsonschema:"JSON Schema of the arguments"`
	Manual       string          `json:"manual,omitempty" jsonschema:"all that there is to know, as Markdown"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty" jsonschema:"JSON Schema of the answer; absent: it is no structured content"`
}

type toolFlags struct {
	ReadOnly    bool `json:"readOnly" jsonschema:"changes nothing"`
	Destructive bool `json:"destructive" jsonschema:"changes the world or the session"`
	Idempotent  bool `json:"idempotent" jsonschema:"calling twice is calling once"`
	WhenParked  bool `json:"whenParked" jsonschema:"runs while a lifecycle operation is suspended"`
	WhenCrashed bool `json:"whenCrashed" jsonschema:"runs after a crash"`
	OffFrame    bool `json:"offFrame" jsonschema:"answers at once in every state, without the frame"`
}

// startHere is how to begin, for a client that knows nothing.
var startHere = []string{
	"context tells what runs, in which state and how fast",
	"components_info lists what entities are made of, query finds entities, info reads one whole",
	"modify changes values, spawn and despawn entities; describe NAME explains a component with examples",
	"after a crash or while the game hangs: crash_report, goroutines, get_logs",
	"in text: " + text.Line + " call_text runs what it finds in a text",
}

func helpTool(h helpHost) *tools.Tool {
	return tools.NewOff(tools.Spec{
		Name: "help", Group: "session", Effect: tools.ReadOnly, Idempotent: true,
		Description: "Names every tool, or explains one.",
		Example:     `{"tool":"query"}`,
	}, func(c *tools.Call, in helpArgs) (helpResult, error) {
		l := offered(h)
		if in.Tool == "" {
			return helpOf(helpGroups(l, h.Catalog(), in.Detail || in.Group != ""), in.Group, len(l.Tools))
		}
		p, ok := l.Lookup(in.Tool)
		if !ok {
			return helpResult{}, unknownTool(l, in.Tool)
		}
		return helpResult{Tool: explain(p), Total: len(l.Tools)}, nil
	})
}

// helpOf is all groups, or one.
func helpOf(groups []helpGroup, group string, total int) (helpResult, error) {
	if group == "" {
		return helpResult{Start: startHere, Groups: groups, Total: total,
			Hint: `help {"tool":NAME} explains one in full, {"group":NAME} a group in a line each, {"detail":true} all`}, nil
	}
	names := make([]string, len(groups))
	for i := range groups {
		if groups[i].Group == group {
			return helpResult{Groups: groups[i : i+1], Total: total}, nil
		}
		names[i] = groups[i].Group
	}
	return helpResult{}, &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("no group named %q", group), Got: group,
		Options: refusal.Nearest(group, names), Total: len(names), Hint: "help names all groups", Next: "help"}
}

func unknownTool(l *listing.Listing, name string) error {
	return &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("no tool named %q", name), Got: name,
		Options: refusal.Nearest(name, l.Names()), Total: len(l.Tools), Next: "help"}
}

func explain(p *listing.Tool) *toolHelp {
	s := p.Spec
	t := text.ToolOf(p.Registered)
	return &toolHelp{
		Name: s.Name, Group: s.Group, Description: s.Description, Usage: p.Usage(), Example: json.RawMessage(s.Example), Text: t.ExampleXML(),
		Flags:  toolFlags{s.Effect == tools.ReadOnly, s.Effect == tools.Destructive, s.Idempotent, s.WhenParked, s.WhenCrashed, s.OffFrame},
		Listed: !s.Unlisted, InputSchema: p.Input, OutputSchema: p.Output, Manual: s.Manual,
	}
}

// helpGroups gives each tool its name, or a line; generated tools share one line
// a component, so that a world of hundreds of types stays readable.
func helpGroups(l *listing.Listing, cat *ecs.Catalog, lines bool) []helpGroup {
	var groups []helpGroup
	at := map[string]int{}
	line := func(group, text string) {
		i, ok := at[group]
		if !ok {
			i = len(groups)
			at[group] = i
			groups = append(groups, helpGroup{Group: group})
		}
		groups[i].Tools = append(groups[i].Tools, text)
	}
	generated := map[string][]string{} // typeID -> tool names
	for _, p := range l.Tools {
		if id, ok := p.Spec.Meta["typeID"].(string); ok {
			generated[id] = append(generated[id], p.Spec.Name)
			continue
		}
		if !lines {
			line(p.Spec.Group, p.Spec.Name)
			continue
		}
		line(p.Spec.Group, p.Usage()+" - "+firstSentence(p.Spec.Description))
	}
	if cat != nil {
		for _, c := range cat.Components {
			if names := generated[c.Type.ID]; len(names) > 0 {
				line("components", c.Name+": "+strings.Join(names, ", "))
			}
		}
	}
	return groups
}

func firstSentence(s string) string {
	if i := strings.Index(s, ". "); i >= 0 {
		return s[:i]
	}
	return strings.TrimSuffix(s, ".")
}

// offered is what clients may call: help shows nothing else.
func offered(h offerHost) *listing.Listing {
	return listing.Of(h.Registry()).Filter(func(p *listing.Tool) bool { return h.Offers(p.Spec.Name) })
}
