package mcpdebug_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestBuildWithoutTheServerDependsOnNothing compiles the same API with the tag
// nomcpdebug and looks at what it pulls in.
func TestBuildWithoutTheServerDependsOnNothing(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-tags", "nomcpdebug", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const module = "github.com/loupe-ecs/loupe/"
	for dep := range strings.FieldsSeq(string(out)) {
		if first, _, _ := strings.Cut(dep, "/"); !strings.Contains(first, ".") && first != "vendor" { // of the standard library
			if dep == "net" || dep == "net/http" || dep == "crypto/tls" || dep == "os/exec" {
				t.Errorf("a build without the server links %s", dep)
			}
			continue
		}
		own, ours := strings.CutPrefix(dep, module)
		switch top, _, _ := strings.Cut(own, "/"); {
		case ours && (top == "ecs" || top == "tools" || top == "internal" || own == "mcpdebug" || own == "sandbox/limits"):
		default:
			t.Errorf("a build without the server depends on %s", dep)
		}
	}
}
