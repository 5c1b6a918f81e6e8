//go:build !nomcpdebug

package mcpdebug

import (
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/tools/host"
)

// A tool of a subsystem that the game lacks is no misspelling; before the game
// has said what it provides, nobody knows what it lacks.
func TestToolsOfAbsentSubsystemsAreExplained(t *testing.T) {
	s := New(nil)
	defer s.Close()
	for _, name := range []string{"frame_times", "systems_stop"} {
		got := s.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `"}}`)
		if !strings.Contains(got, `"no_app"`) {
			t.Errorf("before Bind, %s: %s", name, got)
		}
	}
	s.Bind(nil, &host.App{})
	for name, want := range map[string]string{"frame_times": "capabilities", "systems_stop": "systems", "frame_tims": "help lists every tool"} {
		got := s.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `"}}`)
		if !strings.Contains(got, "unknown tool") || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q in it", name, got, want)
		}
	}
}
