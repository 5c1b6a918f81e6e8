//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

func TestDispatchRunsInline(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		bindArche(s, nil)
		runs := flagged(t, s)
		call := func(name string) string {
			return s.Dispatch(`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"` + name + `"}}`)
		}
		waits := ask(context.Background(), s, "readonly", "")
		synctest.Wait()
		s.PollParked("load")
		refusedWith(t, <-waits, refusal.Parked)
		waits = ask(context.Background(), s, "whenparked", "")
		synctest.Wait()
		if got := call("neither"); runs["neither"].Load() != 1 || !strings.Contains(got, `"id":9007199254740993`) || strings.Contains(got, `"isError":true`) {
			t.Errorf("parked does not apply to Dispatch: %s", got)
		}
		if runs["whenparked"].Load() != 0 {
			t.Error("Dispatch ran another client's call")
		}
		s.SetCrashed("boom")
		if got := call("neither"); runs["neither"].Load() != 1 || !strings.Contains(got, "boom") {
			t.Errorf("crashed applies to Dispatch: %s", got)
		}
		s.SetCrashed("")
		must(t, s.Register(plain("later", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, tools.ErrLater })))
		if got := call("later"); !strings.Contains(got, string(refusal.NotSupported)) {
			t.Errorf("later: %s", got)
		}
		must(t, s.Register(plain("bad", nil, func(*tools.Frame, json.RawMessage) (any, error) { panic("oops") })))
		if got := call("bad"); !strings.Contains(got, `"code":"panic"`) {
			t.Errorf("bad: %s", got)
		}
		s.Close()
		<-waits
		if got := call("neither"); !strings.Contains(got, `"code":"closed"`) {
			t.Errorf("closed: %s", got)
		}
	})
}

func TestToolsCallToolsThroughTheirGates(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		bindArche(s, nil)
		flagged(t, s)
		errs := map[string]error{}
		must(t, s.Register(plain("outer", func(t *tools.Tool) { t.WhenCrashed = true }, func(f *tools.Frame, _ json.RawMessage) (any, error) {
			for _, name := range []string{"neither", "offframe", "nothing"} {
				_, errs[name] = f.CallTool(name, nil)
			}
			return f.CallTool("both", nil)
		})))
		succeeded(t, polled(t, s, "outer", ""))
		if errs["neither"] != nil || !errors.Is(errs["offframe"], refusal.NotSupported) || !errors.Is(errs["nothing"], refusal.NotFound) {
			t.Errorf("%v", errs)
		}
		s.SetCrashed("boom")
		succeeded(t, polled(t, s, "outer", ""))
		if !errors.Is(errs["neither"], refusal.Crashed) {
			t.Errorf("crashed: %v", errs["neither"])
		}
	})
}

func TestOnCallSeesEveryCallTwice(t *testing.T) {
	var seen []string
	o := &Options{OnCall: func(r tools.Request, out *Outcome) {
		if out == nil {
			seen = append(seen, r.Name)
			panic("an audit that panics is no reason to fail")
		}
		seen = append(seen, fmt.Sprintf("%s %s %d", r.Name, out.Code, out.Frame))
	}}
	bubble(t, o, func(t *testing.T, s *Server) {
		flagged(t, s)
		succeeded(t, polled(t, s, "destructive", ""))
		s.PollParked("save")
		refusedWith(t, now(t, s, "destructive", ""), refusal.Parked)
		if got, want := fmt.Sprint(seen), "[destructive destructive  2 destructive destructive parked 3]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if l := logsOf(s); !strings.Contains(l, `"tool":"destructive","client":"test","arguments":"","frame":2,"outcome":"ok"`) || !strings.Contains(l, `"outcome":"parked"`) {
			t.Errorf("audit log:\n%s", l)
		}
	})
}
