package front

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loupe-ecs/loupe/internal/rawjson"

	"github.com/loupe-ecs/loupe/tools"
)

func TestIDsComeBackAsSent(t *testing.T) {
	_, _, url := serve(t, Options{}, true)
	sid := connect(t, url)
	for _, id := range []string{`1`, `"1"`, `-5`, `1.5`, `1.0`, `1e3`, `9007199254740993`, `123456789012345678901234567890`, `"ü\u00e9\n"`, `""`, `0`} {
		for _, method := range []string{"ping", "tools/list", "tools/call", "resources/list", "nonsense"} {
			a := post(t, url, fmt.Sprintf(`{"jsonrpc":"2.0", "id" : %s ,"method":%q,"params":{"name":"echo"}}`, id, method), headerSession, sid)
			if want := `{"jsonrpc":"2.0","id":` + id + `,`; !strings.HasPrefix(a.body, want) {
				t.Errorf("%s with id %s: got %.80s", method, id, a.body)
			}
			if !json.Valid([]byte(a.body)) {
				t.Errorf("%s with id %s: broken JSON %.200s", method, id, a.body)
			}
		}
	}
}

func TestBadMessagesAreAnsweredAsJSON(t *testing.T) {
	_, _, url := serve(t, Options{}, true)
	sid := connect(t, url)
	for _, c := range []struct {
		name, body string
		status     int
		id         string
		code       int
	}{
		{"empty", ``, 400, "null", -32700},
		{"malformed", `{"jsonrpc":"2.0","id":1,`, 400, "null", -32700},
		{"not JSON", `hello`, 400, "null", -32700},
		{"text after", `{"jsonrpc":"2.0","id":1,"method":"ping"} x`, 400, "null", -32700},
		{"two messages", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, 400, "null", -32700},
		{"deep", strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), 400, "null", -32700},
		{"deep arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}}`, 400, "null", -32700},
		{"control character", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\nng\"}", 400, "null", -32700},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 400, "null", -32600},
		{"a string", `"ping"`, 400, "null", -32600},
		{"no version", `{"id":1,"method":"ping"}`, 400, "1", -32600},
		{"no method", `{"jsonrpc":"2.0","id":7}`, 400, "7", -32600},
		{"method of a wrong type", `{"jsonrpc":"2.0","id":7,"method":5}`, 400, "7", -32600},
		{"empty method", `{"jsonrpc":"2.0","id":7,"method":""}`, 400, "7", -32600},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, "null", -32600},
		{"id of a wrong type", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, "null", -32600},
		{"params of a wrong type", `{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}`, 400, "7", -32602},
		{"unknown method", `{"jsonrpc":"2.0","id":7,"method":"tools/lst"}`, 200, "7", -32601},
		{"no tool name", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`, 200, "7", -32602},
		{"no params", `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, 200, "7", -32602},
		{"arguments of a wrong type", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":[1]}}`, 200, "7", -32602},
		{"unknown tool", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nope"}}`, 200, "7", -32602},
		{"cursor of a wrong type", `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":3}}`, 200, "7", -32602},
		{"unknown level", `{"jsonrpc":"2.0","id":7,"method":"logging/setLevel","params":{"level":"loud"}}`, 200, "7", -32602},
		{"no uri", `{"jsonrpc":"2.0","id":7,"method":"resources/read"}`, 200, "7", -32602},
		{"unknown resource", `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"x:y"}}`, 200, "7", -32002},
		{"unknown prompt", `{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"x"}}`, 200, "7", -32602},
		{"initialize without version", `{"jsonrpc":"2.0","id":7,"method":"initialize"}`, 200, "7", -32602},
	} {
		a := post(t, url, c.body, headerSession, sid)
		var got struct {
			ID    json.RawMessage
			Error struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Errorf("%s: %v: %.100s", c.name, err, a.body)
			continue
		}
		if a.status != c.status || string(got.ID) != c.id || got.Error.Code != c.code || got.Error.Message == "" {
			t.Errorf("%s: got %d %s, want status %d, id %s, code %d", c.name, a.status, a.body, c.status, c.id, c.code)
		}
		if ct := a.header.Get("Content-Type"); ct != "application/json" {
			t.Errorf("%s: Content-Type %q", c.name, ct)
		}
	}
	if a := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"stale"}}`, headerSession, sid); !strings.Contains(a.body, `"echo"`) {
		t.Errorf("a cursor is tolerated: %s", a.body)
	}
}

func FuzzEnvelope(f *testing.F) {
	for _, s := range []string{initialize, `{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"echo","arguments":{"a":[1,"\u00e9",null,true]},"_meta":{"progressToken":1}}}`,
		`[]`, `{"a":"\ud800"}`, `{"id":01}`, `{"jsonrpc":"2.0","method":"x","id":-}`, "\xff", `{"jsonrpc":"2.0","id":"a","result":{}}`} {
		f.Add(s)
	}
	b := newFake()
	front := New(b, Options{})
	f.Fuzz(func(t *testing.T, body string) {
		e, failed := parseEnvelope([]byte(body))
		valid := json.Valid([]byte(body))
		if failed == nil && !valid {
			t.Errorf("took %q, which is no JSON", body)
		}
		if failed != nil && failed.code == codeParse && valid && !strings.Contains(failed.message, "nested") {
			t.Errorf("refused valid JSON %q: %s", body, failed.message)
		}
		if failed == nil && e.params != nil && !json.Valid(e.params) {
			t.Errorf("params %q are cut wrong", e.params)
		}
		got := front.Dispatch(body)
		if got != "" && !json.Valid([]byte(got)) {
			t.Errorf("answer to %q is no JSON: %s", body, got)
		}
	})
}

func FuzzString(f *testing.F) {
	f.Add("a\"b\\c\n\t\x00é\u2028\xff")
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		got := rawjson.AppendString(nil, s)
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%q became %s: %v", s, got, err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); utf8.ValidString(s) && back != want {
			t.Errorf("%q came back as %q", s, back)
		}
	})
}

func TestReplyEncoding(t *testing.T) {
	r := &tools.Reply{IsError: true, Structured: json.RawMessage(`{"error":{"code":"busy"}}`), Text: "no",
		Content: []tools.Content{{Type: "image", Data: []byte{1, 2, 3}, MIMEType: "image/png"}, {Type: "resource", URI: "a:b", Text: "t", MIMEType: "text/plain"}, {Type: "resource_link", URI: "a:b", Name: "n"}},
		Meta:    map[string]any{"frameMs": 9.5}}
	want := `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"no"},{"type":"image","data":"AQID","mimeType":"image/png"},` +
		`{"type":"resource","resource":{"uri":"a:b","mimeType":"text/plain","text":"t"}},{"type":"resource_link","uri":"a:b","name":"n"}],` +
		`"structuredContent":{"error":{"code":"busy"}},"isError":true,"_meta":{"frameMs":9.5}}}`
	if got := string(appendReply(nil, []byte("3"), r, &era{})); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	modern := New(newFake(), Options{Name: "arena", Version: "2"}).modern
	got := string(appendReply(nil, []byte("3"), &tools.Reply{Structured: json.RawMessage(`{"a":1}`)}, modern))
	want = `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1},` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"arena","version":"2"}},"resultType":"complete"}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestListing(t *testing.T) {
	b, _, url := serve(t, Options{}, true)
	sid := connect(t, url)
	names := func(query string) []string {
		a := post(t, url+query, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, headerSession, sid)
		var got struct {
			Result struct{ Tools []struct{ Name string } }
			Error  struct{ Message string }
		}
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range got.Result.Tools {
			names = append(names, tool.Name)
		}
		return names
	}
	want := []string{"echo", "ping", "big", "noisy", "asks", "explode"}
	if got := names(""); !slices.Equal(got, want) {
		t.Errorf("listed %v, want first-registration order without unlisted ones: %v", got, want)
	}
	if got := names("?tools=world,session"); !slices.Equal(got, []string{"echo", "ping", "big"}) {
		t.Errorf("groups: %v", got)
	}
	b.reg.MustRegister(&tools.Tool{Spec: tools.Spec{Name: "echo", Group: "world", Description: "Replaced."}, Handler: dummy})
	if got := names(""); !slices.Equal(got, want) {
		t.Errorf("a replaced tool moved: %v", got)
	}
	lean := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, headerSession, sid)
	if strings.Contains(lean.body, "outputSchema") {
		t.Error("the lean listing has output schemas")
	}
	full := post(t, url+"?schemas=full", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, headerSession, sid)
	if !strings.Contains(full.body, `"outputSchema":{"type":"object"}`) {
		t.Errorf("?schemas=full has none: %s", full.body)
	}
}
