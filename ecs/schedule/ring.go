package schedule

import (
	"sync/atomic"
	"time"
)

// FramesKept is how many frames History can look back: ten seconds at 60 Hz.
const FramesKept = 600

// notRun marks a system that did not run in a frame.
const notRun = -1

// ring holds which frame each slot of the systems' times belongs to. There is
// one writer, the frame goroutine. A reader trusts a slot only if its turn is
// the expected one before and after reading it: the writer takes the turn out
// first when it reuses a slot, and puts the new one in last.
type ring struct {
	head   atomic.Uint64             // frames begun
	turn   [FramesKept]atomic.Uint64 // the frame in the slot was begun as the turn-th
	frames [FramesKept]atomic.Uint64
	busy   [FramesKept]atomic.Int64
}

func (r *ring) begin(frame uint64, systems []*system) (slot int) {
	n := r.head.Load()
	slot = int(n % FramesKept)
	r.turn[slot].Store(0)
	r.busy[slot].Store(0)
	for _, s := range systems {
		s.times[slot].Store(notRun)
	}
	r.frames[slot].Store(frame)
	r.turn[slot].Store(n + 1)
	r.head.Store(n + 1)
	return slot
}

func (r *ring) addBusy(slot int, ns int64) {
	r.busy[slot].Store(r.busy[slot].Load() + ns)
}

// History returns the last frames, oldest first: at most as many as asked for
// and at most [FramesKept]. The last one may be under way; a frame that was
// being replaced while it was read is left out. Any goroutine.
func (s *Schedule) History(frames int) History {
	systems := *s.all.Load()
	h := History{Systems: make([]string, len(systems)), Phases: make([]string, len(systems))}
	for i, sys := range systems {
		h.Systems[i], h.Phases[i] = sys.name, sys.phase
	}
	head := s.ring.head.Load()
	n := min(uint64(max(frames, 0)), FramesKept, head)
	h.Frames = make([]FrameTimes, 0, n)
	times := make([]time.Duration, int(n)*len(systems))
	for at := head - n; at < head; at++ {
		slot := int(at % FramesKept)
		if s.ring.turn[slot].Load() != at+1 {
			continue
		}
		f := FrameTimes{Frame: s.ring.frames[slot].Load()}
		f.Busy = time.Duration(s.ring.busy[slot].Load())
		f.Systems, times = times[:len(systems):len(systems)], times[len(systems):]
		var sum time.Duration
		for i, sys := range systems {
			f.Systems[i] = time.Duration(sys.times[slot].Load())
			sum += max(f.Systems[i], 0)
		}
		// A frame under way, or one that a panic ended, has no total of its own.
		f.Busy = max(f.Busy, sum)
		if s.ring.turn[slot].Load() == at+1 {
			h.Frames = append(h.Frames, f)
		}
	}
	return h
}
