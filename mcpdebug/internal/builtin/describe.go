package builtin

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools"
)

type describeArgs struct {
	Name string `json:"name" jsonschema:"component, resource or tool"`
}

type describeResult struct {
	Kind      string          `json:"kind" jsonschema:"tool, component or resource"`
	Tool      *toolHelp       `json:"tool,omitempty" jsonschema:"the tool: schemas, flags, example"`
	Component *Document       `json:"component,omitempty" jsonschema:"the component's description document"`
	Resource  *resourceFacts  `json:"resource,omitempty" jsonschema:"the resource"`
	Guide     json.RawMessage `json:"guide,omitempty" jsonschema:"fields with type, unit, range, labels and default; a spawn example; every settable path with a valid example value or why it is not settable"`
	Entities  *int            `json:"entities,omitempty" jsonschema:"how many entities have the component"`
}

type resourceFacts struct {
	Name    string `json:"name" jsonschema:"the shortest name that is unique in the world"`
	TypeID  string `json:"typeID" jsonschema:"full name of the Go type"`
	Doc     string `json:"description,omitempty" jsonschema:"what it is for"`
	Present bool   `json:"present" jsonschema:"whether the world holds one now"`
}

func describeTool(h helpHost) *tools.Tool {
	return tools.NewOff(tools.Spec{
		Name: "describe", Group: "session", Effect: tools.ReadOnly, Idempotent: true,
		Description: "Explains a component (ranges, labels, settable paths with examples), resource or tool.",
		Example:     `{"name":"Position"}`,
	}, func(c *tools.Call, in describeArgs) (describeResult, error) {
		cat := h.Fresh(c).Catalog
		if cat != nil {
			if comp, err := cat.Component(in.Name); err == nil {
				d := document(comp, h.Components())
				return describeResult{Kind: "component", Component: &d, Entities: &comp.Entities, Guide: guideJSON(comp.Type)}, nil
			}
			if r, err := cat.Resource(in.Name); err == nil {
				return describeResult{Kind: "resource", Guide: guideJSON(r.Type),
					Resource: &resourceFacts{Name: r.Name, TypeID: r.Type.ID, Doc: r.Type.Doc, Present: r.Present}}, nil
			}
		}
		l := offered(h)
		if p, ok := l.Lookup(in.Name); ok {
			return describeResult{Kind: "tool", Tool: explain(p)}, nil
		}
		names := l.Names()
		if cat != nil {
			for _, comp := range cat.Components {
				names = append(names, comp.Name)
			}
			for _, r := range cat.Resources {
				names = append(names, r.Name)
			}
		}
		return describeResult{}, &refusal.Error{Code: refusal.NotFound, Got: in.Name, Options: refusal.Nearest(in.Name, names), Total: len(names),
			Message: fmt.Sprintf("no tool, component or resource is named %q", in.Name), Next: "components_info"}
	})
}

// guideJSON is a type's guide, ready for an answer.
func guideJSON(t *value.Type) json.RawMessage {
	b, err := value.AppendJSON(nil, reflect.ValueOf(t.Guide()), value.EncodeOptions{JSON: true})
	if err != nil {
		return nil
	}
	return b
}
