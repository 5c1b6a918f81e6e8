//lint:file-ignore SA1019 The older eras have logging and sampling; their clients are served.

package front

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loupe-ecs/loupe/tools"
)

func newDocuments(b *fakeBackend) {
	b.reg.RegisterResource(
		&tools.Resource{URI: "test:fixed", Name: "fixed", Description: "A fixed one.", MIMEType: "text/plain", Read: func(c *tools.Call, r tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return []tools.ResourceContents{{Text: "hello"}}, nil
		}},
		&tools.Resource{URI: "test:bytes", Name: "bytes", Read: func(c *tools.Call, r tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return []tools.ResourceContents{{Blob: []byte{0, 1, 2}}}, nil
		}},
		&tools.Resource{URI: "test://doc/{name}/end", Name: "doc", Read: func(c *tools.Call, r tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return []tools.ResourceContents{{Text: "doc " + r.Vars["name"]}}, nil
		}, Complete: func(c *tools.Call, variable, prefix string) []string { return []string{variable + "-" + prefix + "-1"} }},
		&tools.Resource{URI: "test://entity/{id}", Name: "entity", Live: &tools.Tool{Spec: tools.Spec{Name: "read_entity", Description: "Reads one."}, Handler: dummy}},
		&tools.Resource{URI: "test:panics", Name: "panics", Unlisted: true, Read: func(c *tools.Call, r tools.ResourceRequest) ([]tools.ResourceContents, error) { panic("boom") }},
	)
	b.reg.RegisterPrompt(&tools.Prompt{Name: "look", Description: "Look at one.", Arguments: []tools.PromptArgument{{Name: "entity", Description: "which", Required: true,
		Complete: func(c *tools.Call, prefix string, others map[string]string) []string { return []string{prefix + "2v3"} }}, {Name: "why"}},
		Get: func(c *tools.Call, args map[string]string) ([]tools.PromptMessage, error) {
			return []tools.PromptMessage{tools.UserText("look at " + args["entity"]), {Role: "assistant", Content: tools.Content{Type: "image", Data: []byte{1}, MIMEType: "image/png"}}}, nil
		}})
}

// TestSDKClient drives the front with the official client, which picks the era
// by itself: sessions when it is told to, else the one without.
func TestSDKClient(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2025-06-18", modernVersion} {
		t.Run(version, func(t *testing.T) { testSDKClient(t, version) })
	}
}

func testSDKClient(t *testing.T, version string) {
	b, f, url := serve(t, Options{Name: "arena", Version: "3", Instructions: "Look first.", Burst: 5 * time.Millisecond}, true)
	newDocuments(b)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	changed := make(chan string, 10)
	var asked, progressed atomic.Int64
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			n := asked.Add(1)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"v": strings.Repeat("x", int(n))}}, nil
		},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed <- "tools" },
		ResourceUpdatedHandler:      func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { changed <- r.Params.URI },
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progressed.Add(1) },
		LoggingMessageHandler:       func(context.Context, *mcp.LoggingMessageRequest) {},
	})
	s, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("speaks %s", got)
	}
	if s.InitializeResult().ServerInfo.Name != "arena" {
		t.Errorf("server %+v", s.InitializeResult().ServerInfo)
	}
	list, err := s.ListTools(ctx, nil)
	if err != nil || len(list.Tools) != 6 || list.Tools[0].Name != "echo" {
		t.Fatalf("tools %v %v", list, err)
	}
	r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"a": 1}})
	if err != nil || r.IsError || r.Content[0].(*mcp.TextContent).Text != `{"got":{"a":1},"frame":7}` {
		t.Errorf("echo: %v %v", r, err)
	}
	if _, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "nope"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("an unknown tool: %v", err)
	}
	noisy := &mcp.CallToolParams{Name: "noisy"}
	noisy.SetProgressToken("p")
	if r, err := s.CallTool(ctx, noisy); err != nil || r.IsError {
		t.Errorf("noisy: %v %v", r, err)
	}
	eventually(t, "progress heard", func() bool { return progressed.Load() == 3 })
	if r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "asks"}); err != nil || r.IsError || r.Content[0].(*mcp.TextContent).Text != `"x" "xx"` {
		t.Errorf("asks: %+v %v", r, err)
	}

	resources, err := s.ListResources(ctx, nil)
	if err != nil || len(resources.Resources) != 2 || resources.Resources[0].URI != "test:fixed" {
		t.Errorf("resources %v %v", resources, err)
	}
	templates, err := s.ListResourceTemplates(ctx, nil)
	if err != nil || len(templates.ResourceTemplates) != 2 {
		t.Errorf("templates %v %v", templates, err)
	}
	for uri, want := range map[string]string{"test:fixed": "hello", "test://doc/a%20b/end": "doc a b", "test://entity/42v3": `{"alive":true}`, "test:bytes": "\x00\x01\x02"} {
		r, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(r.Contents) != 1 || r.Contents[0].Text+string(r.Contents[0].Blob) != want || r.Contents[0].URI != uri {
			t.Errorf("%s: %v %v", uri, r, err)
		}
	}
	if _, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://entity/9v9"}); err == nil {
		t.Error("an unknown entity was read")
	}
	prompt, err := s.GetPrompt(ctx, &mcp.GetPromptParams{Name: "look", Arguments: map[string]string{"entity": "42v3"}})
	if err != nil || len(prompt.Messages) != 2 || prompt.Messages[0].Content.(*mcp.TextContent).Text != "look at 42v3" {
		t.Errorf("prompt %v %v", prompt, err)
	}
	if prompts, err := s.ListPrompts(ctx, nil); err != nil || len(prompts.Prompts) != 1 || !prompts.Prompts[0].Arguments[0].Required {
		t.Errorf("prompts %v %v", prompts, err)
	}
	for _, ref := range []*mcp.CompleteReference{{Type: "ref/prompt", Name: "look"}, {Type: "ref/resource", URI: "test://doc/{name}/end"}} {
		name, want := "entity", "42v3"
		if ref.URI != "" {
			name, want = "name", "name-4-1"
		}
		r, err := s.Complete(ctx, &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: name, Value: "4"}})
		if err != nil || len(r.Completion.Values) != 1 || r.Completion.Values[0] != want {
			t.Errorf("completion %v %v", r, err)
		}
	}
	if version != modernVersion {
		if err := s.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "error"}); err != nil {
			t.Error(err)
		}
		if err := s.Ping(ctx, nil); err != nil {
			t.Error(err)
		}
		if err := s.Subscribe(ctx, &mcp.SubscribeParams{URI: "test:fixed"}); err != nil {
			t.Error(err)
		}
	}
	eventually(t, "stream open", func() bool {
		if version == modernVersion {
			f.listens.mu.Lock()
			defer f.listens.mu.Unlock()
			return len(f.listens.all) > 0
		}
		open := false
		f.sessions.each(func(s *session) { open = s.streaming.Load() != nil })
		return open
	})
	b.reg.MustRegister(&tools.Tool{Spec: tools.Spec{Name: "new", Description: "x"}, Handler: dummy})
	if got := <-changed; got != "tools" {
		t.Errorf("heard of %s", got)
	}
	if version != modernVersion {
		b.reg.ResourceUpdated("test:fixed")
		if got := <-changed; got != "test:fixed" {
			t.Errorf("heard of %s", got)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	eventually(t, "session gone", func() bool { return f.sessions.len() == 0 })
}

// modernBody is a request of the era without sessions, with its headers.
func modernPost(t *testing.T, url, id, method, params string, headers ...string) answer {
	t.Helper()
	if params != "" {
		params += ","
	}
	var p struct{ Name, URI string }
	json.Unmarshal([]byte("{"+strings.TrimSuffix(params, ",")+"}"), &p)
	body := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	all := []string{headerVersion, modernVersion, headerMethod, method}
	if p.Name+p.URI != "" {
		all = append(all, headerName, p.Name+p.URI)
	}
	return post(t, url, body, append(all, headers...)...)
}

func TestModernEra(t *testing.T) {
	b, _, url := serve(t, Options{Name: "arena", Version: "3"}, true)
	newDocuments(b)
	a := modernPost(t, url, `"x"`, "server/discover", "")
	want := `{"jsonrpc":"2.0","id":"x","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"arena","version":"3"}},"ttlMs":0,"cacheScope":"private",` +
		`"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":` + string(capabilitiesWith(nil)) + `}}`
	if a.status != 200 || a.body != want {
		t.Errorf("discover: %d %s\nwant %s", a.status, a.body, want)
	}
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		if a := modernPost(t, url, "1", method, ""); a.status != 200 || !strings.Contains(a.body, `"ttlMs":0,"cacheScope":"private"`) || !strings.Contains(a.body, `"resultType":"complete"`) {
			t.Errorf("%s: %d %s", method, a.status, a.body)
		}
	}
	for _, c := range []struct {
		name, method, params string
		headers              []string
		status               int
		want                 string
	}{
		{"call", "tools/call", `"name":"echo"`, nil, 200, `"resultType":"complete"`},
		{"resource", "resources/read", `"uri":"test:fixed"`, nil, 200, `"text":"hello"`},
		{"encoded name", "tools/call", `"name":"echo"`, []string{headerName, "=?base64?ZWNobw==?="}, 200, `"got"`},
		{"unknown tool", "tools/call", `"name":"nope"`, nil, 400, `-32602`},
		{"unknown method", "tools/lst", "", nil, 404, `-32601`},
		{"ping is gone", "ping", "", nil, 404, `-32601`},
		{"initialize is gone", "initialize", "", nil, 404, `-32601`},
		{"other method in the header", "tools/list", "", []string{headerMethod, "tools/call"}, 400, `-32020`},
		{"no method in the header", "tools/list", "", []string{headerMethod, ""}, 400, `-32020`},
		{"other name in the header", "tools/call", `"name":"echo"`, []string{headerName, "ping"}, 400, `-32020`},
		{"no name in the header", "tools/call", `"name":"echo"`, []string{headerName, ""}, 400, `-32020`},
		{"no version in the header", "tools/list", "", []string{headerVersion, ""}, 400, `-32020`},
		{"a future version", "tools/list", "", []string{headerVersion, "2099-01-01"}, 400, `-32022`},
	} {
		a := modernPost(t, url, "1", c.method, c.params, c.headers...)
		if a.status != c.status || !strings.Contains(a.body, c.want) || !strings.HasPrefix(a.body, `{"jsonrpc":"2.0","id":1,`) {
			t.Errorf("%s: %d %s, want %d %s", c.name, a.status, a.body, c.status, c.want)
		}
	}
	if a := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, headerVersion, modernVersion, headerMethod, "tools/list"); a.status != 400 || !strings.Contains(a.body, "-32602") {
		t.Errorf("no _meta: %d %s", a.status, a.body)
	}
	if a := post(t, url, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, headerVersion, modernVersion); a.status != 202 {
		t.Errorf("a notification: %d", a.status)
	}
	if a := raw(t, url, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Protocol-Version: 2026-07-28\r\n\r\n"); a.status != 405 || a.header.Get("Allow") != "POST" {
		t.Errorf("GET: %d %s", a.status, a.header)
	}
	// Older eras must not get what is new.
	a = post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, headerSession, connect(t, url))
	for _, not := range []string{"ttlMs", "cacheScope", "resultType"} {
		if strings.Contains(a.body, not) {
			t.Errorf("an older client gets %s", not)
		}
	}
}

func TestMissingCapability(t *testing.T) {
	_, _, url := serve(t, Options{}, true)
	a := modernPost(t, url, "1", "tools/call", `"name":"asks"`)
	if a.status != 400 || !strings.Contains(a.body, `"code":-32021`) || !strings.Contains(a.body, `"data":{"requiredCapabilities":{"elicitation":{}}}`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	plain := strings.Replace(initialize, `"elicitation":{}`, "", 1)
	sid := post(t, url, plain).header.Get(headerSession)
	a = post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asks"}}`, headerSession, sid)
	if a.status != 200 || !strings.Contains(a.body, "not_supported") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestResourceErrors(t *testing.T) {
	b, _, url := serve(t, Options{}, true)
	newDocuments(b)
	sid := connect(t, url)
	for uri, want := range map[string]string{
		"test://entity/9v9": `"error":{"code":-32002,"message":"no entity 9v9","data":{"error":{"code":"unknown_entity","message":"no entity 9v9"}}}`,
		"test://entity/1v1": `"error":{"code":-32000,"message":"no world","data":{"error":{"code":"no_world","message":"no world"}}}`,
		"test:panics":       `"code":"panic"`,
		"test://entity/a/b": `"code":-32002`,
		"test:fixes":        `"options":["test:fixed"`,
	} {
		a := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`"}}`, headerSession, sid)
		if !strings.Contains(a.body, want) {
			t.Errorf("%s: %s, want %s", uri, a.body, want)
		}
	}
	a := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"look"}}`, headerSession, sid)
	if !strings.Contains(a.body, `-32602`) || !strings.Contains(a.body, `missing argument \"entity\"`) {
		t.Errorf("a missing argument: %s", a.body)
	}
}
