package front

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"

	"github.com/loupe-ecs/loupe/tools"
)

const benchCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"entity":"42v3","component":"Health"}}}`

// plain is the floor: a bare JSON handler with the same hand-off to a loop
// that answers.
func plain(b *fakeBackend) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
		}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &m); err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		reply := b.Call(r.Context(), &loop.Arrival{Request: tools.Request{Name: m.Params.Name, Arguments: m.Params.Arguments}, Ticket: b.Ticket()})
		out, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{
			"content": []any{map[string]any{"type": "text", "text": string(reply.Structured)}}, "structuredContent": reply.Structured}})
		w.Header().Set("Content-Type", "application/json")
		w.Write(out)
	})
}

// BenchmarkCall measures tools/call over loopback with a client that costs
// almost nothing, so that the allocations are the server's; the loop waits
// for the call, so that no frame time is in the figures.
func BenchmarkCall(b *testing.B) {
	run := func(b *testing.B, fake *fakeBackend, addr net.Addr, session string) {
		stop := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				select {
				case <-stop:
					return
				case <-fake.queued:
				}
				for fake.poll() {
				}
			}
		}()
		defer func() { close(stop); <-done }()
		c, err := net.Dial("tcp", addr.String())
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		request := []byte(fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s", session, len(benchCall), benchCall))
		in := bufio.NewReader(c)
		var times []time.Duration
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for b.Loop() {
			start := time.Now()
			if _, err := c.Write(request); err != nil {
				b.Fatal(err)
			}
			n := 0
			for {
				line, err := in.ReadSlice('\n')
				if err != nil {
					b.Fatal(err)
				}
				if len(line) <= 2 {
					break
				}
				if length, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
					fmt.Sscan(length, &n)
				}
			}
			if _, err := in.Discard(n); err != nil || n == 0 {
				b.Fatal(err, n)
			}
			times = append(times, time.Since(start))
		}
		runtime.ReadMemStats(&after)
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "p50-µs")
		b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "p99-µs")
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N), "B/call")
	}
	b.Run("native", func(b *testing.B) {
		fake := newFake()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		s := &http.Server{Handler: plain(fake)}
		go s.Serve(l)
		defer s.Close()
		run(b, fake, l.Addr(), "")
	})
	b.Run("loupe", func(b *testing.B) {
		fake := newFake()
		f := New(fake, Options{})
		defer f.Close()
		addr, err := f.Listen("127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		sid := connect(b, "http://"+addr.String()+"/mcp")
		http.DefaultClient.CloseIdleConnections()
		run(b, fake, addr, "Mcp-Session-Id: "+sid+"\r\n")
	})
}

// BenchmarkDispatch measures the front beside a decode, route and encode by
// hand that leaves the same things out.
func BenchmarkDispatch(b *testing.B) {
	fake := newFake()
	b.Run("native", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var m struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
				Params struct {
					Name      string          `json:"name"`
					Arguments json.RawMessage `json:"arguments"`
				} `json:"params"`
			}
			if err := json.Unmarshal([]byte(benchCall), &m); err != nil || m.Method != "tools/call" {
				b.Fatal(err)
			}
			r := fake.CallInline(&loop.Arrival{Request: tools.Request{Name: m.Params.Name, Arguments: m.Params.Arguments}})
			type content struct {
				Type string `json:"type"`
				Text string `json:"text"`
			}
			out, err := json.Marshal(struct {
				JSONRPC string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
				Result  struct {
					Content    []content       `json:"content"`
					Structured json.RawMessage `json:"structuredContent"`
				} `json:"result"`
			}{"2.0", m.ID, struct {
				Content    []content       `json:"content"`
				Structured json.RawMessage `json:"structuredContent"`
			}{[]content{{"text", string(r.Structured)}}, r.Structured}})
			if err != nil || len(string(out)) == 0 {
				b.Fatal(err)
			}
		}
	})
	b.Run("loupe", func(b *testing.B) {
		f := New(fake, Options{})
		defer f.Close()
		b.ReportAllocs()
		for b.Loop() {
			if f.Dispatch(benchCall) == "" {
				b.Fatal("no answer")
			}
		}
	})
}

// The limit of the design: what a call may cost the collector.
func TestBytesPerCall(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("measures allocations")
	}
	r := testing.Benchmark(func(b *testing.B) {
		fake := newFake()
		f := New(fake, Options{})
		defer f.Close()
		addr, err := f.Listen("127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		url := "http://" + addr.String() + "/mcp"
		sid := connect(b, url)
		b.ReportAllocs()
		for b.Loop() {
			a := post(b, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping"}}`, headerSession, sid)
			if a.status != 200 {
				b.Fatal(a.body)
			}
		}
		http.DefaultClient.CloseIdleConnections()
	})
	t.Logf("%d bytes a call, client and server together", r.AllocedBytesPerOp())
	if r.AllocedBytesPerOp() > 16<<10 {
		t.Errorf("a call allocates %d bytes, more than 16 KiB", r.AllocedBytesPerOp())
	}
}
