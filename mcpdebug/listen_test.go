//go:build !nomcpdebug

package mcpdebug

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

const pingCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":{}}}`

// dial opens a session over TCP.
func dial(t testing.TB, s *Server) func(body string) string { return dialURL(t, s.URL()) }

func dialURL(t testing.TB, url string) func(body string) string {
	t.Helper()
	session := ""
	post := func(body string) string {
		r, err := http.NewRequest("POST", url, strings.NewReader(body))
		must(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
			r.Header.Set("MCP-Protocol-Version", version)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		return string(b)
	}
	post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return post
}

func TestListenChoosesAPortAndGivesItBack(t *testing.T) {
	s, err := Listen("127.0.0.1:0", nil)
	must(t, err)
	if s.Port() == 0 || s.URL() != fmt.Sprintf("http://127.0.0.1:%d/mcp", s.Port()) {
		t.Errorf("port %d, url %s", s.Port(), s.URL())
	}
	addr := fmt.Sprintf("127.0.0.1:%d", s.Port())
	second, err := Listen(addr, nil)
	if err == nil || second != nil || !strings.Contains(err.Error(), fmt.Sprint(s.Port())) {
		t.Errorf("a taken port: %v %v", second, err)
	}
	second.Poll() // nil: the game runs on
	post := dial(t, s)
	if got := post(fmt.Sprintf(pingCall, "ping")); !strings.Contains(got, `"state":"starting"`) {
		t.Errorf("ping: %s", got)
	}
	must(t, s.Close())
	l, err := net.Listen("tcp", addr)
	must(t, err)
	l.Close()
	if s, err := Listen("0.0.0.0:0", nil); err == nil || s != nil {
		t.Error("it listens beyond loopback unasked")
	}
}

func loopUntil(s *Server, end <-chan struct{}) {
	for {
		select {
		case <-end:
			return
		default:
			s.Poll()
		}
	}
}

// BenchmarkCallOverHTTP measures a tools/call over TCP beside a bare JSON
// handler on the same client. A loop spins beside both: the game's.
func BenchmarkCallOverHTTP(b *testing.B) {
	b.Run("loupe", func(b *testing.B) {
		s, err := Listen("127.0.0.1:0", nil)
		must(b, err)
		defer s.Close()
		must(b, s.Register(plain("nop", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
		end := make(chan struct{})
		defer close(end)
		go loopUntil(s, end)
		post := dial(b, s)
		body := fmt.Sprintf(pingCall, "nop")
		b.ReportAllocs()
		for b.Loop() {
			post(body)
		}
	})
	b.Run("bare", func(b *testing.B) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(b, err)
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var msg struct{ ID json.RawMessage }
			_ = json.NewDecoder(r.Body).Decode(&msg)
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"{\"frame\":3}"}],"structuredContent":{"frame":3},"isError":false}}`, msg.ID)
		})}
		go srv.Serve(l)
		defer srv.Close()
		idle, end := New(nil), make(chan struct{})
		defer idle.Close()
		defer close(end)
		go loopUntil(idle, end)
		url := "http://" + l.Addr().String() + "/mcp"
		body := []byte(fmt.Sprintf(pingCall, "nop"))
		b.ReportAllocs()
		for b.Loop() {
			resp, err := http.Post(url, "application/json", bytes.NewReader(body))
			must(b, err)
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
}

func BenchmarkDispatch(b *testing.B) {
	s := New(nil)
	defer s.Close()
	must(b, s.Register(plain("nop", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
	s.Poll()
	body := fmt.Sprintf(pingCall, "nop")
	b.Run("loupe", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Dispatch(body)
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var msg struct {
				JSONRPC string
				ID      json.RawMessage
				Method  string
				Params  struct {
					Name      string
					Arguments json.RawMessage
				}
			}
			_ = json.Unmarshal([]byte(body), &msg)
			result := map[string]func() any{"nop": func() any { return struct{}{} }}[msg.Params.Name]()
			structured, _ := json.Marshal(result)
			out, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": msg.ID, "result": map[string]any{
				"content":           []any{map[string]string{"type": "text", "text": string(structured)}},
				"structuredContent": json.RawMessage(structured), "isError": false}})
			_ = string(out)
		}
	})
}

// Under js Go's network is a pretence within the program: it takes any address.
// That everything else works there is tried by scripts/cross.sh.
func TestWhereNobodyCanConnectListenRefuses(t *testing.T) {
	for goos, want := range map[string]bool{"js": true, "wasip1": true, "linux": false, "windows": false, "darwin": false, "freebsd": false} {
		err := reachable(goos)
		if refused := errors.Is(err, refusal.NotSupported); refused != want || refused && !strings.Contains(err.Error(), goos) {
			t.Errorf("%s: %v", goos, err)
		}
	}
}
