package client_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/client"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

func connected(t *testing.T) *client.Client {
	t.Helper()
	url, stop := arena()
	t.Cleanup(stop)
	c, err := client.Connect(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestFieldsAreReadByPath(t *testing.T) {
	c := connected(t)
	e, err := c.Find(t.Context(), "crate")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"Slots[1].Item": `"lamp"`, `Tags["a.b"]`: `2`, "Name": `"crate"`, "Slots": `[{"Item":"rope"},{"Item":"lamp"}]`,
	} {
		if v, err := e.Component("Crate").Get(t.Context(), path); err != nil || string(v) != want {
			t.Errorf("%s: %s %v", path, v, err)
		}
	}
	if v, err := e.Component("Health").Get(t.Context(), "Ratio"); err != nil || string(v) != "0.3" {
		t.Errorf("a computed value: %s %v", v, err)
	}
	var whole struct{ HP, Max int }
	if err := e.Component("Health").Into(t.Context(), "", &whole); err != nil || whole.HP != 30 || whole.Max != 100 {
		t.Errorf("the whole component: %+v %v", whole, err)
	}
	for _, path := range []string{"Slots[9].Item", "Slots[", "Nothing", "[", `Tags["x`, "..", "Slots[1].Item.More"} {
		if v, err := e.Component("Crate").Get(t.Context(), path); err == nil {
			t.Errorf("%q is %s", path, v)
		}
	}
}

func TestRefusalsAreTyped(t *testing.T) {
	c := connected(t)
	_, err := c.Call(t.Context(), "qwery", nil)
	var refused *refusal.Error
	if !errors.As(err, &refused) || refused.Code != refusal.NotFound || len(refused.Options) == 0 {
		t.Errorf("an unknown tool: %v", err)
	}
	if _, err := c.Find(t.Context(), "nobody"); !errors.Is(err, refusal.NotFound) {
		t.Errorf("a label that nobody has: %v", err)
	}
	if _, err := c.Resource("Scoer").Get(t.Context(), ""); !errors.As(err, &refused) || refused.Options[0] != "Score" {
		t.Errorf("an unknown resource: %v", err)
	}
	if _, err := client.Connect(t.Context(), "127.0.0.1:1", nil); !errors.As(err, new(*client.ConnectionError)) {
		t.Errorf("nothing listens there: %v", err)
	}
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if _, err := client.Connect(t.Context(), "no-such-game", nil); !errors.Is(err, refusal.NoSession) {
		t.Errorf("no game: %v", err)
	}
}

func TestSeveralCalls(t *testing.T) {
	c := connected(t)
	results, err := c.CallAll(t.Context(),
		client.Step{Tool: "resources_modify", Arguments: map[string]any{"name": "Score", "values": map[string]int{"Points": 9}}},
		client.Step{Tool: "resources_info", Arguments: map[string]string{"name": "Score", "path": "Points"}})
	if err != nil || len(results) != 2 || !strings.Contains(string(results[1]), `"value":9`) {
		t.Errorf("%s %v", results, err)
	}
	if n, err := c.Count(t.Context(), client.Query{With: []string{"Health"}}); n != 4 || err != nil {
		t.Errorf("%d entities, %v", n, err)
	}
	e, err := c.Spawn(t.Context(), map[string]any{"Health": map[string]int{"HP": 1, "Max": 1}})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := e.Info(t.Context()); err != nil || !info.Alive {
		t.Errorf("%+v %v", info, err)
	}
	if err := e.Despawn(t.Context()); err != nil {
		t.Error(err)
	}
	if info, err := e.Info(t.Context()); err != nil || info.Alive {
		t.Errorf("after its end: %+v %v", info, err)
	}
}

func TestWhatTheGameSaysOfItself(t *testing.T) {
	c := connected(t)
	doc, err := c.Context(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if h := doc.Components["Health"]; len(h.Actions) != 1 || !strings.HasPrefix(string(h.Schema()), `{"type":"object","properties":{"HP":{`) || bytes.Contains(h.Schema(), []byte("Ratio")) {
		t.Errorf("%+v\n%s", h, h.Schema())
	}
	again, err := client.ParseContext(doc.Indented())
	if err != nil || !bytes.Equal(again.JSON(), doc.JSON()) {
		t.Errorf("read back: %v", err)
	}
	tools, err := c.Tools(t.Context())
	if err != nil || len(tools) < 20 || tools[0].Name == "" {
		t.Errorf("%d tools, %v", len(tools), err)
	}
	if help, err := c.Help(t.Context(), "query"); err != nil || !strings.Contains(string(help), "where") {
		t.Errorf("%s %v", help, err)
	}
	if !strings.Contains(c.Instructions(), "help") {
		t.Errorf("instructions %q", c.Instructions())
	}
}
