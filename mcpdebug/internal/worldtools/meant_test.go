package worldtools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
)

// A slip that leaves little doubt is answered with the call that was meant.
func TestSlipsAreAnsweredWithWhatWasMeant(t *testing.T) {
	h := newWorld(t)
	for _, c := range []struct {
		tool string
		args tooltest.Obj
		hint string
	}{
		{"modify", tooltest.Obj{"where": "Health.HP > 0", "component": "Health", "values": tooltest.Obj{"HP": 1}}, `where belongs into query: {"query":{"where":...}}`},
		{"modify", tooltest.Obj{"with": []string{"Enemy"}, "component": "Health", "values": tooltest.Obj{"HP": 1}}, `with belongs into query: {"query":{"with":...}}`},
		{"info", tooltest.Obj{"entity": "hero"}, `query {"name":"hero"}`},
		{"despawn", tooltest.Obj{"entity": "Hero"}, `query {"name":"Hero"}`},
	} {
		if e := h.Refused(c.tool, c.args, refusal.InvalidArguments); !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s %v: hint %q, want %q", c.tool, c.args, e.Hint, c.hint)
		}
	}
	if e := h.Refused("info", tooltest.Obj{"entity": "42v"}, refusal.InvalidArguments); strings.Contains(e.Hint, "label") {
		t.Errorf("a mistyped id: hint %q", e.Hint)
	}
}

// An empty answer about a target that does not live says so.
func TestQueryForADeadTarget(t *testing.T) {
	h := newWorld(t)
	hero := h.First(tooltest.Obj{"with": []string{"Player"}})
	if out := h.OK("query", tooltest.Obj{"target": hero}); tooltest.Num(t, out["matched"]) != 3 || out["hint"] != nil {
		t.Errorf("a living target: %v", out)
	}
	h.OK("despawn", tooltest.Obj{"entity": hero})
	for target, want := range map[string]string{hero: "is dead", "999v0": "never lived"} {
		if out := h.OK("query", tooltest.Obj{"target": target}); !strings.Contains(fmt.Sprint(out["hint"]), want) {
			t.Errorf("%s: %v", target, out)
		}
	}
	if out := h.OK("query", tooltest.Obj{"target": hero, "limit": 1}); !strings.Contains(fmt.Sprint(out["hint"]), "goes on pointing") || !strings.Contains(fmt.Sprint(out["hint"]), "cursor") {
		t.Errorf("%v", out["hint"])
	}
}
