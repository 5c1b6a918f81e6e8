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
		switch strings.TrimPrefix(dep, module) {
		case "ecs", "ecs/refusal", "ecs/value", "ecs/schedule", "tools", "mcpdebug":
		default:
			if strings.HasPrefix(dep, module+"internal/") {
				continue
			}
			t.Errorf("a build without the server depends on %s", dep)
		}
	}
}
