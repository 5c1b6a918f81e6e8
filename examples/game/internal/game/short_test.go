package game

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// What an agent reads first is short, and says how to get the rest.
func TestFirstLooksAreShort(t *testing.T) {
	c := connect(t, play(t, Options{Seed: 1}, 10))
	for _, tool := range []struct {
		name string
		most int
	}{{"help", 4 << 10}, {"components_info", 3 << 10}, {"systems_list", 3 << 10}, {"diagnose", 6 << 10}, {"context", 2 << 10}} {
		var raw json.RawMessage
		c.ok(tool.name, obj{}, &raw)
		if len(raw) > tool.most {
			t.Errorf("%s answers %d bytes, more than %d", tool.name, len(raw), tool.most)
		}
	}
	var help struct{ Groups []struct{ Tools []string } }
	c.ok("help", obj{"group": "world"}, &help)
	if len(help.Groups) != 1 || !strings.Contains(help.Groups[0].Tools[0], "(") {
		t.Errorf("help of a group: %v", help)
	}
	if e := c.refused("help", obj{"group": "wrld"}, refusal.NotFound); len(e.Options) == 0 || e.Options[0] != "world" {
		t.Errorf("%v", e)
	}
	var brief, whole struct {
		Systems []struct{ Name, Func, Source, Doc string }
	}
	c.ok("systems_list", obj{}, &brief)
	c.ok("systems_list", obj{"detail": true}, &whole)
	for i, s := range whole.Systems {
		if b := brief.Systems[i]; s.Doc == "" || b.Doc != "" || b.Source != s.Source || b.Func == "" || !strings.HasSuffix(s.Func, "."+b.Func) {
			t.Errorf("brief %+v, with detail %+v", b, s)
		}
	}
}
