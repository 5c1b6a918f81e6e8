//go:build !nomcpdebug

package tools_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

func read(text string) func(*tools.Call, tools.ResourceRequest) ([]tools.ResourceContents, error) {
	return func(_ *tools.Call, r tools.ResourceRequest) ([]tools.ResourceContents, error) {
		return []tools.ResourceContents{{Text: text + r.Vars["x"]}}, nil
	}
}

func TestResourceTemplates(t *testing.T) {
	for _, c := range []struct {
		template, uri string
		want          map[string]string // nil: no match
	}{
		{"a://{x}", "a://1", map[string]string{"x": "1"}},
		{"a://{x}", "a://", nil},
		{"a://{x}", "a://1/2", nil},
		{"a://{+x}", "a://1/2", map[string]string{"x": "1/2"}},
		{"a://{x}/end", "a://1/end", map[string]string{"x": "1"}},
		{"a://{x}/end", "a://1/end/end", nil},
		{"a://{+x}/end", "a://1/end/end", map[string]string{"x": "1/end"}},
		{"a://{x}-{y}", "a://1-2-3", map[string]string{"x": "1", "y": "2-3"}},
		{"a://{x}/{y}", "a://a%2Fb/%C3%BC", map[string]string{"x": "a/b", "y": "ü"}},
		{"a://{x}", "a://%zz", map[string]string{"x": "%zz"}},
		{"a://fixed", "a://fixed", map[string]string{}},
		{"a://fixed", "a://fixed2", nil},
		{"a://{x}", "b://1", nil},
	} {
		reg := tools.NewRegistry()
		if err := reg.RegisterResource(&tools.Resource{URI: c.template, Name: "n", Read: read("")}); err != nil {
			t.Fatal(err)
		}
		_, vars, ok := reg.Resource(c.uri)
		if ok != (c.want != nil) || ok && !maps.Equal(vars, c.want) {
			t.Errorf("%s with %s: %v %v, want %v", c.template, c.uri, vars, ok, c.want)
		}
	}
}

func TestResourceRegistration(t *testing.T) {
	reg := tools.NewRegistry()
	changes := 0
	defer reg.Watch(func() { changes++ })()
	live := tools.New(tools.Spec{Name: "live", Description: "Reads."}, func(*tools.Frame, struct {
		ID string `json:"id" jsonschema:"which"`
	}) (struct{}, error) {
		return struct{}{}, nil
	})
	for name, bad := range map[string]*tools.Resource{
		"nil":               nil,
		"no scheme":         {URI: "x", Name: "n", Read: read("")},
		"no name":           {URI: "a:b", Read: read("")},
		"nothing to read":   {URI: "a:b", Name: "n"},
		"two ways to read":  {URI: "a:b", Name: "n", Read: read(""), Live: live},
		"unclosed":          {URI: "a:{x", Name: "n", Read: read("")},
		"unopened":          {URI: "a:x}", Name: "n", Read: read("")},
		"nameless variable": {URI: "a:{}", Name: "n", Read: read("")},
		"operator":          {URI: "a:{?x}", Name: "n", Read: read("")},
		"side by side":      {URI: "a:{x}{y}", Name: "n", Read: read("")},
		"live without name": {URI: "a:{x}", Name: "n", Live: &tools.Tool{}},
	} {
		err := reg.RegisterResource(&tools.Resource{URI: "a:good", Name: "n", Read: read("")}, bad)
		if !errors.Is(err, refusal.InvalidArguments) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(reg.Resources()); n != 0 || changes != 0 {
		t.Fatalf("%d resources, %d changes after refusals", n, changes)
	}
	for _, uri := range []string{"a:{x}", "a:1", "a:2"} {
		if err := reg.RegisterResource(&tools.Resource{URI: uri, Name: uri, Read: read(uri)}); err != nil {
			t.Fatal(err)
		}
	}
	before := reg.Resources()
	reg.RegisterResource(&tools.Resource{URI: "a:1", Name: "replaced", Read: read("new")})
	var got []string
	for _, p := range reg.Resources() {
		got = append(got, p.URI)
	}
	if !slices.Equal(got, []string{"a:{x}", "a:1", "a:2"}) {
		t.Errorf("order %v", got)
	}
	if before[1].Name != "a:1" {
		t.Error("a state that was taken before has changed")
	}
	p, _, _ := reg.Resource("a:1")
	if p.Name != "replaced" {
		t.Errorf("a fixed URI goes before a template: got %s", p.Name)
	}
	if n := reg.UnregisterResource("a:1", "a:none"); n != 1 || changes != 5 {
		t.Errorf("%d removed, %d changes", n, changes)
	}
	if reg.UnregisterResource("a:none"); changes != 5 {
		t.Error("a removal of nothing was announced")
	}
	var updated []string
	stop := reg.WatchUpdates(func(uri string) { updated = append(updated, uri) })
	reg.ResourceUpdated("a:2")
	stop()
	reg.ResourceUpdated("a:2")
	if !slices.Equal(updated, []string{"a:2"}) {
		t.Errorf("updates %v", updated)
	}
}

func TestPromptRegistration(t *testing.T) {
	reg := tools.NewRegistry()
	get := func(*tools.Call, map[string]string) ([]tools.PromptMessage, error) { return nil, nil }
	for name, bad := range map[string]*tools.Prompt{
		"nil": nil, "no name": {Get: get}, "no function": {Name: "x"}, "nameless argument": {Name: "x", Get: get, Arguments: []tools.PromptArgument{{}}},
	} {
		if err := reg.RegisterPrompt(bad); !errors.Is(err, refusal.InvalidArguments) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := reg.RegisterPrompt(&tools.Prompt{Name: "look_around", Get: get}, &tools.Prompt{Name: "b", Get: get}); err != nil {
		t.Fatal(err)
	}
	reg.RegisterPrompt(&tools.Prompt{Name: "look_around", Description: "new", Get: get})
	if p, err := reg.Prompt("look_around"); err != nil || p.Description != "new" || reg.Prompts()[0] != p {
		t.Errorf("%v %v", p, err)
	}
	_, err := reg.Prompt("look_arund")
	var e *refusal.Error
	if !errors.As(err, &e) || len(e.Options) == 0 || e.Options[0] != "look_around" {
		t.Errorf("a wrong name: %v", err)
	}
	if n := reg.UnregisterPrompt("b", "c"); n != 1 || len(reg.Prompts()) != 1 {
		t.Errorf("%d removed", n)
	}
}

func FuzzTemplate(f *testing.F) {
	f.Add("a://{x}/b", "a://1/b")
	f.Add("a:{+x}y{z}", "a:yyyy")
	f.Fuzz(func(t *testing.T, template, uri string) {
		reg := tools.NewRegistry()
		if reg.RegisterResource(&tools.Resource{URI: template, Name: "n", Read: read("")}) != nil {
			return
		}
		p, vars, ok := reg.Resource(uri)
		if ok && len(vars) > strings.Count(p.URI, "{") {
			t.Errorf("%q matched %q with %v", template, uri, vars)
		}
	})
}

func ExampleRegistry_RegisterResource() {
	reg := tools.NewRegistry()
	err := reg.RegisterResource(&tools.Resource{
		URI:  "arena://wave/{number}",
		Name: "wave",
		Read: func(c *tools.Call, r tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return []tools.ResourceContents{{Text: "wave " + r.Vars["number"]}}, nil
		},
	})
	p, _, _ := reg.Resource("arena://wave/3")
	doc, _ := p.Document(context.Background(), reg, "arena://wave/3")
	fmt.Println(err, doc[0].Text)
	// Output: <nil> wave 3
}
