//go:build !nomcpdebug

package tools_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

type echoArgs struct {
	Text  string   `json:"text" jsonschema:"what to say"`
	Times int      `json:"times,omitempty" jsonschema:"how often" debug:"min=1,max=9,default=1"`
	Tone  string   `json:"tone,omitempty" jsonschema:"how" debug:"enum=calm|loud"`
	Scale *float64 `json:"scale,omitempty" jsonschema:"how big"`
}

type echoResult struct {
	Said string `json:"said" jsonschema:"what was said"`
}

func echo(name string) *tools.Tool {
	return tools.New(tools.Spec{Name: name, Description: "Says something back to you."}, func(_ *tools.Frame, in echoArgs) (echoResult, error) {
		return echoResult{strings.Repeat(in.Text, in.Times)}, nil
	})
}

// run calls a tool through its three phases.
func run(t *testing.T, r *tools.Registry, tool *tools.Tool, args string) (string, error) {
	t.Helper()
	c := &tools.Call{Context: t.Context(), Registry: r, Request: tools.Request{Name: tool.Name}}
	job, err := tool.Handler.Prepare(c, json.RawMessage(args))
	if err != nil {
		return "", err
	}
	if job.Frame != nil {
		if err := job.Frame(&tools.Frame{Call: c}); err != nil {
			return "", err
		}
	}
	res, err := job.Finish(c)
	if err != nil {
		return "", err
	}
	return string(res.Structured), nil
}

func TestTypedToolDecodesAppliesDefaultsAndEncodes(t *testing.T) {
	got, err := run(t, nil, echo("echo"), `{"text":"ab","times":2}`)
	if err != nil || got != `{"said":"abab"}` {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := run(t, nil, echo("echo"), `{"text":"ab"}`); err != nil || got != `{"said":"ab"}` {
		t.Errorf("the default of times is 1: got %s, %v", got, err)
	}
}

func TestArgumentsAreRefusedWithWhatIsLegal(t *testing.T) {
	for name, tt := range map[string]struct{ args, mention string }{
		"unknown":     {`{"text":"a","time":2}`, "times"},
		"missing":     {`{"times":2}`, `"text"`},
		"wrong type":  {`{"text":"a","times":"many"}`, "many"},
		"below":       {`{"text":"a","times":0}`, "from 1 to 9"},
		"above":       {`{"text":"a","times":10}`, "from 1 to 9"},
		"label":       {`{"text":"a","tone":"shrill"}`, "loud"},
		"no object":   {`[1,2]`, "object"},
		"trailing":    {`{"text":"a"} x`, ""},
		"fraction":    {`{"text":"a","times":1.5}`, "1.5"},
		"duplicate":   {`{"text":"a","text":"b"}`, "text"},
		"broken JSON": {`{"text":`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := run(t, nil, echo("echo"), tt.args)
			if !errors.Is(err, refusal.InvalidArguments) {
				t.Fatalf("got %s, %v; want a refusal invalid_arguments", got, err)
			}
			text, _ := json.Marshal(err)
			if !strings.Contains(err.Error()+strings.ReplaceAll(string(text), `\"`, `"`), tt.mention) {
				t.Errorf("the refusal does not mention %s: %v %s", tt.mention, err, text)
			}
		})
	}
}

func TestRequiredArgumentsAreLookedForAtTheTopLevelOnly(t *testing.T) {
	if got, err := run(t, nil, echo("echo"), `{"\u0074ext":"ab"}`); err != nil || got != `{"said":"ab"}` {
		t.Errorf("an escaped name: got %s, %v", got, err)
	}
	for _, args := range []string{`{"times":2,"tone":"text"}`, `{"scale":1}`} {
		if got, err := run(t, nil, echo("echo"), args); !errors.Is(err, refusal.InvalidArguments) {
			t.Errorf("%s: got %s, %v; want a refusal", args, got, err)
		}
	}
}

func TestListingShowsWhatWasRegisteredAndDispatchWhatIsThereNow(t *testing.T) {
	r := tools.NewRegistry()
	a, b := echo("a"), echo("b")
	r.MustRegister(a, b)
	a.Description = "Something else entirely."
	a.Handler = tools.HandlerFunc(func(*tools.Frame, json.RawMessage) (any, error) { return map[string]any{"now": true}, nil })
	p, _ := r.Lookup("a")
	if strings.Contains(p.Spec.Description, "Something else") {
		t.Error("the listing changed with the tool")
	}
	if got, _ := run(t, r, p.Tool, `{}`); got != `{"now":true}` {
		t.Errorf("dispatch uses the old handler: %s", got)
	}
	r.MustRegister(echo("c"), echo("a"))
	var got []string
	for _, t := range r.Tools() {
		got = append(got, t.Name)
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("replacing moved a tool: %v, want %v", got, want)
	}
	own := r.Tools()
	own[0] = nil
	if r.Tools()[0] == nil {
		t.Error("Tools hands out the registry's own slice")
	}
	if r.Tools()[1] != b {
		t.Error("Tools does not hold the registered pointers")
	}
}

func TestRegisterRefuses(t *testing.T) {
	ok := func() *tools.Tool { return echo("fine") }
	listed := &tools.Schema{Types: []string{"null", "object"}}
	for name, change := range map[string]func(*tools.Tool){
		"no name":              func(t *tools.Tool) { t.Name = "" },
		"a dot in the name":    func(t *tools.Tool) { t.Name = "a.b" },
		"49 characters":        func(t *tools.Tool) { t.Name = strings.Repeat("n", 49) },
		"no handler":           func(t *tools.Tool) { t.Handler = nil },
		"nil handler func":     func(t *tools.Tool) { t.Handler = tools.HandlerFunc(nil) },
		"no description":       func(t *tools.Tool) { t.Description = "" },
		"no such effect":       func(t *tools.Tool) { t.Effect = 3 },
		"off frame with world": func(t *tools.Tool) { t.OffFrame, t.NeedsWorld = true, true },
		"broken example":       func(t *tools.Tool) { t.Example = "{" },
		"list-typed property":  func(t *tools.Tool) { t.InputSchema.Properties["text"] = listed },
		"non-object root":      func(t *tools.Tool) { t.InputSchema = &tools.Schema{Type: "array"} },
		"$ref with brackets":   func(t *tools.Tool) { t.InputSchema.Properties["text"] = &tools.Schema{Ref: "#/$defs/Pair[int]"} },
	} {
		t.Run(name, func(t *testing.T) {
			r := tools.NewRegistry()
			bad := ok()
			change(bad)
			if err := r.Register(echo("before"), bad); err == nil {
				t.Fatal("registered")
			}
			if n := len(r.Tools()); n != 0 {
				t.Errorf("%d tools were registered beside the refused one", n)
			}
		})
	}
}

func TestOnlyChangesOfWhatIsListedAreAnnounced(t *testing.T) {
	r := tools.NewRegistry()
	n := 0
	stop := r.Watch(func() { n++ })
	r.MustRegister(echo("a"), echo("b"))
	if n != 1 {
		t.Fatalf("a burst of two was announced %d times", n)
	}
	hidden := echo("hidden")
	hidden.Unlisted = true
	r.MustRegister(hidden)
	r.MustRegister(echo("a")) // the same again
	r.Unregister("hidden", "nobody")
	if n != 1 {
		t.Fatalf("invisible changes were announced: %d", n)
	}
	r.Unregister("a")
	stop()
	r.Unregister("b")
	if n != 2 {
		t.Fatalf("got %d announcements, want 2", n)
	}
}

func TestSchemasAreStrict(t *testing.T) {
	type odd struct {
		Map    map[int]string  `json:"map,omitempty" jsonschema:"numbers to names"`
		Raw    json.RawMessage `json:"raw,omitempty" jsonschema:"anything"`
		Any    any             `json:"any,omitempty" jsonschema:"anything"`
		Func   func()          `json:"func,omitempty" jsonschema:"cannot be given"`
		Bytes  []byte          `json:"bytes,omitempty" jsonschema:"base64"`
		List   []float64       `json:"list,omitempty" jsonschema:"numbers"`
		Again  *odd            `json:"again,omitempty" jsonschema:"the same again"`
		Entity ecs.Entity      `json:"entity,omitzero" jsonschema:"an entity"`
	}
	s, err := tools.SchemaOf[odd]()
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(s)
	if strings.Contains(string(b), `"type":[`) || strings.Contains(string(b), "null") {
		t.Errorf("not strict: %s", b)
	}
	for name, want := range map[string]string{"map": "object", "bytes": "string", "list": "array", "entity": "string"} {
		if s.Properties[name] == nil || s.Properties[name].Type != want {
			t.Errorf("%s: got %+v, want the type %s", name, s.Properties[name], want)
		}
	}
	if len(s.Required) != 0 {
		t.Errorf("required: %v", s.Required)
	}
	if _, err := tools.SchemaOf[[]int](); err == nil {
		t.Error("a list is no arguments object")
	}
}

type namedKey string

// Arguments and results are JSON objects: a struct, or a map with keys of text.
func TestSchemaOfKeyTypes(t *testing.T) {
	for _, c := range []struct {
		of func() (*tools.Schema, error)
		ok bool
	}{
		{tools.SchemaOf[map[string]int], true}, {tools.SchemaOf[map[namedKey]any], true}, {tools.SchemaOf[*map[string]int], true},
		{tools.SchemaOf[map[int]string], false}, {tools.SchemaOf[map[[2]string]int], false}, {tools.SchemaOf[map[any]int], false}, {tools.SchemaOf[map[bool]int], false},
		{tools.SchemaOf[[]int], false}, {tools.SchemaOf[string], false}, {tools.SchemaOf[struct{ A int }], true}, {tools.SchemaOf[any], true},
	} {
		s, err := c.of()
		if (err == nil) != c.ok || c.ok && s.Type != "object" || !c.ok && !strings.Contains(err.Error(), "is no struct") {
			t.Errorf("%+v %v, want it taken: %v", s, err, c.ok)
		}
	}
	type keyed struct {
		ByNumber map[int]string
		ByName   map[namedKey]float64
	}
	s, err := tools.SchemaOf[keyed]()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"ByNumber": "string", "ByName": "number"} {
		p := s.Properties[name]
		if p.Type != "object" || p.AdditionalProperties == nil || p.AdditionalProperties.Type != want {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
