package ebitenloupe

import (
	"context"
	"log/slog"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Options configures [Wrap]. The zero value, or nil, is the default.
type Options struct {
	// Addr is where the server listens. Default mcpdebug.DefaultAddr.
	Addr string
	// Debug configures the server. Default: its own defaults.
	Debug *mcpdebug.Options
	// App is what clients may know and do besides the world. Clock, Screen and
	// Summary are given where it has none; key and pointer join its Events.
	// Default: an app without a name.
	App *host.App
	// Clock makes the ticks. Default: one of Ebitengine's TPS.
	Clock *host.StepClock
	// PauseKey and StepKey pause the game and make one tick. Default F8 and F7.
	PauseKey, StepKey ebiten.Key
	// NoKeys: the keyboard neither pauses nor steps. Default false.
	NoKeys bool
	// NoOverlay: nothing is drawn over the game. Default false.
	NoOverlay bool
	// Context ends the game, as Termination does, when it is done: also while the
	// game is paused or has crashed. Default: nothing but the game ends it.
	Context context.Context
	// Logger hears why the server does not listen. Default slog.Default().
	Logger *slog.Logger
}

// Game is a game with the debug server inside. It implements [ebiten.Game], and
// [ebiten.LayoutFer]. Its methods are for Ebitengine to call, but for [Game.Server]
// and [Game.Close].
type Game struct {
	inner  ebiten.Game
	dbg    *mcpdebug.Server
	o      Options
	screen screen
	input  *input
	held   map[ebiten.Key]bool // of the keys that were looked at, which were down
}

// stallHint tells what keeps a window from being updated.
const stallHint = "Ebitengine does not update a window that is minimised, nor one without the focus after SetRunnableOnUnfocused(false), nor a browser's hidden tab"

// Wrap listens and gives the game to run instead of game. A server that cannot
// listen is no error: the logger hears why, and the game runs.
func Wrap(game ebiten.Game, world ecs.World, o *Options) *Game {
	g := &Game{inner: game, held: map[ebiten.Key]bool{}}
	if o != nil {
		g.o = *o
	}
	g.defaults()
	debug := mcpdebug.Options{}
	if g.o.Debug != nil {
		debug = *g.o.Debug
	}
	if debug.StallHint == "" {
		debug.StallHint = stallHint
	}
	var err error
	if g.dbg, err = mcpdebug.Listen(g.o.Addr, &debug); err != nil {
		g.o.Logger.Error("no debug server", "err", err)
	}
	app := host.App{}
	if g.o.App != nil {
		app = *g.o.App
	}
	app.Clock = g.o.Clock
	if app.Screen == nil {
		app.Screen = &g.screen
	}
	if app.Summary == nil {
		app.Summary = func() any { return Rates() }
	}
	g.input = take(app.Events)
	app.Events = g.input
	g.dbg.Bind(world, &app)
	return g
}

func (g *Game) defaults() {
	o := &g.o
	if o.Addr == "" {
		o.Addr = mcpdebug.DefaultAddr
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.PauseKey == 0 {
		o.PauseKey = ebiten.KeyF8
	}
	if o.StepKey == 0 {
		o.StepKey = ebiten.KeyF7
	}
	if o.Clock == nil {
		o.Clock = &host.StepClock{Step: step()}
	}
}

// step is the time of a tick.
func step() time.Duration {
	if tps := ebiten.TPS(); tps > 0 {
		return time.Second / time.Duration(tps)
	}
	return time.Second / 60 // one tick a frame: SyncWithFPS
}

// Server is the debug server, nil if it does not listen: to register tools, for
// instance.
func (g *Game) Server() *mcpdebug.Server { return g.dbg }

// Close ends the server. The game goes on without it.
func (g *Game) Close() error { return g.dbg.Close() }

// Update implements [ebiten.Game].
func (g *Game) Update() error {
	if c := g.o.Context; c != nil && c.Err() != nil {
		return ebiten.Termination
	}
	g.keys()
	return g.dbg.Turn(g.o.Clock, step(), func() error {
		g.input.tick()
		return g.inner.Update()
	})
}

// keys pauses and steps where a person asks for it.
func (g *Game) keys() {
	if g.o.NoKeys || g.dbg == nil {
		return
	}
	clock := g.o.Clock
	if g.pressed(g.o.PauseKey) {
		paused := !clock.Info().Paused
		_ = clock.Set(host.ClockChange{Paused: &paused})
	}
	if g.pressed(g.o.StepKey) {
		_ = clock.Set(host.ClockChange{Step: 1})
	}
}

func (g *Game) pressed(k ebiten.Key) bool {
	down := ebiten.IsKeyPressed(k)
	just := down && !g.held[k]
	g.held[k] = down
	return just
}

// Draw implements [ebiten.Game].
func (g *Game) Draw(to *ebiten.Image) {
	if _, crashed := g.dbg.Crashed(); crashed {
		g.drawCrashed(to)
	} else {
		g.dbg.Guard(func() { g.inner.Draw(to) })
	}
	g.screen.drawn(to)
	if !g.o.NoOverlay {
		g.overlay(to)
	}
}

// drawCrashed shows what can be drawn of a game that has crashed.
func (g *Game) drawCrashed(to *ebiten.Image) {
	defer func() { _ = recover() }() // the crash that counts is recorded
	g.inner.Draw(to)
}

// Layout implements [ebiten.Game].
func (g *Game) Layout(w, h int) (int, int) { return g.inner.Layout(w, h) }

// LayoutF implements [ebiten.LayoutFer].
func (g *Game) LayoutF(w, h float64) (float64, float64) {
	if f, ok := g.inner.(ebiten.LayoutFer); ok {
		return f.LayoutF(w, h)
	}
	sw, sh := g.inner.Layout(int(w), int(h))
	return float64(sw), float64(sh)
}

// Speeds tells ticks and pictures apart.
type Speeds struct {
	TPS       float64 `json:"tps" jsonschema:"ticks a second, as measured"`
	WantedTPS int     `json:"wantedTPS" jsonschema:"ticks a second that the game asks for; -1: one a picture"`
	FPS       float64 `json:"fps" jsonschema:"pictures a second, as measured"`
	Focused   bool    `json:"focused" jsonschema:"the window has the focus"`
	Minimised bool    `json:"minimised" jsonschema:"the window is minimised: it may not be updated"`
}

// Rates are the speeds now: what an App's Summary of one's own may show.
func Rates() Speeds {
	return Speeds{ebiten.ActualTPS(), ebiten.TPS(), ebiten.ActualFPS(), ebiten.IsFocused(), ebiten.IsWindowMinimized()}
}
