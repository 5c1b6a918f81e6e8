package buildinfo

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestProcessIsThisOne(t *testing.T) {
	p := Process()
	if p.PID != os.Getpid() || !strings.HasPrefix(p.Go, "go1.") || p.Module == "" {
		t.Errorf("%+v", p)
	}
	if at, err := time.Parse(time.RFC3339Nano, p.StartedAt); err != nil || time.Since(at) < 0 || time.Since(at) > time.Hour {
		t.Errorf("started at %q: %v", p.StartedAt, err)
	}
}

func Example() {
	fmt.Println(Main(), Version("not/linked") == "")
	// Output: github.com/loupe-ecs/loupe true
}
