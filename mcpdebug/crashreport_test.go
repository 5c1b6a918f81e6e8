//go:build !nomcpdebug

package mcpdebug

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools/host"
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

// A panic in the loop over a query names the entity that the query stood at,
// with the values that led to it, although its text says nothing of it.
func TestCrashReportNamesTheEntityOfTheOpenQuery(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		sched := schedule.New("update")
		w := newWorld()
		sched.Add("update", "combat", func() {
			q := w.Query(arche.All(arche.ComponentID[Position](w)))
			for q.Next() {
				sched.At(value.Entity{ID: q.Entity().ID(), Gen: q.Entity().Generation()})
				if p := (*Position)(q.Get(arche.ComponentID[Position](w))); p.X == 3 {
					var hits []int
					_ = hits[3]
				}
			}
		})
		s.Bind(archeworld.New(w), &host.App{Systems: sched})
		succeeded(t, polled(t, s, "spawn", `{"components":{"Position":{"X":1}}}`))
		guilty := succeeded(t, polled(t, s, "spawn", `{"components":{"Position":{"X":3,"Y":8}}}`))["entity"]
		succeeded(t, polled(t, s, "spawn", `{"components":{"Position":{"X":5}}}`))
		s.Guard(func() { sched.Run() })
		m := succeeded(t, now(t, s, "crash_report", ""))
		if m["entity"] != guilty || m["system"] != "combat" || !strings.Contains(fmt.Sprint(m["values"]), "map[X:3 Y:8") {
			t.Errorf("entity %v (want %v), system %v, values %v", m["entity"], guilty, m["system"], m["values"])
		}
	})
}
