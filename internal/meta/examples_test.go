package meta

import (
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryPublicPackageHasAManualAndAnExample: a doc.go, and at least one
// Example whose output is checked.
func TestEveryPublicPackageHasAManualAndAnExample(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, pkg := range []string{"ecs/refusal", "ecs/value", "ecs/value/layout", "ecs", "ecs/query", "ecs/schedule", "ecs/archeworld", "ecs/arkworld", "ecs/imageworld", "ecs/ecstest", "snapshot", "timeline", "timeline/blame", "timeline/replay", "timeline/watch", "sandbox", "sandbox/limits", "tools", "tools/text", "mcpdebug", "mcpdebug/runner", "client"} {
		dir := filepath.Join(root, filepath.FromSlash(pkg))
		text, err := os.ReadFile(filepath.Join(dir, "doc.go"))
		if err != nil {
			t.Errorf("%s has no doc.go", pkg)
		} else if !strings.Contains(string(text), "//\t") {
			t.Errorf("%s: doc.go has no snippet to paste", pkg)
		}
		found := false
		tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range tests {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range doc.Examples(f) {
				found = found || e.Output != ""
			}
		}
		if !found {
			t.Errorf("%s has no Example with an output", pkg)
		}
	}
}
