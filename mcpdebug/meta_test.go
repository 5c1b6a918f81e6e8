//go:build !nomcpdebug

package mcpdebug

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/google/jsonschema-go/jsonschema"
	"golang.org/x/tools/txtar"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/internal/listing"
)

// arenaServer offers every tool there is: of the server, of every subsystem,
// and of component types.
func arenaServer(t *testing.T) *Server {
	s := withoutPort(t, &Options{DataDir: t.TempDir()})
	newFixture(t, s, "arena")
	s.Poll()
	return s
}

// TestEveryToolHasATranscript asks of each tool that some transcript shows it
// succeed, and of each that takes arguments that some transcript shows it refuse
// them.
func TestEveryToolHasATranscript(t *testing.T) {
	files, err := filepath.Glob("testdata/sessions/*.txtar")
	must(t, err)
	answered, refused := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		must(t, err)
		var tool string
		for line := range strings.SplitSeq(section(ar, "server"), "\n") {
			switch {
			case strings.HasPrefix(line, "> "):
				tool, _, _ = strings.Cut(line[2:], " ")
			case line == "ok" || strings.HasPrefix(line, "ok "):
				answered[tool] = true
			case strings.HasPrefix(line, "refused "):
				refused[tool] = true
			}
		}
	}
	for _, p := range listing.Of(arenaServer(t).registry).Tools {
		if !answered[p.Spec.Name] {
			t.Errorf("no transcript shows %s succeed", p.Spec.Name)
		}
		if !refused[p.Spec.Name] && len(p.Arguments) > 0 {
			t.Errorf("no transcript shows %s refuse", p.Spec.Name)
		}
	}
}

// answersMatchSchemas holds what tools answered to their output schemas,
// refusals too: clients do.
func answersMatchSchemas(t *testing.T, messages []*message) {
	t.Helper()
	for _, m := range messages {
		if m.tool == "" {
			continue
		}
		if m.schema == nil {
			if m.structured != nil && !m.refused && m.listed {
				t.Errorf("%s: structured content of a tool without an output schema: %s", m.text, m.structured)
			}
			continue
		}
		if err := m.matchesSchema(); err != nil {
			t.Errorf("%s: %v\n%s", m.text, err, m.structured)
		}
	}
}

func (m *message) matchesSchema() error {
	var s jsonschema.Schema
	if err := json.Unmarshal(m.schema, &s); err != nil {
		return err
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	var answer map[string]any
	if err := json.Unmarshal(m.structured, &answer); err != nil {
		return fmt.Errorf("the structured content is no object: %w", err)
	}
	if err := r.Validate(answer); err != nil {
		return fmt.Errorf("the answer does not match the output schema: %w", err)
	}
	if _, ok := answer["frame"].(float64); !ok {
		return errors.New("no frame")
	}
	why, refused := answer["error"].(map[string]any)
	if refused != m.refused {
		return fmt.Errorf("isError is %v", m.refused)
	}
	code, _ := why["code"].(string)
	if text, _ := why["message"].(string); refused && (code == "" || text == "") {
		return errors.New("a refusal without code or message")
	}
	return nil
}

func TestAnswersThatDoNotMatchAreNoticed(t *testing.T) {
	p, _ := listing.Of(arenaServer(t).registry).Lookup("remove")
	for answer, fits := range map[string]bool{
		`{"entity":"1v0","removed":true,"components":[],"frame":1}`:         true,
		`{"error":{"code":"entity_dead","message":"it is dead"},"frame":1}`: true,
		`{"entity":"1v0","removed":"yes","components":[],"frame":1}`:        false,
		`{"entity":"1v0","removed":true,"components":null,"frame":1}`:       false,
		`{"entity":"1v0","removed":true,"frame":1}`:                         false,
		`{"entity":"1v0","removed":true,"components":[]}`:                   false,
		`{"error":{"code":"entity_dead"},"frame":1}`:                        false,
		`[]`: false,
	} {
		m := &message{tool: "remove", refused: strings.Contains(answer, "error"), structured: json.RawMessage(answer), schema: p.Output}
		if err := m.matchesSchema(); (err == nil) != fits {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// metaSchema is JSON Schema 2020-12's schema of schemas.
func metaSchema(t *testing.T) *jsonschema.Resolved {
	load := func(name string) *jsonschema.Schema {
		b, err := os.ReadFile("testdata/json-schema-2020-12/" + name)
		must(t, err)
		s := new(jsonschema.Schema)
		must(t, json.Unmarshal(b, s))
		return s
	}
	r, err := load("schema.json").Resolve(&jsonschema.ResolveOptions{Loader: func(u *url.URL) (*jsonschema.Schema, error) {
		if name := strings.TrimPrefix(u.Path, "/draft/2020-12/"); name != "schema" {
			return load(name + ".json"), nil
		}
		return load("schema.json"), nil
	}})
	must(t, err)
	return r
}

func TestEverySchemaIsAStrictSchema(t *testing.T) {
	meta := metaSchema(t)
	var broken any
	must(t, json.Unmarshal([]byte(`{"type":"object","properties":{"a":{"required":null}}}`), &broken))
	if meta.Validate(broken) == nil {
		t.Fatal("the schema of schemas accepts anything")
	}
	for name, s := range map[string]*Server{"arena": arenaServer(t), "wide": wideServer(t)} {
		for _, p := range listing.Of(s.registry).Tools {
			for kind, raw := range map[string]json.RawMessage{"inputSchema": p.Input, "outputSchema": p.Output} {
				at := fmt.Sprintf("%s: %s of %s", name, kind, p.Spec.Name)
				var doc map[string]any
				if raw == nil && (p.Spec.Name == "screenshot" || p.Spec.Name == "history_plot") {
					continue
				}
				must(t, json.Unmarshal(raw, &doc))
				if err := meta.Validate(doc); err != nil {
					t.Errorf("%s is no JSON Schema: %v", at, err)
				}
				if doc["type"] != "object" {
					t.Errorf("%s: the root's type is %v", at, doc["type"])
				}
				if closed, _ := json.Marshal(doc["additionalProperties"]); kind == "inputSchema" && string(closed) != "false" {
					t.Errorf("%s takes unknown arguments: additionalProperties is %s", at, closed)
				}
				strictly(t, at, doc)
			}
		}
	}
}

// strictly checks what strict clients ask beyond the standard: a single type,
// required as an array of properties that exist, descriptions.
func strictly(t *testing.T, at string, s map[string]any) {
	if typ, ok := s["type"]; ok {
		if _, single := typ.(string); !single {
			t.Errorf("%s: type is %v", at, typ)
		}
	}
	props, _ := s["properties"].(map[string]any)
	if req, ok := s["required"]; ok {
		list, array := req.([]any)
		if !array {
			t.Errorf("%s: required is %v", at, req)
		}
		for _, n := range list {
			if _, ok := props[n.(string)]; props != nil && !ok {
				t.Errorf("%s requires %v, which it does not have", at, n)
			}
		}
	}
	for name, p := range props {
		prop, ok := p.(map[string]any)
		if !ok {
			t.Errorf("%s.%s is %v", at, name, p)
			continue
		}
		if text, _ := prop["description"].(string); text == "" {
			t.Errorf("%s.%s has no description", at, name)
		}
		strictly(t, at+"."+name, prop)
	}
	if _, bare := s["items"].(bool); bare {
		t.Errorf("%s: items is the bare %v", at, s["items"])
	}
	for _, key := range []string{"items", "additionalProperties", "not"} {
		if sub, ok := s[key].(map[string]any); ok {
			strictly(t, at+" "+key, sub)
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		for _, sub := range asList(s[key]) {
			strictly(t, at+" "+key, sub.(map[string]any))
		}
	}
}

func asList(v any) []any { l, _ := v.([]any); return l }

// TestAListingOfManyComponentsStaysSmall lists a game of 240 component types as
// a client does.
func TestAListingOfManyComponentsStaysSmall(t *testing.T) {
	s := wideServer(t)
	c := &transcriptClient{s: s}
	c.connect(t)
	var r struct {
		Result struct{ Tools []map[string]any }
	}
	body := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Body.Bytes()
	must(t, json.Unmarshal(body, &r))
	generated := 0
	for _, tool := range r.Result.Tools {
		if strings.HasPrefix(tool["name"].(string), "Part_") {
			generated++
		}
		if _, ok := tool["outputSchema"]; ok {
			t.Errorf("%v lists its output schema", tool["name"])
		}
	}
	all := 0
	for _, p := range listing.Of(s.registry).Tools {
		if p.Spec.Group == "components" {
			all++
		}
	}
	t.Logf("%d bytes, %d tools, %d generated of %d", len(body), len(r.Result.Tools), generated, all)
	if len(body) > 44<<10 {
		t.Errorf("the listing has %d bytes", len(body))
	}
	if all < 240 || generated == 0 || generated > 24 {
		t.Errorf("%d generated tools, %d of them listed", all, generated)
	}
	// What is not listed can be called.
	last := listing.Of(s.registry).Tools[len(listing.Of(s.registry).Tools)-1]
	if text := s.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + last.Spec.Name + `","arguments":{"entity":"1v0","Hull":5}}}`); !strings.Contains(text, "component_missing") {
		t.Errorf("%s: %s", last.Spec.Name, text)
	}
}

// wideServer has a world of 240 component types, one entity each, and every
// subsystem.
func wideServer(t *testing.T) *Server {
	s := withoutPort(t, &Options{DataDir: t.TempDir()})
	g := newFixture(t, s, "arena")
	w := arche.NewWorld()
	addParts[p0](&w)
	addParts[p1](&w)
	addParts[p2](&w)
	addParts[p3](&w)
	addParts[p4](&w)
	addParts[p5](&w)
	addParts[p6](&w)
	addParts[p7](&w)
	addParts[p8](&w)
	addParts[p9](&w)
	addParts[p10](&w)
	addParts[p11](&w)
	g.world = &w
	s.Bind(archeworld.New(&w), g.app)
	s.Poll()
	if n := len(s.loop.View().Catalog.Components); n != 240 {
		t.Fatalf("%d component types", n)
	}
	return s
}

// Part is a component type for each pair of marks.
type Part[A, B any] struct {
	Hull    int     `debug:"min=0,max=100,unit=hp" jsonschema:"what is left of the hull"`
	Thrust  float64 `debug:"unit=px/s" jsonschema:"push of the engine"`
	Pilot   arche.Entity
	Cargo   []string
	Hot     bool
	Callout string `jsonschema:"what it is called on the radio"`
}

type (
	p0  struct{}
	p1  struct{}
	p2  struct{}
	p3  struct{}
	p4  struct{}
	p5  struct{}
	p6  struct{}
	p7  struct{}
	p8  struct{}
	p9  struct{}
	p10 struct{}
	p11 struct{}
)

func addParts[A any](w *arche.World) {
	addPart[A, p0](w)
	addPart[A, p1](w)
	addPart[A, p2](w)
	addPart[A, p3](w)
	addPart[A, p4](w)
	addPart[A, p5](w)
	addPart[A, p6](w)
	addPart[A, p7](w)
	addPart[A, p8](w)
	addPart[A, p9](w)
	for _, add := range []func(*arche.World){addPart[A, []p0], addPart[A, []p1], addPart[A, []p2], addPart[A, []p3], addPart[A, []p4],
		addPart[A, []p5], addPart[A, []p6], addPart[A, []p7], addPart[A, []p8], addPart[A, []p9]} {
		add(w)
	}
}

func addPart[A, B any](w *arche.World) { w.NewEntity(arche.ComponentID[Part[A, B]](w)) }

// TestDependenciesArePinned names what of other modules a game compiles with
// the server, so that a new dependency is a decision.
func TestDependenciesArePinned(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	must(t, err)
	got := slices.DeleteFunc(strings.Fields(string(out)), func(dep string) bool { return strings.HasPrefix(dep, "github.com/loupe-ecs/loupe/") })
	slices.Sort(got)
	const file = "testdata/deps.txt"
	text := strings.Join(got, "\n") + "\n"
	want, _ := os.ReadFile(file)
	if string(want) == text {
		return
	}
	if *update {
		must(t, os.WriteFile(file, []byte(text), 0o644))
		return
	}
	t.Errorf("the server's dependencies have changed (-update accepts it)\n%s", diffLines(string(want), text))
}
