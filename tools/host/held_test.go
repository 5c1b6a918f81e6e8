package host

import "testing"

type heldClock struct{ ClockInfo }

func (c *heldClock) Info() ClockInfo       { return c.ClockInfo }
func (c *heldClock) Set(ClockChange) error { return nil }

type heldStates struct {
	StateLog
	stack []string
}

func (s *heldStates) Stack() []string        { return s.stack }
func (s *heldStates) Names() []string        { return nil }
func (s *heldStates) Push(name string) error { s.stack = append(s.stack, name); return nil }
func (s *heldStates) Pop() error             { return nil }

func TestWhatHoldsTheTimeIsNamedWhileItDoes(t *testing.T) {
	c := &heldClock{ClockInfo{Tick: 7}}
	a := &App{Clock: c}
	is := func(when, by string, since uint64, client string) {
		t.Helper()
		h := HeldOf(a)
		switch {
		case by == "" && h != nil:
			t.Errorf("%s: held by %+v, want that time passes", when, *h)
		case by != "" && (h == nil || h.By != by || h.SinceTick != since || h.Client != client):
			t.Errorf("%s: %+v, want %s since %d", when, h, by, since)
		}
	}
	is("at first", "", 0, "")
	c.Paused = true
	is("the game paused", "clock paused", 7, "")
	a.HeldBy("call clock_set", "agent")
	is("a client paused", "call clock_set", 7, "agent")
	c.Tick = 3 // a snapshot was loaded
	a.StillHeld()
	is("another tick, no time", "call clock_set", 3, "agent")
	c.Tick = 4 // the game stepped by itself
	is("time has passed since", "clock paused", 4, "")
	c.Paused = false
	is("it goes on", "", 0, "")
	c.Paused, c.Tick = true, 3
	is("paused again by the game", "clock paused", 3, "")
	a.HeldBy("watch w1", "")
	s := &heldStates{stack: []string{"playing", "paused"}}
	s.Note(2, "push", "paused")
	a.States = s
	is("a state above it", "state paused", 2, "")
}
