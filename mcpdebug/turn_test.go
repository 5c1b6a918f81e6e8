//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// engine owns the loop of a game: it calls update sixty times a second, whatever
// the game would like. A tick takes cost of the time.
type engine struct {
	s      *Server
	w      *arche.World
	clock  *host.StepClock
	cost   time.Duration
	frames int // the engine's
	ticks  int
	onTick func() error
}

const engineFrame = time.Second / 60

func newEngine(s *Server, cost time.Duration) *engine {
	e := &engine{s: s, clock: &host.StepClock{}, cost: cost}
	e.w = bindArche(s, &host.App{Name: "owned", Clock: e.clock})
	return e
}

func (e *engine) tick() error {
	e.ticks++
	time.Sleep(e.cost) // of the bubble's time: the work of a tick
	pos := arche.ComponentID[Position](e.w)
	for q := e.w.Query(arche.All(pos)); q.Next(); {
		(*Position)(q.Get(pos)).Y++
	}
	if e.onTick != nil {
		return e.onTick()
	}
	return nil
}

func (e *engine) frame() error {
	began := time.Now()
	e.frames++
	err := e.s.Turn(e.clock, engineFrame, e.tick)
	time.Sleep(max(0, engineFrame-time.Since(began)))
	return err
}

// until runs the engine until a call is answered.
func (e *engine) until(t *testing.T, tool, args string) (r *tools.Reply, frames int) {
	t.Helper()
	out := ask(context.Background(), e.s, tool, args)
	synctest.Wait()
	for first := e.frames; ; {
		select {
		case r := <-out:
			return r, e.frames - first
		default:
		}
		if e.frames-first > 2000 {
			t.Fatalf("%s was not answered in %d frames of the engine", tool, e.frames-first)
		}
		must(t, e.frame())
		synctest.Wait()
	}
}

// 300 ticks of a fifth of a millisecond take the time of the ticks, not 300 of the
// engine's frames; and none of them goes by unseen.
func TestTicksThatAreWaitedForDoNotWaitForTheEngine(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		e := newEngine(s, 200*time.Microsecond)
		for range 10 {
			must(t, e.frame())
		}
		succeeded(t, first(e.until(t, "clock_set", `{"paused":true}`)))
		held := e.ticks
		began := time.Now()
		r, frames := e.until(t, "run_until", `{"where":"Position.Y < 0","maxTicks":300}`)
		if m := succeeded(t, r); m["reason"] != "maxTicks" || m["ticks"] != 300.0 || e.ticks != held+300 {
			t.Errorf("%v; %d ticks ran", m, e.ticks-held)
		}
		if took := time.Since(began); frames > 6 || took > 110*time.Millisecond {
			t.Errorf("300 ticks of 0.2 ms took %d frames of the engine, %v", frames, took)
		}
		// It stops at the very tick at which the condition holds.
		want := e.ticks + 77
		r, frames = e.until(t, "run_until", `{"where":"Position.Y >= `+strconv.Itoa(want)+`"}`)
		if m := succeeded(t, r); m["matched"] != true || m["ticks"] != 77.0 || e.ticks != want || frames > 3 {
			t.Errorf("%v after %d frames; %d ticks, want %d", m, frames, e.ticks, want)
		}
		r, frames = e.until(t, "clock_set", `{"step":500}`)
		if m := succeeded(t, r); m["ticks"] != 500.0 || e.ticks != want+500 || frames > 10 {
			t.Errorf("%v after %d frames; %d ticks", m, frames, e.ticks-want)
		}
		// Then the engine's pace is the game's again: paused, and in play.
		at := e.ticks
		for range 30 {
			must(t, e.frame())
		}
		if e.ticks != at {
			t.Errorf("%d ticks while paused", e.ticks-at)
		}
		r, _ = e.until(t, "run_until", `{"where":"Position.Y >= `+strconv.Itoa(at+5)+`","pause":false}`)
		succeeded(t, r)
		at = e.ticks
		for range 30 {
			must(t, e.frame())
		}
		if e.ticks != at+30 {
			t.Errorf("%d ticks in 30 frames of play", e.ticks-at)
		}
	})
}

func first(r *tools.Reply, _ int) *tools.Reply { return r }

// However long the ticks are, the engine has its frames: the window lives.
func TestAnEnginesFrameIsNotHeldUp(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		e := newEngine(s, 5*time.Millisecond)
		out := ask(context.Background(), s, "clock_set", `{"step":100}`)
		synctest.Wait()
		for range 30 {
			began, before := time.Now(), e.ticks
			must(t, e.frame())
			if took := time.Since(began); took > engineFrame+e.cost || e.ticks-before > 3 {
				t.Fatalf("a frame of %v with %d ticks", took, e.ticks-before)
			}
			synctest.Wait()
		}
		if len(out) > 0 || e.ticks < 80 {
			t.Errorf("%d ticks in 30 frames", e.ticks)
		}
	})
}

func TestATickThatPanicsUnderAnEngine(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		e := newEngine(s, 0)
		e.onTick = func() error {
			if e.ticks == 40 {
				panic("the floor is lava")
			}
			return nil
		}
		r, frames := e.until(t, "clock_set", `{"step":100}`)
		refusedWith(t, r, refusal.Crashed)
		for range 20 {
			must(t, e.frame())
		}
		if e.ticks != 40 || frames > 3 {
			t.Errorf("%d ticks, crashed in the fortieth; %d frames", e.ticks, frames)
		}
		succeeded(t, first(e.until(t, "clear_crash", "")))
		for range 20 {
			must(t, e.frame())
		}
		if e.ticks != 40 {
			t.Errorf("%d ticks came by themselves after the crash", e.ticks-40)
		}
		if m := succeeded(t, first(e.until(t, "clock_info", ""))); m["paused"] != true || m["pending"] != 0.0 || m["tick"] != 40.0 {
			t.Errorf("%v", m)
		}
	})
}

// What holds the game is told at once, not after many frames without a tick.
func TestStepsEndWhereAMenuOpens(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		e := newEngine(s, 0)
		var menu error
		e.clock.Hold = func() error { return menu }
		e.onTick = func() error {
			if e.ticks%7 == 0 {
				menu = &refusal.Error{Code: refusal.NotRunning, Message: "the shop is open"}
			}
			return nil
		}
		r, frames := e.until(t, "clock_set", `{"step":100}`)
		if m := succeeded(t, r); m["ticks"] != 7.0 || m["pending"] != 0.0 || m["hint"] != "the shop is open; the remaining ticks were dropped" || frames > 2 {
			t.Errorf("%v after %d frames", m, frames)
		}
		if text := refusedWith(t, first(e.until(t, "clock_set", `{"step":1}`)), refusal.NotRunning); text != "the shop is open" {
			t.Errorf("%s", text)
		}
		menu = nil
		r, frames = e.until(t, "run_until", `{"where":"Position.Y < 0"}`)
		if m := succeeded(t, r); m["reason"] != "stopped" || m["ticks"] != 7.0 || m["hint"] != "the shop is open" || frames > 2 {
			t.Errorf("%v after %d frames", m, frames)
		}
	})
}

func TestTurnPassesTheEndOfTheGameOn(t *testing.T) {
	over := errors.New("game over")
	var none *Server
	for _, s := range []*Server{withoutPort(t, nil), none} {
		n := 0
		if err := s.Turn(&host.StepClock{}, 3*engineFrame, func() error { n++; return over }); err != over || n != 1 {
			t.Errorf("%v after %d ticks", err, n)
		}
		clock := &host.StepClock{}
		must(t, clock.Set(host.ClockChange{Step: 4}))
		n = 0
		for range 5 {
			must(t, s.Turn(clock, engineFrame, func() error { n++; return nil }))
		}
		if n != 4 {
			t.Errorf("%d ticks of 4", n)
		}
	}
}

func TestAnIdleTurnAllocatesNothing(t *testing.T) {
	s := withoutPort(t, nil)
	s.Poll()
	clock, tick := &host.StepClock{}, func() error { return nil }
	if n := testing.AllocsPerRun(1000, func() { _ = s.Turn(clock, engineFrame, tick) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
