package examples

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/client"
)

// Every example takes -addr and -data, says in its first line where it listens,
// shows entities, takes and gives back a snapshot, and ends when it is asked to.
func TestEveryExampleRuns(t *testing.T) {
	for _, name := range []string{"arche", "ark", "game", "headless", "structs"} {
		t.Run(name, func(t *testing.T) {
			exe := filepath.Join(t.TempDir(), name)
			if out, err := exec.Command("go", "build", "-o", exe, "./"+name).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, exe, "-addr", "127.0.0.1:0", "-data", t.TempDir())
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			lines := bufio.NewReader(out)
			first, _ := lines.ReadString('\n')
			url, ok := strings.CutPrefix(strings.TrimSpace(first), "debug server listening at ")
			if !ok {
				t.Fatalf("the first line is %q", first)
			}
			go io.Copy(io.Discard, lines)
			c, err := client.Connect(ctx, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			var q struct {
				Matched  int
				Entities []struct{ Entity string }
			}
			for _, call := range []struct {
				tool, arguments string
				out             any
			}{
				{"query", `{"limit":3}`, &q},
				{"snapshot_save", `{"name":"s"}`, &struct{}{}},
				{"snapshot_load", `{"name":"s"}`, &struct{}{}},
				{"run_lua", `{"code":"local n = 0 for e in world.query{} do n = n + 1 end return n","timeoutMs":1000}`, &struct{}{}},
			} {
				if err := c.Into(ctx, call.tool, json.RawMessage(call.arguments), call.out); err != nil {
					t.Errorf("%s: %v", call.tool, err)
				}
			}
			if q.Matched == 0 || len(q.Entities) == 0 {
				t.Errorf("there are no entities: %+v", q)
			}
			c.Close()
			cmd.Process.Signal(syscall.SIGTERM)
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// A game that is killed leaves its last seconds in a file that opens.
func TestAKilledGameLeavesItsLastSeconds(t *testing.T) {
	exe, data := filepath.Join(t.TempDir(), "game"), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", exe, "./game").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-addr", "127.0.0.1:0", "-data", data)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var file *blackbox.File
	for again := time.NewTicker(100 * time.Millisecond); file == nil || file.Samples == 0; {
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("no file with samples: %+v", file)
		}
		if paths, _ := filepath.Glob(filepath.Join(data, "recordings", "*.loupe")); len(paths) > 0 {
			file, _ = blackbox.Open(paths[0], blackbox.Limits{}) // while it is written on
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	paths, err := filepath.Glob(filepath.Join(data, "recordings", "*.loupe"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%v %v", paths, err)
	}
	after, err := blackbox.Open(paths[0], blackbox.Limits{})
	if err != nil || after.Samples < file.Samples || after.App == "" {
		t.Errorf("%d samples before it was killed, then: %+v, %v", file.Samples, after, err)
	}
}
