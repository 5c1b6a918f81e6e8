//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
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

type noise struct{ Loud bool }

type noiseSink struct{}

func (noiseSink) Kinds() []host.EventKind {
	return []host.EventKind{{Name: "noise", Doc: "A noise.", Payload: reflect.TypeFor[noise]()}}
}
func (noiseSink) Push(string, any) error { return nil }

// Whatever happened to the world stands on the time line.
func TestWhatHappenedIsMarked(t *testing.T) {
	bubble(t, &Options{Record: &RecordOptions{}}, func(t *testing.T, s *Server) {
		w := bindArche(s, &host.App{Events: noiseSink{}, States: &stateStack{"playing"}})
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
		for kind, part := range map[string]string{"watch": "w1: 3 -> 2 by call modify", "stall": "", "crash": "index out of range", "rewind": "to tick"} {
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
		if r == nil || r["cutShort"] != r["toTick"] || r["toTick"].(float64)-r["fromTick"].(float64) < 19 || !strings.Contains(m["hint"].(string), "recorded.calls") {
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

// A difference of ticks tells what is rare and exact before a thousand moved
// floats, page by page the same list, and resources alone when asked.
func TestTicksAreComparedInAnOrderToBeRead(t *testing.T) {
	bubble(t, &Options{Record: &RecordOptions{}}, func(t *testing.T, s *Server) {
		w := newWorld()
		type score struct{ Points int }
		points := &score{5}
		arche.AddResource(w, points)
		pos, hp := arche.ComponentID[Position](w), arche.ComponentID[Health](w)
		arche.NewBuilder(w, pos).NewBatch(1000)
		last := w.NewEntity(pos, hp)
		s.Bind(archeworld.New(w), nil)
		s.Poll()
		before := uint64(s.loop.Frame())
		for q := w.Query(arche.All(pos)); q.Next(); {
			(*Position)(q.Get(pos)).X += 0.25
		}
		(*Health)(w.Get(last, hp)).HP = 9
		points.Points = 6
		w.NewEntity()
		s.Poll()
		args := func(more string) string {
			return fmt.Sprintf(`{"from":"@%d","to":"@%d"%s}`, before, before+1, more)
		}
		d := succeeded(t, now(t, s, "snapshot_diff", args(`,"limit":4`)))
		var kinds []string
		for _, r := range d["rows"].([]any) {
			r := r.(map[string]any)
			kinds = append(kinds, fmt.Sprint(r["kind"], " ", r["component"], " ", r["path"]))
		}
		if want := []string{"spawned <nil> <nil>", "resource score Points", "changed Health HP", "changed Position X"}; !slices.Equal(kinds, want) {
			t.Errorf("%q, want %q", kinds, want)
		}
		if d["total"] != 1007.0 || d["changed"] != 1005.0 {
			t.Errorf("%v rows, %v changed", d["total"], d["changed"])
		}
		seen := map[string]bool{}
		next := ""
		for range 11 {
			d := succeeded(t, now(t, s, "snapshot_diff", args(fmt.Sprintf(`,"limit":100,"cursor":%q`, next))))
			for _, r := range d["rows"].([]any) {
				seen[fmt.Sprint(r)] = true
			}
			next, _ = d["next"].(string)
		}
		if len(seen) != 1007 || next != "" {
			t.Errorf("%d rows page by page, next %q", len(seen), next)
		}
		if d := succeeded(t, now(t, s, "snapshot_diff", args(`,"resources":true`))); d["total"] != 1.0 || d["changed"] != 0.0 || d["resourcesChanged"] != 1.0 {
			t.Errorf("resources alone: %v", d)
		}
		refusedWith(t, now(t, s, "snapshot_diff", args(`,"resources":true,"entity":"2v0"`)), refusal.InvalidArguments)
	})
}
