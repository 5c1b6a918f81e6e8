package loop

import (
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
)

// StallMessage is the log line of a stall.
const StallMessage = "the frame has stalled"

// stalled is a stall as it was detected; immutable.
type stalled struct {
	frame    uint64    // the last that polled
	since    time.Time // of the last Poll, gaps of the process left out
	detected time.Time
	stack    string // of the frame goroutine
	running  string // the tool whose handler hangs
}

const (
	// tick is how often the watchdog looks at the frame counter.
	tick = 50 * time.Millisecond
	// refreshEvery is how often the Catalog is renewed while a client is there.
	refreshEvery = 250 * time.Millisecond
	// interest is how long a call counts as a client that is there.
	interest = 2 * time.Second
)

// watchdog is the state of the watch goroutine.
type watchdog struct {
	l        *Loop
	every    time.Duration
	last     time.Time // tick
	frame    uint64
	quiet    time.Duration // observed without a Poll
	declared *stalled      // and not yet seen to end
	refresh  time.Time
}

// watch samples the frame counter, so that Poll needs no clock. It ends with
// the server.
func (w *watchdog) watch() {
	l := w.l
	defer close(l.watched)
	w.every, w.last = max(min(tick, l.cfg.StallAfter/4), time.Millisecond), time.Now()
	t := time.NewTicker(w.every)
	defer t.Stop()
	for {
		select {
		case <-l.closed:
			return
		case <-t.C:
		}
		w.look(time.Now())
	}
}

// look is one look at the frame counter.
func (w *watchdog) look(now time.Time) {
	l := w.l
	defer func() {
		// A watchdog that fails must not end the game it watches.
		if p := recover(); p != nil {
			l.log.Error("the watchdog panicked", "panic", words.Panic(p))
		}
	}()
	gap := now.Sub(w.last)
	w.last = now
	f := l.frame.Load()
	if f != w.frame {
		if w.quiet >= l.cfg.StallAfter {
			// The speed after a hang is that of the frames that come.
			l.Speed.restart(now, f)
		}
		w.frame, w.quiet = f, 0
	} else {
		// A gap in the watchdog's own ticks (debugger, suspended laptop, starved
		// process) says nothing about the game: it counts as one tick.
		w.quiet += min(gap, 2*w.every)
	}
	if w.declared != nil && (l.stall.Load() != w.declared || f != w.declared.frame) {
		l.log.Warn("the frame polls again", "stalledFor", words.Roughly(now.Sub(w.declared.since)), "frame", f)
		l.stall.CompareAndSwap(w.declared, nil)
		w.declared = nil
	}
	switch {
	case w.quiet < l.cfg.StallAfter:
	case f == 0:
		if l.mute.CompareAndSwap(false, true) {
			l.log.Warn("the game has not polled yet", "after", words.Roughly(now.Sub(l.started)))
		}
		l.flush(func(*call) *refusal.Error { return l.startingError() })
	case w.declared == nil && !l.closing.Load():
		w.declared = w.declareStall(f, now, w.quiet)
	default:
		if st := l.stall.Load(); st != nil {
			l.flush(func(*call) *refusal.Error { return st.refusal() })
		}
	}
	w.serveClients(now, f)
}

// declareStall publishes a stall and answers everybody who waits.
func (w *watchdog) declareStall(f uint64, now time.Time, quiet time.Duration) *stalled {
	l := w.l
	st := &stalled{frame: f, since: now.Add(-quiet), detected: now, stack: frameStack(l.FrameGoroutine())}
	running := l.running.Load()
	if running != nil {
		st.running = running.pub.Spec.Name
	}
	if l.frame.Load() != f {
		return nil // it polled while its stack was read
	}
	l.stall.Store(st)
	l.word.Or(bitStalled)
	if l.frame.Load() != f {
		l.stall.CompareAndSwap(st, nil)
		return nil
	}
	l.log.Error(StallMessage, "frame", f, "for", words.Roughly(quiet), "tool", st.running, "stack", words.Clip(st.stack, 4<<10))
	l.flush(func(*call) *refusal.Error { return st.refusal() })
	if running != nil {
		e := running.outcomeUnknown(fmt.Sprintf("the frame hangs in it for %s", words.Roughly(quiet)))
		e.Message += "\n\n" + words.Clip(st.stack, 4<<10)
		running.answer(refusedReply(e, f))
	}
	return st
}

// flush answers calls that wait for a frame which does not come.
func (l *Loop) flush(why func(*call) *refusal.Error) {
	for _, c := range l.queue.waiting() {
		if c.abandon() {
			e := why(c)
			if c.tried.Load() {
				e = c.outcomeUnknown("the frame stopped polling")
			}
			c.answer(refusedReply(e, l.frame.Load()))
		}
	}
	l.queue.clean()
}

func (st *stalled) refusal() *refusal.Error {
	msg := fmt.Sprintf("the game has not polled for %s (last frame %d); the call did not run.", words.Roughly(time.Since(st.since)), st.frame)
	if st.running != "" {
		msg += fmt.Sprintf(" The frame hangs in the tool %s.", st.running)
	}
	return &refusal.Error{Code: refusal.Stalled, Message: msg + " The frame goroutine:\n\n" + words.Clip(st.stack, 8<<10),
		Got:  map[string]any{"lastFrame": st.frame, "stalledMs": time.Since(st.since).Milliseconds()},
		Hint: "goroutines shows every stack and profile_start where the time goes, also now; if the window is suspended or a debugger holds the process, that is why", Next: "goroutines"}
}

// frameStack is the stack of the goroutine that polled last.
func frameStack(id uint64) string {
	if id == 0 {
		return "(not known which goroutine polls)"
	}
	g, ok := stacks.Find(stacks.Parse(stacks.All()), id)
	if !ok {
		return fmt.Sprintf("(goroutine %d, which polled, has ended)", id)
	}
	return g.Text
}

// serveClients does what is only done while somebody is there.
func (w *watchdog) serveClients(now time.Time, f uint64) {
	l := w.l
	last := l.lastCall.Load()
	there := l.connected.Load() > 0 || last > 0 && now.Sub(l.started)-time.Duration(last) < interest
	l.Speed.timing.Store(there)
	if there && now.Sub(w.refresh) >= refreshEvery-w.every/2 {
		w.refresh = now
		l.Refresh()
	}
	if l.Speed.count(now, f) && l.cfg.EverySecond != nil {
		l.cfg.EverySecond(f)
	}
	l.bound.settle()
	if l.cfg.EveryTick != nil {
		l.cfg.EveryTick(now)
	}
}

// FlushCrashed answers calls that wait and may not run while the game is in c:
// a host with an error dialog may never poll again.
func (l *Loop) FlushCrashed(c *crashes.Crash) {
	for _, q := range l.queue.waiting() {
		if !q.pub.Spec.WhenCrashed && q.abandon() {
			q.answer(q.refuse(crashedError(c)))
		}
	}
	l.Refresh()
}
