//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// An answer shows what every call did that was answered before it, also where
// it comes from the published Catalog, and its frame is that of the data.
func TestFactsAreOfTheirFrame(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		tick := 0
		bindArche(s, &host.App{Summary: func() any { return map[string]int{"tick": tick} }})
		must(t, s.Register(tools.New(tools.Spec{Name: "advance", Description: "d"}, func(*tools.Frame, struct{}) (struct{}, error) { tick++; return struct{}{}, nil })))
		client := &transcriptClient{s: s}
		client.connect(t)
		document := func() string {
			out := make(chan string, 1)
			go func() {
				out <- client.post(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ecs://world"}}`).Body.String()
			}()
			for len(out) == 0 {
				synctest.Wait()
				s.Poll()
			}
			return <-out
		}
		for n := 4; n < 8; n++ {
			wrote := succeeded(t, polled(t, s, "spawn", `{"components":{"Position":{"X":1}}}`))["frame"].(float64)
			succeeded(t, polled(t, s, "advance", ""))
			c := succeeded(t, polled(t, s, "context", ""))
			w := c["world"].(map[string]any)
			if w["entities"] != float64(n) || fmt.Sprint(c["app"]) != fmt.Sprintf("map[tick:%d]", n-3) {
				t.Errorf("context after the %dth entity: %v, app %v", n, w, c["app"])
			}
			if w["frame"] != c["frame"] || c["frame"].(float64) <= wrote {
				t.Errorf("context of frame %v has the world of %v; written in %v", c["frame"], w["frame"], wrote)
			}
			d := succeeded(t, polled(t, s, "describe", `{"name":"Position"}`))
			if d["entities"] != float64(n) || d["frame"] != c["frame"] {
				t.Errorf("describe: %v entities in frame %v", d["entities"], d["frame"])
			}
			if m := succeeded(t, polled(t, s, "capabilities", "")); m["counts"].(map[string]any)["entities"] != float64(n) {
				t.Errorf("capabilities: %v", m["counts"])
			}
			if text := document(); !strings.Contains(text, fmt.Sprintf(`\"alive\":%d`, n)) {
				t.Errorf("ecs://world: %s", text)
			}
		}
		// A game that does not poll is shown as it was, under the number of then.
		succeeded(t, polled(t, s, "spawn", `{"components":{"Position":{"X":1}}}`))
		time.Sleep(3 * time.Second)
		start := time.Now()
		c := succeeded(t, <-ask(context.Background(), s, "context", ""))
		if w := c["world"].(map[string]any); c["state"] != "stalled" || w["entities"] != 7.0 || w["frame"] != c["frame"] || c["frame"].(float64) >= float64(s.loop.Frame()) {
			t.Errorf("stalled: %v in frame %v of %d", w, c["frame"], s.loop.Frame())
		}
		if time.Since(start) != 0 {
			t.Errorf("waited %v for a frame that does not come", time.Since(start))
		}
	})
}

// next of get_logs reaches every line: the older ones first, then what is
// logged afterwards. What is not there is said for what it is.
func TestLogCursorReachesOlderLines(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		hint := func(args string) string {
			return fmt.Sprint(succeeded(t, now(t, s, "get_logs", args))["hint"])
		}
		if h := hint("{}"); !strings.Contains(h, "LogHandler") {
			t.Errorf("before the first line: %s", h)
		}
		log := slog.New(s.LogHandler(nil))
		for i := range 9 {
			log.Info(fmt.Sprint("line ", i+1))
		}
		if h := hint(`{"level":"error"}`); strings.Contains(h, "LogHandler") || !strings.Contains(h, "9 lines were logged") {
			t.Errorf("no errors among nine lines: %s", h)
		}
		var got []string
		after := ""
		for range 3 {
			m := succeeded(t, now(t, s, "get_logs", fmt.Sprintf(`{"limit":4,"after":%q}`, after)))
			var page []string
			for _, l := range m["lines"].([]any) {
				page = append(page, l.(map[string]any)["msg"].(string))
			}
			got = append(page, got...)
			after = m["next"].(string)
		}
		if len(got) != 9 || got[0] != "line 1" || got[8] != "line 9" {
			t.Errorf("walked over %q", got)
		}
		log.Info("new")
		if m := succeeded(t, now(t, s, "get_logs", fmt.Sprintf(`{"after":%q}`, after))); m["returned"] != 1.0 || m["truncated"] != false {
			t.Errorf("then the new lines alone: %v", m)
		}
		for _, bad := range []string{"x", "-", "3-", "0-4", "-4"} {
			refusedWith(t, now(t, s, "get_logs", fmt.Sprintf(`{"after":%q}`, bad)), refusal.InvalidArguments)
		}
	})
}
