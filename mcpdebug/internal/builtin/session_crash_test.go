package builtin

import (
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
)

func stanza(id, state string, funcs ...string) string {
	s := "goroutine " + id + " [" + state + "]:\n"
	for _, f := range funcs {
		s += f + "(0x1)\n\t/src/file.go:12 +0x5\n"
	}
	return s + "\n"
}

// Of all goroutines at a crash those of the game matter, cut to their top.
func TestGoroutinesOfACrash(t *testing.T) {
	deep := []string{"sync.runtime_Semacquire"}
	for range 30 {
		deep = append(deep, "main.recurse")
	}
	dump := stanza("1", "running", "main.update", "main.main") +
		stanza("7", "semacquire", deep...) +
		stanza("20", "select", "net/http.(*persistConn).readLoop") +
		stanza("21", "select", "github.com/loupe-ecs/loupe/mcpdebug.(*Server).watch") +
		stanza("22", "select", "github.com/modelcontextprotocol/go-sdk/mcp.(*x).read")
	for _, id := range []string{"30", "31", "32"} {
		dump += stanza(id, "chan receive", "example.com/arena/assets.(*Loader).wait", "example.com/arena/assets.Load")
	}
	groups := gameStacks(stacks.Parse([]byte(dump)), 1)
	if len(groups) != 2 || groups[0].Count != 3 || !strings.HasSuffix(groups[0].Stack[0].Func, "(*Loader).wait") {
		t.Fatalf("%+v", groups)
	}
	if g := groups[1]; g.IDs[0] != 7 || len(g.Stack) != 8 || g.Stack[0].Func != "sync.runtime_Semacquire" {
		t.Errorf("%+v", g)
	}
}

// What limit cuts off is reached with next.
func TestGoroutinesHavePages(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	for range 2 {
		go func() { <-release }()
	}
	go func() { // another stack: it waits in a select
		select {
		case <-release:
		case <-t.Context().Done():
		}
	}()
	h := tooltest.New(t, goroutinesTool(&hungHost{}))
	seen, cursor := 0, ""
	for {
		out := h.OK("goroutines", tooltest.Obj{"limit": 1, "cursor": cursor})
		seen += len(out["groups"].([]any))
		next, more := out["next"].(string)
		if (out["truncated"] == true) != more || seen > 500 {
			t.Fatalf("after %d groups: truncated %v, next %q", seen, out["truncated"], next)
		}
		if !more {
			if total := int(tooltest.Num(t, out["total"])); total < 2 || seen < total-1 {
				t.Errorf("%d groups on pages of one, %d in all", seen, total)
			}
			return
		}
		cursor = next
	}
}

func TestAHungGameIsSentToGoroutines(t *testing.T) {
	h := tooltest.New(t, crashReportTool(&hungHost{}, past.New(nil)))
	if out := h.OK("crash_report", tooltest.Obj{}); !strings.Contains(out["hint"].(string), "goroutines") || out["stall_report"].(map[string]any)["system"] != "enemy_ai" {
		t.Errorf("%v", out["hint"])
	}
}

type hungHost struct{ offHost }

func (*hungHost) Status() Status                { return Status{State: "stalled", Since: 3 * time.Second} }
func (*hungHost) FrameGoroutine() uint64        { return 0 }
func (*hungHost) Stall() *loop.StallReport      { return &loop.StallReport{System: "enemy_ai", ForMs: 3000} }
func (*hungHost) Crash() *Crash                 { return nil }
func (*hungHost) PreviousCrash() *PreviousCrash { return nil }
