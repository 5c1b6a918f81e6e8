//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// brokenLog is a host's log handler with a mistake of its own.
type brokenLog struct{ slog.Handler }

func (brokenLog) Enabled(context.Context, slog.Level) bool           { return true }
func (brokenLog) Handle(context.Context, slog.Record) error          { panic("the log file is gone") }
func (h brokenLog) WithAttrs([]slog.Attr) slog.Handler               { return h }
func (h brokenLog) WithGroup(string) slog.Handler                    { return h }
func (h brokenLog) fails(*tools.Frame, json.RawMessage) (any, error) { panic("a tool's own") }

func TestHostsLogHandlerThatPanicsEndsNothing(t *testing.T) {
	bubble(t, &Options{Logger: slog.New(brokenLog{})}, func(t *testing.T, s *Server) {
		must(t, s.Register(plain("fails", nil, brokenLog{}.fails)))
		refusedWith(t, polled(t, s, "fails", "{}"), refusal.Panicked)
		if s.Guard(func() { panic("in the update") }) {
			t.Error("a panic counts as a finished update")
		}
		if text, ok := s.Crashed(); !ok || !strings.Contains(text, "in the update") {
			t.Errorf("crashed %v: %s", ok, text)
		}
		time.Sleep(3 * time.Second) // the watchdog logs a stall
		if l := logsOf(s); !strings.Contains(l, "the host's log handler panicked: the log file is gone") || !strings.Contains(l, "the frame has stalled") {
			t.Errorf("log: %s", l)
		}
	})
}

// curiousLog looks at the crash that it is told about, and makes errors crashes.
type curiousLog struct {
	slog.Handler
	s **Server
}

func (h curiousLog) Handle(_ context.Context, r slog.Record) error {
	if s := *h.s; s != nil && r.Level >= slog.LevelError {
		s.Crashed()
		s.SetCrashed(r.Message)
	}
	return nil
}

func TestLogHandlerThatRecordsCrashesDoesNotDeadlock(t *testing.T) {
	var s *Server
	s = withoutPort(t, &Options{Logger: slog.New(curiousLog{slog.DiscardHandler, &s})})
	done := make(chan struct{})
	go func() { s.SetCrashed("first"); close(done) }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("SetCrashed waits for the handler, which waits for SetCrashed")
	}
}

func (h curiousLog) Enabled(context.Context, slog.Level) bool { return true }

func TestTheSameCrashInEveryFrameIsOne(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		report := func() map[string]any { return succeeded(t, now(t, s, "crash_report", "")) }
		for range 100 { // the error dialog's own loop
			s.SetCrashed("boom")
			s.Poll()
		}
		if r := report(); r["count"] != 1.0 || r["frame"] != 1.0 || strings.Count(logsOf(s), "the game crashed") != 1 {
			t.Errorf("count %v, frame %v, log %s", r["count"], r["frame"], logsOf(s))
		}
		s.SetCrashed("boom again")
		s.SetCrashed("")
		s.SetCrashed("boom again") // on resume: another one
		if r := report(); r["count"] != 3.0 {
			t.Errorf("count %v, want 3", r["count"])
		}
	})
}

// Arguments are read off the frame, also those of plain handlers, which are
// prepared again on it because functions cannot be compared.
func TestArgumentsAreNotParsedOnTheFrame(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		must(t, s.Register(plain("plain", func(t *tools.Tool) {
			t.InputSchema = &tools.Schema{Type: "object", Properties: map[string]*tools.Schema{"list": {Type: "array"}}}
		}, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
		reply := ask(t.Context(), s, "plain", `{"list":[`+strings.Repeat(`"x",`, 20_000)+`"x"]}`)
		synctest.Wait()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s.Poll()
		runtime.ReadMemStats(&after)
		succeeded(t, <-reply)
		if n := after.Mallocs - before.Mallocs; n > 2000 {
			t.Errorf("%d allocations on the frame for 20000 arguments", n)
		}
	})
}

// broken is a host all of whose methods panic.
type broken struct{}

func (broken) Kinds() []host.EventKind                      { panic("Kinds") }
func (broken) Push(string, any) error                       { panic("Push") }
func (broken) List() []host.SystemInfo                      { panic("List") }
func (broken) SetEnabled(string, bool) error                { panic("SetEnabled") }
func (broken) Running() (string, time.Duration)             { panic("Running") }
func (broken) History(int) host.History                     { panic("History") }
func (broken) Capture(host.Shot, func(host.Picture, error)) { panic("Capture") }

type brokenStates struct{}

func (brokenStates) Stack() []string   { panic("Stack") }
func (brokenStates) Names() []string   { panic("Names") }
func (brokenStates) Push(string) error { panic("Push") }
func (brokenStates) Pop() error        { panic("Pop") }

func TestHostWhoseEveryMethodPanicsGoesOn(t *testing.T) {
	o := &Options{OnCall: func(tools.Request, *Outcome) { panic("OnCall") }, DataDir: t.TempDir()}
	bubble(t, o, func(t *testing.T, s *Server) {
		w := newWorld()
		s.Bind(archeworld.New(w), &host.App{Name: "broken", Summary: func() any { panic("Summary") },
			Events: broken{}, Systems: broken{}, States: brokenStates{}, Screen: broken{}})
		for _, call := range []struct{ tool, args string }{
			{"context", "{}"}, {"stats", "{}"}, {"query", "{}"}, {"systems_list", "{}"}, {"systems_info", `{"name":"x"}`}, {"systems_stop", `{"name":"x"}`},
			{"states_info", "{}"}, {"states_push", `{"name":"x"}`}, {"states_pop", "{}"}, {"send_event", "{}"}, {"send_event", `{"kind":"x"}`},
			{"frame_times", "{}"}, {"screenshot", "{}"}, {"capabilities", "{}"}, {"help", "{}"},
		} {
			r := polled(t, s, call.tool, call.args)
			if code, text := loop.CodeOf(r); r.RPC != nil || !json.Valid(r.Structured) || code != "" && code != refusal.Panicked {
				t.Errorf("%s %s: %q %s", call.tool, call.args, code, text)
			}
		}
		if m := succeeded(t, polled(t, s, "stats", "{}")); m["entities"] == nil {
			t.Errorf("afterwards: %v", m)
		}
		if s.Guard(func() { panic("update") }) || s.loop.State() != loop.Crashed {
			t.Error("a crash is not recorded where the host's systems panic")
		}
		if m := succeeded(t, now(t, s, "crash_report", "{}")); m["panic"] != "update" {
			t.Errorf("%v", m)
		}
	})
}

func TestPanicsThatReferToThemselvesCanBeTold(t *testing.T) {
	loop := map[string]any{}
	loop["self"] = loop
	bubble(t, nil, func(t *testing.T, s *Server) {
		s.Bind(archeworld.New(newWorld()), &host.App{Name: "loop", Summary: func() any { panic(loop) }})
		if m := succeeded(t, now(t, s, "context", "{}")); !strings.Contains(fmt.Sprint(m["app"]), "App.Summary panicked") {
			t.Errorf("app %v", m["app"])
		}
	})
}

// listSink is an event sink that cannot be compared with another.
type listSink struct{ kinds []host.EventKind }

func (l listSink) Kinds() []host.EventKind { return l.kinds }
func (listSink) Push(string, any) error    { return nil }

// lazyScreen draws later than anybody waits for.
type lazyScreen []int

func (lazyScreen) Capture(host.Shot, func(host.Picture, error)) {}

func TestHostPartsNeedNotBeComparableAndMayBeReplaced(t *testing.T) {
	bubble(t, &Options{DataDir: t.TempDir()}, func(t *testing.T, s *Server) {
		world := archeworld.New(newWorld())
		app := func() *host.App {
			return &host.App{Name: "lists", Events: listSink{[]host.EventKind{{Name: "jump"}}}, Screen: lazyScreen{}}
		}
		s.Bind(world, app())
		if m := succeeded(t, polled(t, s, "send_event", `{"kind":"jump"}`)); m["pushed"] != "jump" {
			t.Errorf("%v", m)
		}
		shot := ask(t.Context(), s, "screenshot", "{}")
		synctest.Wait()
		s.Poll()
		s.Bind(world, app())
		s.Poll()
		synctest.Wait()
		select {
		case r := <-shot:
			refusedWith(t, r, refusal.NotRunning)
		default:
			t.Error("the picture of a screen that is gone is still waited for")
		}
	})
}
