//go:build !nomcpdebug

package mcpdebug

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/builtin"
	"github.com/loupe-ecs/loupe/tools"
)

// Server is the debug server of one game. A nil *Server is a valid no-op
// everywhere, so that a game whose port was taken runs on.
type Server struct {
	opts     Options
	registry *tools.Registry
	log      *slog.Logger
	ring     *logbuf.Ring
	started  time.Time

	// What Poll loads and adds in every frame.
	frame atomic.Uint64
	word  atomic.Uint32 // reasons for Poll to do more than count

	queue    queue
	tickets  atomic.Uint64
	running  atomic.Pointer[call] // whose frame part runs now
	inflight atomic.Int64

	// Frame goroutine only.
	world     ecs.World
	app       *tools.App
	observers observers

	view      atomic.Pointer[view] // what Poll published last
	published broadcast
	frameGo   atomic.Uint64 // number of the goroutine that polls
	connected atomic.Int64
	lastCall  atomic.Int64 // when a call arrived last: ns after started

	park      atomic.Pointer[parking]
	crash     atomic.Pointer[crash]
	lastCrash atomic.Pointer[crash] // also after it was cleared
	stall     atomic.Pointer[stalled]
	crashM    sync.Mutex // makers of crashes
	counts    struct{ crashes atomic.Int64 }
	dead      atomic.Bool // starting for longer than StallAfter

	timing  atomic.Bool // somebody is interested: Guard reads the clock
	times   guardTimes
	speed   atomic.Uint64 // frames per second, a float64's bits
	sampled atomic.Pointer[speedSample]
	history callRing

	updates updates // of resources

	builtIns *builtin.Tools
	trusted  map[*tools.Tool]bool // those of builtIns.Always; fixed by New

	components *builtin.ComponentTools
	componentM sync.Mutex
	settled    *ecs.Catalog // what the generated tools are made from
	unsettled  bool         // none are yet

	tailM   sync.Mutex
	tail    *logbuf.Tail
	tailEnd chan struct{}

	resets  resetters
	crashes crashFile
	face    face

	closing  atomic.Bool
	closed   chan struct{}
	watchEnd chan struct{}
}

// The bits of Server.word.
const (
	bitWork     = 1 << iota // the queue is not empty
	bitRefresh              // somebody wants a fresh Catalog
	bitParked               // the last Poll was a PollParked
	bitStalled              // the watchdog has declared a stall
	bitObserved             // there are observers
)

// view is what Poll publishes of the frame goroutine's side. Immutable.
type view struct {
	catalog *ecs.Catalog
	app     *tools.App
	summary []byte
	samples []ecs.Entity
	paused  *bool // whether the clock or the top state is paused; nil without both
	frame   uint64
	at      time.Time
	bound   bool
}

// parking is a lifecycle operation that is suspended midway.
type parking struct {
	operation string
	since     time.Time
}

// New makes a server without a port: for Handler, Dispatch and tests. Any
// goroutine.
func New(o *Options) *Server {
	s := &Server{opts: o.withDefaults(), started: time.Now(), closed: make(chan struct{}), watchEnd: make(chan struct{})}
	s.registry = s.opts.Registry
	s.ring = logbuf.NewRing(2048, 512<<10)
	s.log = s.newLogger(s.opts.Logger)
	s.queue.limit = s.opts.QueueLen
	s.published.init()
	s.view.Store(&view{at: s.started})
	s.word.Store(bitRefresh) // the first Poll tells who polls
	s.unsettled = true
	c := s.opts.Components
	s.components = builtin.NewComponentTools(s.registry, builtin.ComponentOptions{List: builtin.ListPolicy(c.List), MaxListed: c.MaxListed, MaxListedBytes: c.MaxListedBytes, Prefix: c.Prefix,
		Scheme: c.Scheme, NoComputed: c.NoComputed, NoActions: c.NoActions, NoConfigure: c.NoConfigure})
	s.crashes.open(s)
	s.registerBuiltIns()
	s.openFace()
	go s.watch()
	return s
}

func (s *Server) newLogger(host *slog.Logger) *slog.Logger {
	if host == nil {
		return slog.New(s.ring.Handler(nil))
	}
	return slog.New(s.ring.Handler(sturdy{host.Handler(), s.ring}))
}

// registerBuiltIns registers what every server offers. A tool of the host's
// under a built-in name stays; one that an earlier server left is replaced.
func (s *Server) registerBuiltIns() {
	s.builtIns = builtin.New(host{s})
	s.trusted = make(map[*tools.Tool]bool, len(s.builtIns.Always))
	for _, t := range s.builtIns.Always {
		s.trusted[t] = true
	}
	if err := s.registry.Register(s.notTaken(s.builtIns.Always)...); err != nil {
		s.log.Error("a built-in tool cannot be registered", "err", err)
	}
}

func (s *Server) notTaken(ts []*tools.Tool) []*tools.Tool {
	l := s.registry.Listing()
	kept := ts[:0:0]
	for _, t := range ts {
		if p, ok := l.Lookup(t.Name); ok && p.Spec.Group != t.Group {
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// Bind gives the server the world and the host's own interfaces; nil unbinds
// either. It clears a crash and resets the sandbox. Frame goroutine, at any
// time between world updates.
func (s *Server) Bind(world ecs.World, app *tools.App) {
	if s == nil {
		return
	}
	s.world, s.app = world, app
	s.crash.Store(nil)
	s.lastCrash.Store(nil)
	s.counts.crashes.Store(0)
	s.ResetSandbox()
	s.bindSubsystems(app)
	s.enlistApp(app)
	s.refresh()
	s.settle()
}

// bindSubsystems offers the tools of what the app provides and withdraws the
// others, also those that an earlier server with this registry left.
func (s *Server) bindSubsystems(app *tools.App) {
	var want []*tools.Tool
	var gone []string
	l := s.registry.Listing()
	for _, sub := range s.builtIns.Subsystems {
		if sub.In(app) {
			want = append(want, sub.Tools...)
			continue
		}
		for _, t := range sub.Tools {
			if p, ok := l.Lookup(t.Name); ok && p.Spec.Group == t.Group {
				gone = append(gone, t.Name)
			}
		}
	}
	if len(gone) > 0 {
		s.registry.Unregister(gone...)
	}
	if want = s.notTaken(want); len(want) > 0 {
		if err := s.registry.Register(want...); err != nil {
			s.log.Error("a subsystem's tool cannot be registered", "err", err)
		}
	}
}

// Register adds a tool or replaces the one of its name. Any goroutine.
func (s *Server) Register(t *tools.Tool) error {
	if s == nil {
		return nil
	}
	return s.registry.Register(t)
}

// Tools returns the registered pointers in a fresh slice, in the order of
// first registration. Any goroutine.
func (s *Server) Tools() []*tools.Tool {
	if s == nil {
		return nil
	}
	return s.registry.Tools()
}

// HasBuiltInTools reports whether the built-in tools are registered; false for
// a nil server. Any goroutine.
func (s *Server) HasBuiltInTools() bool {
	if s == nil {
		return false
	}
	l := s.registry.Listing()
	for t := range s.trusted {
		if _, ok := l.Lookup(t.Name); !ok {
			return false
		}
	}
	return true
}

// resetters are the sandboxes that want to know of a reset.
type resetters struct {
	mu sync.Mutex
	fs []func()
}

// ResetSandbox lets scripts start clean from the next call on; code in flight
// keeps its environment. Any goroutine.
func (s *Server) ResetSandbox() {
	if s == nil {
		return
	}
	s.resets.mu.Lock()
	fs := s.resets.fs
	s.resets.mu.Unlock()
	for _, f := range fs {
		f()
	}
}

// Close ends the server: waiting calls are answered with closed, connections
// are ended, the port is free again. It takes at most about a tenth of a
// second, may be called twice, and leaves the registry as it is. Any goroutine.
func (s *Server) Close() error {
	if s == nil || !s.closing.CompareAndSwap(false, true) {
		return nil
	}
	s.queue.close()
	close(s.closed)
	s.drain()
	err := s.face.close()
	s.BindLogFile("")
	s.crashes.close()
	select {
	case <-s.watchEnd:
	case <-time.After(50 * time.Millisecond):
	}
	return err
}

// drain waits until calls that can be answered have been, for a moment.
func (s *Server) drain() {
	for range 8 {
		if s.inflight.Load() == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// broadcast wakes everybody who waits for the next publication.
type broadcast struct {
	mu sync.Mutex
	ch chan struct{}
}

func (b *broadcast) init() { b.ch = make(chan struct{}) }

// next is closed at the next publication.
func (b *broadcast) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ch
}

func (b *broadcast) send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.ch)
	b.ch = make(chan struct{})
}
