package host

import (
	"errors"
	"testing"
	"time"
)

const second60 = time.Second / 60

// counter is a game that counts its ticks.
type counter struct {
	c     *StepClock
	ticks int
	each  func() error
}

func (g *counter) frame(t *testing.T, passed time.Duration) {
	t.Helper()
	err := g.c.Run(passed, func() error {
		g.ticks++
		if g.each != nil {
			return g.each()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (g *counter) frames(t *testing.T, n int, passed time.Duration) {
	t.Helper()
	for range n {
		g.frame(t, passed)
	}
}

func set(t *testing.T, c *StepClock, change ClockChange) {
	t.Helper()
	if err := c.Set(change); err != nil {
		t.Fatal(err)
	}
}

func TestStepClockMakesTicksOfTime(t *testing.T) {
	for _, c := range []struct {
		name   string
		clock  StepClock
		passed time.Duration
		frames int
		scale  float64
		ticks  int
	}{
		{"one a frame", StepClock{}, second60, 60, 1, 60},
		{"a frame that is a little late or early is one", StepClock{}, second60 - 2*time.Millisecond, 1, 1, 1},
		{"30 ticks in 60 frames", StepClock{Step: time.Second / 30}, second60, 60, 1, 30},
		{"120 ticks in 60 frames", StepClock{Step: time.Second / 120}, second60, 60, 1, 120},
		{"144 frames a second", StepClock{}, time.Second / 144, 144, 1, 60},
		{"a tenth of the speed", StepClock{}, second60, 500, 0.1, 50},
		{"seven and a half times the speed", StepClock{}, second60, 20, 7.5, 150},
		{"sixteen times the speed is not held back by the catching up", StepClock{}, second60, 10, 16, 160},
		{"a hang is made up for by four ticks", StepClock{}, 5 * time.Second, 1, 1, 4},
		{"or as many as the host likes", StepClock{CatchUp: 9}, 5 * time.Second, 1, 1, 9},
		{"a hang at twice the speed", StepClock{}, 5 * time.Second, 1, 2, 8},
		{"time that runs backwards", StepClock{}, -time.Second, 3, 1, 0},
	} {
		g := &counter{c: &c.clock}
		set(t, g.c, ClockChange{Scale: &c.scale})
		g.frames(t, c.frames, c.passed)
		if g.ticks != c.ticks {
			t.Errorf("%s: %d ticks, want %d", c.name, g.ticks, c.ticks)
		}
		if i := g.c.Info(); i.Tick != uint64(c.ticks) || i.Scale != c.scale || i.Paused || i.Pending != 0 || g.c.Hurry() {
			t.Errorf("%s: %+v", c.name, i)
		}
	}
	if i := new(StepClock).Info(); i.Scale != 1 || i.StepMs < 16.66 || i.StepMs > 16.67 || new(StepClock).Spare() != second60*3/4 {
		t.Errorf("of the zero value: %+v", i)
	}
}

func TestStepClockRunsWhatWasAskedForOneAFrame(t *testing.T) {
	g := &counter{c: &StepClock{}}
	g.frames(t, 3, second60)
	set(t, g.c, ClockChange{Step: 3})
	if i := g.c.Info(); !i.Paused || i.Pending != 3 {
		t.Errorf("%+v", i)
	}
	for want := range 3 {
		g.frame(t, 10*second60)
		if i := g.c.Info(); g.ticks != 4+want || i.Pending != 2-want || i.Tick != uint64(4+want) {
			t.Errorf("after %d frames: %d ticks, %+v", want+1, g.ticks, i)
		}
		if !g.c.Hurry() || g.c.Hurry() {
			t.Error("whoever waits for the next tick is not told, or told twice")
		}
	}
	g.frames(t, 5, second60)
	if g.ticks != 6 || g.c.Hurry() {
		t.Errorf("%d ticks after the last that was asked for", g.ticks-6)
	}
	// What passed while it stood still is not made up for.
	set(t, g.c, ClockChange{Paused: new(false)})
	if g.frame(t, second60); g.ticks != 7 {
		t.Errorf("resumed, %d ticks in a frame", g.ticks-6)
	}
	// Pausing and resuming drop what is pending; another step replaces it.
	set(t, g.c, ClockChange{Step: 9})
	set(t, g.c, ClockChange{Step: 2})
	if g.c.Info().Pending != 2 {
		t.Errorf("%+v", g.c.Info())
	}
	set(t, g.c, ClockChange{Paused: new(true)})
	if g.frames(t, 3, second60); g.ticks != 7 || g.c.Info().Pending != 0 {
		t.Errorf("%d ticks, %+v", g.ticks, g.c.Info())
	}
	set(t, g.c, ClockChange{Step: 9, Scale: new(0.5)})
	if g.frames(t, 9, second60); g.ticks != 16 {
		t.Errorf("at half the speed %d of 9 ticks that were asked for", g.ticks-7)
	}
}

func TestStepClockAndAPanickingTick(t *testing.T) {
	g := &counter{c: &StepClock{}}
	g.each = func() error {
		if g.ticks == 2 {
			if i := g.c.Info(); i.Tick != 2 || i.Pending != 8 {
				t.Errorf("the tick sees %+v", i)
			}
			panic("the floor is lava")
		}
		return nil
	}
	set(t, g.c, ClockChange{Step: 10})
	for range 2 {
		func() {
			defer func() { _ = recover() }()
			g.frame(t, second60)
		}()
		if g.ticks == 2 && g.c.Hurry() {
			t.Error("a loop whose game has crashed is hurried")
		}
	}
	if i := g.c.Info(); i.Pending != 0 || !i.Paused || i.Tick != 2 {
		t.Errorf("after the panic %+v", i)
	}
	if g.frames(t, 5, second60); g.ticks != 2 {
		t.Errorf("%d ticks came by themselves after the panic", g.ticks-2)
	}
	// In play the rest of the frame is given up.
	g.each = func() error {
		if g.ticks == 2 {
			panic("again")
		}
		return nil
	}
	g.ticks = 0
	set(t, g.c, ClockChange{Paused: new(false)})
	func() {
		defer func() { _ = recover() }()
		g.frame(t, 4*second60)
	}()
	if g.frame(t, second60); g.ticks != 3 {
		t.Errorf("%d ticks", g.ticks)
	}
}

func TestStepClockIsHeldByTheGame(t *testing.T) {
	menu := errors.New("a menu is open")
	var why error
	g := &counter{c: &StepClock{Hold: func() error { return why }}}
	why = menu
	g.frames(t, 10, second60)
	if g.ticks != 0 || g.c.Held() != menu {
		t.Errorf("%d ticks in a menu", g.ticks)
	}
	before := g.c.Info()
	if err := g.c.Set(ClockChange{Step: 3, Scale: new(2.0), Paused: new(true)}); err != menu || g.c.Info() != before {
		t.Errorf("%v, %+v", err, g.c.Info())
	}
	set(t, g.c, ClockChange{Scale: new(1.0)}) // what needs no tick is possible
	why = nil
	if g.frame(t, second60); g.ticks != 1 {
		t.Errorf("%d ticks in the first frame after the menu", g.ticks)
	}
	// A tick that opens it is the last, of a frame's and of those asked for.
	g.each = func() error { why = menu; return nil }
	if g.frame(t, 4*second60); g.ticks != 2 {
		t.Errorf("%d ticks ran on into the menu", g.ticks-2)
	}
	why = nil
	set(t, g.c, ClockChange{Step: 5})
	if g.frames(t, 10, second60); g.ticks != 3 || g.c.Info().Pending != 4 || g.c.Hurry() {
		t.Errorf("%d ticks, %+v", g.ticks-2, g.c.Info())
	}
}

// A watch holds the clock at the end of a tick.
func TestStepClockPausedByATick(t *testing.T) {
	g := &counter{c: &StepClock{}}
	g.each = func() error {
		if g.ticks%2 == 0 {
			return g.c.Set(ClockChange{Paused: new(true)})
		}
		return nil
	}
	if g.frame(t, 4*second60); g.ticks != 2 || !g.c.Info().Paused {
		t.Errorf("%d ticks in the frame, %+v", g.ticks, g.c.Info())
	}
	set(t, g.c, ClockChange{Step: 100})
	if g.frames(t, 10, second60); g.ticks != 4 || g.c.Info().Pending != 0 {
		t.Errorf("%d ticks, %+v: the pause was overwritten", g.ticks, g.c.Info())
	}
}

func TestStepClockEndsWithTheGame(t *testing.T) {
	over := errors.New("game over")
	for _, step := range []int{0, 5} {
		c := &StepClock{}
		set(t, c, ClockChange{Step: step})
		n := 0
		if err := c.Run(4*second60, func() error { n++; return over }); err != over || n != 1 || c.Hurry() {
			t.Errorf("%v after %d ticks", err, n)
		}
	}
}

// A world that counts its own ticks takes the clock along.
func TestStepClockCountsAsTheWorldDoes(t *testing.T) {
	n := uint64(70)
	c := &StepClock{Number: func() uint64 { return n }}
	if err := c.Run(second60, func() error { n++; return nil }); err != nil || c.Info().Tick != 71 {
		t.Errorf("%v, tick %d", err, c.Info().Tick)
	}
	if n = 12; c.Info().Tick != 12 {
		t.Errorf("tick %d of a world that is back at 12", c.Info().Tick)
	}
}
