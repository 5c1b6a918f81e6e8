//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/tools"
)

func TestRegistrySurvivesAndIsOfferedAgain(t *testing.T) {
	r := tools.NewRegistry()
	first := New(&Options{Registry: r})
	mine := plain("mine", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })
	must(t, first.Register(mine))
	ping := plain("ping", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })
	must(t, first.Register(ping))
	bindArche(first, nil)
	before := listing.Of(r).Names()
	must(t, first.Close())
	second := withoutPort(t, &Options{Registry: r})
	if after := listing.Of(r).Names(); !slices.Equal(before, after) {
		t.Errorf("before %v\nafter  %v", before, after)
	}
	bindArche(second, nil)
	after := listing.Of(r).Names()
	slices.Sort(before)
	slices.Sort(after)
	if !slices.Equal(before, after) {
		t.Errorf("after Bind: before %v\nafter  %v", before, after)
	}
	if !slices.Contains(second.Tools(), mine) || !slices.Contains(second.Tools(), ping) {
		t.Error("the host's own tools are gone")
	}
	if !second.HasBuiltInTools() {
		t.Error("built-in tools are missing")
	}
	// The slice is the caller's own.
	second.Tools()[0] = nil
	if second.Tools()[0] == nil {
		t.Error("Tools hands out its own slice")
	}
}

// Without Options.Registry a server's tools end with it; those that clients had
// are unknown to the next.
func TestADefaultRegistryEndsWithItsServer(t *testing.T) {
	first := New(nil)
	must(t, first.Register(plain("mine", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mine","arguments":{}}}`
	first.Poll()
	if a := first.Dispatch(call); strings.Contains(a, "error") {
		t.Errorf("%s", a)
	}
	must(t, first.Close())
	second := withoutPort(t, nil)
	second.Poll()
	if a := second.Dispatch(call); !strings.Contains(a, "-32602") || !strings.Contains(a, "mine") {
		t.Errorf("the next server answers %s", a)
	}
	if len(first.Tools()) != len(second.Tools())+1 {
		t.Errorf("%d tools of the closed server, %d of the next", len(first.Tools()), len(second.Tools()))
	}
}

func TestDispatchUsesWhatThePointerHoldsNow(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		answer := func(n int) tools.HandlerFunc {
			return func(*tools.Frame, json.RawMessage) (any, error) { return map[string]int{"n": n}, nil }
		}
		tool := plain("swap", nil, answer(1))
		must(t, s.Register(tool))
		if m := succeeded(t, polled(t, s, "swap", "")); m["n"] != 1.0 {
			t.Errorf("first: %v", m)
		}
		out := ask(context.Background(), s, "swap", "")
		synctest.Wait()
		tool.Handler = answer(2) // the call is prepared and waits
		tool.Description = "Another."
		s.Poll()
		if m := succeeded(t, <-out); m["n"] != 2.0 {
			t.Errorf("after the handler was replaced: %v", m)
		}
		p, _ := listing.Of(s.registry).Lookup("swap")
		if p.Spec.Description != "A tool of the tests." || strings.Contains(string(p.Entry(false, false)), "Another") {
			t.Error("the listing changed with the pointer")
		}
		type in struct {
			N int `json:"n" jsonschema:"a number" debug:"max=5"`
		}
		tool.Handler = tools.New(tools.Spec{Name: "swap"}, func(_ *tools.Frame, a in) (in, error) { return in{a.N * 10}, nil }).Handler
		if m := succeeded(t, polled(t, s, "swap", `{"n":4}`)); m["n"] != 40.0 {
			t.Errorf("typed handler put in later: %v", m)
		}
		refusedWith(t, polled(t, s, "swap", `{"n":6}`), refusal.InvalidArguments)
	})
}

func TestReplacingATypedToolWhileItsCallWaits(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		type out struct {
			V int `json:"v" jsonschema:"a number"`
		}
		make := func(v int) *tools.Tool {
			return tools.New(tools.Spec{Name: "v", Description: "Answers."}, func(*tools.Frame, struct{}) (out, error) { return out{v}, nil })
		}
		must(t, s.Register(make(1)))
		call := ask(context.Background(), s, "v", "")
		synctest.Wait()
		must(t, s.Register(make(2)))
		s.Poll()
		if m := succeeded(t, <-call); m["v"] != 1.0 {
			t.Errorf("a call that was under way got %v", m)
		}
		if m := succeeded(t, polled(t, s, "v", "")); m["v"] != 2.0 {
			t.Errorf("the next call got %v", m)
		}
	})
}

func TestUnknownToolNamesTheNearest(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		r := now(t, s, "pinng", "")
		if r.RPC == nil || r.RPC.Code != -32602 {
			t.Fatalf("%+v", r)
		}
		var data struct{ Options []string }
		must(t, json.Unmarshal(r.RPC.Data, &data))
		if len(data.Options) == 0 || data.Options[0] != "ping" || len(data.Options) > 10 {
			t.Errorf("options %v", data.Options)
		}
	})
}

// table is a handler of a type that cannot be compared.
type table struct{ rows []int }

func (h table) Prepare(*tools.Call, json.RawMessage) (tools.Job, error) {
	return tools.Job{Frame: func(*tools.Frame) error { return nil },
		Finish: func(*tools.Call) (*tools.Result, error) {
			return &tools.Result{Structured: json.RawMessage(`{"rows":` + strconv.Itoa(len(h.rows)) + `}`)}, nil
		}}, nil
}

// Handlers are compared to see whether a waiting call is still what its tool
// means; those that cannot be are prepared again.
func TestHandlersThatCannotBeCompared(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		tool := plain("rows", nil, nil)
		tool.Handler = table{[]int{1}}
		must(t, s.Register(tool))
		for _, next := range []tools.Handler{table{[]int{1}}, table{[]int{1, 2}}, &table{[]int{1, 2, 3}}, nil} {
			out := ask(context.Background(), s, "rows", "")
			synctest.Wait()
			want := 1.0 // a nil put there later is ignored: the published one runs
			switch h := next.(type) {
			case table:
				want = float64(len(h.rows))
			case *table:
				want = float64(len(h.rows))
			}
			tool.Handler = next
			s.Poll()
			if m := succeeded(t, <-out); m["rows"] != want {
				t.Errorf("%T: %v, want %v rows", next, m, want)
			}
		}
	})
}

// The frame hangs in a call, which is answered; when it comes back its late answer
// goes nowhere, and the next call has its own.
func TestALateAnswerGoesNowhere(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		release := make(chan struct{})
		n := 0
		must(t, s.Register(plain("slow", nil, func(*tools.Frame, json.RawMessage) (any, error) {
			if n++; n == 1 {
				<-release
			}
			return map[string]int{"n": n}, nil
		})))
		out := ask(context.Background(), s, "slow", "")
		synctest.Wait()
		returned := make(chan struct{})
		go func() { s.Poll(); close(returned) }()
		refusedWith(t, <-out, refusal.OutcomeUnknown)
		close(release)
		<-returned
		synctest.Wait()
		if len(out) != 0 {
			t.Errorf("a second answer: %+v", <-out)
		}
		s.Poll() // the stall is over
		if m := succeeded(t, polled(t, s, "slow", "")); m["n"] != 2.0 {
			t.Errorf("the next call: %v", m)
		}
	})
}
