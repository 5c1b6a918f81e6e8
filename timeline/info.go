package timeline

import (
	"slices"
	"sync/atomic"
	"time"
)

// Info describes a recording.
type Info struct {
	Recording bool
	Every     int   // ticks between samples now
	Wanted    int   // asked for; packing that cannot keep up makes Every greater
	Memory    int64 // bound, in bytes
	Samples   int   // of all branches
	Bytes     int64 // what they take
	RawBytes  int64 // what they would take as whole images
	Pushed    int   // samples that memory pushed out
	Dropped   int   // samples that were due and left out, because packing was behind
	From, To  uint64
	Tick      uint64 // of the live world
	Stopped   string // why recording ended by itself
	Marks     []Mark
	LostMarks int
	Branch    int // that the live world is on
	Branches  []BranchInfo
	Present   *Ref // the live world is a past one, and this was its present
	At        *Ref // which past one it is
	Times     Times
}

// BranchInfo describes the samples of one branch.
type BranchInfo struct {
	Branch  int    `json:"branch" jsonschema:"number of the branch"`
	From    uint64 `json:"fromTick" jsonschema:"tick of its first sample"`
	To      uint64 `json:"toTick" jsonschema:"tick of its last sample"`
	Samples int    `json:"samples" jsonschema:"how many it has"`
	Current bool   `json:"current" jsonschema:"whether the live world is on it"`
}

// Info describes the recording now. Any goroutine.
func (r *Recorder) Info() Info {
	i := Info{Recording: r.busy.Load(), Every: int(r.every.Load()), Wanted: int(r.want.Load()), Memory: r.ring.most(), Tick: r.now.Load(),
		Dropped: int(r.dropped.Load()), Times: r.times.quantiles()}
	l := r.Line()
	i.From, i.To, _ = l.Ticks()
	i.Branch = l.Branch
	r.ring.describe(&i)
	r.mu.Lock()
	defer r.mu.Unlock()
	i.Stopped, i.Marks, i.LostMarks = r.stopped, slices.Clone(r.marks.list), r.marks.lost
	if p := r.present; p != nil {
		now, at := p.Ref, p.At
		i.Present, i.At = &now, &at
	}
	return i
}

func (r *ring) describe(i *Info) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i.Samples, i.Bytes, i.RawBytes, i.Pushed = r.samples, r.bytes, r.raw, r.pushed
	for _, s := range r.segments {
		k := slices.IndexFunc(i.Branches, func(b BranchInfo) bool { return b.Branch == s.branch })
		if k < 0 {
			k = len(i.Branches)
			i.Branches = append(i.Branches, BranchInfo{Branch: s.branch, From: s.samples[0].tick, Current: s.branch == r.current})
		}
		i.Branches[k].To = s.samples[len(s.samples)-1].tick
		i.Branches[k].Samples += len(s.samples)
	}
}

// Line is the line that the live world is on. Any goroutine; [Recorder.Flush]
// first makes it complete.
func (r *Recorder) Line() *Line {
	r.ring.mu.Lock()
	b := r.ring.current
	r.ring.mu.Unlock()
	return r.LineOf(b)
}

// LineOf is the line that ends with a branch.
func (r *Recorder) LineOf(branch int) *Line {
	return &Line{Branch: branch, spans: r.ring.line(branch), now: r.now.Load(), on: r.busy.Load(), every: int(r.every.Load())}
}

// times are how long the last samples took the frame.
type times struct {
	n    atomic.Uint64
	last [512]atomic.Int32 // microseconds × 16
}

func (t *times) add(d time.Duration) {
	n := t.n.Add(1) - 1
	t.last[n%uint64(len(t.last))].Store(int32(min(d, time.Minute) * 16 / time.Microsecond))
}

// Times are quantiles of what recording cost the frame.
type Times struct{ P50, P99, Max time.Duration }

func (t *times) quantiles() Times {
	n := int(min(t.n.Load(), uint64(len(t.last))))
	if n == 0 {
		return Times{}
	}
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = time.Duration(t.last[i].Load()) * time.Microsecond / 16
	}
	slices.Sort(all)
	return Times{all[n/2], all[min(n*99/100, n-1)], all[n-1]}
}
