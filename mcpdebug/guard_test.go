//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

//go:noinline
func brokenCombat(w *arche.World) {
	q := w.Query(arche.All())
	for q.Next() {
		var hits []int
		_ = hits[3] // the query stays open
	}
}

func TestPanicInTheUpdateBecomesAState(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		sched := schedule.New("update")
		w := newWorld()
		broken := true
		sched.Add("update", "movement", func() {})
		sched.Add("update", "combat", func() {
			if broken {
				brokenCombat(w)
			}
		})
		w2 := bindArche(s, &host.App{Systems: sched})
		*w2, *w = *w, *w2 // the schedule's world is the bound one
		w = w2
		slog.New(s.LogHandler(nil)).Warn("an arrow hits nothing")
		succeeded(t, now(t, s, "ping", ""))
		if s.Guard(func() { sched.Run() }) {
			t.Error("Guard says the update ran to its end")
		}
		ran := false
		if s.Guard(func() { ran = true }) || ran {
			t.Error("the game is not suspended")
		}
		m := succeeded(t, now(t, s, "crash_report", ""))
		if m["crashed"] != true || m["system"] != "combat" || m["count"] != 1.0 || m["locked"] != true ||
			m["panic"] != "runtime error: index out of range [3] with length 0" {
			t.Errorf("%v", m)
		}
		frames := m["frames"].([]any)
		if first := frames[0].(map[string]any); !strings.HasSuffix(first["func"].(string), "brokenCombat") || !strings.HasSuffix(first["file"].(string), "guard_test.go") || first["line"] == 0.0 {
			t.Errorf("the stack begins with %v", first)
		}
		if !strings.Contains(fmt.Sprint(m["lastCalls"]), "ping") || !strings.Contains(fmt.Sprint(m["logTail"]), "an arrow hits nothing") {
			t.Errorf("last calls %v, log tail %v", m["lastCalls"], m["logTail"])
		}
		must(t, s.Register(plain("look", func(t *tools.Tool) { t.Effect = tools.ReadOnly }, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
		text, crashed := s.Crashed()
		if got := refusedWith(t, now(t, s, "look", ""), refusal.Crashed); !crashed || got != text {
			t.Errorf("the refusal is not the traceback verbatim:\n%s\n---\n%s", got, text)
		}
		if !strings.Contains(text, "index out of range [3]") || !strings.Contains(text, "guard_test.go:") {
			t.Errorf("traceback: %s", text)
		}
		succeeded(t, polled(t, s, "crash_inspect", `{"on":true}`))
		succeeded(t, polled(t, s, "look", ""))
		succeeded(t, polled(t, s, "crash_inspect", `{"on":false}`))
		refusedWith(t, now(t, s, "look", ""), refusal.Crashed)

		m = succeeded(t, polled(t, s, "clear_crash", ""))
		if m["resumed"] != true || m["locked"] != true || !strings.Contains(m["reason"].(string), "unlock:true") {
			t.Errorf("clear_crash without unlock: %v", m)
		}
		// It panics again: a new crash, with a count.
		s.Guard(func() { sched.Run() })
		m = succeeded(t, now(t, s, "crash_report", ""))
		if m["count"] != 2.0 || !strings.Contains(m["hint"].(string), "number 2") {
			t.Errorf("second crash: %v", m)
		}
		broken = false
		m = succeeded(t, polled(t, s, "clear_crash", `{"unlock":true}`))
		if m["resumed"] != true || m["unlocked"] != true || m["locked"] != false || w.IsLocked() {
			t.Errorf("clear_crash with unlock: %v, locked %v", m, w.IsLocked())
		}
		if !s.Guard(func() { sched.Run(); w.NewEntity() }) {
			t.Error("the game does not run on")
		}
		if m = succeeded(t, polled(t, s, "clear_crash", "")); m["resumed"] != false {
			t.Errorf("clearing nothing: %v", m)
		}
		if l := logsOf(s); strings.Count(l, "the game crashed") != 2 || !strings.Contains(l, "the crash was cleared") || !strings.Contains(l, `"tool":"clear_crash"`) {
			t.Errorf("log:\n%s", l)
		}
	})
}

func TestSetCrashedTextComesBackVerbatimWithoutPolls(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		must(t, s.Register(plain("nop", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
		waits := ask(context.Background(), s, "nop", "")
		synctest.Wait()
		const text = "Lua error: <nil> \"x\"\n\tstack traceback:\n\t[C]: in ?\n"
		s.SetCrashed(text)
		// The host shows an error dialog and polls no more.
		if got := refusedWith(t, <-waits, refusal.Crashed); got != text {
			t.Errorf("%q, want %q", got, text)
		}
		time.Sleep(5 * time.Second)
		if got := refusedWith(t, now(t, s, "nop", ""), refusal.Crashed); got != text {
			t.Errorf("%q, want %q", got, text)
		}
		if m := succeeded(t, now(t, s, "ping", "")); m["state"] != "crashed" || m["crashed"] != text {
			t.Errorf("ping %v", m)
		}
		if got, ok := s.Crashed(); !ok || got != text {
			t.Errorf("Crashed %q %v", got, ok)
		}
		s.SetCrashed("")
		if _, ok := s.Crashed(); ok {
			t.Error(`SetCrashed("") does not clear`)
		}
		s.SetCrashed(text)
		s.Bind(nil, nil)
		if _, ok := s.Crashed(); ok {
			t.Error("Bind does not clear the crash")
		}
	})
}

func TestPanicInAToolIsAnAnswerAndTheGameGoesOn(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		w := bindArche(s, nil)
		must(t, s.Register(plain("bad", nil, func(*tools.Frame, json.RawMessage) (any, error) { panic(errors.New("no such <thing>")) })))
		must(t, s.Register(plain("locks", nil, func(*tools.Frame, json.RawMessage) (any, error) { w.Query(arche.All()); panic("mid-query") })))
		type none struct{}
		must(t, s.Register(tools.NewPhased(tools.Spec{Name: "before", Description: "d"}, tools.Phases[none, none, none, none]{
			Before: func(*tools.Call, none) (none, error) { panic("before") }, Frame: func(*tools.Frame, none) (none, error) { return none{}, nil }})))
		must(t, s.Register(tools.NewPhased(tools.Spec{Name: "after", Description: "d"}, tools.Phases[none, none, none, none]{
			After: func(*tools.Call, none) (none, error) { panic("after") }, Frame: func(*tools.Frame, none) (none, error) { return none{}, nil }})))
		text := refusedWith(t, polled(t, s, "bad", ""), refusal.Panicked)
		if !strings.Contains(text, "no such <thing>") || !strings.Contains(text, "guard_test.go:") {
			t.Errorf("no message or stack: %s", text)
		}
		refusedWith(t, polled(t, s, "after", ""), refusal.Panicked)
		refusedWith(t, now(t, s, "before", ""), refusal.Panicked)
		if _, crashed := s.Crashed(); crashed {
			t.Error("a tool's panic is no crash of the game")
		}
		if text = refusedWith(t, polled(t, s, "locks", ""), refusal.Panicked); !strings.Contains(text, "clear_crash") || !w.IsLocked() {
			t.Errorf("the lock it left is not told: %s", text)
		}
		if m := succeeded(t, polled(t, s, "clear_crash", `{"unlock":true}`)); m["resumed"] != false || m["unlocked"] != true || w.IsLocked() {
			t.Errorf("unlock: %v", m)
		}
		if l := logsOf(s); strings.Count(l, "a tool panicked") != 4 {
			t.Errorf("log:\n%s", l)
		}
	})
}

func TestToolThatEndsItsGoroutineIsAnswered(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		must(t, s.Register(tools.NewOff(tools.Spec{Name: "exit", Description: "d"}, func(*tools.Call, struct{}) (struct{}, error) {
			runtime.Goexit()
			return struct{}{}, nil
		})))
		must(t, s.Register(plain("exit_frame", nil, func(*tools.Frame, json.RawMessage) (any, error) {
			runtime.Goexit()
			return nil, nil
		})))
		refusedWith(t, now(t, s, "exit", ""), refusal.Panicked)
		out := ask(context.Background(), s, "exit_frame", "")
		synctest.Wait()
		go s.Poll()
		refusedWith(t, <-out, refusal.Panicked)
	})
}

func TestPanicInAListenerIsAnAnswer(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		w := bindArche(s, nil)
		l := listener.NewCallback(func(*arche.World, arche.EntityEvent) { panic("the quest log is full") }, event.EntityCreated)
		w.SetListener(&l)
		if text := refusedWith(t, polled(t, s, "spawn", `{"components":{"Position":{"X":1}}}`), refusal.Panicked); !strings.Contains(text, "quest log") {
			t.Errorf("%s", text)
		}
		w.SetListener(nil)
		if w.IsLocked() {
			succeeded(t, polled(t, s, "clear_crash", `{"unlock":true}`))
		}
		succeeded(t, polled(t, s, "spawn", `{"components":{"Position":{"X":1}}}`))
	})
}

type badValue struct{}

func (badValue) Error() string { panic("no text either") }

func TestPanicValuesOfEveryKind(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		for _, c := range []struct {
			value any
			want  string
		}{{"text", "text"}, {errors.New("an error"), "an error"}, {42, "42"}, {badValue{}, "mcpdebug.badValue"}, {nil, "panic called with nil argument"}, {"entity 1v0 is odd", "1v0"}} {
			s.Guard(func() { panic(c.value) })
			if text, ok := s.Crashed(); !ok || !strings.Contains(text, c.want) {
				t.Errorf("panic(%T): %q", c.value, text)
			}
			s.SetCrashed("")
		}
	})
}

func TestCrashNamesTheEntityThatItsTextNames(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		w := bindArche(s, nil)
		e := w.NewEntity()
		name := ecs.Entity{ID: e.ID(), Gen: e.Generation()}.String()
		s.Guard(func() { panic("entity 999v9 or rather " + name + " has no target") })
		if m := succeeded(t, now(t, s, "crash_report", "")); m["entity"] != name {
			t.Errorf("entity %v, want %s", m["entity"], name)
		}
	})
}

func TestNilServerIsANoOp(t *testing.T) {
	var s *Server
	ran := false
	if !s.Guard(func() { ran = true }) || !ran {
		t.Error("Guard of a nil server does not run the game")
	}
	func() {
		defer func() {
			if recover() != "through" {
				t.Error("Guard of a nil server recovers")
			}
		}()
		s.Guard(func() { panic("through") })
	}()
	s.Bind(nil, nil)
	s.SetCrashed("x")
	s.BindLogFile("x")
	s.ResetSandbox()
	if _, ok := s.Crashed(); ok || s.Poll() || s.PollParked("x") || s.Close() != nil || s.Register(nil) != nil || s.Tools() != nil ||
		s.HasBuiltInTools() || s.Dispatch(`{}`) != "" || s.URL() != "" || s.Port() != 0 || s.Handler() == nil || s.LogHandler(nil) == nil {
		t.Error("a nil server does something")
	}
}

// A game that stands still must not be silent: without a logger the panic is
// printed as the runtime would have, once, with where to look at it.
func TestGuardedPanicReachesStandardError(t *testing.T) {
	printed := func(o *Options) string {
		var b strings.Builder
		stderr = &b
		defer func() { stderr = io.Discard }()
		s, err := Listen("127.0.0.1:0", o)
		must(t, err)
		defer s.Close()
		w := newWorld()
		for range 3 {
			s.Guard(func() { brokenCombat(w) })
			s.Poll()
		}
		if strings.Count(b.String(), s.URL()) > 1 {
			t.Errorf("printed more than once: %s", b.String())
		}
		return strings.ReplaceAll(b.String(), s.URL(), "URL")
	}
	text := printed(&Options{NoDiscovery: true})
	for _, want := range []string{"panic: runtime error: index out of range [3] with length 0", "brokenCombat(...)", "URL", "clear_crash"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is there %d times: %s", want, strings.Count(text, want), text)
		}
	}
	if text = printed(&Options{NoDiscovery: true, Logger: slog.New(slog.DiscardHandler)}); text != "" {
		t.Errorf("beside the host's logger: %s", text)
	}
}

func TestGuardErr(t *testing.T) {
	over := errors.New("game over")
	var none *Server
	for _, s := range []*Server{withoutPort(t, nil), none} {
		if err := s.GuardErr(func() error { return over }); err != over {
			t.Errorf("the update's own error is %v", err)
		}
		if err := s.GuardErr(func() error { return nil }); err != nil {
			t.Error(err)
		}
	}
	s := withoutPort(t, nil)
	if err := s.GuardErr(func() error { panic("boom") }); err != nil {
		t.Errorf("a recovered panic ends the loop: %v", err)
	}
	if text, crashed := s.Crashed(); !crashed || !strings.Contains(text, "boom") {
		t.Errorf("not recorded: %s", text)
	}
	if err := s.GuardErr(func() error { t.Error("not suspended"); return over }); err != nil {
		t.Errorf("a skipped update ends the loop: %v", err)
	}
}
