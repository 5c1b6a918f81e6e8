package loop

import (
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/tools"
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

// state is what the game is in: what the gates decide by. Any goroutine may
// read it; Poll and the watchdog write it.
type state struct {
	// What Poll loads and adds in every frame.
	frame atomic.Uint64
	word  atomic.Uint32 // reasons for Poll to do more than count

	started   time.Time
	crashes   *crashes.Keeper
	permit    func(*tools.Spec) *refusal.Error // nil: everything
	park      atomic.Pointer[parking]
	stall     atomic.Pointer[stalled]
	lastStall atomic.Pointer[stalled] // also when it is over
	mute      atomic.Bool             // starting for longer than StallAfter
	closing   atomic.Bool
	recording bool // what is shown was recorded; set before the first call
	closed    chan struct{}
}

// The bits of state.word.
const (
	bitWork     = 1 << iota // the queue is not empty
	bitRefresh              // somebody wants a fresh Catalog
	bitParked               // the last Poll was a PollParked
	bitStalled              // the watchdog has declared a stall
	bitObserved             // there are observers
)

func (s *state) init(k *crashes.Keeper, permit func(*tools.Spec) *refusal.Error) {
	s.started, s.crashes, s.permit, s.closed = time.Now(), k, permit, make(chan struct{})
	s.word.Store(bitRefresh) // the first Poll tells who polls
}

// Frame is the number of Polls so far.
func (s *state) Frame() uint64 { return s.frame.Load() }

// Refresh has the next Poll publish a new View.
func (s *state) Refresh() { s.word.Or(bitRefresh) }

// Closing tells whether Shut was called.
func (s *state) Closing() bool { return s.closing.Load() }

// Closed is closed by Shut.
func (s *state) Closed() <-chan struct{} { return s.closed }

// State is the first that holds, in the order of the gates.
func (s *state) State() string {
	switch {
	case s.closing.Load():
		return Closed
	case s.recording:
		return Recording
	case s.crashes.Now() != nil:
		return Crashed
	case s.stall.Load() != nil:
		return Stalled
	case s.park.Load() != nil:
		return Parked
	case s.frame.Load() == 0:
		return Starting
	}
	return Running
}

// polling tells whether a Poll can be expected soon.
func (s *state) polling() bool {
	return s.frame.Load() > 0 && s.stall.Load() == nil && !s.closing.Load()
}

// parking is a lifecycle operation that is suspended midway.
type parking struct {
	operation string
	since     time.Time
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
	if c := l.crashes.Now(); c != nil {
		st.Crash, st.Since = c.Wire(), c.Since()
	}
	return st
}
