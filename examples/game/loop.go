package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/loupe-ecs/loupe/examples/game/internal/game"
	"github.com/loupe-ecs/loupe/mcpdebug"
)

// loop is the game's frame loop.
type loop struct {
	dbg  *mcpdebug.Server
	game *game.Game
	log  *slog.Logger
	config

	frame uint64
	last  time.Time // when the last frame began

	load *loading
}

// loading is a level load that is suspended between frames.
type loading struct {
	level  *game.Load
	frame  uint64 // frames it has taken
	frames uint64 // frames it takes
}

func (l *loop) run(ctx context.Context) {
	next := time.Now()
	l.last = next.Add(-game.Step) // the first frame has a tick, too
	timer := time.NewTimer(0)
	defer timer.Stop()
	l.startLoading() // at the first frame, if that is asked for
	for ctx.Err() == nil && !l.game.Quit() && (l.frames == 0 || l.frame < l.frames) {
		l.frame++
		if l.load != nil {
			l.dbg.PollParked("load_level")
			l.dbg.Guard(l.loadSome)
		} else {
			l.dbg.Poll()
			passed := l.passed()
			l.dbg.Guard(func() { l.game.Update(l.frame, passed) })
			l.startLoading()
		}
		if l.fps == 0 {
			continue
		}
		next = next.Add(time.Second / time.Duration(l.fps))
		if l.game.Clock.Hurry() || time.Since(next) > time.Second {
			// A client waits for the next tick; or the game has hung, and does not
			// race through the frames that it missed.
			next = time.Now()
			continue
		}
		timer.Reset(time.Until(next))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
}

// passed is how much time has passed since the last frame; the game's clock
// makes ticks of it.
func (l *loop) passed() time.Duration {
	if l.fps == 0 {
		return game.Step
	}
	now := time.Now()
	d := now.Sub(l.last)
	l.last = now
	return d
}

// startLoading begins a level load if a flag or an event asks for one. It
// happens between ticks, and not in a game that has crashed: its world may be
// locked.
func (l *loop) startLoading() {
	if _, crashed := l.dbg.Crashed(); crashed {
		return
	}
	number, frames, ok := l.game.WantsLevel()
	if !ok && l.parkAt != 0 && l.frame+1 == l.parkAt {
		number, frames, ok = 2, int(l.parkFor), true
	}
	if !ok || frames <= 0 {
		return
	}
	l.dbg.Guard(func() {
		l.load = &loading{level: l.game.LoadLevel(number), frames: uint64(frames)}
		l.log.Info("loading level", "level", number, "frames", frames)
	})
}

// loadSome builds the share of the level that belongs to this frame.
func (l *loop) loadSome() {
	ld := l.load
	ld.frame++
	total := uint64(ld.level.Len())
	ld.level.Step(int(total*ld.frame/ld.frames - total*(ld.frame-1)/ld.frames))
	if ld.frame >= ld.frames {
		l.load = nil
		l.log.Info("level loaded", "walls", total)
	}
}
