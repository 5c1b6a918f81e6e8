package watch

import (
	"fmt"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Between is the [schedule.Hook] of a Set: what has changed since the last look
// is the work of the system that has just run.
func (s *Set) Between(done, next string) (long bool) {
	for _, x := range s.bySystem {
		changed := false
		if x.kind == plainKind {
			changed = x.changed(s.world, s.loc)
		} else {
			changed, long = s.differs(x), true
		}
		if changed {
			s.settle(x, s.author(done))
			long = true
		}
	}
	if done != "" {
		s.operation = "" // a tick runs: the host is suspended in nothing
	}
	return long
}

// author is who runs between the last look and now; outside systems if nobody is
// known.
func (s *Set) author(system string) Author {
	a := Author{System: system}
	if system == "" {
		a.System, a.During = Outside, s.operation
	}
	return a
}

// EndTick is for a host that says when a tick has ended.
func (s *Set) EndTick(frame uint64, w ecs.World, app *host.App) {
	s.frame = frame
	s.bind(w, app)
	s.look(s.author(""))
	s.publish(true)
}

// AtPoll looks at the end of the game's frame, before any call.
func (s *Set) AtPoll(frame uint64, w ecs.World, app *host.App, operation string) {
	s.frame = frame
	s.bind(w, app)
	who := s.author("")
	if app.Times() != nil {
		// A system that panicked has no boundary after it.
		if name, _ := app.Times().Running(); name != "" {
			who = Author{System: name}
		}
	}
	if operation != "" {
		who.During = operation
	}
	s.look(who)
	s.operation = operation
	s.publish(false)
}

// BeforeCall looks before a client's call, so that what it changes is told from
// what was changed before.
func (s *Set) BeforeCall(spec *tools.Spec, r *tools.Request) {
	s.look(s.caller())
	s.calls = append(s.calls, call{spec.Name, r.Client})
}

// AfterCall looks at what a client's call has changed.
func (s *Set) AfterCall(*tools.Spec, *tools.Request, error) {
	if len(s.calls) == 0 {
		return // it made the first watch
	}
	s.look(s.caller())
	s.calls = s.calls[:len(s.calls)-1]
	if len(s.calls) == 0 {
		s.publish(false)
	}
}

// caller is the call that runs now.
func (s *Set) caller() Author {
	if len(s.calls) == 0 {
		return s.author("")
	}
	a := Author{Client: s.calls[0].client}
	for _, c := range s.calls {
		if a.Call != "" {
			a.Call += " > "
		}
		a.Call += c.tool
	}
	return a
}

// look looks at every watch.
func (s *Set) look(who Author) {
	if s.world == nil {
		return
	}
	for _, x := range s.looking {
		if !s.differs(x) {
			continue
		}
		a := who
		if !x.system && a.System == Outside {
			a.System = "" // a look by tick cannot tell
		}
		s.settle(x, a)
	}
}

// differs is changed for looks where the game's own code may panic: computed
// values.
func (s *Set) differs(x *watch) (yes bool) {
	defer s.survive(x)
	return x.changed(s.world, s.loc)
}

func (s *Set) survive(x *watch) {
	if p := recover(); p != nil {
		s.end([]*watch{x}, fmt.Sprintf("looking at it panicked: %v", p))
	}
}

// settle takes the new value and makes a hit of the change.
func (s *Set) settle(x *watch, who Author) {
	defer s.survive(x)
	before, after, differ := x.take(s.world, s.loc)
	if !differ {
		return
	}
	over := x.over(s.world)
	if !over && x.when != nil && !x.when.holds(before, after) {
		return
	}
	h := Hit{Watch: x.id, Frame: s.frame, Tick: s.now(), Author: who, Old: before, New: after}
	if !x.there {
		h.Note = x.gone
	}
	s.pending = append(s.pending, h)
	if x.pauses {
		s.pause = x.id
	}
	s.mu.Lock()
	x.info.Hits++
	full := x.info.Hits >= x.info.Limit
	s.mu.Unlock()
	switch {
	case over:
		s.end([]*watch{x}, "its entity is gone: "+x.gone)
	case full:
		s.end([]*watch{x}, "its limit of hits is reached")
	}
}

// Pending is how many hits the tick under way has had. Frame goroutine.
func (s *Set) Pending() int { return len(s.pending) }

// now is the clock's tick, or the frame where there is no clock.
func (s *Set) now() uint64 {
	if s.clock == nil {
		return s.frame
	}
	return s.clock.Info().Tick
}

func (s *Set) noteTick() { s.tick = s.now() }
