package timeline

import "github.com/loupe-ecs/loupe/snapshot"

// Present is the live world as it was before it was made a past one.
type Present struct {
	Ref  // the line it is on, and its tick
	At   Ref
	Kept *snapshot.Capture
}

// Rewound tells that the live world has been made what it was at a sample, and
// what it was before. The samples after it stay readable until the world goes on
// from there: then a new branch begins. Frame goroutine.
func (r *Recorder) Rewound(to Ref, before *snapshot.Capture, frame uint64) {
	was := Ref{Seq: r.seq, Tick: r.now.Load(), Frame: frame, Branch: r.ring.branch()}
	r.mu.Lock()
	if r.present == nil {
		r.present = &Present{Ref: was, Kept: before}
	}
	r.present.At = to
	r.mu.Unlock()
	r.now.Store(r.clock(frame))
	r.last = to
	r.last.Tick = r.now.Load()
	r.fork = &branch{parent: to.Branch, seq: to.Seq, tick: to.Tick}
}

// Present is what [Recorder.Returned] goes back to; nil if the live world is the
// present. Any goroutine.
func (r *Recorder) Present() *Present {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.present == nil {
		return nil
	}
	p := *r.present
	return &p
}

// Returned tells that the live world is the present again. Frame goroutine.
func (r *Recorder) Returned(frame uint64) {
	r.mu.Lock()
	p := r.present
	r.present = nil
	r.mu.Unlock()
	if p == nil {
		return
	}
	r.fork = nil
	r.ring.enter(p.Branch)
	r.now.Store(r.clock(frame))
	r.last = p.Ref
	r.last.Tick = r.now.Load()
}
