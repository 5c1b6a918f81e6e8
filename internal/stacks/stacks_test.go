package stacks

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

const crashReport = `fatal error: concurrent map writes

goroutine 18 gp=0xc000102c40 m=3 mp=0xc000100008 [running]:
runtime.fatal({0x4b2f2c?, 0x0?})
	/go/src/runtime/panic.go:1053 +0x18
internal/runtime/maps.fatal({0x4b2f2c?, 0xc000012120?})
	/go/src/runtime/panic.go:1046 +0x18
main.(*board).write(0xc000012120, {0x1, 0x2})
	/game/board.go:41 +0x3b
created by main.main in goroutine 1
	/game/main.go:12 +0x5c

goroutine 1 [chan receive, 5 minutes, locked to thread]:
main.main()
	/game/main.go:20 +0x9f
`

func TestParseReadsARuntimeReport(t *testing.T) {
	gs := Parse([]byte(crashReport))
	if len(gs) != 2 {
		t.Fatalf("%d goroutines, want 2: %+v", len(gs), gs)
	}
	if g := gs[0]; g.ID != 18 || g.State != "running" || len(g.Frames) != 3 || g.CreatedBy.Func != "main.main" || g.CreatedBy.Line != 12 {
		t.Errorf("first goroutine: %+v", g)
	}
	if f := gs[0].Frames[2]; f != (Frame{"main.(*board).write", "/game/board.go", 41}) {
		t.Errorf("frame: %+v", f)
	}
	if g := gs[1]; g.ID != 1 || g.State != "chan receive" || g.Waiting != "5 minutes" {
		t.Errorf("second goroutine: %+v", g)
	}
	reason, frames := Fatal([]byte(crashReport))
	if reason != "fatal error: concurrent map writes" || len(frames) != 1 || frames[0].Line != 41 {
		t.Errorf("reason %q, frames %v", reason, frames)
	}
}

func TestCurrentIDIsFoundInADumpOfAll(t *testing.T) {
	id := CurrentID()
	g, ok := Find(Parse(All()), id)
	if !ok || !strings.Contains(g.Text, "TestCurrentIDIsFoundInADumpOfAll") {
		t.Fatalf("goroutine %d: %v %q", id, ok, g.Text)
	}
}

func TestTrimPanicBeginsWithWhoPanicked(t *testing.T) {
	var frames []Frame
	func() {
		defer func() {
			recover()
			g, _ := Find(Parse(All()), CurrentID())
			frames = TrimPanic(g.Frames)
		}()
		blowUp(nil)
	}()
	if len(frames) == 0 || !strings.HasSuffix(frames[0].Func, "stacks.blowUp") {
		t.Fatalf("frames begin with %v", frames)
	}
}

//go:noinline
func blowUp(p *int) int { return *p }

func TestGroupByPutsTheFrameGoroutineFirst(t *testing.T) {
	stop, ready := make(chan struct{}), make(chan struct{})
	defer close(stop)
	for range 5 {
		go func() { ready <- struct{}{}; <-stop }()
	}
	for range 5 {
		<-ready
	}
	me := CurrentID()
	var groups []Group
	for start := time.Now(); time.Since(start) < 10*time.Second; runtime.Gosched() {
		groups = GroupBy(Parse(All()), me)
		if len(groups[0].IDs) != 1 || groups[0].IDs[0] != me {
			t.Fatalf("first group: %+v", groups[0])
		}
		for _, g := range groups[1:] {
			if len(g.IDs) == 5 {
				return
			}
		}
	}
	t.Errorf("the waiting goroutines, which have all that time to reach the receive, are no group: %+v", groups)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(crashReport))
	f.Add(All())
	f.Add([]byte("goroutine 1 [\n\t:\n"))
	f.Add([]byte("goroutine 1 [running]:\n(()\n\tx:1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, g := range Parse(b) {
			for _, fr := range g.Frames {
				if fr.Line < 0 || fr.File == "" {
					t.Fatalf("frame %+v", fr)
				}
			}
		}
		GroupBy(Parse(b), 1)
		Fatal(b)
	})
}

func Example() {
	gs := Parse([]byte("goroutine 7 [chan receive, 2 minutes]:\nmain.work(0xc0)\n\t/game/work.go:12 +0x1d\n"))
	fmt.Println(gs[0].ID, gs[0].State, gs[0].Waiting, gs[0].Frames[0])
	// Output: 7 chan receive 2 minutes {main.work /game/work.go 12}
}
