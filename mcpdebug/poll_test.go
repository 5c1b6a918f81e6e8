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

	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
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
			info := &loop.Arrival{Request: tools.Request{Name: "note", Arguments: json.RawMessage(fmt.Sprintf(`{"i":%d}`, i))}, Ticket: s.loop.Ticket()}
			out := make(chan *tools.Reply, 1)
			outs = append(outs, out)
			go func() {
				time.Sleep(time.Duration(calls-i) * time.Microsecond)
				out <- s.loop.Call(context.Background(), info)
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
		refusedWith(t, <-gone, refusal.Cancelled)
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
		refusedWith(t, now(t, s, "nop", ""), refusal.Busy)
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
		must(t, s.Register(plain("change", nil, func(*tools.Frame, json.RawMessage) (any, error) { ran.Add(1); <-release; return nil, nil })))
		out := ask(context.Background(), s, "change", "")
		time.Sleep(999 * time.Millisecond)
		select {
		case <-out:
			t.Fatal("answered before its time was up")
		default:
		}
		text := refusedWith(t, <-out, refusal.Timeout)
		if !strings.Contains(text, "not run") || s.Poll() || ran.Load() != 0 {
			t.Errorf("a timed-out call ran %d times: %s", ran.Load(), text)
		}
		out = ask(context.Background(), s, "change", "")
		synctest.Wait()
		go s.Poll()
		// The change may have been made: the agent must not simply repeat it.
		text = refusedWith(t, <-out, refusal.OutcomeUnknown)
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
		refusedWith(t, <-out, refusal.OutcomeUnknown)
		if s.loop.Status().Waiting != 0 {
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
		refusedWith(t, <-waits, refusal.Closed)
		refusedWith(t, <-deaf, refusal.OutcomeUnknown)
		refusedWith(t, now(t, s, "ping", ""), refusal.Closed)
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
		if code, _ := loop.CodeOf(<-out); code != "" && code != refusal.OutcomeUnknown {
			t.Errorf("code %s", code)
		}
	})
}

func TestClientsLoopAndCloseTogether(t *testing.T) {
	s := New(&Options{QueueLen: 8})
	w := bindArche(s, nil)
	world := s.loop.World()
	must(t, s.Register(plain("read", func(t *tools.Tool) { t.NeedsWorld, t.Effect = true, tools.ReadOnly }, func(f *tools.Frame, _ json.RawMessage) (any, error) {
		n := 0
		for c := range f.World.Chunks(ecs.Filter{}) {
			n += c.Len()
		}
		return map[string]int{"n": n}, nil
	})))
	stop := make(chan struct{})
	var game, clients sync.WaitGroup
	game.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			s.Poll()
			s.Guard(func() {
				w.NewEntity()
				if i%50 == 3 && !s.loop.Closing() {
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
				s.Bind(world, &host.App{Name: "again"})
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
	game.Wait()
}
