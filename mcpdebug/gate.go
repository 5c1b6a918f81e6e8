//go:build !nomcpdebug

package mcpdebug

import (
	"fmt"
	"slices"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// The states of a server, as clients see them.
const (
	stateStarting = "starting"
	stateRunning  = "running"
	stateParked   = "parked"
	stateCrashed  = "crashed"
	stateStalled  = "stalled"
	stateClosed   = "closed"
)

// state is the first that holds, in the order of the gates.
func (s *Server) state() string {
	switch {
	case s.closing.Load():
		return stateClosed
	case s.crash.Load() != nil:
		return stateCrashed
	case s.stall.Load() != nil:
		return stateStalled
	case s.park.Load() != nil:
		return stateParked
	case s.frame.Load() == 0:
		return stateStarting
	}
	return stateRunning
}

// where a gate stands.
type where int

const (
	onArrival where = iota // off the frame, before anything else
	onPoll                 // on the frame goroutine, inside Poll
	inline                 // Dispatch, on the frame goroutine outside Poll
)

// gate says why a tool cannot run now; nil if it can. The order is part of the
// contract: a host that stopped polling after it recorded a crash reports the
// crash, not the stall.
func (s *Server) gate(spec *tools.Spec, at where) *refusal.Error {
	if s.closing.Load() {
		return errClosed()
	}
	if e := s.permit(spec); e != nil {
		return e
	}
	if c := s.crash.Load(); c != nil && !spec.WhenCrashed && !spec.OffFrame && !(spec.Effect == tools.ReadOnly && c.inspecting.Load()) {
		return s.crashedError(c)
	}
	if spec.OffFrame || at == inline {
		return nil
	}
	if at == onArrival {
		if st := s.stall.Load(); st != nil {
			return s.stalledError(st)
		}
		if s.frame.Load() == 0 && s.dead.Load() {
			return s.startingError()
		}
	}
	if p := s.park.Load(); p != nil && !spec.WhenParked {
		return &refusal.Error{Code: refusal.Parked,
			Message: fmt.Sprintf("%s cannot run while %q is suspended midway (for %s so far): that operation must complete first", spec.Name, p.operation, roughly(time.Since(p.since))),
			Got:     p.operation, Hint: "try again when ping says running; context and get_logs answer meanwhile", Next: "ping"}
	}
	return nil
}

// permit applies the host's options.
func (s *Server) permit(spec *tools.Spec) *refusal.Error {
	if !s.offers(spec) {
		return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("this game's options do not allow the tool %s", spec.Name),
			Got: spec.Name, Hint: "help lists the tools that may be called", Next: "help"}
	}
	if s.opts.ReadOnly && spec.Effect != tools.ReadOnly && (spec.Effect == tools.Destructive || spec.Group != "session") {
		return &refusal.Error{Code: refusal.ReadOnly, Message: fmt.Sprintf("this server is read-only: %s may change the game", spec.Name),
			Got: spec.Name, Hint: "the host would have to start the server without Options.ReadOnly"}
	}
	return nil
}

// offers tells whether a tool may be called and seen under Allow and Deny.
func (s *Server) offers(spec *tools.Spec) bool {
	named := func(list []string) bool {
		return slices.Contains(list, spec.Name) || slices.Contains(list, spec.Group)
	}
	return !named(s.opts.Deny) && (len(s.opts.Allow) == 0 || named(s.opts.Allow))
}

// needs refuses tools that want what is not bound.
func needs(spec *tools.Spec, world, app bool) *refusal.Error {
	switch {
	case spec.NeedsWorld && !world:
		return &refusal.Error{Code: refusal.NoWorld, Message: spec.Name + " needs a world, and the game has bound none",
			Hint: "the host calls Bind when its world exists; context tells when it does", Next: "context"}
	case spec.NeedsApp && !app:
		return &refusal.Error{Code: refusal.NoApp, Message: spec.Name + " needs the host's own interfaces (tools.App), and the game has bound none",
			Hint: "capabilities names what a host can provide", Next: "capabilities"}
	}
	return nil
}

func errClosed() *refusal.Error {
	return &refusal.Error{Code: refusal.Closed, Message: "the debug server was closed; the call did not run", Hint: "the game is ending or has closed its server; connect again when it runs"}
}

func (s *Server) startingError() *refusal.Error {
	return &refusal.Error{Code: refusal.Starting,
		Message: fmt.Sprintf("the game has not polled yet, %s after it started the server; the call did not run", roughly(time.Since(s.started))),
		Hint:    "it may be loading: ping tells the state. If it never polls, its loop lacks the call to Poll", Next: "ping"}
}

func (s *Server) crashedError(c *crash) *refusal.Error {
	// The text is the traceback, verbatim.
	return &refusal.Error{Code: refusal.Crashed, Message: c.wire,
		Hint: "crash_report tells more; crash_inspect lets read-only tools look at the world; clear_crash resumes", Next: "crash_report"}
}

// roughly is a duration for people.
func roughly(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// clip cuts s at n bytes without splitting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
