//go:build !nomcpdebug

package mcpdebug

import (
	"log/slog"
	"net"
	"time"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/discovery"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/front"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/updates"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Server is the debug server of one game. A nil *Server is a valid no-op
// everywhere, so that a game whose port was taken runs on.
type Server struct {
	opts      Options
	registry  *tools.Registry
	log       *slog.Logger
	ring      *logbuf.Ring
	started   time.Time
	shown     *blackbox.File // what is shown instead of a game; nil: a game runs
	shownPath string

	loop      *loop.Loop       // the frame's side
	front     *front.Front     // the clients' side
	crashes   *crashes.Keeper  // the crash that the game is in
	crashFile crashes.File     // how the process ended before
	builtIns  *builtIns        // the tools that come with the server
	updates   *updates.Updates // of documents that clients subscribed to
	logFile   logFile
	addr      net.Addr // nil without a port
	found     *discovery.Announcement
}

// New makes a server without a port: for Handler, Dispatch and tests. Any
// goroutine.
func New(o *Options) *Server { return newServer(o, nil) }

func newServer(o *Options, shown *blackbox.File) *Server {
	s := &Server{opts: o.withDefaults(), started: time.Now(), shown: shown}
	s.registry = s.opts.Registry
	s.ring = logbuf.NewRing(2048, 512<<10)
	s.ring.OnAdd(s.markLine)
	s.log = s.newLogger(s.opts.Logger)
	scene := crashes.Scene{
		Frame:     func() uint64 { return s.loop.Frame() },
		World:     func() ecs.World { return s.loop.World() },
		System:    func() string { return s.loop.System() },
		Visiting:  func() (ecs.Entity, bool) { return s.loop.Visiting() },
		OnFrame:   func() bool { return s.loop.OnFrame() },
		LastCalls: func() []crashes.Call { return s.loop.LastCalls() },
		Log:       s.crashLog,
		Recorded:  func(c *crashes.Crash) { s.loop.FlushCrashed(c) },
	}
	if s.opts.Logger == nil {
		scene.Recovered = s.printCrash
	}
	s.crashes = crashes.New(scene, s.log)
	s.updates = &updates.Updates{Scheme: s.opts.Components.Scheme, Registry: s.registry, Crashes: s.crashes, LastLine: s.ring.Last,
		Catalog: func() *ecs.Catalog { return s.loop.Catalog() }, Watched: func() map[string]bool { return s.front.Watched() }}
	s.builtIns = newBuiltIns(s)
	s.crashFile.Open(s.opts.CrashFile, s.log)
	config := loop.Config{Recording: shown != nil, Registry: s.registry, Log: s.log, Crashes: s.crashes,
		QueueLen: s.opts.QueueLen, CallTimeout: s.opts.CallTimeout, StallAfter: s.opts.StallAfter, StallHint: s.opts.StallHint,
		Permit: s.permit, Offers: s.opts.offers, Trusted: s.builtIns.trusts, Lacks: s.builtIns.lacks,
		Around: s.updates.Around, Recorded: s.builtIns.recorded, Settle: s.builtIns.settle, EveryTick: s.updates.Announce, EverySecond: s.crashFile.Mark}
	if call := s.opts.OnCall; call != nil {
		config.OnCall = func(r tools.Request, o *loop.Outcome) { call(r, (*Outcome)(o)) }
	}
	s.loop = loop.New(config)
	s.front = front.New(s.loop, s.frontOptions())
	s.builtIns.register()
	s.loop.Watch()
	if s.keepsFiles() {
		s.builtIns.tools.Keep.Run()
	}
	return s
}

// Bind gives the server the world and the host's own interfaces; nil unbinds
// either. It clears a crash and resets the sandbox. Frame goroutine, at any
// time between world updates.
func (s *Server) Bind(world ecs.World, app *host.App) {
	if s == nil {
		return
	}
	s.crashes.Forget()
	s.ResetSandbox()
	s.builtIns.offer(app)
	s.enlistApp(app)
	s.tellFacts(app)
	s.loop.Bind(world, app)
	s.builtIns.tools.Past.Bind(world, app, s.loop.Frame())
}

// Poll is the server's turn in the game's loop: call it once a frame, outside
// world updates, also while the game is paused, its window has no focus, or it
// has crashed. It answers at most one queued call and reports whether it did.
// With nobody there it costs one atomic addition and one atomic load. Frame
// goroutine.
func (s *Server) Poll() bool {
	if s == nil {
		return false
	}
	return s.loop.Poll()
}

// PollParked is Poll while a lifecycle operation (a level load, a save) is
// suspended midway: only tools that may run then are answered, the others are
// refused with the operation's name. The next Poll ends it. Frame goroutine.
func (s *Server) PollParked(operation string) bool {
	if s == nil {
		return false
	}
	return s.loop.PollParked(operation)
}

// EndTick tells the server that a tick of the simulation has ended: what it
// records and watches by tick is looked at here. A host that runs at most one
// tick a frame need not call it, Poll sees that one; with more than one it is
// the only way to see each. Without a recorder and watches it costs one atomic
// load. Frame goroutine, between two ticks.
func (s *Server) EndTick() {
	if s != nil {
		s.loop.Observers.EndTick()
	}
}

// Recording reports whether ticks are being recorded. Frame goroutine.
func (s *Server) Recording() bool {
	return s != nil && s.builtIns.tools.Past.Recorder().Recording()
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
func (s *Server) HasBuiltInTools() bool { return s != nil && s.builtIns.registered() }

// ResetSandbox lets scripts start clean from the next call on; code in flight
// keeps its environment. Any goroutine.
func (s *Server) ResetSandbox() {
	if s != nil {
		s.builtIns.resets.call()
	}
}

// Close ends the server: waiting calls are answered with closed, connections
// are ended, the port is free again. It takes at most about a tenth of a
// second, may be called twice, and leaves the registry as it is. Any goroutine.
func (s *Server) Close() error {
	if s == nil || !s.loop.Shut() {
		return nil
	}
	err := s.closeFront()
	if s.keepsFiles() {
		s.builtIns.tools.Keep.Close()
	}
	s.builtIns.tools.Past.Recorder().Close()
	s.BindLogFile("")
	s.crashFile.Close()
	s.loop.End()
	return err
}
