//go:build !nomcpdebug

package mcpdebug

import (
	"fmt"
	"math"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/stacks"
)

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
	every    time.Duration
	last     time.Time // tick
	frame    uint64
	quiet    time.Duration // observed without a Poll
	ended    *stalled      // declared and not yet seen to end
	refresh  time.Time
	sampled  time.Time
	sampleAt uint64
}

// watch samples the frame counter, so that Poll needs no clock. It ends with
// the server.
func (s *Server) watch() {
	defer close(s.watchEnd)
	now := time.Now()
	w := &watchdog{every: max(min(tick, s.opts.StallAfter/4), time.Millisecond), last: now, sampled: now}
	t := time.NewTicker(w.every)
	defer t.Stop()
	for {
		select {
		case <-s.closed:
			return
		case <-t.C:
		}
		s.watchOnce(w, time.Now())
	}
}

func (s *Server) watchOnce(w *watchdog, now time.Time) {
	defer func() {
		// A watchdog that fails must not end the game it watches.
		if p := recover(); p != nil {
			s.log.Error("the watchdog panicked", "panic", panicText(p))
		}
	}()
	gap := now.Sub(w.last)
	w.last = now
	f := s.frame.Load()
	if f != w.frame {
		if w.quiet >= s.opts.StallAfter {
			// The speed after a hang is that of the frames that come.
			w.sampled, w.sampleAt = now, f
			s.speed.Store(0)
			s.sampled.Store(&speedSample{now, f})
		}
		w.frame, w.quiet = f, 0
	} else {
		// A gap in the watchdog's own ticks (debugger, suspended laptop, starved
		// process) says nothing about the game: it counts as one tick.
		w.quiet += min(gap, 2*w.every)
	}
	if w.ended != nil && (s.stall.Load() != w.ended || f != w.ended.frame) {
		s.log.Warn("the frame polls again", "stalledFor", roughly(now.Sub(w.ended.since)), "frame", f)
		s.stall.CompareAndSwap(w.ended, nil)
		w.ended = nil
	}
	switch {
	case w.quiet < s.opts.StallAfter:
	case f == 0:
		if s.dead.CompareAndSwap(false, true) {
			s.log.Warn("the game has not polled yet", "after", roughly(now.Sub(s.started)))
		}
		s.flush(func(*call) *refusal.Error { return s.startingError() })
	case w.ended == nil && !s.closing.Load():
		w.ended = s.declareStall(f, now, w.quiet)
	default:
		if st := s.stall.Load(); st != nil {
			s.flush(func(*call) *refusal.Error { return s.stalledError(st) })
		}
	}
	s.serveClients(w, now, f)
}

// declareStall publishes a stall and answers everybody who waits.
func (s *Server) declareStall(f uint64, now time.Time, quiet time.Duration) *stalled {
	st := &stalled{frame: f, since: now.Add(-quiet), detected: now, stack: s.frameStack()}
	running := s.running.Load()
	if running != nil {
		st.running = running.pub.Spec.Name
	}
	if s.frame.Load() != f {
		return nil // it polled while its stack was read
	}
	s.stall.Store(st)
	s.word.Or(bitStalled)
	if s.frame.Load() != f {
		s.stall.CompareAndSwap(st, nil)
		return nil
	}
	s.log.Error("the frame has stalled", "frame", f, "for", roughly(quiet), "tool", st.running, "stack", clip(st.stack, 4<<10))
	s.flush(func(*call) *refusal.Error { return s.stalledError(st) })
	if running != nil {
		e := s.outcomeUnknown(running, fmt.Sprintf("the frame hangs in it for %s", roughly(quiet)))
		e.Message += "\n\n" + clip(st.stack, 4<<10)
		running.answer(refusedReply(e, f))
	}
	return st
}

// flush answers calls that wait for a frame which does not come.
func (s *Server) flush(why func(*call) *refusal.Error) {
	for _, c := range s.queue.snapshot() {
		if c.abandon() {
			e := why(c)
			if c.tried.Load() {
				e = s.outcomeUnknown(c, "the frame stopped polling")
			}
			c.answer(refusedReply(e, s.frame.Load()))
		}
	}
	s.remove()
}

func (s *Server) stalledError(st *stalled) *refusal.Error {
	msg := fmt.Sprintf("the game has not polled for %s (last frame %d); the call did not run.", roughly(time.Since(st.since)), st.frame)
	if st.running != "" {
		msg += fmt.Sprintf(" The frame hangs in the tool %s.", st.running)
	}
	return &refusal.Error{Code: refusal.Stalled, Message: msg + " The frame goroutine:\n\n" + clip(st.stack, 8<<10),
		Got:  map[string]any{"lastFrame": st.frame, "stalledMs": time.Since(st.since).Milliseconds()},
		Hint: "goroutines shows every stack and profile_start where the time goes, also now; if the window is suspended or a debugger holds the process, that is why", Next: "goroutines"}
}

// frameStack is the stack of the goroutine that polled last.
func (s *Server) frameStack() string {
	id := s.frameGo.Load()
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
func (s *Server) serveClients(w *watchdog, now time.Time, f uint64) {
	last := s.lastCall.Load()
	there := s.connected.Load() > 0 || last > 0 && now.Sub(s.started)-time.Duration(last) < interest
	s.timing.Store(there)
	if there && now.Sub(w.refresh) >= refreshEvery-w.every/2 {
		w.refresh = now
		s.word.Or(bitRefresh)
	}
	if d := now.Sub(w.sampled); d >= time.Second {
		s.speed.Store(math.Float64bits(float64(f-w.sampleAt) / d.Seconds()))
		w.sampled, w.sampleAt = now, f
		s.sampled.Store(&speedSample{now, f})
		s.crashes.mark(f)
	}
	s.settle()
	s.announce(now)
}
