package front

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/rawjson"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// fakeBackend is a small server behind a front: a queue that poll empties, one
// call at a time, lowest ticket first. Tools without a Frame part run at once.
type fakeBackend struct {
	reg       *tools.Registry
	tickets   atomic.Uint64
	connected atomic.Int64
	closing   chan struct{}
	once      sync.Once

	mu    sync.Mutex
	queue []*fakeCall
	ran   []string // ids of the "note" arguments that ran

	queued chan struct{} // a call came; has room for one
}

type fakeCall struct {
	info *loop.Arrival
	ctx  context.Context
	done chan *tools.Reply
}

func newFake() *fakeBackend {
	b := &fakeBackend{reg: tools.NewRegistry(), closing: make(chan struct{}), queued: make(chan struct{}, 1)}
	b.reg.MustRegister(
		&tools.Tool{Spec: tools.Spec{Name: "echo", Group: "world", Description: "Answers its arguments on the frame.", Effect: tools.ReadOnly}, Handler: dummy},
		&tools.Tool{Spec: tools.Spec{Name: "ping", Group: "session", Description: "Answers at once.", Effect: tools.ReadOnly, OffFrame: true}, Handler: dummy},
		&tools.Tool{Spec: tools.Spec{Name: "big", Group: "world", Description: "Answers many bytes.", OffFrame: true}, Handler: dummy},
		&tools.Tool{Spec: tools.Spec{Name: "hidden", Description: "Is not listed.", Unlisted: true}, Handler: dummy},
		&tools.Tool{Spec: tools.Spec{Name: "noisy", Description: "Reports progress and logs.", OffFrame: true}, Handler: dummy},
		&tools.Tool{Spec: tools.Spec{Name: "asks", Description: "Asks the person twice.", OffFrame: true, Interactive: true}, Handler: dummy},
		&tools.Tool{Spec: tools.Spec{Name: "explode", Description: "Panics in the backend.", OffFrame: true}, Handler: dummy},
	)
	return b
}

var dummy = tools.HandlerFunc(func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })

func (b *fakeBackend) Registry() *tools.Registry { return b.reg }
func (b *fakeBackend) Ticket() uint64            { return b.tickets.Add(1) }
func (b *fakeBackend) Status() loop.Status       { return loop.Status{State: "running", Frame: 7} }
func (b *fakeBackend) Catalog() *ecs.Catalog     { return nil }
func (b *fakeBackend) Logger() *slog.Logger      { return slog.New(slog.DiscardHandler) }
func (b *fakeBackend) Closed() <-chan struct{}   { return b.closing }
func (b *fakeBackend) Connected(delta int)       { b.connected.Add(int64(delta)) }

func refused(code refusal.Code, message string) *tools.Reply {
	s, _ := json.Marshal(map[string]any{"error": &refusal.Error{Code: code, Message: message}})
	return &tools.Reply{IsError: true, Err: &refusal.Error{Code: code, Message: message}, Structured: s, Text: message}
}

func (b *fakeBackend) Call(ctx context.Context, c *loop.Arrival) *tools.Reply {
	p, ok := listing.Of(b.reg).Lookup(c.Request.Name)
	if c.Tool != nil {
		p, ok = c.Tool, true
	}
	if !ok {
		return &tools.Reply{IsError: true, RPC: &tools.RPCError{Code: -32602, Message: "unknown tool", Data: json.RawMessage(`{"options":["echo"]}`)}}
	}
	if p.Spec.OffFrame {
		return b.off(ctx, c)
	}
	call := &fakeCall{c, ctx, make(chan *tools.Reply, 1)}
	b.mu.Lock()
	b.queue = append(b.queue, call)
	b.mu.Unlock()
	select {
	case b.queued <- struct{}{}:
	default:
	}
	select {
	case r := <-call.done:
		return r
	case <-ctx.Done():
		return refused(refusal.Cancelled, "cancelled")
	case <-b.closing:
		return refused(refusal.Closed, "the server is closed")
	}
}

func (b *fakeBackend) off(ctx context.Context, c *loop.Arrival) *tools.Reply {
	switch c.Request.Name {
	case "big":
		var args struct{ Bytes int }
		json.Unmarshal(c.Request.Arguments, &args)
		return &tools.Reply{Text: strings.Repeat("x", args.Bytes)}
	case "noisy":
		for i := range 3 {
			if c.OnProgress != nil {
				c.OnProgress(float64(i*50), 100, "step")
			}
			if c.OnLog != nil {
				c.OnLog(slog.LevelInfo, "noisy", "at work")
			}
		}
	case "asks":
		if c.Session == nil {
			return refused(refusal.NotSupported, "this client cannot be asked")
		}
		var got []string
		for _, what := range []string{"name", "colour"} {
			answer, err := c.Session.Elicit(ctx, json.RawMessage(`{"message":"Your `+what+`?","requestedSchema":{"type":"object","properties":{"v":{"type":"string"}}}}`))
			if err != nil {
				return refused(refusal.InvalidArguments, err.Error())
			}
			got = append(got, string(rawjson.Member(rawjson.Member(answer, "content"), "v")))
		}
		return &tools.Reply{Text: strings.Join(got, " ")}
	case "explode":
		panic("boom")
	}
	return &tools.Reply{Structured: json.RawMessage(`{"ok":true,"frame":7}`)}
}

func (b *fakeBackend) CallInline(c *loop.Arrival) *tools.Reply {
	if c.Tool == nil {
		if _, ok := listing.Of(b.reg).Lookup(c.Request.Name); !ok {
			return &tools.Reply{IsError: true, RPC: &tools.RPCError{Code: -32602, Message: "unknown tool"}}
		}
	}
	return b.run(c)
}

func (b *fakeBackend) run(c *loop.Arrival) *tools.Reply {
	if c.Request.Name == "read_entity" {
		id, _ := rawjson.Text(rawjson.Member(c.Request.Arguments, "id"))
		switch id {
		case "42v3":
			return &tools.Reply{Structured: json.RawMessage(`{"alive":true}`)}
		case "9v9":
			return refused(refusal.UnknownEntity, "no entity 9v9")
		}
		return refused(refusal.NoWorld, "no world")
	}
	if note := rawjson.Member(c.Request.Arguments, "note"); note != nil {
		s, _ := rawjson.Text(note)
		b.mu.Lock()
		b.ran = append(b.ran, s)
		b.mu.Unlock()
	}
	args := c.Request.Arguments
	if args == nil {
		args = json.RawMessage("{}")
	}
	return &tools.Reply{Structured: append(append(json.RawMessage(`{"got":`), args...), `,"frame":7}`...)}
}

// poll answers one queued call whose client is still there.
func (b *fakeBackend) poll() bool {
	b.mu.Lock()
	var next *fakeCall
	for next == nil && len(b.queue) > 0 {
		lowest := 0
		for i, c := range b.queue {
			if c.info.Ticket < b.queue[lowest].info.Ticket {
				lowest = i
			}
		}
		next = b.queue[lowest]
		b.queue = append(b.queue[:lowest], b.queue[lowest+1:]...)
		if next.ctx.Err() != nil {
			next = nil
		}
	}
	b.mu.Unlock()
	if next == nil {
		return false
	}
	next.done <- b.run(next.info)
	return true
}

func (b *fakeBackend) waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue)
}

func (b *fakeBackend) notes() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.ran, " ")
}

func (b *fakeBackend) close() { b.once.Do(func() { close(b.closing) }) }

// serve starts a front over a fake backend on a free port. With loop, a
// goroutine polls all the time.
func serve(t testing.TB, o Options, loop bool) (*fakeBackend, *Front, string) {
	t.Helper()
	checkLeaks(t)
	b := newFake()
	f := New(b, o)
	addr, err := f.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var polling sync.WaitGroup
	if loop {
		polling.Go(func() {
			tick := time.NewTicker(200 * time.Microsecond)
			defer tick.Stop()
			for {
				select {
				case <-stop:
					return
				case <-tick.C:
					b.poll()
				}
			}
		})
	}
	t.Cleanup(func() {
		close(stop)
		polling.Wait()
		b.close()
		f.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return b, f, "http://" + addr.String() + "/mcp"
}

// checkLeaks fails the test if goroutines of it are left once it has ended.
func checkLeaks(t testing.TB) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		deadline := time.Now().Add(5 * time.Second)
		for runtime.NumGoroutine() > before {
			if time.Now().After(deadline) {
				buf := make([]byte, 1<<20)
				t.Errorf("%d goroutines are left over:\n%s", runtime.NumGoroutine()-before, buf[:runtime.Stack(buf, true)])
				return
			}
			<-time.After(time.Millisecond)
		}
	})
}

// eventually waits for a condition that another goroutine brings about.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
		<-time.After(200 * time.Microsecond)
	}
}

type answer struct {
	status int
	header http.Header
	body   string
}

// post sends one POST; headers are name, value pairs, an empty value removes.
func post(t testing.TB, url, body string, headers ...string) answer {
	t.Helper()
	a, err := tryPost(context.Background(), url, body, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func tryPost(ctx context.Context, url, body string, headers ...string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(b)}, err
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`

// connect makes a session and returns its id.
func connect(t testing.TB, url string) string {
	t.Helper()
	a := post(t, url, initialize)
	id := a.header.Get(headerSession)
	if a.status != 200 || id == "" {
		t.Fatalf("initialize: %d %s", a.status, a.body)
	}
	return id
}

func dial(t testing.TB, url string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// events reads an event stream until it ends or f says stop.
func events(r io.Reader, f func(data string) (more bool)) error {
	var pending bytes.Buffer
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		pending.Write(buf[:n])
		for {
			raw, rest, ok := bytes.Cut(pending.Bytes(), []byte("\n\n"))
			if !ok {
				break
			}
			ev := string(raw)
			pending = *bytes.NewBuffer(bytes.Clone(rest))
			if _, data, ok := strings.Cut(ev, "data: "); ok && !f(data) {
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
