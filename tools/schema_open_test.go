//go:build !nomcpdebug

package tools_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/tools"
)

// oddities are fields of types of which a schema can say little. A listing with
// one bare true among its schemas is thrown away whole by strict clients.
type oddities struct {
	Any      any                     `json:"any"`
	Fails    error                   `json:"fails"`
	Reader   io.Reader               `json:"reader"`
	Complex  complex128              `json:"complex"`
	Raw      json.RawMessage         `json:"raw"`
	Number   json.Number             `json:"number"`
	List     []any                   `json:"list"`
	Fixed    [2]any                  `json:"fixed"`
	Map      map[string]any          `json:"map"`
	Lists    map[string][]error      `json:"lists"`
	Pointer  *any                    `json:"pointer"`
	Func     func()                  `json:"func"`
	Chan     chan int                `json:"chan"`
	Nested   struct{ Inner any }     `json:"nested"`
	Structs  []struct{ Inner error } `json:"structs"`
	Untagged float64
}

func TestNoSchemaIsABareBoolean(t *testing.T) {
	r := tools.NewRegistry()
	r.MustRegister(
		tools.New(tools.Spec{Name: "typed", Description: "Takes and gives odd values."}, func(_ *tools.Frame, in oddities) (oddities, error) { return in, nil }),
		tools.New(tools.Spec{Name: "loose", Description: "Gives anything."}, func(*tools.Frame, struct{}) (any, error) { return nil, nil }),
		&tools.Tool{Spec: tools.Spec{Name: "byhand", Description: "Has a schema of its own."}, Handler: tools.HandlerFunc(func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil }),
			InputSchema: &tools.Schema{Type: "object", Properties: map[string]*tools.Schema{
				"any": {}, "never": {Not: &tools.Schema{}}, "list": {Type: "array", Items: &tools.Schema{}},
				"either": {AnyOf: []*tools.Schema{{}, {Type: "string"}}}, "map": {Type: "object", AdditionalProperties: &tools.Schema{Type: "array", Items: &tools.Schema{}}},
			}}},
	)
	list, _ := r.Registered()
	for _, p := range list {
		for kind, raw := range map[string]json.RawMessage{"input": p.Input, "output": p.Output} {
			var s any
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatal(err)
			}
			bare(t, p.Spec.Name+" "+kind, s, p.Spec.Name != "byhand")
		}
	}
}

// bare reports schemas that are no objects, and properties without a word.
func bare(t *testing.T, at string, schema any, described bool) {
	s, ok := schema.(map[string]any)
	if !ok {
		t.Errorf("%s is %v", at, schema)
		return
	}
	for name, p := range asMap(s["properties"]) {
		bare(t, at+"."+name, p, described)
		if text, _ := asMap(p)["description"].(string); text == "" && described {
			t.Errorf("%s.%s has no description", at, name)
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := s[key].([]any)
		for _, sub := range list {
			bare(t, at+" "+key, sub, described)
		}
	}
	if sub, ok := s["items"]; ok {
		bare(t, at+"[]", sub, described)
	}
	if sub, ok := s["additionalProperties"].(map[string]any); ok {
		bare(t, at+"{}", sub, described)
	}
}

func asMap(v any) map[string]any { m, _ := v.(map[string]any); return m }

// What a host wrote is left as it is.
func TestSchemasOfHostsAreNotChanged(t *testing.T) {
	s := &tools.Schema{Type: "object", Properties: map[string]*tools.Schema{"any": {}}}
	r := tools.NewRegistry()
	r.MustRegister(&tools.Tool{Spec: tools.Spec{Name: "x", Description: "d"}, InputSchema: s, Handler: tools.HandlerFunc(func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })})
	if p, _ := r.Lookup("x"); !strings.Contains(string(p.Input), `"any":{"description":"any value"}`) || s.Properties["any"].Description != "" {
		t.Errorf("listed %s, the host's own now says %q", p.Input, s.Properties["any"].Description)
	}
}
