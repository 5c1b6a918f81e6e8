package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/loupe-ecs/loupe/examples/game/internal/game"
	"github.com/loupe-ecs/loupe/mcpdebug"
)

// ticksPerSecond is the rate of the simulation, whatever the frame rate.
const ticksPerSecond = 60

// maxCatchUp bounds the time that one frame makes up for, in ticks: after a hang
// the game goes on instead of racing through what it missed.
const maxCatchUp = 4

// loop is the game's frame loop.
type loop struct {
	dbg  *mcpdebug.Server
	game *game.Game
	log  *slog.Logger
	config

	frame uint64
	start time.Time
	ticks int64 // time in ticks that is done or given up

	load *loading
}

// loading is a level load that is suspended between frames.
type loading struct {
	level  *game.Load
	frame  uint64 // frames it has taken
	frames uint64 // frames it takes
}

func (l *loop) run(ctx context.Context) {
	l.start = time.Now()
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
			n := l.due()
			l.dbg.Guard(func() { l.game.Update(l.frame, n) })
			l.startLoading()
		}
		switch {
		case l.fps == 0:
		case l.game.Clock.Stepped():
			// A client asks for ticks: the next frame need not wait.
			l.start = l.start.Add(-time.Second / time.Duration(l.fps))
		default:
			timer.Reset(time.Until(l.start.Add(time.Duration(l.frame) * time.Second / time.Duration(l.fps))))
			select {
			case <-timer.C:
			case <-ctx.Done():
			}
		}
	}
}

// due is how much time has passed since the last frame, in ticks; the game's
// clock makes ticks of it. Half a tick of tolerance makes it one a frame at 60
// frames per second.
func (l *loop) due() int {
	if l.fps == 0 {
		return 1
	}
	behind := int64(time.Since(l.start).Seconds()*ticksPerSecond+0.5) + 1 - l.ticks
	l.ticks += max(behind, 0)
	if behind > 60 && l.fps > 0 {
		// The schedule of frames has slipped too: begin it anew.
		l.start = time.Now().Add(-time.Duration(l.frame) * time.Second / time.Duration(l.fps))
		l.ticks = int64(time.Since(l.start).Seconds()*ticksPerSecond+0.5) + 1
	}
	return int(min(max(behind, 0), maxCatchUp))
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
