// Package loop is the frame's side of the server: the queue of calls, the gates
// by state, the way of a call through its parts, what the frame publishes of
// the world, and the watchdog that sees a frame which does not come.
//
//	l := loop.New(loop.Config{Registry: registry, Log: log, Crashes: keeper})
//	l.Bind(world, app)
//	for running {
//		l.Poll() // at most one queued call is answered
//	}
//
// A call goes find, admit, prepare, frame, finish, whether it came over HTTP
// ([Loop.Call]), from Dispatch ([Loop.CallInline]) or from within another tool:
// pipeline.go has the steps, await.go and inline.go the two ways through them.
//
// Bind, Poll, PollParked and CallInline belong to the frame goroutine;
// everything else may be called from any.
package loop

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/tools"
)

// Config is what a Loop needs of the server around it. The functions may be nil.
type Config struct {
	Registry *tools.Registry
	Log      *slog.Logger
	Crashes  *crashes.Keeper

	QueueLen    int           // calls that may wait
	CallTimeout time.Duration // from arrival to answer
	StallAfter  time.Duration // without a Poll

	// Permit says why the host's options forbid a tool. Any goroutine.
	Permit func(*tools.Spec) *refusal.Error
	// Offers tells whether a tool may be seen. Any goroutine.
	Offers func(*tools.Spec) bool
	// Trusted tells the tools whose parts off the frame block nobody for long.
	// Any goroutine.
	Trusted func(*tools.Tool) bool
	// Lacks finds the subsystem's tool of a name that is not registered, and the
	// name of the subsystem that would bring it; nil: no tool has that name. Any
	// goroutine.
	Lacks func(tool string) (subsystem string, t *tools.Tool)
	// OnCall sees every call of a known tool before it is run, with a nil outcome,
	// and when it is answered. On the goroutine of the request.
	OnCall func(tools.Request, *Outcome)
	// Around is asked before a call that may change the world is queued; what it
	// returns is called around the frame part. Any goroutine.
	Around func(*tools.Spec) *Bracket
	// Settle brings in line what is made of the published Catalog. Any goroutine.
	Settle func()
	// EveryTick runs on the watchdog's goroutine, some twenty times a second, and
	// EverySecond once a second with the number of the frame.
	EveryTick   func(now time.Time)
	EverySecond func(frame uint64)
}

// Bracket is what is done around a frame part. Frame goroutine.
type Bracket struct{ Before, After func(ecs.World) }

// Outcome is how a call ended.
type Outcome struct {
	Frame    uint64
	Code     refusal.Code // "" if it succeeded
	Message  string
	Duration time.Duration // from arrival to answer
}

// Loop answers calls in the frames of a game. Make it with [New].
type Loop struct {
	cfg     Config
	log     *slog.Logger
	started time.Time

	// What Poll loads and adds in every frame.
	frame atomic.Uint64
	word  atomic.Uint32 // reasons for Poll to do more than count

	bound     binding
	queue     queue
	tickets   atomic.Uint64
	running   atomic.Pointer[call] // whose frame part runs now
	observers []Observer           // the frame goroutine's
	hushed    bool                 // they are not told of calls; the frame goroutine's

	park    atomic.Pointer[parking]
	stall   atomic.Pointer[stalled]
	mute    atomic.Bool // starting for longer than StallAfter
	closing atomic.Bool
	closed  chan struct{}
	watched chan struct{} // closed when the watchdog has ended

	inflight  atomic.Int64
	connected atomic.Int64
	lastCall  atomic.Int64 // when a call arrived last: ns after started
	calls     callRing
	named     operations
	speed     speed
}

// The bits of Loop.word.
const (
	bitWork     = 1 << iota // the queue is not empty
	bitRefresh              // somebody wants a fresh Catalog
	bitParked               // the last Poll was a PollParked
	bitStalled              // the watchdog has declared a stall
	bitObserved             // there are observers
)

// New makes a Loop. Without [Loop.Watch] nobody notices a frame that does not
// come.
func New(c Config) *Loop {
	l := &Loop{cfg: c, log: c.Log, started: time.Now(), closed: make(chan struct{}), watched: make(chan struct{})}
	l.queue.limit, l.queue.word = c.QueueLen, &l.word
	l.bound.init(c.Registry, l.log, l.started)
	l.speed.init(l.started)
	l.word.Store(bitRefresh) // the first Poll tells who polls
	return l
}

// Watch starts the watchdog.
func (l *Loop) Watch() { go l.watch() }

// Shut refuses what comes from now on and answers who waits; false: it was
// shut before.
func (l *Loop) Shut() bool {
	if !l.closing.CompareAndSwap(false, true) {
		return false
	}
	l.queue.close()
	close(l.closed)
	// For a moment: calls that can be answered should be.
	for range 8 {
		if l.inflight.Load() == 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return true
}

// End waits a moment for the watchdog of a loop that was shut.
func (l *Loop) End() {
	select {
	case <-l.watched:
	case <-time.After(50 * time.Millisecond):
	}
}

// Closing tells whether Shut was called.
func (l *Loop) Closing() bool { return l.closing.Load() }

// Closed is closed by Shut.
func (l *Loop) Closed() <-chan struct{} { return l.closed }

// Registry is where the tools are.
func (l *Loop) Registry() *tools.Registry { return l.cfg.Registry }

// Logger is never nil.
func (l *Loop) Logger() *slog.Logger { return l.log }

// Frame is the number of Polls so far.
func (l *Loop) Frame() uint64 { return l.frame.Load() }

// Ticket takes a place in the queue.
func (l *Loop) Ticket() uint64 { return l.tickets.Add(1) }

// Connected counts clients: the first asks for a fresh Catalog at once.
func (l *Loop) Connected(delta int) {
	if n := l.connected.Add(int64(delta)); delta > 0 && n == int64(delta) {
		l.Refresh()
	}
}

// Refresh has the next Poll publish a new View.
func (l *Loop) Refresh() { l.word.Or(bitRefresh) }

// LastCalls are the last calls that were answered, oldest first.
func (l *Loop) LastCalls() []crashes.Call { return l.calls.list() }
