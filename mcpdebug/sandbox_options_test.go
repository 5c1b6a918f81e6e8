//go:build !nomcpdebug

package mcpdebug

import (
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/tools/host"
)

func TestSandboxLimitsComeFromTheOptions(t *testing.T) {
	w := ecs.NewWorld()
	s := New(&Options{Sandbox: SandboxOptions{SourceBytes: 20, MaxSteps: 1000}, DataDir: t.TempDir()})
	defer s.Close()
	s.Bind(archeworld.New(&w), &host.App{})
	for code, want := range map[string]string{
		"return 1":                 `"values":[1]`,
		"return 1 + 1 + 1 + 1 + 1": "too_large",
		"for i=1,1e6 do end":       "script_timeout",
	} {
		got := s.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_lua","arguments":{"code":"` + code + `"}}}`)
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", code, got, want)
		}
	}
}
