//go:build !nomcpdebug

package mcpdebug

import (
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Whoever writes a script finds what Lua can do here: in help, in a resource,
// and named where a script fails.
func TestScriptsHaveAManual(t *testing.T) {
	o := &Options{Components: ComponentOptions{Scheme: "arena"}}
	o.Sandbox.Changes = 77
	bubble(t, o, func(t *testing.T, s *Server) {
		bindArche(s, nil)
		help, _ := succeeded(t, now(t, s, "help", `{"tool":"run_lua"}`))["tool"].(map[string]any)
		text, _ := help["manual"].(string)
		if !strings.Contains(text, "world.query{") || !strings.Contains(text, "changes: 77") {
			t.Errorf("help: %v", help["manual"])
		}
		if d, _ := help["description"].(string); len(d) > 180 || !strings.Contains(d, "help run_lua") {
			t.Errorf("description %q", d)
		}
		p, _, ok := s.registry.Resource("arena://lua")
		if !ok {
			t.Fatal("no arena://lua")
		}
		if c, err := p.Document(t.Context(), s.registry, "arena://lua"); err != nil || len(c) != 1 || c[0].Text != text {
			t.Errorf("%v %v", c, err)
		}
		for _, code := range []string{`world.entity('99v0').Health.HP = 1`, `for for`} {
			if text := refusedWith(t, polled(t, s, "run_lua", `{"code":"`+code+`"}`), refusal.ScriptError); !strings.Contains(text, "arena://lua") {
				t.Errorf("%s: %s", code, text)
			}
		}
	})
}
