package loop

import (
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
)

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
	samples  stallSamples  // of a frame that is late
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
		l.log.Warn(PollsAgain, "stalledFor", words.Roughly(now.Sub(w.declared.since)), "frame", f)
		l.stall.CompareAndSwap(w.declared, nil)
		w.declared = w.ended(now)
	}
	if f != 0 && w.quiet >= l.cfg.StallAfter-wantedSamples*w.every && w.sample(f) && w.declared != nil {
		w.sharpen()
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
