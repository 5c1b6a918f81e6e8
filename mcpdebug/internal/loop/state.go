package loop

import (
	"time"
)

// The states of a game, as clients see them.
const (
	Starting = "starting" // no Poll yet
	Running  = "running"
	Parked   = "parked"  // an operation is suspended midway
	Crashed  = "crashed" // a panic was recovered or reported
	Stalled  = "stalled" // no Poll for StallAfter
	Closed   = "closed"
)

// State is the first that holds, in the order of the gates.
func (l *Loop) State() string {
	switch {
	case l.closing.Load():
		return Closed
	case l.cfg.Crashes.Now() != nil:
		return Crashed
	case l.stall.Load() != nil:
		return Stalled
	case l.park.Load() != nil:
		return Parked
	case l.frame.Load() == 0:
		return Starting
	}
	return Running
}

// Status is a moment's view of the loop.
type Status struct {
	State     string        // starting, running, parked, crashed, stalled, closed
	Operation string        // what is suspended while parked
	Since     time.Duration // how long it has been parked, stalled or crashed
	Crash     string        // the traceback while crashed, verbatim
	Frame     uint64        // Polls so far
	Waiting   int           // calls in the queue
	Uptime    time.Duration
}

// Status tells the state now.
func (l *Loop) Status() Status {
	st := Status{State: l.State(), Frame: l.frame.Load(), Waiting: l.queue.len(), Uptime: time.Since(l.started)}
	if p := l.park.Load(); p != nil {
		st.Operation, st.Since = p.operation, time.Since(p.since)
	}
	if p := l.stall.Load(); p != nil {
		st.Since = time.Since(p.since)
	}
	if c := l.cfg.Crashes.Now(); c != nil {
		st.Crash, st.Since = c.Wire(), c.Since()
	}
	return st
}

// parking is a lifecycle operation that is suspended midway.
type parking struct {
	operation string
	since     time.Time
}

// polling tells whether a Poll can be expected soon.
func (l *Loop) polling() bool {
	return l.frame.Load() > 0 && l.stall.Load() == nil && !l.closing.Load()
}

// running is the system that runs now, as the host tells.
func (v *View) runningSystem() (name string) {
	defer func() { _ = recover() }() // a host's own implementation
	if t := v.App.Times(); t != nil {
		name, _ = t.Running()
	}
	return name
}

// System is the system that runs now; "" if it cannot be told.
func (l *Loop) System() string { return l.View().runningSystem() }
