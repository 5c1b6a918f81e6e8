//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/front"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/tools"
)

var readAll = logbuf.Query{Level: slog.LevelDebug}

func TestIdlePollAllocatesNothing(t *testing.T) {
	s := withoutPort(t, nil)
	bindArche(s, nil)
	s.Poll()
	if n := testing.AllocsPerRun(1000, func() { s.Poll() }); n != 0 {
		t.Errorf("an idle Poll allocates %v times", n)
	}
	s.PollParked("load")
	if n := testing.AllocsPerRun(1000, func() { s.PollParked("load") }); n != 0 {
		t.Errorf("an idle PollParked allocates %v times", n)
	}
	f := func() {}
	if n := testing.AllocsPerRun(1000, func() { s.Guard(f) }); n != 0 {
		t.Errorf("Guard allocates %v times", n)
	}
}

func BenchmarkPollIdle(b *testing.B) {
	s := New(nil)
	defer s.Close()
	s.Poll()
	b.ReportAllocs()
	for b.Loop() {
		s.Poll()
	}
}

func TestOnePollAnswersOneCallInTheOrderOfArrival(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		var ran []string
		must(t, s.Register(plain("note", nil, func(_ *tools.Frame, args json.RawMessage) (any, error) {
			ran = append(ran, string(args))
			return nil, nil
		})))
		const calls = 20
		var outs []<-chan *tools.Reply
		// Tickets are taken on arrival; the calls reach the queue in any order.
		for i := range calls {
			info := &front.CallInfo{Request: tools.Request{Name: "note", Arguments: json.RawMessage(fmt.Sprintf(`{"i":%d}`, i))}, Ticket: s.tickets.Add(1)}
			out := make(chan *tools.Reply, 1)
			outs = append(outs, out)
			go func() {
				time.Sleep(time.Duration(calls-i) * time.Microsecond)
				out <- s.call(context.Background(), info)
			}()
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		for i := range calls {
			if !s.Poll() {
				t.Fatalf("Poll %d is false with calls waiting", i)
			}
			if len(ran) != i+1 {
				t.Fatalf("%d calls ran in %d Polls", len(ran), i+1)
			}
		}
		if s.Poll() {
			t.Error("Poll is true with nothing waiting")
		}
		for i, out := range outs {
			if want := fmt.Sprintf(`{"i":%d}`, i); ran[i] != want {
				t.Errorf("call %d in the order was %s, want %s", i, ran[i], want)
			}
			m := succeeded(t, <-out)
			if m["frame"] != float64(i+2) {
				t.Errorf("call %d was answered in frame %v, want %d", i, m["frame"], i+2)
			}
		}
	})
}

func TestCallOfAClientThatLeftIsDroppedUnrun(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		ran := 0
		must(t, s.Register(plain("count", nil, func(*tools.Frame, json.RawMessage) (any, error) { ran++; return nil, nil })))
		ctx, leave := context.WithCancel(context.Background())
		gone := ask(ctx, s, "count", "")
		synctest.Wait()
		leave()
		// The Poll may come before anything else has noticed.
		if s.Poll() {
			t.Error("Poll says it answered a call whose client has gone")
		}
		refusedWith(t, <-gone, ecs.Cancelled)
		if s.Poll() || ran != 0 {
			t.Errorf("the call of a client that has gone ran %d times", ran)
		}
		// The connection comes back: its next call gets its own answer.
		succeeded(t, polled(t, s, "count", ""))
		if ran != 1 {
			t.Errorf("ran %d times, want 1", ran)
		}
	})
}

func TestFullQueueRefusesWithBusy(t *testing.T) {
	bubble(t, &Options{QueueLen: 2}, func(t *testing.T, s *Server) {
		must(t, s.Register(plain("nop", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
		first, second := ask(context.Background(), s, "nop", ""), ask(context.Background(), s, "nop", "")
		synctest.Wait()
		refusedWith(t, now(t, s, "nop", ""), ecs.Busy)
		s.Poll()
		third := ask(context.Background(), s, "nop", "")
		synctest.Wait()
		s.Poll()
		s.Poll()
		for _, out := range []<-chan *tools.Reply{first, second, third} {
			succeeded(t, <-out)
		}
	})
}

func TestTimeoutSaysWhetherTheCallRan(t *testing.T) {
	bubble(t, &Options{CallTimeout: time.Second, StallAfter: time.Hour}, func(t *testing.T, s *Server) {
		var ran atomic.Int64
		release := make(chan struct{})
		must(t, s.Register(plain("change", func(t *tools.Tool) { t.Destructive = true }, func(*tools.Frame, json.RawMessage) (any, error) { ran.Add(1); <-release; return nil, nil })))
		out := ask(context.Background(), s, "change", "")
		time.Sleep(999 * time.Millisecond)
		select {
		case <-out:
			t.Fatal("answered before its time was up")
		default:
		}
		text := refusedWith(t, <-out, ecs.Timeout)
		if !strings.Contains(text, "not run") || s.Poll() || ran.Load() != 0 {
			t.Errorf("a timed-out call ran %d times: %s", ran.Load(), text)
		}
		out = ask(context.Background(), s, "change", "")
		synctest.Wait()
		go s.Poll()
		// The change may have been made: the agent must not simply repeat it.
		text = refusedWith(t, <-out, ecs.OutcomeUnknown)
		if ran.Load() != 1 || !strings.Contains(text, "may or may not") {
			t.Errorf("ran %d: %s", ran.Load(), text)
		}
		// Its late answer is nobody's: the next call gets its own.
		must(t, s.Register(plain("other", nil, func(*tools.Frame, json.RawMessage) (any, error) { return map[string]int{"mine": 1}, nil })))
		close(release)
		synctest.Wait()
		if m := succeeded(t, polled(t, s, "other", "")); m["mine"] != 1.0 {
			t.Errorf("the next call was answered with %v", m)
		}
	})
}

func TestLaterIsRunAgainAndLetsOthersPass(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		tries := 0
		must(t, s.Register(plain("slow", nil, func(f *tools.Frame, _ json.RawMessage) (any, error) {
			if tries++; tries < 3 {
				return nil, tools.ErrLater
			}
			return map[string]int{"tries": tries}, nil
		})))
		must(t, s.Register(plain("nop", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
		slow := ask(context.Background(), s, "slow", "")
		synctest.Wait()
		quick := ask(context.Background(), s, "nop", "")
		synctest.Wait()
		got := []bool{s.Poll(), s.Poll(), s.Poll(), s.Poll()}
		if want := []bool{true, false, true, false}; !slices.Equal(got, want) {
			t.Errorf("Polls answered %v, want %v", got, want)
		}
		succeeded(t, <-quick)
		if m := succeeded(t, <-slow); m["tries"] != 3.0 {
			t.Errorf("slow: %v", m)
		}
	})
}

func TestLaterForEverTimesOutWithUnknownOutcome(t *testing.T) {
	bubble(t, &Options{CallTimeout: time.Second}, func(t *testing.T, s *Server) {
		must(t, s.Register(plain("never", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, tools.ErrLater })))
		out := ask(context.Background(), s, "never", "")
		for range 150 {
			time.Sleep(10 * time.Millisecond)
			s.Poll()
		}
		refusedWith(t, <-out, ecs.OutcomeUnknown)
		if s.word.Load()&bitWork != 0 {
			t.Error("the queue still holds it")
		}
	})
}

func TestCloseAnswersEverybodyAtOnce(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		must(t, s.Register(plain("nop", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
		hang := make(chan struct{})
		defer close(hang)
		must(t, s.Register(tools.NewOff(tools.Spec{Name: "deaf", Description: "Ignores its context."}, func(*tools.Call, struct{}) (struct{}, error) { <-hang; return struct{}{}, nil })))
		waits, deaf := ask(context.Background(), s, "nop", ""), ask(context.Background(), s, "deaf", "")
		synctest.Wait()
		start := time.Now()
		must(t, s.Close())
		must(t, s.Close())
		if d := time.Since(start); d > 100*time.Millisecond {
			t.Errorf("Close took %v", d)
		}
		refusedWith(t, <-waits, ecs.Closed)
		refusedWith(t, <-deaf, ecs.OutcomeUnknown)
		refusedWith(t, now(t, s, "ping", ""), ecs.Closed)
		if s.Poll() {
			t.Error("Poll of a closed server is true")
		}
		ran := false
		if !s.Guard(func() { ran = true }) || !ran {
			t.Error("Guard of a closed server skips the game")
		}
	})
}

func TestHandlerMayCloseTheServer(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		must(t, s.Register(plain("quit", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, s.Close() })))
		out := ask(context.Background(), s, "quit", "")
		synctest.Wait()
		s.Poll()
		if code, _ := codeOf(<-out); code != "" && code != ecs.OutcomeUnknown {
			t.Errorf("code %s", code)
		}
	})
}

func TestRegistrySurvivesAndIsOfferedAgain(t *testing.T) {
	r := tools.NewRegistry()
	first := New(&Options{Registry: r})
	mine := plain("mine", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })
	must(t, first.Register(mine))
	ping := plain("ping", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })
	must(t, first.Register(ping))
	bindArche(first, nil)
	before := r.Listing().Names()
	must(t, first.Close())
	second := withoutPort(t, &Options{Registry: r})
	if after := r.Listing().Names(); !slices.Equal(before, after) {
		t.Errorf("before %v\nafter  %v", before, after)
	}
	bindArche(second, nil)
	after := r.Listing().Names()
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
		p, _ := s.registry.Listing().Lookup("swap")
		if p.Spec.Description != "A tool of the tests." || strings.Contains(string(p.Lean), "Another") {
			t.Error("the listing changed with the pointer")
		}
		type in struct {
			N int `json:"n" jsonschema:"a number" debug:"max=5"`
		}
		tool.Handler = tools.New(tools.Spec{Name: "swap"}, func(_ *tools.Frame, a in) (in, error) { return in{a.N * 10}, nil }).Handler
		if m := succeeded(t, polled(t, s, "swap", `{"n":4}`)); m["n"] != 40.0 {
			t.Errorf("typed handler put in later: %v", m)
		}
		refusedWith(t, polled(t, s, "swap", `{"n":6}`), ecs.InvalidArguments)
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

func TestClientsLoopAndCloseTogether(t *testing.T) {
	s := New(&Options{QueueLen: 8})
	w := bindArche(s, nil)
	world := s.world
	must(t, s.Register(plain("read", func(t *tools.Tool) { t.NeedsWorld, t.ReadOnly = true, true }, func(f *tools.Frame, _ json.RawMessage) (any, error) {
		n := 0
		for c := range f.World.Chunks(ecs.Filter{}) {
			n += c.Len()
		}
		return map[string]int{"n": n}, nil
	})))
	stop := make(chan struct{})
	var loop, clients sync.WaitGroup
	loop.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			s.Poll()
			s.Guard(func() {
				w.NewEntity()
				if i%50 == 3 && !s.closing.Load() {
					panic("now and then")
				}
			})
			switch i % 100 {
			case 20:
				s.PollParked("save")
			case 40:
				s.SetCrashed("by hand")
			case 41, 53:
				s.SetCrashed("")
			case 60:
				s.Bind(world, &tools.App{Name: "again"})
			}
		}
	})
	for i := range 4 {
		clients.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			for n := range 60 {
				if n == 50 && i == 0 {
					cancel()
				}
				name := []string{"read", "ping", "context", "get_logs", "clear_crash", "goroutines", "crash_report"}[(n+i)%7]
				r := <-ask(ctx, s, name, "{}")
				if r == nil || r.RPC == nil && !json.Valid(r.Structured) {
					t.Errorf("%s: %+v", name, r)
				}
			}
		})
	}
	clients.Go(func() { time.AfterFunc(150*time.Millisecond, func() { s.Close() }) })
	clients.Wait()
	s.Close()
	close(stop)
	loop.Wait()
}
