package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestParseKeepsWhatItNeedNotUnderstand(t *testing.T) {
	e, err := Parse([]byte(`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"b":1.50,"a":[1, 2]}}`))
	if err != nil || !e.IsRequest() || string(e.ID) != "9007199254740993" || string(e.Params) != `{"b":1.50,"a":[1, 2]}` {
		t.Errorf("%+v %v", e, err)
	}
	if e, err := Parse([]byte(`{"jsonrpc":"2.0","id":null,"method":"x"}`)); err != nil || e.IsRequest() {
		t.Errorf("a null id makes a request: %+v %v", e, err)
	}
	for _, bad := range []string{``, `[]`, `[{"jsonrpc":"2.0","method":"x"}]`, `{}`, `{"jsonrpc"`, `1`} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s is a message", bad)
		}
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		message, id string
		want        bool
	}{
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, `1`, true},
		{`{"jsonrpc":"2.0","id":1,"error":{}}`, `1`, true},
		{`{"jsonrpc":"2.0","id":12,"result":{}}`, `1`, false},
		{`{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`, `1`, false},
		{`{ "result": {}, "id": "a", "jsonrpc": "2.0" }`, `"a"`, true},
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"id":1,"result":1}}`, `1`, false},
	} {
		if got := Answers([]byte(c.message), []byte(c.id)); got != c.want {
			t.Errorf("%s answers %s: %v", c.message, c.id, got)
		}
	}
}

func TestModernOf(t *testing.T) {
	for params, want := range map[string]bool{
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`:     true,
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}`:     false,
		`{"arguments":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`: false,
		`{}`: false, ``: false,
	} {
		if got := ModernOf(json.RawMessage(params)); got != want {
			t.Errorf("%s: %v", params, got)
		}
	}
}

func TestEvents(t *testing.T) {
	read := func(text string) (got []string, err error) {
		err = events(strings.NewReader(text), func(m []byte) error {
			got = append(got, string(m))
			return nil
		})
		return got, err
	}
	got, err := read(": hello\n\nevent: message\nid: 1\ndata: {\"a\":1}\n\ndata:{\"b\":\r\ndata: 2}\r\n\r\n")
	if err != nil || !slices.Equal(got, []string{`{"a":1}`, "{\"b\":\n2}"}) {
		t.Errorf("%q %v", got, err)
	}
	if got, err := read("data: {\"a\":1}\n\ndata: {\"cut"); !errors.Is(err, io.ErrUnexpectedEOF) || len(got) != 1 {
		t.Errorf("cut off: %q %v", got, err)
	}
}

// TestWhetherARequestWentOut decides between not_run and outcome_unknown.
func TestWhetherARequestWentOut(t *testing.T) {
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + nobody.Addr().String() + "/mcp"
	nobody.Close()
	var lost *Lost
	if err := To(Target{URL: url}).Do(t.Context(), []byte(`{}`), nil, nil); !errors.As(err, &lost) || lost.Sent {
		t.Errorf("nobody listens: %v", err)
	}
	dies := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer dies.Close()
	if err := To(Target{URL: dies.URL}).Do(t.Context(), []byte(`{}`), nil, nil); !errors.As(err, &lost) || !lost.Sent {
		t.Errorf("it dies in the call: %v", err)
	}
	half := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, `{"jsonrpc":`)
	}))
	defer half.Close()
	if err := To(Target{URL: half.URL}).Do(t.Context(), []byte(`{}`), nil, func(m []byte) error { t.Errorf("half an answer is handed on: %s", m); return nil }); !errors.As(err, &lost) || !lost.Sent {
		t.Errorf("half an answer: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := To(Target{URL: half.URL}).Do(ctx, []byte(`{}`), nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestTokenAndHeaders(t *testing.T) {
	var got http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}`)
	}))
	defer s.Close()
	err := To(Target{URL: s.URL, Token: "hush"}).Do(t.Context(), []byte(`{}`), &Modern{Method: "tools/call", Name: "größe"}, func([]byte) error { return nil })
	var denied *Denied
	if !errors.As(err, &denied) || denied.Status != http.StatusUnauthorized || denied.Error() != "no" {
		t.Errorf("%v", err)
	}
	if got.Get("Authorization") != "Bearer hush" || got.Get("Mcp-Name") != "=?base64?Z3LDtsOfZQ==?=" || got.Get("MCP-Protocol-Version") != ModernVersion {
		t.Errorf("headers %v", got)
	}
}
