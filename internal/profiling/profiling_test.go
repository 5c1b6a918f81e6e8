package profiling

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/pprof/profile"
)

// sample builds a profile by hand: main.update calls main.inner, half of it in
// the system "movement".
func sample() *profile.Profile {
	fn := func(id uint64, name string) *profile.Function {
		return &profile.Function{ID: id, Name: name, Filename: "game.go"}
	}
	main, update, inner, inlined := fn(1, "main.main"), fn(2, "main.update"), fn(3, "main.inner"), fn(4, "main.inlined")
	loc := func(id uint64, fs ...*profile.Function) *profile.Location {
		l := &profile.Location{ID: id}
		for _, f := range fs {
			l.Line = append(l.Line, profile.Line{Function: f, Line: int64(10 * f.ID)})
		}
		return l
	}
	lmain, lupdate, linner := loc(1, main), loc(2, update), loc(3, inlined, inner)
	return &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Function:   []*profile.Function{main, update, inner, inlined},
		Location:   []*profile.Location{lmain, lupdate, linner},
		Sample: []*profile.Sample{
			{Location: []*profile.Location{linner, lupdate, lmain}, Value: []int64{3, 30e6}, Label: map[string][]string{SystemLabel: {"movement"}}},
			{Location: []*profile.Location{lupdate, lmain}, Value: []int64{1, 10e6}},
		},
	}
}

func TestTopCountsTheInnermostInlinedCallAsFlat(t *testing.T) {
	top := Top(sample(), 1, 10)
	want := []Func{
		{"main.inlined", "game.go", 40, 30e6, 30e6},
		{"main.update", "game.go", 20, 10e6, 40e6},
		{"main.main", "game.go", 10, 0, 40e6},
		{"main.inner", "game.go", 30, 0, 30e6},
	}
	if len(top) != len(want) {
		t.Fatalf("got %d functions: %+v", len(top), top)
	}
	for i := range want {
		if top[i] != want[i] {
			t.Errorf("row %d: got %+v, want %+v", i, top[i], want[i])
		}
	}
}

func TestCallersSayWhoBringsTheTime(t *testing.T) {
	got := Callers(sample(), 1, []string{"main.inlined", "main.update", "main.main", "main.absent"}, 2)
	want := map[string][]Caller{"main.inlined": {{"main.inner", 30e6}}, "main.update": {{"main.main", 40e6}}, "main.main": {{Root, 40e6}}, "main.absent": nil}
	for name, callers := range want {
		if !slices.Equal(got[name], callers) {
			t.Errorf("callers of %s: %v, want %v", name, got[name], callers)
		}
	}
	// A function that calls itself brings its time once, from outside.
	p := sample()
	p.Sample = p.Sample[:1]
	p.Sample[0].Location = append([]*profile.Location{p.Sample[0].Location[1]}, p.Sample[0].Location[1:]...)
	if c := Callers(p, 1, []string{"main.update"}, 5)["main.update"]; !slices.Equal(c, []Caller{{"main.main", 30e6}}) {
		t.Errorf("of a recursion: %v", c)
	}
}

func TestBySystemGathersTheRestUnderNoName(t *testing.T) {
	got := BySystem(sample(), 1)
	if len(got) != 2 || got[0] != (Share{"movement", 30e6}) || got[1] != (Share{"", 10e6}) {
		t.Errorf("got %+v", got)
	}
}

func TestCollapsedStacksAreRootFirst(t *testing.T) {
	var b bytes.Buffer
	if err := WriteCollapsed(&b, sample(), 0); err != nil {
		t.Fatal(err)
	}
	want := "main.main;main.update 1\nmain.main;main.update;main.inner;main.inlined 3\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestCPUProfileOfSomebodyElseIsAConflictAndGoesOn(t *testing.T) {
	var own bytes.Buffer
	if err := pprof.StartCPUProfile(&own); err != nil {
		t.Skip("the test binary is being profiled: ", err)
	}
	var s Sessions
	if _, err := s.Start(CPU, ""); !errors.Is(err, ErrInUse) {
		t.Fatalf("got %v, want ErrInUse", err)
	}
	if _, err := s.Stop(); !errors.Is(err, ErrNotRunning) {
		t.Fatalf("got %v, want ErrNotRunning", err)
	}
	pprof.StopCPUProfile()
	if own.Len() == 0 {
		t.Error("the game's own profile was ended")
	}
}

func TestSessionStopsOnceAndCanBeKept(t *testing.T) {
	var s Sessions
	if _, err := s.Start(CPU, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(CPU, ""); !errors.Is(err, ErrRunning) {
		t.Fatalf("second start: %v", err)
	}
	r, err := s.Stop()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stop(); !errors.Is(err, ErrNotRunning) {
		t.Fatalf("second stop: %v", err)
	}
	s.Keep(r)
	if again, err := s.Stop(); err != nil || again != r {
		t.Fatalf("kept recording: %v %v", again, err)
	}
}

func TestForgottenSessionEndsAtItsLimit(t *testing.T) {
	defer func(f func(w io.Writer) error) { startCPU = f }(startCPU)
	startCPU = func(w io.Writer) error { return sample().Write(w) }
	synctest.Test(t, func(t *testing.T) {
		var s Sessions
		if _, err := s.Start(CPU, "movement"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(MaxDuration + time.Second) // fake time
		if _, _, running := s.Running(); running {
			t.Fatal("still running")
		}
		r, err := s.Stop()
		if err != nil || !r.Limited || r.Duration != MaxDuration {
			t.Fatalf("got %+v, %v", r, err)
		}
		if n := Total(r.Profile, 0); n != 3 {
			t.Errorf("narrowed to the system: %d samples, want 3", n)
		}
	})
}

func TestMutexFractionIsPutBack(t *testing.T) {
	runtime.SetMutexProfileFraction(7)
	defer runtime.SetMutexProfileFraction(0)
	var s Sessions
	if _, err := s.Start(Mutex, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := runtime.SetMutexProfileFraction(-1); got != 7 {
		t.Errorf("fraction is %d afterwards, want 7", got)
	}
}

var sink [][]byte

//go:noinline
func allocateForTheHeapTest(n int) {
	for range n {
		sink = append(sink, make([]byte, 1<<20))
	}
}

func TestHeapTellsWhatGrew(t *testing.T) {
	var h Heap
	if _, grown, err := h.Read(); err != nil || grown != nil {
		t.Fatalf("first: %v %v", grown, err)
	}
	allocateForTheHeapTest(20)
	_, grown, err := h.Read()
	sink = nil
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Top(grown, ValueIndex(grown, "alloc_space"), 5) {
		if strings.HasSuffix(f.Name, "allocateForTheHeapTest") && f.Cum >= 15<<20 {
			return
		}
	}
	t.Errorf("the function that allocated 20 MB is not among the top: %+v", Top(grown, ValueIndex(grown, "alloc_space"), 5))
}
