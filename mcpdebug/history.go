//go:build !nomcpdebug

package mcpdebug

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/builtin"
	"github.com/loupe-ecs/loupe/tools"
)

// callRing keeps the last calls for crash reports.
type callRing struct {
	mu    sync.Mutex
	calls []builtin.CallRecord
}

const callsKept = 16

func (r *callRing) add(q tools.Request, frame uint64, took time.Duration, code refusal.Code) {
	outcome := "ok"
	if code != "" {
		outcome = string(code)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.calls) == callsKept {
		r.calls = append(r.calls[:0], r.calls[1:]...)
	}
	r.calls = append(r.calls, builtin.CallRecord{Tool: q.Name, Client: q.Client, Frame: frame, Ms: float64(took.Microseconds()) / 1e3, Outcome: outcome})
}

func (r *callRing) list() []builtin.CallRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// guardTimes are the times of what Guard ran, a frame's together, while
// somebody is interested.
type guardTimes struct {
	slots [timesKept]struct{ frame, ns atomic.Uint64 }
}

const timesKept = 256

func (g *guardTimes) add(frame uint64, d time.Duration) {
	s := &g.slots[frame%timesKept]
	if s.frame.Load() != frame {
		s.ns.Store(0)
		s.frame.Store(frame)
	}
	s.ns.Add(uint64(max(d, 0)))
}

func (g *guardTimes) durations() (ds []time.Duration) {
	for i := range g.slots {
		if s := &g.slots[i]; s.frame.Load() != 0 {
			ds = append(ds, time.Duration(s.ns.Load()))
		}
	}
	return ds
}

// speedSample is when the frames were counted last.
type speedSample struct {
	at    time.Time
	frame uint64
}

// framesPerSecond is the speed over the last whole second; until there was
// one, since the start or the end of a hang, that of the frames so far.
func (s *Server) framesPerSecond() float64 {
	if fps := math.Float64frombits(s.speed.Load()); fps > 0 {
		return fps
	}
	from := s.sampled.Load()
	if from == nil {
		from = &speedSample{at: s.started}
	}
	d, n := time.Since(from.at), s.frame.Load()-from.frame
	if d < 20*time.Millisecond || n == 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// frameTimes prefers the schedule's times, which are always kept.
func (s *Server) frameTimes() builtin.FrameTimes {
	t := builtin.FrameTimes{FPS: s.framesPerSecond()}
	var ds []time.Duration
	if times := s.view.Load().app.Times(); times != nil {
		func() {
			defer func() { _ = recover() }() // a host's own implementation
			for _, f := range times.History(600).Frames {
				ds = append(ds, f.Busy)
			}
		}()
	}
	if len(ds) == 0 {
		ds = s.times.durations()
	}
	if t.Frames = len(ds); t.Frames > 0 {
		slices.Sort(ds)
		at := func(p float64) time.Duration { return ds[min(len(ds)-1, int(p*float64(len(ds))))] }
		t.P50, t.P95, t.Max = at(0.50), at(0.95), ds[len(ds)-1]
	}
	return t
}
