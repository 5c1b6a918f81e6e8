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
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Config is what a Loop needs of the server around it. The functions may be nil.
type Config struct {
	Registry *tools.Registry
	Log      *slog.Logger
	Crashes  *crashes.Keeper

	QueueLen    int           // calls that may wait
	CallTimeout time.Duration // from arrival to answer
	StallAfter  time.Duration // without a Poll
	StallHint   string        // what else may be the reason, of the host

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
	// Recorded is which ticks are recorded. Any goroutine.
	Recorded func() (from, to uint64, ok bool)
	// Recording: the world is a recorded one, of a file. There is one state, and
	// what can read a recorded moment reads the last one unless it is told which.
	Recording bool
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
	state // what the game is in; its frame and word are what Poll touches in every frame

	cfg   Config
	log   *slog.Logger
	bound binding

	// Speed is how fast the host's loop goes, Observers who looks at the world.
	Speed     Speed
	Observers Observers

	queue   queue
	tickets atomic.Uint64
	running atomic.Pointer[call] // whose frame part runs now
	calls   callRing
	named   operations

	inflight  atomic.Int64
	connected atomic.Int64
	lastCall  atomic.Int64  // when a call arrived last: ns after started
	watched   chan struct{} // closed when the watchdog has ended
}

// New makes a Loop. Without [Loop.Watch] nobody notices a frame that does not
// come.
func New(c Config) *Loop {
	l := &Loop{cfg: c, log: c.Log, watched: make(chan struct{})}
	l.state.init(c.Crashes, c.Permit)
	l.recording = c.Recording
	l.queue.limit, l.queue.word = c.QueueLen, &l.word
	l.bound.init(&l.state, &c)
	l.Speed.init(&l.state, &l.bound)
	l.Observers.state, l.Observers.bound = &l.state, &l.bound
	return l
}

// Watch starts the watchdog.
func (l *Loop) Watch() { go (&watchdog{l: l}).watch() }

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

// Registry is where the tools are.
func (l *Loop) Registry() *tools.Registry { return l.cfg.Registry }

// Logger is never nil.
func (l *Loop) Logger() *slog.Logger { return l.log }

// Ticket takes a place in the queue.
func (l *Loop) Ticket() uint64 { return l.tickets.Add(1) }

// Connected counts clients: the first asks for a fresh Catalog at once.
func (l *Loop) Connected(delta int) {
	if n := l.connected.Add(int64(delta)); delta > 0 && n == int64(delta) {
		l.Refresh()
	}
}

// LastCalls are the last calls that were answered, oldest first.
func (l *Loop) LastCalls() []crashes.Call { return l.calls.list() }

// Bind gives the loop the world and the host's own interfaces; nil unbinds
// either. Frame goroutine.
func (l *Loop) Bind(w ecs.World, app *host.App) { l.bound.bind(w, app) }

// World is the bound one. Frame goroutine.
func (l *Loop) World() ecs.World { return l.bound.world }

// View is what was published last; never nil.
func (l *Loop) View() *View { return l.bound.view.Load() }

// Catalog is the last published one; nil without a world.
func (l *Loop) Catalog() *ecs.Catalog { return l.View().Catalog }

// FrameGoroutine is the number of the goroutine that polls; 0: not known.
func (l *Loop) FrameGoroutine() uint64 { return l.bound.goroutine.Load() }

// Current is a View that shows the effects of every call that was answered
// before, if need be a new one: see binding.current.
func (l *Loop) Current(ctx context.Context) *View { return l.bound.current(ctx) }

// System is the system that runs now; "" if it cannot be told.
func (l *Loop) System() string { return l.View().runningSystem() }

// Visiting is the entity that the running system is at, as far as it tells. Any
// goroutine.
func (l *Loop) Visiting() (ecs.Entity, bool) { return l.View().visiting() }

// OnFrame tells whether the caller runs on the goroutine that polls.
func (l *Loop) OnFrame() bool { return stacks.CurrentID() == l.FrameGoroutine() }
