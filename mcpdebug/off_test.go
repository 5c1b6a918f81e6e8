package mcpdebug_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestBuildWithoutTheServerDependsOnNothing compiles the same API with the tag
// nomcpdebug and looks at what it pulls in.
func TestBuildWithoutTheServerDependsOnNothing(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-tags", "nomcpdebug", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const module = "github.com/loupe-ecs/loupe/"
	for dep := range strings.FieldsSeq(string(out)) {
		own, ours := strings.CutPrefix(dep, module)
		switch top, _, _ := strings.Cut(own, "/"); {
		case ours && (top == "ecs" || top == "tools" || top == "internal" || own == "mcpdebug"):
		default:
			t.Errorf("a build without the server depends on %s", dep)
		}
	}
}
