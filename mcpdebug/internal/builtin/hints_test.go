package builtin

import (
	"fmt"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// A slip that leaves little doubt is answered with the call that was meant.
func TestSlipsAreAnsweredWithWhatWasMeant(t *testing.T) {
	h := newWorld(t)
	for _, c := range []struct {
		tool string
		args obj
		hint string
	}{
		{"modify", obj{"where": "Health.HP > 0", "component": "Health", "values": obj{"HP": 1}}, `where belongs into query: {"query":{"where":...}}`},
		{"modify", obj{"with": []string{"Enemy"}, "component": "Health", "values": obj{"HP": 1}}, `with belongs into query: {"query":{"with":...}}`},
		{"info", obj{"entity": "hero"}, `query {"name":"hero"}`},
		{"despawn", obj{"entity": "Hero"}, `query {"name":"Hero"}`},
	} {
		if e := h.refused(c.tool, c.args, refusal.InvalidArguments); !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s %v: hint %q, want %q", c.tool, c.args, e.Hint, c.hint)
		}
	}
	if e := h.refused("info", obj{"entity": "42v"}, refusal.InvalidArguments); strings.Contains(e.Hint, "label") {
		t.Errorf("a mistyped id: hint %q", e.Hint)
	}
}

// An empty answer about a target that does not live says so.
func TestQueryForADeadTarget(t *testing.T) {
	h := newWorld(t)
	hero := h.first(obj{"with": []string{"Player"}})
	if out := h.ok("query", obj{"target": hero}); num(t, out["matched"]) != 3 || out["hint"] != nil {
		t.Errorf("a living target: %v", out)
	}
	h.ok("despawn", obj{"entity": hero})
	for target, want := range map[string]string{hero: "is dead", "999v0": "never lived"} {
		if out := h.ok("query", obj{"target": target}); !strings.Contains(fmt.Sprint(out["hint"]), want) {
			t.Errorf("%s: %v", target, out)
		}
	}
	if out := h.ok("query", obj{"target": hero, "limit": 1}); !strings.Contains(fmt.Sprint(out["hint"]), "goes on pointing") || !strings.Contains(fmt.Sprint(out["hint"]), "cursor") {
		t.Errorf("%v", out["hint"])
	}
}

// A save says what the host keeps out of it, and whether it took a place.
func TestSnapshotSaveSaysWhatIsLeftOut(t *testing.T) {
	h, _, w := snapshotHarness(t)
	w.NewEntity(arche.ComponentID[snapPos](w))
	arche.AddResource(w, &snapScore{7})
	h.app = &tools.App{Snapshots: &tools.Snapshots{Exclude: []string{"snapScore", "builtin.snapPos", "unheardOf"}}}
	out := h.ok("snapshot_save", obj{"name": "first-boss"})
	if fmt.Sprint(out["excluded"]) != "[snapPos snapScore]" || out["replaced"] != nil {
		t.Errorf("%v", out)
	}
	h.app = nil
	if out := h.ok("snapshot_save", obj{"name": "first-boss"}); out["excluded"] != nil || out["replaced"] != true {
		t.Errorf("%v", out)
	}
	if out := h.ok("snapshot_save", obj{"name": "first-boss", "format": "json"}); out["replaced"] != nil {
		t.Errorf("the export takes no place: %v", out)
	}
	for _, call := range []struct{ tool, argument string }{{"snapshot_load", "name"}, {"snapshot_diff", "from"}} {
		e := h.refused(call.tool, obj{call.argument: "frist-bos"}, refusal.NotFound)
		if e.Next != "snapshot_list" || e.Options[0] != "first-boss" {
			t.Errorf("%s: next %q, options %v", call.tool, e.Next, e.Options)
		}
	}
}

func TestProfileStopSaysWhatItReplaces(t *testing.T) {
	h, _ := profileHarness(t)
	for i, want := range []any{nil, true} {
		h.ok("profile_start", obj{"kind": "block"})
		if out := h.ok("profile_stop", obj{}); out["replaced"] != want {
			t.Errorf("stop %d: replaced %v, want %v", i, out["replaced"], want)
		}
	}
	for i, want := range []any{nil, true} {
		if out := h.ok("profile_heap", obj{}); out["replaced"] != want {
			t.Errorf("heap %d: replaced %v, want %v", i, out["replaced"], want)
		}
	}
}
