package schedule

import (
	"bytes"
	"errors"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
)

func TestRunsPhasesInOrderAndSystemsInOrderOfAdding(t *testing.T) {
	s := New("input", "movement", "render")
	var ran []string
	add := func(phase, name string) { s.Add(phase, name, func() { ran = append(ran, name) }) }
	add("render", "draw")
	add("input", "keys")
	add("movement", "steer")
	add("movement", "move")
	s.Run()
	if want := []string{"keys", "steer", "move", "draw"}; !slices.Equal(ran, want) {
		t.Errorf("ran %v, want %v", ran, want)
	}
	ran = nil
	s.Run("render", "no such phase", "input")
	if want := []string{"draw", "keys"}; !slices.Equal(ran, want) {
		t.Errorf("named phases ran %v, want %v", ran, want)
	}
	for i, info := range s.List() {
		if want := []string{"keys", "steer", "move", "draw"}[i]; info.Name != want || info.Position != i {
			t.Errorf("List[%d] = %s at %d, want %s", i, info.Name, info.Position, want)
		}
	}
}

func TestDisabledSystemIsSkippedUntilEnabled(t *testing.T) {
	s := New("p")
	n := 0
	s.Add("p", "count", func() { n++ })
	if err := s.SetEnabled("count", false); err != nil {
		t.Fatal(err)
	}
	s.Run()
	if n != 0 || s.List()[0].Enabled {
		t.Errorf("ran %d times while disabled, enabled %v", n, s.List()[0].Enabled)
	}
	if got := s.History(1).Frames[0].Systems[0]; got != -1 {
		t.Errorf("history gives %v for a system that did not run, want -1", got)
	}
	s.SetEnabled("count", true)
	s.Run()
	if n != 1 || s.List()[0].Runs != 1 {
		t.Errorf("ran %d times after enabling, Runs %d, want 1", n, s.List()[0].Runs)
	}
}

func TestUnknownSystemIsRefusedWithOptions(t *testing.T) {
	s := New("p")
	s.Add("p", "movement", func() {})
	s.Add("p", "combat", func() {})
	err := s.SetEnabled("movment", false)
	var e *ecs.Error
	if !errors.As(err, &e) || e.Code != ecs.NotFound || len(e.Options) == 0 || e.Options[0] != "movement" {
		t.Errorf("SetEnabled(movment) = %#v, want not_found with movement first", err)
	}
}

func TestTimesAreMeasuredPerFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New("p")
		pause := 3 * time.Millisecond
		s.Add("p", "slow", func() { time.Sleep(pause) })
		s.Add("p", "fast", func() { time.Sleep(time.Millisecond) })
		s.Frame(7)
		s.Run()
		s.Run() // a second step of the same frame adds up
		pause = 10 * time.Millisecond
		s.Frame(8)
		s.Run()
		h := s.History(10)
		if len(h.Frames) != 2 || h.Frames[0].Frame != 7 || h.Frames[1].Frame != 8 {
			t.Fatalf("history %+v, want frames 7 and 8", h)
		}
		if got := h.Frames[0].Systems; got[0] != 6*time.Millisecond || got[1] != 2*time.Millisecond {
			t.Errorf("frame 7: %v, want 6 ms and 2 ms", got)
		}
		if got := h.Frames[1].Busy; got != 11*time.Millisecond {
			t.Errorf("frame 8 busy %v, want 11 ms", got)
		}
		info := s.List()[0]
		if info.LastMs != 10 || info.MaxMs != 10 || info.Runs != 3 || info.AvgMs < 5.3 || info.AvgMs > 5.4 {
			t.Errorf("slow: %+v, want last 10, max 10, avg 5.33, 3 runs", info)
		}
	})
}

func TestHistoryKeepsTheLastFramesOnly(t *testing.T) {
	s := New("p")
	s.Add("p", "a", func() {})
	for n := uint64(1); n <= FramesKept+50; n++ {
		s.Frame(n)
		s.Run()
	}
	h := s.History(10_000)
	if len(h.Frames) != FramesKept || h.Frames[0].Frame != 51 || h.Frames[FramesKept-1].Frame != FramesKept+50 {
		t.Errorf("%d frames from %d, want %d from 51", len(h.Frames), h.Frames[0].Frame, FramesKept)
	}
	if got := s.History(3).Frames; len(got) != 3 || got[0].Frame != FramesKept+48 {
		t.Errorf("last three start at %d, want %d", got[0].Frame, FramesKept+48)
	}
	if got := s.History(-1).Frames; len(got) != 0 {
		t.Errorf("History(-1) has %d frames", len(got))
	}
}

func TestPanicIsAttributed(t *testing.T) {
	s := New("p")
	s.Add("p", "fine", func() {})
	boom := true
	s.Add("p", "combat", func() {
		if boom {
			panic("boom")
		}
	})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not reach the host")
			}
			if name, _ := s.Running(); name != "combat" {
				t.Errorf("Running = %q in the recovery, want combat", name)
			}
		}()
		s.Run()
	}()
	boom = false
	s.Run()
	if name, _ := s.Running(); name != "" {
		t.Errorf("Running = %q after a good run, want none", name)
	}
}

// A hang is watched from another goroutine: who runs, since when, and the times
// of the frames before and of the frame that hangs.
func TestHangIsVisibleFromOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New("p")
		release := make(chan struct{})
		s.Add("p", "quick", func() { time.Sleep(time.Millisecond) })
		hang := false
		s.Add("p", "pathfinder", func() {
			if hang {
				<-release
			}
		})
		s.Run()
		hang = true
		done := make(chan struct{})
		go func() { s.Run(); close(done) }()
		time.Sleep(5 * time.Second)
		name, d := s.Running()
		if name != "pathfinder" || d != 5*time.Second-time.Millisecond {
			t.Errorf("Running = %q for %v, want pathfinder for 4.999s", name, d)
		}
		h := s.History(2)
		if f := h.Frames[1]; f.Frame != 2 || f.Systems[0] != time.Millisecond || f.Systems[1] != -1 || f.Busy != time.Millisecond {
			t.Errorf("hung frame %+v, want quick 1 ms and no time yet for pathfinder", f)
		}
		close(release)
		<-done
	})
}

func TestReadersDoNotDisturbTheFrame(t *testing.T) {
	s := New("p")
	for _, n := range []string{"a", "b", "c"} {
		s.Add("p", n, func() {})
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				h := s.History(FramesKept)
				for i := 1; i < len(h.Frames); i++ {
					if h.Frames[i].Frame <= h.Frames[i-1].Frame {
						t.Errorf("frame %d after %d", h.Frames[i].Frame, h.Frames[i-1].Frame)
						return
					}
				}
				s.Running()
			}
		})
	}
	for n := uint64(1); n < 5000; n++ {
		s.Frame(n)
		s.Run()
	}
	close(stop)
	wg.Wait()
}

func TestLabelsNameTheSystem(t *testing.T) {
	s := New("p")
	var during bytes.Buffer
	s.Add("p", "hot", func() { pprof.Lookup("goroutine").WriteTo(&during, 1) })
	s.Run()
	if !strings.Contains(during.String(), `"system":"hot"`) {
		t.Errorf("no label system=hot among the goroutines:\n%s", during.String())
	}
	var after bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&after, 1)
	if strings.Contains(after.String(), `"system":"hot"`) {
		t.Error("the label outlives the system")
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	s := New("p", "q")
	s.Add("p", "a", func() {})
	s.Add("q", "b", func() {})
	n := uint64(0)
	if got := testing.AllocsPerRun(100, func() { n++; s.Frame(n); s.Run(); s.Run("p", "q") }); got != 0 {
		t.Errorf("%v allocations a frame, want 0", got)
	}
}

func TestMistakesInTheSourcePanic(t *testing.T) {
	for name, f := range map[string]func(){
		"phase twice":   func() { New("a", "a") },
		"unknown phase": func() { New("a").Add("b", "x", func() {}) },
		"name taken":    func() { s := New("a"); s.Add("a", "x", func() {}); s.Add("a", "x", func() {}) },
		"no function":   func() { New("a").Add("a", "x", nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkRun(b *testing.B) {
	s := New("p")
	const systems = 20
	for i := range systems {
		s.Add("p", string(rune('a'+i)), func() {})
	}
	b.ReportAllocs()
	n := uint64(0)
	for b.Loop() {
		n++
		s.Frame(n)
		s.Run()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/systems, "ns/system")
}
