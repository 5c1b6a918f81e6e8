//go:build !nomcpdebug

package mcpdebug

import (
	"strings"
	"testing"
)

// What a client may not call it does not read by another way either, and is
// not told of.
func TestDeniedToolsTakeTheirDocumentsAlong(t *testing.T) {
	s := New(&Options{Deny: []string{"get_logs", "script"}, DataDir: t.TempDir()})
	defer s.Close()
	for call, absent := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`:                                     "ecs://log",
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ecs://tools"}}`:      "get_logs(",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"help","arguments":{}}}`: `"run_lua"`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:                                         `"get_logs"`,
	} {
		got := s.Dispatch(call)
		if strings.Contains(got, absent) || !strings.Contains(got, "result") || !strings.Contains(got, "ping") && !strings.Contains(got, "ecs://crash") {
			t.Errorf("%s: %s is among %.400s", call, absent, got)
		}
	}
	got := s.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ecs://log"}}`)
	if !strings.Contains(got, "error") {
		t.Errorf("ecs://log can be read: %s", got)
	}
	if got := s.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ecs://crash"}}`); strings.Contains(got, `"error":{"code":-`) {
		t.Errorf("ecs://crash cannot be read: %s", got)
	}
}
