package builtin

import (
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/internal/stacks"
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
