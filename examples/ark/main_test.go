package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// client speaks just enough of the protocol for a session.
type client struct {
	*testing.T
	url, session string
}

func (c *client) rpc(method string, params any) map[string]any {
	c.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		c.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(c.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.Fatal(err)
	}
	if i := bytes.Index(text, []byte("data: ")); i >= 0 { // an event stream of one message
		text = bytes.TrimSpace(text[i+len("data: "):])
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		c.Fatalf("%s: %s: %s", method, resp.Status, text)
	}
	if m["error"] != nil {
		c.Fatalf("%s %v: %v", method, params, m["error"])
	}
	return m["result"].(map[string]any)
}

func (c *client) call(tool string, args map[string]any) (map[string]any, bool) {
	c.Helper()
	r := c.rpc("tools/call", map[string]any{"name": tool, "arguments": args})
	s, _ := r["structuredContent"].(map[string]any)
	isError, _ := r["isError"].(bool)
	return s, isError
}

func (c *client) ok(tool string, args map[string]any) map[string]any {
	c.Helper()
	s, isError := c.call(tool, args)
	if isError {
		c.Fatalf("%s %v was refused: %v", tool, args, s)
	}
	return s
}

// in is the client with the failures going to a subtest.
func (c *client) in(t *testing.T) *client { return &client{T: t, url: c.url, session: c.session} }

type object = map[string]any

// A client's session over a world of Ark, from the outside.
func TestSession(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, w, "127.0.0.1:0", t.TempDir(), 0)
		w.Close()
	}()
	lines := bufio.NewScanner(r)
	if !lines.Scan() {
		t.Fatal("no first line")
	}
	url, ok := strings.CutPrefix(lines.Text(), "debug server listening at ")
	if !ok {
		t.Fatalf("the first line is %q", lines.Text())
	}
	go io.Copy(io.Discard, r)
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	c := &client{T: t, url: url}
	c.rpc("initialize", object{"protocolVersion": "2025-11-25", "capabilities": object{}, "clientInfo": object{"name": "test", "version": "1"}})

	q := c.ok("query", object{"with": []string{"Fish", "Hunger"}, "limit": 2})
	if q["matched"] != 24.0 {
		t.Fatalf("query matched %v fish, want 24", q["matched"])
	}
	first := q["entities"].([]any)[0].(object)
	e := first["entity"].(string)
	if first["name"] == "" || first["name"] == nil {
		t.Errorf("the fish has no name: %v", first)
	}
	if q := c.ok("query", object{"where": "Position.X >= 0 && Hunger.Level < 1000", "limit": 1}); q["matched"] != 24.0 {
		t.Errorf("where matched %v, want 24", q["matched"])
	}
	if q := c.ok("query", object{"target": e}); q["matched"] != 5.0 {
		t.Errorf("%v fish follow %s, want 5", q["matched"], e)
	}
	c.ok("modify", object{"entity": e, "component": "Fish", "values": object{"Name": "Nemo", "Diary[0]": "was renamed"}})
	if info := c.ok("info", object{"entity": e}); info["name"] != "Nemo" {
		t.Errorf("info names the fish %v, want Nemo", info["name"])
	}
	s := c.ok("spawn", object{"components": object{"Position": object{"X": 5}, "Fish": object{"Name": "new", "Diary": []string{"a", "b"}}, "Follows": object{}}, "target": e})
	spawned := s["entity"].(string)
	info := c.ok("info", object{"entity": spawned})
	if text, _ := json.Marshal(info["relations"]); !strings.Contains(string(text), e) {
		t.Errorf("the spawned fish's relations are %s, want the target %s", text, e)
	}
	c.ok("Position_configure", object{"entity": spawned, "X": 50, "Y": 30})
	c.ok("Hunger_Feed", object{"entity": e, "amount": 5})
	t.Run("snapshot", func(t *testing.T) { c.in(t).snapshot(t, spawned) })
	t.Run("lua", func(t *testing.T) { c.in(t).lua(t, e) })
	// A target's death resets relations here; nothing dangles.
	c.ok("despawn", object{"entity": e})
	text, _ := json.Marshal(c.ok("world_check", nil))
	if strings.Contains(string(text), "dangling") {
		t.Errorf("world_check reports dangling targets on Ark: %s", text)
	}
	if s, isError := c.call("modify", object{"entity": "99999v0", "component": "Hunger", "values": object{"Level": 1}}); !isError {
		t.Errorf("a forged entity was modified: %v", s)
	}
	if s, isError := c.call("spawn", object{"components": object{"Position": object{"X": 1e9}}}); !isError {
		t.Errorf("a value out of range was spawned: %v", s)
	}
}

func (c *client) snapshot(t *testing.T, spawned string) {
	c.ok("snapshot_save", object{"name": "one"})
	c.ok("despawn", object{"entity": spawned})
	if info := c.ok("info", object{"entity": spawned}); info["alive"] != false {
		t.Errorf("a despawned fish is alive: %v", info)
	}
	c.ok("snapshot_load", object{"name": "one"})
	if info := c.ok("info", object{"entity": spawned}); info["alive"] != true {
		t.Errorf("the fish is not back after the snapshot was loaded: %v", info)
	}
}

func (c *client) lua(t *testing.T, e string) {
	l := c.ok("run_lua", object{"code": `local n = 0
for e in world.query{with={'Fish'}} do n = n + 1; e.Fish.Name = e.Fish.Name .. '!' end
return n`, "timeoutMs": 1000})
	if v := l["values"].([]any); len(v) != 1 || v[0] != 25.0 {
		t.Errorf("the script counted %v fish, want 25", v)
	}
	if info := c.ok("info", object{"entity": e}); info["name"] != "Nemo!" {
		t.Errorf("after the script the fish is named %v, want Nemo!", info["name"])
	}
}

func TestFrames(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, "127.0.0.1:0", t.TempDir(), 3); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "debug server listening at http://127.0.0.1:") {
		t.Errorf("the first line is %q", out.String())
	}
}
