package runner

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Game is what a loop runs.
type Game struct {
	// Update runs one tick of the game's time dt, which is always the same.
	Update func(dt time.Duration)
	// Draw shows a frame; it is also called while the game is paused. Default:
	// nothing is drawn.
	Draw func()
	// Crashed shows a frame of a game that has crashed, in place of Draw: text is
	// the panic with its stack. Default: Draw goes on.
	Crashed func(text string)
	// World is what clients look into. Default: none.
	World ecs.World
	// App is what else clients may know and do. Without a Clock it gets the
	// loop's. Default: an app without a name.
	App *host.App
}

// Options configures a loop. The zero value is the default.
type Options struct {
	// Addr is where the debug server listens. Default mcpdebug.DefaultAddr.
	Addr string
	// TPS is how many ticks make a second of the game's time. Default 60.
	TPS int
	// FPS is how many frames there are in a second. Default: as many as TPS.
	FPS int
	// MaxCatchUp is how many ticks a frame runs at most to make up for lost time.
	// Default 4.
	MaxCatchUp int
	// Debug configures the server. Default: its own defaults, with Logger.
	Debug *mcpdebug.Options
	// Logger hears where the server listens, or why it does not. Default:
	// slog.Default().
	Logger *slog.Logger
	// NoSignals: an interrupt or a request to terminate is left to the program.
	// Default false: either ends the loop as ctx does.
	NoSignals bool
	// Started is called once before the first frame with the server, which is nil
	// if it could not listen: to register tools of the game's own, for instance.
	// Default: nothing.
	Started func(*mcpdebug.Server)
}

func (o Options) withDefaults() Options {
	if o.Addr == "" {
		o.Addr = mcpdebug.DefaultAddr
	}
	if o.TPS <= 0 {
		o.TPS = 60
	}
	if o.FPS <= 0 {
		o.FPS = o.TPS
	}
	if o.MaxCatchUp <= 0 {
		o.MaxCatchUp = 4
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Debug == nil {
		o.Debug = &mcpdebug.Options{Logger: o.Logger}
	}
	return o
}

// Run runs the game until ctx ends or the process is asked to, and returns nil then. A server that cannot
// listen is no error: the game runs without one, and the logger hears why. The
// error is that of a Game which cannot be run.
func Run(ctx context.Context, g Game, o Options) error {
	if g.Update == nil {
		return fmt.Errorf("runner: the game has no Update")
	}
	o = o.withDefaults()
	if !o.NoSignals {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		context.AfterFunc(ctx, stop) // a second signal ends a game that hangs
	}
	dbg, err := mcpdebug.Listen(o.Addr, o.Debug)
	if err != nil {
		o.Logger.Error("no debug server", "err", err)
	} else if url := dbg.URL(); url != "" {
		o.Logger.Info("debug server listening at " + url)
	}
	defer dbg.Close()
	l := newLoop(g, o, dbg)
	app := host.App{}
	if g.App != nil {
		app = *g.App
	}
	if app.Clock == nil {
		app.Clock = l.clock
	}
	dbg.Bind(g.World, &app)
	if o.Started != nil {
		o.Started(dbg)
	}
	return l.run(ctx)
}

// loop is a game that runs.
type loop struct {
	g     Game
	o     Options
	dbg   *mcpdebug.Server
	clock *host.StepClock
}

func newLoop(g Game, o Options, dbg *mcpdebug.Server) *loop {
	frame := time.Second / time.Duration(o.FPS)
	return &loop{g: g, o: o, dbg: dbg, clock: &host.StepClock{
		Step: time.Second / time.Duration(o.TPS), CatchUp: o.MaxCatchUp, Slack: frame * 3 / 4}}
}

func (l *loop) run(ctx context.Context) error {
	frame := time.Second / time.Duration(l.o.FPS)
	next := time.Now()
	last := next
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		now := time.Now()
		_ = l.dbg.Turn(l.clock, now.Sub(last), l.tick)
		last = now
		l.draw()
		next = next.Add(frame)
		if late := time.Since(next); late > time.Second/4 {
			next = time.Now() // after a hang: no race through what was missed
		}
		timer.Reset(time.Until(next))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return nil
}

func (l *loop) tick() error {
	l.g.Update(l.clock.Step)
	return nil
}

// draw shows a frame. A panic of the drawing is a crash like any other; what
// shows a crash must not have the last word by panicking itself.
func (l *loop) draw() {
	if text, crashed := l.dbg.Crashed(); crashed {
		if show := l.g.Crashed; show != nil {
			defer func() { _ = recover() }()
			show(text)
			return
		}
	}
	if l.g.Draw != nil {
		l.dbg.Guard(l.g.Draw)
	}
}
