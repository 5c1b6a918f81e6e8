//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/tools"
)

// marksOf are the marks of a kind, as one text each.
func marksOf(t *testing.T, s *Server, kind string) (out []string) {
	t.Helper()
	for _, m := range succeeded(t, now(t, s, "record_info", `{"marks":1000}`))["marks"].([]any) {
		if m := m.(map[string]any); m["kind"] == kind {
			out = append(out, strings.TrimSpace(fmt.Sprint(m["text"], " ", m["operation"])))
		}
	}
	return out
}

// Whatever happened to the world stands on the time line.
func TestWhatHappenedIsMarked(t *testing.T) {
	bubble(t, &Options{Record: &RecordOptions{}}, func(t *testing.T, s *Server) {
		w := bindArche(s, &tools.App{Events: &arenaEvents{}, States: &stateStack{"playing"}})
		s.Poll()
		named := make(chan *tools.Reply, 1)
		go func() {
			named <- s.loop.Call(context.Background(), &loop.Arrival{Ticket: s.loop.Ticket(), Operation: "op-7",
				Request: tools.Request{Name: "modify", Arguments: json.RawMessage(`{"entity":"1v0","component":"Health","values":{"HP":3}}`)}})
		}()
		synctest.Wait()
		s.Poll()
		succeeded(t, <-named)
		succeeded(t, polled(t, s, "send_event", `{"kind":"noise","payload":{"Loud":true}}`))
		succeeded(t, polled(t, s, "states_push", `{"name":"paused"}`))
		refusedWith(t, polled(t, s, "modify", `{"entity":"1v0","component":"Health","values":{"Mana":3}}`), refusal.UnknownField)
		succeeded(t, polled(t, s, "query", `{}`))
		log := slog.New(s.LogHandler(nil))
		log.Info("all is well")
		log.Warn("the bridge creaks")
		log.Error("the bridge falls")
		s.PollParked("load_level")
		s.PollParked("load_level")
		s.Poll()
		succeeded(t, polled(t, s, "watch_add", `{"entity":"1v0","path":"Health.HP","by":"tick"}`))
		succeeded(t, polled(t, s, "modify", `{"entity":"1v0","component":"Health","values":{"HP":2}}`))
		synctest.Wait()
		succeeded(t, polled(t, s, "rewind", `{"tick":-2}`))
		succeeded(t, polled(t, s, "rewind", `{"to":"present"}`))
		time.Sleep(3 * time.Second)
		synctest.Wait()
		s.Poll()
		s.Guard(func() { brokenCombat(w) })
		s.Poll()
		for kind, want := range map[string][]string{
			"write":  {`modify {"entity":"1v0","component":"Health","values":{"HP":3}} op-7`, `modify {"entity":"1v0","component":"Health","values":{"HP":2}} <nil>`},
			"event":  {`send_event {"kind":"noise","payload":{"Loud":true}} <nil>`},
			"call":   {`states_push {"name":"paused"} <nil>`},
			"log":    {"WARN the bridge creaks <nil>", "ERROR the bridge falls <nil>"},
			"parked": {"load_level begins <nil>", "load_level has ended <nil>"},
		} {
			if got := marksOf(t, s, kind); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", kind, got, want)
			}
		}
		for kind, part := range map[string]string{"watch": "Health.HP", "stall": "", "crash": "index out of range", "rewind": "to tick"} {
			if got := marksOf(t, s, kind); len(got) == 0 || !strings.Contains(got[0], part) {
				t.Errorf("%s: %q has no %q", kind, got, part)
			}
		}
	})
}

// After a crash its report names what is recorded and three calls, and each of
// them is answered while the game is crashed.
func TestACrashNamesItsPast(t *testing.T) {
	bubble(t, &Options{Record: &RecordOptions{}}, func(t *testing.T, s *Server) {
		w := bindArche(s, nil)
		for range 20 {
			s.Poll()
			synctest.Wait()
		}
		s.Guard(func() { brokenCombat(w) })
		s.Poll()
		m := succeeded(t, now(t, s, "crash_report", ""))
		r, _ := m["recorded"].(map[string]any)
		if r == nil || r["cutShort"] != true || r["toTick"].(float64)-r["fromTick"].(float64) < 19 || !strings.Contains(m["hint"].(string), "recorded.calls") {
			t.Fatalf("%v, hint %v", r, m["hint"])
		}
		calls := r["calls"].([]any)
		if len(calls) != 3 {
			t.Errorf("%d calls", len(calls))
		}
		for _, c := range calls {
			c := c.(map[string]any)
			args, err := json.Marshal(c["arguments"])
			must(t, err)
			succeeded(t, now(t, s, c["tool"].(string), string(args)))
		}
	})
}
