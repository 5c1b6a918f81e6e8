package timeline

import (
	"math"
	"sync"
	"sync/atomic"
)

// ring is the recorded samples: segments in the order in which they were
// recorded, the oldest pushed out when they take more than the memory.
type ring struct {
	limit  atomic.Int64
	pinned atomic.Bool // nothing is pushed out

	mu       sync.Mutex
	segments []*segment
	branches []branch // by number; 0 begins the recording
	current  int      // the branch that the live world is on
	bytes    int64    // of all segments and keyframe columns
	raw      int64    // what the samples would take as whole images
	samples  int
	pushed   int // samples that memory pushed out
}

// branch is a line of samples that begins where another was left: by going back,
// or by a world that was put in place.
// It begins after the samples of its parent that are beyond neither.
type branch struct {
	parent int // -1: none
	seq    uint64
	tick   uint64
}

// most is the memory that may be used.
func (r *ring) most() int64 { return r.limit.Load() }

// publish shows what the packer has made of a shot, and pushes out what is too
// much.
func (r *ring) publish(p *packer, smp sample, lengths int, raw int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := p.seg.bytes()
	if len(p.seg.samples) == 0 {
		before = 0
		r.seal()
		r.segments = append(r.segments, p.seg)
		r.use(p.seg.layout)
		for _, k := range p.seg.key {
			if k.users++; k.users == 1 {
				r.bytes += k.bytes
			}
		}
	}
	p.finish(r, smp, lengths, int(min(r.most()/64, math.MaxInt32)))
	r.bytes += p.seg.bytes() - before
	p.seg.raw += raw
	r.raw += raw
	r.samples++
	for r.bytes > r.most() && len(r.segments) > 1 && !r.pinned.Load() {
		r.pushOut()
	}
}

// seal packs the last segment, to which nothing will be added.
func (r *ring) seal() {
	if len(r.segments) == 0 {
		return
	}
	s := r.segments[len(r.segments)-1]
	r.bytes -= s.bytes()
	s.samples, s.arenas = s.sealed()
	s.arena = nil
	r.bytes += s.bytes()
}

// use and drop count the segments that have a layout.
func (r *ring) use(l *layout) {
	if l.users++; l.users == 1 {
		r.bytes += l.bytes()
	}
}

func (r *ring) drop(l *layout) {
	if l.users--; l.users == 0 {
		r.bytes -= l.bytes()
	}
}

// pushOut forgets the oldest segment.
func (r *ring) pushOut() {
	s := r.segments[0]
	r.segments[0] = nil
	r.segments = r.segments[1:]
	r.bytes -= s.bytes()
	r.drop(s.layout)
	for _, k := range s.key {
		if k.users--; k.users == 0 {
			r.bytes -= k.bytes
		}
	}
	r.raw -= s.raw
	r.samples -= len(s.samples)
	r.pushed += len(s.samples)
}

// fork begins a branch, which becomes the current one.
func (r *ring) fork(b branch) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.branches = append(r.branches, b)
	r.current = len(r.branches) - 1
	return r.current
}

// clear forgets all samples.
func (r *ring) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.segments) > 0 {
		r.pushOut()
	}
	r.pushed = 0
	r.branches, r.current = append(r.branches, branch{parent: -1}), len(r.branches)
}

// branch is the current one.
func (r *ring) branch() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

// enter makes a branch the current one again.
func (r *ring) enter(b int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = b
}

// full: the memory is used up, and nothing may be pushed out.
func (r *ring) full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pinned.Load() && r.bytes > r.most()
}
