package host

import (
	"math"
	"time"
)

// StepClock is a [Clock] that is ready to use: it makes ticks of the time that
// passes, none while it is paused but those that were asked for. The zero value
// runs 60 ticks a second.
//
//	clock := &host.StepClock{}
//	dbg.Bind(world, &host.App{Name: "arena", Clock: clock})
//
// A game whose loop an engine owns calls, in the engine's update:
//
//	func (g *Game) Update() error { return g.dbg.Turn(g.clock, time.Second/60, g.tick) }
//
// A loop of one's own does the same, or step by step:
//
//	for running {
//		dbg.Poll()
//		dbg.GuardErr(func() error { return clock.Run(passed, tick) })
//		draw()
//		if !clock.Hurry() {
//			waitForTheNextFrame()
//		}
//	}
//
// # Frames and ticks
//
// A frame is what lies between two Polls: frames are counted in Polls, however
// many of them an engine's own frame holds. In one Poll at most one call is
// answered. Ticks that a client asked for (clock_set, run_until) run one a frame,
// so that clients may look between any two of them, and such frames wait for
// nothing: who owns the loop skips the wait while Hurry, who is called by an
// engine polls again within the engine's frame. That is how 300 ticks of a fifth
// of a millisecond are over in a few of the engine's frames instead of 300.
//
// All methods belong to the frame goroutine.
type StepClock struct {
	// Step is a tick's length in the game's own time. Default 1/60 s.
	Step time.Duration
	// CatchUp is how many ticks' time one frame makes up for at most, at speed 1:
	// after a hang the game goes on instead of racing through what it missed.
	// Default 4.
	CatchUp int
	// Slack is how much of an engine's frame goes to ticks that were asked for; the
	// last one begins within it. Default three quarters of Step.
	Slack time.Duration
	// Hold says why no tick can run now: a menu lies above, a level is being
	// loaded, the game is over. Steps are refused with it, time that passes
	// meanwhile is given up. Default: nothing holds the game.
	Hold func() error
	// Number is the number of the last tick, for worlds that count their own, so
	// that it goes back with a snapshot. Default: the clock counts.
	Number func() uint64

	n       uint64
	paused  bool
	scale   float64 // 0: 1
	pending int
	owed    float64 // ticks that passed without being run, -0.5 to 0.5
	hurry   bool
}

// Info implements [Clock].
func (c *StepClock) Info() ClockInfo {
	n := c.n
	if c.Number != nil {
		n = c.Number()
	}
	return ClockInfo{Tick: n, Paused: c.paused, Scale: c.speed(), StepMs: float64(c.step()) / float64(time.Millisecond), Pending: c.pending}
}

// Set implements [Clock].
func (c *StepClock) Set(change ClockChange) error {
	if change.Step > 0 {
		if why := c.Held(); why != nil {
			return why
		}
	}
	if change.Scale != nil {
		c.scale = *change.Scale
	}
	if change.Paused != nil {
		c.paused, c.pending, c.owed = *change.Paused, 0, 0
	}
	if change.Step > 0 {
		c.paused, c.pending, c.owed = true, change.Step, 0
	}
	return nil
}

// Holder is implemented by a Clock that knows what keeps ticks from running beside
// its own pause, so that who waits for ticks is told at once instead of after a
// while without any. [StepClock] does.
type Holder interface {
	// Held is nil while a tick can run. Frame goroutine.
	Held() error
}

// Held implements [Holder].
func (c *StepClock) Held() error {
	if c.Hold == nil {
		return nil
	}
	return c.Hold()
}

// Run runs the ticks of one frame: those that the time makes which has passed
// since the last one, to the nearest whole tick, or one of those that were asked
// for. It ends early when a tick returns an error, which it returns, and when one
// pauses the clock or is followed by something that holds the game. A tick that
// panics counts as run, and none follows it by itself.
func (c *StepClock) Run(passed time.Duration, tick func() error) error {
	c.hurry = false
	if c.Held() != nil {
		c.owed = 0
		return nil
	}
	if c.paused {
		if c.pending == 0 {
			return nil
		}
		c.pending--
		err := c.run(tick)
		c.hurry = err == nil
		return err
	}
	most := c.CatchUp
	if most <= 0 {
		most = 4
	}
	c.owed += min(float64(max(passed, 0))/float64(c.step()), float64(most)) * c.speed()
	n := math.Floor(c.owed + 0.5)
	c.owed -= n
	for range int(n) {
		if err := c.run(tick); err != nil {
			return err
		}
		if c.paused || c.Held() != nil {
			c.owed = 0
			return nil
		}
	}
	return nil
}

func (c *StepClock) run(tick func() error) error {
	c.n++ // a tick sees its own number, as those who look at its end do
	ended := false
	defer func() {
		if !ended {
			c.pending, c.owed = 0, 0
		}
	}()
	err := tick()
	ended = true
	return err
}

// Hurry tells whether the last Run ran a tick that was asked for: whoever asked
// waits for the next Poll, which need not come at its usual time. It tells so
// once, so that a loop whose Run is skipped, in a crash, keeps its pace.
func (c *StepClock) Hurry() bool {
	h := c.hurry
	c.hurry = false
	return h
}

// Spare is how much of an engine's frame goes to ticks that were asked for.
func (c *StepClock) Spare() time.Duration {
	if c.Slack > 0 {
		return c.Slack
	}
	return c.step() * 3 / 4
}

func (c *StepClock) step() time.Duration {
	if c.Step > 0 {
		return c.Step
	}
	return time.Second / 60
}

func (c *StepClock) speed() float64 {
	if c.scale > 0 {
		return c.scale
	}
	return 1
}
