//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

func TestLogFileAndOwnLinesAppearInGetLogs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game.log")
	must(t, os.WriteFile(path, []byte("level=ERROR msg=\"door is stuck\"\nloaded\n"), 0o600))
	bubble(t, nil, func(t *testing.T, s *Server) {
		slog.New(s.LogHandler(nil)).Error("lost a texture", "name", "wall.png")
		s.BindLogFile(path)
		m := succeeded(t, now(t, s, "get_logs", `{"level":"error"}`))
		lines := fmt.Sprint(m["lines"])
		if !strings.Contains(lines, "door is stuck") || !strings.Contains(lines, "wall.png") || strings.Contains(lines, "loaded") || m["path"] != path || m["total"] != 2.0 {
			t.Errorf("%v", m)
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		must(t, err)
		fmt.Fprintln(f, "panic: it happened")
		f.Close()
		next := m["next"].(string)
		if m = succeeded(t, now(t, s, "get_logs", `{"after":"`+next+`","level":"error"}`)); !strings.Contains(fmt.Sprint(m["lines"]), "it happened") || m["returned"] != 1.0 {
			t.Errorf("after %s: %v", next, m)
		}
		refusedWith(t, now(t, s, "get_logs", `{"after":"tomorrow"}`), refusal.InvalidArguments)
		refusedWith(t, now(t, s, "get_logs", `{"level":"loud"}`), refusal.InvalidArguments)
		refusedWith(t, now(t, s, "get_logs", `{"limit":100000}`), refusal.InvalidArguments)
		s.BindLogFile("")
		if m = succeeded(t, now(t, s, "get_logs", "")); m["path"] != nil {
			t.Errorf("still bound: %v", m["path"])
		}
	})
}

func TestContextTellsWhatRuns(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		if m := succeeded(t, now(t, s, "context", "")); m["world"] != nil {
			t.Errorf("without a world: %v", m)
		}
		wave := 3
		w := bindArche(s, &host.App{Name: "arena", Summary: func() any { return map[string]int{"wave": wave} }})
		end, do := make(chan struct{}), make(chan func(), 1)
		var loop sync.WaitGroup
		defer func() { close(end); loop.Wait() }()
		loop.Go(func() {
			for {
				select {
				case <-end:
					return
				case <-time.After(20 * time.Millisecond):
				}
				s.Poll()
				s.Guard(func() { time.Sleep(2 * time.Millisecond) })
				select {
				case f := <-do:
					f()
				default:
				}
			}
		})
		<-ask(context.Background(), s, "ping", "") // somebody is there
		time.Sleep(3 * time.Second)
		<-ask(context.Background(), s, "ping", "")
		time.Sleep(1500 * time.Millisecond)
		do <- func() { w.NewEntity(); wave = 4 }
		time.Sleep(2 * time.Second) // nobody asked for long
		m := succeeded(t, <-ask(context.Background(), s, "context", ""))
		world, _ := m["world"].(map[string]any)
		if world["entities"] != 4.0 || world["locked"] != false || world["frame"] == nil {
			t.Errorf("world %v", world)
		}
		if fmt.Sprint(m["app"]) != "map[wave:4]" || m["appName"] != "arena" {
			t.Errorf("app %v %v", m["app"], m["appName"])
		}
		if fps := m["fps"].(float64); fps < 40 || fps > 50 {
			t.Errorf("fps %v, want about 45", fps)
		}
		if ft, _ := m["frameMs"].(map[string]any); ft["p50"] != 2.0 {
			t.Errorf("frameMs %v", m["frameMs"])
		}
	})
}

// Right after the start, and right after a hang, the speed is that of the
// frames that came, not 0 and not an average with the hang.
func TestSpeedAfterAHang(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		bindArche(s, nil)
		fps := func() float64 { return succeeded(t, now(t, s, "context", ""))["fps"].(float64) }
		frames := func(n int) {
			for range n {
				time.Sleep(20 * time.Millisecond)
				s.Poll()
			}
		}
		frames(10)
		if got := fps(); got < 45 || got > 60 {
			t.Errorf("after 200 ms: %v", got)
		}
		frames(100)
		time.Sleep(5 * time.Second)
		if got := fps(); got != 0 {
			t.Errorf("while it hangs: %v", got)
		}
		for i := range 20 {
			frames(10)
			if got := fps(); got < 40 || got > 60 {
				t.Errorf("%d ms after the hang: %v", (i+1)*200, got)
			}
		}
	})
}

func TestSummaryIsBoundedAndMayPanic(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		for _, c := range []struct {
			f    func() any
			want string
		}{
			{func() any { panic("no wave yet") }, "no wave yet"},
			{func() any { return map[string]string{"story": strings.Repeat("long ", 1000)} }, `"truncated":true`},
			{func() any { return map[string]any{"f": func() {}} }, "cannot be encoded"},
		} {
			bindArche(s, &host.App{Summary: c.f})
			r := now(t, s, "context", "")
			succeeded(t, r)
			if !strings.Contains(string(r.Structured), c.want) || len(s.loop.View().Summary) > 1<<10 {
				t.Errorf("want %s in %s", c.want, r.Structured)
			}
		}
	})
}
