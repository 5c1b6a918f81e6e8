//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// flagged are tools of every flag; each counts its runs.
func flagged(t testing.TB, s *Server) map[string]*atomic.Int64 {
	runs := map[string]*atomic.Int64{}
	for name, set := range map[string]func(*tools.Tool){
		"neither":     func(*tools.Tool) {},
		"readonly":    func(t *tools.Tool) { t.Effect = tools.ReadOnly },
		"destructive": func(t *tools.Tool) { t.Effect = tools.Destructive },
		"whenparked":  func(t *tools.Tool) { t.WhenParked = true },
		"whencrashed": func(t *tools.Tool) { t.WhenCrashed = true },
		"both":        func(t *tools.Tool) { t.WhenParked, t.WhenCrashed = true, true },
		"offframe":    func(t *tools.Tool) { t.OffFrame = true },
	} {
		n := new(atomic.Int64)
		runs[name] = n
		must(t, s.Register(plain(name, set, func(*tools.Frame, json.RawMessage) (any, error) { n.Add(1); return nil, nil })))
	}
	return runs
}

// expectGates sends a call of each flag; want holds the code of the refusal.
func expectGates(t *testing.T, s *Server, runs map[string]*atomic.Int64, poll func() bool, want map[string]refusal.Code) {
	t.Helper()
	for name, n := range runs {
		before := n.Load()
		out := ask(context.Background(), s, name, "")
		synctest.Wait()
		code := want[name]
		if code == "" && name != "offframe" {
			if !poll() {
				t.Errorf("%s: Poll did not answer", name)
			}
		}
		synctest.Wait()
		select {
		case r := <-out:
			if got, text := loop.CodeOf(r); got != code {
				t.Errorf("%s: code %q, want %q: %s", name, got, code, text)
			}
		default:
			t.Fatalf("%s: not answered at once", name)
		}
		if ran := n.Load() > before; ran != (code == "") {
			t.Errorf("%s: ran is %v, want the code %q", name, ran, code)
		}
	}
}

func TestGatesByStateAndFlag(t *testing.T) {
	all := func(code refusal.Code, but ...string) map[string]refusal.Code {
		m := map[string]refusal.Code{}
		for _, n := range []string{"neither", "readonly", "destructive", "whenparked", "whencrashed", "both"} {
			m[n] = code
		}
		for _, n := range but {
			delete(m, n)
		}
		return m
	}
	bubble(t, nil, func(t *testing.T, s *Server) {
		runs := flagged(t, s)
		expectGates(t, s, runs, s.Poll, nil)

		parked := func() bool { return s.PollParked("load_level") }
		parked()
		expectGates(t, s, runs, parked, all(refusal.Parked, "whenparked", "both"))
		time.Sleep(time.Second)
		if text := refusedWith(t, now(t, s, "neither", ""), refusal.Parked); !strings.Contains(text, "load_level") || !strings.Contains(text, "1s") {
			t.Errorf("the refusal names neither operation nor how long: %s", text)
		}
		s.Poll()
		expectGates(t, s, runs, s.Poll, nil)

		s.SetCrashed("boom")
		expectGates(t, s, runs, s.Poll, all(refusal.Crashed, "whencrashed", "both"))
		parked()
		// Crashed comes before parked.
		expectGates(t, s, runs, parked, map[string]refusal.Code{"neither": refusal.Crashed, "readonly": refusal.Crashed, "destructive": refusal.Crashed, "whenparked": refusal.Crashed, "whencrashed": refusal.Parked})
		s.Poll()
		must(t, services{s}.InspectCrash(true))
		expectGates(t, s, runs, s.Poll, map[string]refusal.Code{"neither": refusal.Crashed, "destructive": refusal.Crashed, "whenparked": refusal.Crashed})

		// A host that stops polling after a crash reports the crash; what may run
		// then cannot, for want of a frame.
		time.Sleep(3 * time.Second)
		expectGates(t, s, runs, s.Poll, map[string]refusal.Code{"neither": refusal.Crashed, "destructive": refusal.Crashed, "whenparked": refusal.Crashed,
			"readonly": refusal.Stalled, "whencrashed": refusal.Stalled, "both": refusal.Stalled})
		s.SetCrashed("")
		expectGates(t, s, runs, s.Poll, all(refusal.Stalled))
		s.Poll()
		expectGates(t, s, runs, s.Poll, nil)
		s.Close()
		m := all(refusal.Closed)
		m["offframe"] = refusal.Closed
		expectGates(t, s, runs, s.Poll, m)
	})
}

func TestGateIsAskedAgainOnTheFrame(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		runs := flagged(t, s)
		out := ask(context.Background(), s, "readonly", "")
		synctest.Wait()
		// It was let in while the game ran; the game parks before its turn.
		if !s.PollParked("save") {
			t.Error("the Poll that refuses a call answers it")
		}
		refusedWith(t, <-out, refusal.Parked)
		if runs["readonly"].Load() != 0 {
			t.Error("it ran while parked")
		}
	})
}

func TestStartingUntilTheFirstPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withoutPort(t, nil)
		runs := flagged(t, s)
		if m := succeeded(t, now(t, s, "ping", "")); m["state"] != "starting" {
			t.Errorf("state %v", m["state"])
		}
		early := ask(context.Background(), s, "neither", "")
		time.Sleep(time.Second)
		s.Poll() // a call that came a little early is answered
		succeeded(t, <-early)

		s = withoutPort(t, nil)
		flagged(t, s)
		start := time.Now()
		text := refusedWith(t, <-ask(context.Background(), s, "neither", ""), refusal.Starting)
		if d := time.Since(start); d > s.opts.StallAfter+250*time.Millisecond || !strings.Contains(text, "has not polled yet") {
			t.Errorf("after %v: %s", d, text)
		}
		start = time.Now()
		refusedWith(t, <-ask(context.Background(), s, "destructive", ""), refusal.Starting)
		if d := time.Since(start); d != 0 {
			t.Errorf("the second call waited %v", d)
		}
		succeeded(t, now(t, s, "offframe", ""))
		if runs["destructive"].Load() != 0 {
			t.Error("it ran")
		}
		s.Poll()
		if m := succeeded(t, now(t, s, "ping", "")); m["state"] != "running" {
			t.Errorf("state %v after the first Poll", m["state"])
		}
	})
}

// hangingPathfinder is where the tests' frame hangs.
//
//go:noinline
func hangingPathfinder(release <-chan struct{}) { <-release }

func TestStallAnswersWhoWaitsWithWhereTheFrameHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withoutPort(t, nil)
		runs := flagged(t, s)
		release, resume := make(chan struct{}), make(chan struct{})
		go func() {
			for range 10 {
				s.Poll()
				time.Sleep(16 * time.Millisecond)
			}
			hangingPathfinder(release)
			s.Poll()
			close(resume)
		}()
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		hung := time.Now()
		r := <-ask(context.Background(), s, "destructive", "")
		text := refusedWith(t, r, refusal.Stalled)
		if d := time.Since(hung); d < time.Second || d > s.opts.StallAfter+250*time.Millisecond {
			t.Errorf("answered after %v", d)
		}
		if !strings.Contains(text, "hangingPathfinder") || !strings.Contains(text, "last frame 10") {
			t.Errorf("no stack or frame: %s", text)
		}
		start := time.Now()
		refusedWith(t, <-ask(context.Background(), s, "readonly", ""), refusal.Stalled)
		if time.Since(start) != 0 {
			t.Error("a call to a stalled game waits")
		}
		for _, tool := range []string{"ping", "context", "get_logs", "goroutines", "crash_report", "offframe"} {
			m := succeeded(t, <-ask(context.Background(), s, tool, ""))
			switch tool {
			case "ping":
				if m["state"] != "stalled" {
					t.Errorf("ping: %v", m)
				}
			case "goroutines":
				first := m["groups"].([]any)[0].(map[string]any)
				if first["frameGoroutine"] != true || !strings.Contains(fmt.Sprint(first["stack"]), "hangingPathfinder") {
					t.Errorf("the frame goroutine is not first: %v", first)
				}
			}
		}
		if !time.Now().Equal(start) {
			t.Errorf("off-frame tools waited %v for a frame", time.Since(start))
		}
		close(release)
		<-resume
		if m := succeeded(t, now(t, s, "ping", "")); m["state"] != "running" {
			t.Errorf("state %v after the stall", m["state"])
		}
		if runs["destructive"].Load() != 0 {
			t.Error("the refused call ran when the game went on")
		}
		time.Sleep(100 * time.Millisecond)
		if l := logsOf(s); !strings.Contains(l, "the frame has stalled") || !strings.Contains(l, "polls again") {
			t.Errorf("stall and recovery are not in the log:\n%s", l)
		}
	})
}

func TestFrameGoroutineThatEndedIsNoHealthyGame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withoutPort(t, nil)
		flagged(t, s)
		var loop sync.WaitGroup
		loop.Go(func() { s.Poll() })
		loop.Wait()
		time.Sleep(3 * time.Second)
		if m := succeeded(t, now(t, s, "ping", "")); m["state"] != "stalled" {
			t.Errorf("ping: %v", m)
		}
		if text := refusedWith(t, now(t, s, "neither", ""), refusal.Stalled); !strings.Contains(text, "has ended") {
			t.Errorf("%s", text)
		}
	})
}

func TestHandlerThatHangsHasAnUnknownOutcome(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		release := make(chan struct{})
		must(t, s.Register(plain("hang", func(t *tools.Tool) { t.Effect = tools.Destructive }, func(*tools.Frame, json.RawMessage) (any, error) { hangingPathfinder(release); return nil, nil })))
		must(t, s.Register(plain("nop", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
		hangs := ask(context.Background(), s, "hang", "")
		synctest.Wait()
		waits := ask(context.Background(), s, "nop", "")
		synctest.Wait()
		s.loop.Refresh() // the loop has moved to another goroutine
		go s.Poll()
		if text := refusedWith(t, <-hangs, refusal.OutcomeUnknown); !strings.Contains(text, "hangingPathfinder") {
			t.Error(text)
		}
		if text := refusedWith(t, <-waits, refusal.Stalled); !strings.Contains(text, "the tool hang") {
			t.Errorf("the refusal does not name the tool that hangs: %s", text)
		}
		close(release)
		synctest.Wait()
		s.Poll()
		succeeded(t, polled(t, s, "nop", ""))
	})
}

// A host may change a registered tool's flags on the frame goroutine: the gate
// on arrival knows them from the next Poll that publishes.
func TestFlagsChangedInPlaceAreHonouredOnArrival(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		tool := plain("late", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })
		must(t, s.Register(tool))
		s.SetCrashed("boom")
		refusedWith(t, now(t, s, "late", ""), refusal.Crashed)
		tool.WhenCrashed = true
		s.loop.Refresh()
		s.Poll()
		succeeded(t, polled(t, s, "late", ""))
		tool.WhenCrashed, tool.NeedsApp = false, true
		s.loop.Refresh()
		s.Poll()
		refusedWith(t, now(t, s, "late", ""), refusal.Crashed)
		s.SetCrashed("")
		refusedWith(t, now(t, s, "late", ""), refusal.NoApp)
	})
}

func TestReadOnlyServerAndAllowedTools(t *testing.T) {
	bubble(t, &Options{ReadOnly: true, Deny: []string{"whenparked"}}, func(t *testing.T, s *Server) {
		runs := flagged(t, s)
		expectGates(t, s, runs, s.Poll, map[string]refusal.Code{"neither": refusal.ReadOnly, "destructive": refusal.ReadOnly, "whencrashed": refusal.ReadOnly,
			"both": refusal.ReadOnly, "offframe": refusal.ReadOnly, "whenparked": refusal.NotSupported})
		refusedWith(t, now(t, s, "clear_crash", ""), refusal.ReadOnly)
		s.SetCrashed("boom")
		succeeded(t, polled(t, s, "crash_inspect", `{"on":true}`))
	})
	bubble(t, &Options{Allow: []string{"session", "both"}}, func(t *testing.T, s *Server) {
		flagged(t, s)
		refusedWith(t, now(t, s, "neither", ""), refusal.NotSupported)
		succeeded(t, polled(t, s, "both", ""))
		succeeded(t, now(t, s, "ping", ""))
		for _, p := range s.opts.listed(listing.Of(s.registry)) {
			if p.Spec.Group != "session" && p.Spec.Name != "both" {
				t.Errorf("%s is listed", p.Spec.Name)
			}
		}
	})
}

func TestToolsThatNeedAWorldSayItIsNotBound(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		must(t, s.Register(plain("w", func(t *tools.Tool) { t.NeedsWorld = true }, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
		must(t, s.Register(plain("a", func(t *tools.Tool) { t.NeedsApp = true }, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
		refusedWith(t, now(t, s, "w", ""), refusal.NoWorld)
		refusedWith(t, now(t, s, "a", ""), refusal.NoApp)
		bindArche(s, &host.App{})
		waits := ask(context.Background(), s, "w", "")
		synctest.Wait()
		s.Bind(nil, nil)
		s.Poll()
		refusedWith(t, <-waits, refusal.NoWorld)
		bindArche(s, nil)
		succeeded(t, polled(t, s, "w", ""))
		refusedWith(t, now(t, s, "a", ""), refusal.NoApp)
	})
}
