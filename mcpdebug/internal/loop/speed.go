package loop

import (
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// Speed is how fast the host's loop goes. count and restart are for the
// watchdog's goroutine.
type Speed struct {
	state   *state
	bound   *binding
	timing  atomic.Bool   // somebody is interested: Guard reads the clock
	perSec  atomic.Uint64 // frames per second, a float64's bits
	counted atomic.Pointer[countedAt]
	slots   [timesKept]struct{ frame, ns atomic.Uint64 } // what Guard ran, a frame's together
}

// countedAt is when the frames were counted last.
type countedAt struct {
	at    time.Time
	frame uint64
}

const timesKept = 256

func (s *Speed) init(st *state, b *binding) {
	s.state, s.bound = st, b
	s.counted.Store(&countedAt{at: st.started})
}

// count notes the speed of the last second or more; false: it is not over.
func (s *Speed) count(now time.Time, frame uint64) bool {
	last := s.counted.Load()
	d := now.Sub(last.at)
	if d < time.Second {
		return false
	}
	s.perSec.Store(math.Float64bits(float64(frame-last.frame) / d.Seconds()))
	s.counted.Store(&countedAt{now, frame})
	return true
}

// restart forgets the speed: after a hang it is that of the frames that come.
func (s *Speed) restart(now time.Time, frame uint64) {
	s.perSec.Store(0)
	s.counted.Store(&countedAt{now, frame})
}

// framesPerSecond is the speed over the last whole second; until there was
// one, since the start or the end of a hang, that of the frames so far.
func (s *Speed) framesPerSecond(frame uint64) float64 {
	if fps := math.Float64frombits(s.perSec.Load()); fps > 0 {
		return fps
	}
	from := s.counted.Load()
	d, n := time.Since(from.at), frame-from.frame
	if d < 20*time.Millisecond || n == 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

func (s *Speed) durations() (ds []time.Duration) {
	for i := range s.slots {
		if slot := &s.slots[i]; slot.frame.Load() != 0 {
			ds = append(ds, time.Duration(slot.ns.Load()))
		}
	}
	return ds
}

// Timing tells whether somebody wants to know how long Guard's functions take.
// Any goroutine.
func (s *Speed) Timing() bool { return s.timing.Load() }

// Took adds the time of what Guard ran to its frame's. Frame goroutine.
func (s *Speed) Took(d time.Duration) {
	frame := s.state.Frame()
	slot := &s.slots[frame%timesKept]
	if slot.frame.Load() != frame {
		slot.ns.Store(0)
		slot.frame.Store(frame)
	}
	slot.ns.Add(uint64(max(d, 0)))
}

// FrameTimes is the speed of the host's loop. P50, P95 and Max are zero where
// neither Guard nor the schedule gives times.
type FrameTimes struct {
	FPS           float64
	P50, P95, Max time.Duration
	Frames        int // how many frames the percentiles are of
}

// FrameTimes prefers the schedule's times, which are always kept. Any goroutine.
func (s *Speed) FrameTimes() FrameTimes {
	t := FrameTimes{FPS: s.framesPerSecond(s.state.Frame())}
	ds := s.bound.view.Load().scheduleTimes()
	if len(ds) == 0 {
		ds = s.durations()
	}
	if t.Frames = len(ds); t.Frames > 0 {
		slices.Sort(ds)
		at := func(p float64) time.Duration { return ds[min(len(ds)-1, int(p*float64(len(ds))))] }
		t.P50, t.P95, t.Max = at(0.50), at(0.95), ds[len(ds)-1]
	}
	return t
}
