//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// The components of the tests' world.
type (
	Position struct{ X, Y float64 }
	Health   struct{ HP, Max int }
)

// newWorld has three entities with a Position, one of them with Health.
func newWorld() *arche.World {
	w := arche.NewWorld()
	pos := arche.ComponentID[Position](&w)
	hp := arche.ComponentID[Health](&w)
	for i := range 3 {
		e := w.NewEntity(pos)
		(*Position)(w.Get(e, pos)).X = float64(i)
		if i == 0 {
			w.Add(e, hp)
			*(*Health)(w.Get(e, hp)) = Health{7, 10}
		}
	}
	return &w
}

// withoutPort makes a server and sees to its end.
func withoutPort(t testing.TB, o *Options) *Server {
	t.Helper()
	s := New(o)
	t.Cleanup(func() { s.Close() })
	return s
}

// plain is an untyped tool.
func plain(name string, change func(*tools.Tool), f func(*tools.Frame, json.RawMessage) (any, error)) *tools.Tool {
	t := &tools.Tool{Spec: tools.Spec{Name: name, Description: "A tool of the tests.", Group: "test", Effect: tools.Additive}, Handler: tools.HandlerFunc(f)}
	if change != nil {
		change(t)
	}
	return t
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ask sends one call as the front would, in a goroutine of its own.
func ask(ctx context.Context, s *Server, tool, args string) <-chan *tools.Reply {
	info := &loop.Arrival{Request: tools.Request{Name: tool, Arguments: json.RawMessage(args), Client: "test"}, Ticket: s.loop.Ticket()}
	out := make(chan *tools.Reply, 1)
	go func() { out <- s.loop.Call(ctx, info) }()
	return out
}

// now is a call that must be answered without a Poll.
func now(t testing.TB, s *Server, tool, args string) *tools.Reply {
	t.Helper()
	select {
	case r := <-ask(context.Background(), s, tool, args):
		return r
	case <-time.After(10 * time.Second):
		t.Fatalf("%s was not answered at once", tool)
		return nil
	}
}

// polled is a call that the next Poll answers; for use in a synctest bubble.
func polled(t testing.TB, s *Server, tool, args string) *tools.Reply {
	t.Helper()
	out := ask(context.Background(), s, tool, args)
	for range 4 {
		synctest.Wait()
		select {
		case r := <-out:
			return r
		default:
		}
		s.Poll()
	}
	t.Fatalf("%s was not answered by a Poll", tool)
	return nil
}

// object decodes the structured content.
func object(t testing.TB, r *tools.Reply) map[string]any {
	t.Helper()
	if r.RPC != nil {
		t.Fatalf("JSON-RPC error: %v", r.RPC)
	}
	var m map[string]any
	if err := json.Unmarshal(r.Structured, &m); err != nil {
		t.Fatalf("%v in %s", err, r.Structured)
	}
	return m
}

// refusedWith checks the code and returns the text.
func refusedWith(t testing.TB, r *tools.Reply, code refusal.Code) string {
	t.Helper()
	got, text := loop.CodeOf(r)
	if got != code {
		t.Fatalf("code %q, want %q: %s", got, code, text)
	}
	if r.RPC == nil {
		e, _ := object(t, r)["error"].(map[string]any)
		if e["code"] != string(code) || e["message"] == "" {
			t.Fatalf("error object %v, want the code %s and a message", e, code)
		}
	}
	return text
}

func succeeded(t testing.TB, r *tools.Reply) map[string]any {
	t.Helper()
	if code, text := loop.CodeOf(r); code != "" {
		t.Fatalf("refused with %s: %s", code, text)
	}
	return object(t, r)
}

// bubble runs f in a synctest bubble with a server that has polled once.
func bubble(t *testing.T, o *Options, f func(t *testing.T, s *Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := withoutPort(t, o)
		s.Poll()
		f(t, s)
	})
}

// bindArche binds a world of the tests.
func bindArche(s *Server, app *host.App) *arche.World {
	w := newWorld()
	s.Bind(archeworld.New(w), app)
	return w
}

func logsOf(s *Server) string {
	var b strings.Builder
	for _, l := range s.ring.Read(readAll).Lines {
		fmt.Fprintf(&b, "%s %s %s\n", l.Level, l.Msg, l.Attrs)
	}
	return b.String()
}
