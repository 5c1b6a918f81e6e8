//go:build !nomcpdebug

package mcpdebug

import (
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

// A host's own callbacks of its clock panic under Guard, as its ticks do.
func TestAClockThatPanicsUnderAnEngine(t *testing.T) {
	panics := func() { panic("there is no level") }
	for what, spoil := range map[string]func(*host.StepClock){
		"Number": func(c *host.StepClock) { c.Number = func() uint64 { panics(); return 0 } },
		"Hold":   func(c *host.StepClock) { c.Hold = func() error { panics(); return nil } },
	} {
		bubble(t, nil, func(t *testing.T, s *Server) {
			e := newEngine(s, 0)
			must(t, e.frame())
			ran := e.ticks
			spoil(e.clock)
			for range 3 {
				must(t, e.frame())
			}
			if _, crashed := s.Crashed(); !crashed || e.ticks != ran {
				t.Errorf("%s: crashed %v, %d ticks", what, crashed, e.ticks-ran)
			}
			e.clock.Number, e.clock.Hold = nil, nil
			succeeded(t, first(e.until(t, "clear_crash", "")))
			must(t, e.frame())
			if e.ticks <= ran {
				t.Errorf("%s: no tick after the crash was cleared", what)
			}
		})
	}
}

// stuck is a world that is locked for good.
type stuck struct{ ecs.World }

func (stuck) Locked() bool { return true }

// A clear_crash that is refused leaves the clock as it was.
func TestARefusedClearCrashHoldsNoClock(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		w := arche.NewWorld()
		clock := &host.StepClock{}
		s.Bind(stuck{archeworld.New(&w)}, &host.App{Name: "stuck", Clock: clock})
		s.Guard(func() { panic("lava") })
		refusedWith(t, polled(t, s, "clear_crash", `{"unlock":true,"paused":true}`), refusal.NotSupported)
		if _, crashed := s.Crashed(); !crashed || clock.Info().Paused {
			t.Errorf("crashed %v, %+v", crashed, clock.Info())
		}
		if m := succeeded(t, polled(t, s, "clear_crash", `{"paused":true}`)); m["paused"] != true || !clock.Info().Paused {
			t.Errorf("%v, %+v", m, clock.Info())
		}
	})
}
