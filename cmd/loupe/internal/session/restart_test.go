package session

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/launch"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/discovery"
	"github.com/loupe-ecs/loupe/snapshot"
)

const patience = 60 * time.Second

// TestAGameIsChangedAndStartedAgain is the way of an agent that edits code.
func TestAGameIsChangedAndStartedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program four times")
	}
	dir, data := project(t), t.TempDir()
	table := New(Options{Root: dir})
	defer table.Close()
	ctx := t.Context()
	s, _, err := table.Start(ctx, launch.Spec{Args: []string{data}}, patience, nil)
	if err != nil {
		t.Fatal(err)
	}
	if used, err := table.Current(); used != s || err != nil {
		t.Errorf("in use: %v %v", used, err)
	}
	first, _ := s.Process()
	hp := func() string {
		t.Helper()
		var r struct {
			Entities []struct {
				Values map[string]any
			}
		}
		if _, err := s.ask(ctx, "query", map[string]any{"select": []string{"Health.HP"}}, &r); err != nil || len(r.Entities) != 1 {
			t.Fatalf("%v %v", r, err)
		}
		return strings.TrimSpace(strings.Trim(jsonOf(r.Entities[0].Values), "{}"))
	}
	for tool, args := range map[string]any{"run_lua": map[string]string{"code": "for e in world.query{with={'Health'}} do e.Health.HP = 77 end"}, "clock_set": map[string]any{"paused": true, "scale": 0.5}} {
		if _, err := s.ask(ctx, tool, args, nil); err != nil {
			t.Fatal(err)
		}
	}

	write(t, dir, "main.go", program("HP int", "undefined()"))
	_, _, err = s.Restart(ctx, true, patience, nil)
	var refused *refusal.Error
	if !errors.As(err, &refused) || refused.Code != refusal.BuildFailed {
		t.Fatalf("a build that fails: %v", err)
	}
	if d := refused.Extra["buildErrors"].([]launch.Diagnostic); len(d) != 1 || d[0].Line != 18 || !strings.Contains(d[0].Text, "undefined") {
		t.Errorf("complaints %+v", d)
	}
	if now, ok := s.Process(); !ok || now != first {
		t.Error("the old game is gone after a build that failed")
	}

	write(t, dir, "main.go", program("HP int; Armor float64", ""))
	took, kept, err := s.Restart(ctx, true, patience, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("took %+v", took)
	if !kept.World || len(kept.NotCarried) != 0 || len(kept.Projected) != 1 {
		t.Errorf("kept %+v", kept)
	} else if p := kept.Projected[0]; p.Field != "Armor" || p.Change != "added" {
		t.Errorf("projected %+v", snapshot.Projection(p))
	}
	if now, ok := s.Process(); !ok || now.PID == first.PID {
		t.Errorf("process %+v", now)
	}
	if got := hp(); got != `"Health.HP":77` {
		t.Errorf("the world has %s", got)
	}
	var c clock
	if _, err := s.ask(ctx, "clock_info", none{}, &c); err != nil || c != (clock{true, 0.5}) {
		t.Errorf("the clock is %+v, %v", c, err)
	}

	write(t, dir, "main.go", program("HP int", `println("no levels"); os.Exit(3)`))
	_, _, err = s.Restart(ctx, true, patience, nil)
	if !errors.As(err, &refused) || !strings.Contains(refused.Message, "exit status 3") || !strings.Contains(strings.Join(refused.Extra["output"].([]string), " "), "no levels") {
		t.Errorf("a program that ends at once: %v", err)
	}
	if err := s.Ready(); !errors.Is(err, refusal.NoSession) {
		t.Errorf("after it: %v", err)
	}
	if _, err := s.Stop(patience); !errors.Is(err, refusal.NotRunning) {
		t.Errorf("stopped after its end: %v", err)
	}
	if list := discovery.List(); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
}

// TestSoakRestarts restarts a game two hundred times and looks for what is left.
func TestSoakRestarts(t *testing.T) {
	if os.Getenv("LOUPE_SOAK") == "" {
		t.Skip("set LOUPE_SOAK=1")
	}
	dir, data := project(t), t.TempDir()
	table := New(Options{Root: dir})
	defer table.Close()
	s, _, err := table.Start(context.Background(), launch.Spec{Args: []string{data}}, patience, nil)
	if err != nil {
		t.Fatal(err)
	}
	var before resources
	for i := range 200 {
		took, kept, err := s.Restart(context.Background(), true, patience, nil)
		if err != nil || !kept.World {
			t.Fatalf("restart %d: %+v %v", i, kept, err)
		}
		if i == 10 {
			before = measure(t, table.dir)
			t.Logf("%+v, took %+v", before, took)
		}
	}
	if after := measure(t, table.dir); after.goroutines > before.goroutines+2 || after.files > before.files+2 || after.builds != before.builds || after.children != before.children {
		t.Errorf("before %+v, after 190 more %+v", before, after)
	}
}
