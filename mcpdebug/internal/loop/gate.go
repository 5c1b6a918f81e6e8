package loop

import (
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/tools"
)

// where a gate stands.
type where int

const (
	onArrival where = iota // off the frame, before anything else
	onPoll                 // on the frame goroutine, inside Poll
	inline                 // on the frame goroutine outside Poll's own turn: Dispatch, tools within tools
)

// gate says why a tool cannot run now; nil if it can. The order is part of the
// contract: a host that stopped polling after it recorded a crash reports the
// crash, not the stall. off: the call never comes to the frame.
func (s *state) gate(spec *tools.Spec, off bool, at where) *refusal.Error {
	if s.closing.Load() {
		return errClosed()
	}
	if s.permit != nil {
		if e := s.permit(spec); e != nil {
			return e
		}
	}
	if off {
		return nil
	}
	if c := s.crashes.Now(); c != nil && !spec.WhenCrashed && !(spec.Effect == tools.ReadOnly && c.Inspecting()) {
		return crashedError(c)
	}
	if at == inline {
		return nil
	}
	if at == onArrival {
		if st := s.stall.Load(); st != nil {
			return st.refusal()
		}
		if s.frame.Load() == 0 && s.mute.Load() {
			return s.startingError()
		}
	}
	if p := s.park.Load(); p != nil && !spec.WhenParked {
		return &refusal.Error{Code: refusal.Parked,
			Message: fmt.Sprintf("%s cannot run while %q is suspended midway (for %s so far): that operation must complete first", spec.Name, p.operation, words.Roughly(time.Since(p.since))),
			Got:     p.operation, Hint: "try again when ping says running; context and get_logs answer meanwhile", Next: "ping"}
	}
	return nil
}

// gateOnFrame is the gate where world and app are at hand. Frame goroutine.
func (l *Loop) gateOnFrame(spec *tools.Spec, off bool, at where) *refusal.Error {
	if e := l.gate(spec, off, at); e != nil {
		return e
	}
	return needs(spec, l.bound.world != nil, l.bound.app != nil)
}

// needs refuses tools that want what is not bound.
func needs(spec *tools.Spec, world, app bool) *refusal.Error {
	switch {
	case spec.NeedsWorld && !world:
		return &refusal.Error{Code: refusal.NoWorld, Message: spec.Name + " needs a world, and the game has bound none",
			Hint: "the host calls Bind when its world exists; context tells when it does", Next: "context"}
	case spec.NeedsApp && !app:
		return noApp(spec.Name)
	}
	return nil
}

func noApp(tool string) *refusal.Error {
	return &refusal.Error{Code: refusal.NoApp, Message: tool + " needs the host's own interfaces (host.App), and the game has bound none",
		Hint: "capabilities names what a host can provide", Next: "capabilities"}
}

func errClosed() *refusal.Error {
	return &refusal.Error{Code: refusal.Closed, Message: "the debug server was closed; the call did not run", Hint: "the game is ending or has closed its server; connect again when it runs"}
}

func (s *state) startingError() *refusal.Error {
	return &refusal.Error{Code: refusal.Starting,
		Message: fmt.Sprintf("the game has not polled yet, %s after it started the server; the call did not run", words.Roughly(time.Since(s.started))),
		Hint:    "it may be loading: ping tells the state. If it never polls, its loop lacks the call to Poll", Next: "ping"}
}

func crashedError(c *crashes.Crash) *refusal.Error {
	// The text is the traceback, verbatim.
	return &refusal.Error{Code: refusal.Crashed, Message: c.Wire(),
		Hint: "crash_report tells more; crash_inspect lets read-only tools look at the world; clear_crash resumes", Next: "crash_report"}
}
