package schedule

import "github.com/loupe-ecs/loupe/internal/callsite"

// Switch is a system that was switched on or off.
type Switch struct {
	System string
	On     bool
	// Source is where in the game's code: file:line; "" where a client did it.
	Source string
}

// OnSwitch has f told of every system that is switched from now on, in place of
// whoever was told before; nil: nobody. Frame goroutine.
func (s *Schedule) OnSwitch(f func(Switch)) { s.onSwitch = f }

// switched tells of a change. It is called by SetEnabled alone, whose caller it
// names.
func (s *Schedule) switched(sys *system, on bool) {
	if s.onSwitch == nil || s.rehearsal || sys.enabled == on {
		return
	}
	source, _ := callsite.Find()
	s.onSwitch(Switch{sys.name, on, source})
}
