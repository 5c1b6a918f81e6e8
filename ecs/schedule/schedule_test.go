package schedule

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
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
	var e *refusal.Error
	if !errors.As(err, &e) || e.Code != refusal.NotFound || len(e.Options) == 0 || e.Options[0] != "movement" {
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

func TestHookStandsBetweenSystems(t *testing.T) {
	s := New("a", "b")
	var seen []string
	for _, n := range []string{"one", "two", "off", "three"} {
		phase := "a"
		if n == "three" {
			phase = "b"
		}
		s.Add(phase, n, func() { seen = append(seen, n) })
	}
	s.SetEnabled("off", false)
	hook := func(done, next string) bool { seen = append(seen, done+">"+next); return false }
	if s.Observe(hook) != nil {
		t.Error("there was a hook before the first")
	}
	s.Run()
	s.Run("b")
	if want := []string{">one", "one", "one>two", "two", "two>three", "three", "three>", ">three", "three", "three>"}; !slices.Equal(seen, want) {
		t.Errorf("seen %q, want %q", seen, want)
	}
	if s.Observe(nil) == nil {
		t.Error("Observe does not give the old hook back")
	}
	seen = nil
	s.Run()
	if want := []string{"one", "two", "three"}; !slices.Equal(seen, want) {
		t.Errorf("seen %q without a hook, want %q", seen, want)
	}
}

// What a hook does is neither a system's time nor the frame's.
func TestHookBelongsToNoSystemsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New("p")
		s.Add("p", "a", func() { time.Sleep(time.Millisecond) })
		s.Add("p", "b", func() { time.Sleep(2 * time.Millisecond) })
		s.Observe(func(_, _ string) bool { time.Sleep(time.Second); return true })
		s.Run()
		f := s.History(1).Frames[0]
		if f.Busy != 3*time.Millisecond || f.Systems[0] != time.Millisecond || f.Systems[1] != 2*time.Millisecond {
			t.Errorf("frame %+v, want 1 ms and 2 ms and nothing of the hook", f)
		}
	})
}

func TestRehearsalLeavesNoTimes(t *testing.T) {
	s := New("p")
	n := 0
	s.Add("p", "a", func() { n++ })
	s.Frame(7)
	s.Run()
	before, list := s.History(10), s.List()
	s.Rehearse(true)
	s.Frame(8)
	s.Run()
	s.Run()
	s.Rehearse(false)
	if after := s.History(10); len(after.Frames) != len(before.Frames) || after.Frames[0].Busy != before.Frames[0].Busy {
		t.Errorf("history %+v after a rehearsal, want %+v", after, before)
	}
	if got := s.List()[0]; got.Runs != 1 || got.LastMs != list[0].LastMs || n != 3 {
		t.Errorf("%d runs counted and %d run, want 1 and 3", got.Runs, n)
	}
}

type mover struct{ x int }

func (m *mover) long() {
	for i := range 100 {
		m.x += i * m.x
		runtime.KeepAlive(m)
	}
}

func (m *mover) short() { m.x++ }

//go:noinline
func (m *mover) far() {
	m.long()
}

func plain() {}

// Systems are mostly method values, whose wrapper has no place in the source.
func TestSystemsNameTheirSource(t *testing.T) {
	s := New("p")
	m := &mover{}
	s.Add("p", "long", m.long)
	s.Add("p", "far", m.far)
	s.Add("p", "short", m.short)
	s.Add("p", "plain", plain)
	s.Add("p", "literal", func() { m.x++ })
	src, err := os.ReadFile("schedule_test.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(src), "\n")
	for i, want := range []struct{ fn, text string }{{"schedule.(*mover).long", "range 100"}, {"schedule.(*mover).far", "m.long()"}, {"schedule.(*mover).short", "short() {"},
		{"schedule.plain", "func plain()"}, {"schedule.TestSystemsNameTheirSource.func1", `"literal"`}} {
		info := s.List()[i]
		if !strings.HasSuffix(info.Func, want.fn) {
			t.Errorf("%s: function %q, want %q", info.Name, info.Func, want.fn)
		}
		var n int
		if _, err := fmt.Sscanf(info.Source, "schedule/schedule_test.go:%d", &n); err != nil || n < 1 || n > len(lines) || !strings.Contains(lines[n-1], want.text) {
			t.Errorf("%s: source %q is not the line with %q", info.Name, info.Source, want.text)
		}
	}
}

func TestASystemTellsWhereItIs(t *testing.T) {
	s := New("update")
	fail := true
	s.Add("update", "combat", func() {
		if fail {
			s.At(value.Entity{ID: 7, Gen: 3})
		}
		panic("lost")
	})
	run := func() {
		defer func() { _ = recover() }()
		s.Run()
	}
	s.At(value.Entity{ID: 1}) // of no system
	if e, ok := s.Visiting(); ok {
		t.Errorf("before anything ran: %v", e)
	}
	run()
	if e, ok := s.Visiting(); !ok || e.String() != "7v3" {
		t.Errorf("after the panic: %v %v, want 7v3", e, ok)
	}
	fail = false
	run()
	if e, ok := s.Visiting(); ok {
		t.Errorf("the run before is told: %v", e)
	}
}

func TestWhoSwitchesASystemIsTold(t *testing.T) {
	s := New("update")
	s.Add("update", "combat", func() {})
	var told []string
	s.OnSwitch(func(w Switch) { told = append(told, fmt.Sprint(w.System, " ", w.On, " ", w.Source)) })
	for _, on := range []bool{true, false, false} {
		if err := s.SetEnabled("combat", on); err != nil {
			t.Fatal(err)
		}
	}
	s.Rehearse(true)
	_ = s.SetEnabled("combat", true)
	s.Rehearse(false)
	if len(told) != 1 || !strings.HasPrefix(told[0], "combat false schedule/schedule_test.go:") {
		t.Errorf("told %q, want the one change with its place", told)
	}
}
