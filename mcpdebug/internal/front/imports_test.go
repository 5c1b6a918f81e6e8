package front

import (
	"os/exec"
	"strings"
	"testing"
)

// The front may know nothing of the server behind it but the loop's words.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{join .Imports \"\\n\"}}", ".").Output()
	if err != nil {
		t.Skip(err)
	}
	for _, line := range strings.Fields(string(out)) {
		if strings.HasPrefix(line, "github.com/loupe-ecs/loupe/") && !strings.HasSuffix(line, "/ecs") && !strings.HasSuffix(line, "/ecs/refusal") && !strings.HasSuffix(line, "/tools") &&
			!strings.Contains(line, "/loupe/internal/") && !strings.HasSuffix(line, "/loop") && !strings.HasSuffix(line, "/internal/tasks") {
			t.Errorf("imports %s", line)
		}
	}
}
