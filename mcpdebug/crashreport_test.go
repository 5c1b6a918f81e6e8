//go:build !nomcpdebug

package mcpdebug

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// A report is short: no stack twice, no line of the log that the last calls
// tell already. The rest is there for the asking.
func TestCrashReportIsShort(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		w := bindArche(s, nil)
		log := slog.New(s.LogHandler(nil))
		log.Info("the door opens")
		for range 40 {
			succeeded(t, polled(t, s, "spawn", `{"components":{"Position":{}}}`))
		}
		log.Info("tool call", "of", "the game's own") // only looks like one
		s.Guard(func() { brokenCombat(w) })
		r := now(t, s, "crash_report", "")
		m := succeeded(t, r)
		lines := fmt.Sprint(m["logTail"])
		if !strings.Contains(lines, "the door opens") || !strings.Contains(lines, "the game's own") || len(m["logTail"].([]any)) != 2 {
			t.Errorf("log tail %v", lines)
		}
		if calls := m["lastCalls"].([]any); len(calls) != 16 || calls[0].(map[string]any)["tool"] != "spawn" {
			t.Errorf("last calls %v", calls)
		}
		if m["traceback"] != nil || m["otherGoroutines"].(float64) < 2 || len(r.Structured) > 5000 {
			t.Errorf("%d bytes: %s", len(r.Structured), r.Structured)
		}
		m = succeeded(t, now(t, s, "crash_report", `{"goroutines":true}`))
		if text, _ := s.Crashed(); m["traceback"] != text || len(m["goroutines"].([]any)) < 2 || m["otherGoroutines"] != nil {
			t.Errorf("traceback %v, goroutines %v", m["traceback"], m["goroutines"])
		}
		// What the host says itself is shown as it said it.
		s.SetCrashed("")
		s.SetCrashed("panic: lost\n\nand more that only the host knows")
		if m = succeeded(t, now(t, s, "crash_report", "")); !strings.Contains(fmt.Sprint(m["traceback"]), "only the host knows") {
			t.Errorf("%v", m)
		}
	})
}
