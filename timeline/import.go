package timeline

import (
	"errors"
	"io"
)

// Branch is a line of samples that begins where another was left: after the
// samples of its parent that are beyond neither Seq nor Tick.
type Branch struct {
	Parent int    `json:"parent"` // -1: none
	Seq    uint64 `json:"seq"`
	Tick   uint64 `json:"tick"`
}

// Branches lists the branches by number, and tells the one that the live world
// is on. Any goroutine.
func (r *Recorder) Branches() (all []Branch, current int) {
	r.ring.mu.Lock()
	defer r.ring.mu.Unlock()
	for _, b := range r.ring.branches {
		all = append(all, Branch{b.parent, b.seq, b.tick})
	}
	return all, r.ring.current
}

// Recorded is what a recording that was kept elsewhere has beside its samples.
type Recorded struct {
	Every    int
	Branches []Branch
	Current  int
	Tick     uint64 // of the world when it was kept
	Marks    []Mark
}

// Import makes a recorder that has never recorded hold a recording, in at most
// so many bytes: the oldest samples are forgotten. next gives them one by one, in
// the order of Seq on each branch and a parent's before its children's, and
// io.EOF after the last; its columns may be reused by the one after, but for
// values that hold pointers. Then rest is asked for the rest. What next failed
// with is returned; the samples before stay readable. Before anything else is
// called.
func (r *Recorder) Import(memory int64, next func() (*Sample, error), rest func() Recorded) error {
	r.ring.limit.Store(memory)
	p := &packer{ring: &r.ring}
	err := r.importAll(p, next)
	o := rest()
	r.ring.branches = nil
	for _, b := range o.Branches {
		r.ring.branches = append(r.ring.branches, branch{b.Parent, b.Seq, b.Tick})
	}
	r.ring.current = o.Current
	r.every.Store(int32(o.Every))
	r.want.Store(int32(o.Every))
	r.marks.list = o.Marks
	_, last, _ := r.Line().Ticks()
	r.now.Store(max(o.Tick, last))
	return err
}

func (r *Recorder) importAll(p *packer, next func() (*Sample, error)) error {
	for {
		s, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		shot := shot{Ref: s.Ref, img: *s.Image, types: s.Types, locked: s.Locked, states: s.States, inputs: s.Inputs}
		if why := r.packOne(new(run), p, &shot); why != "" {
			return errors.New(why)
		}
		r.seq, r.last = max(r.seq, s.Seq), s.Ref
	}
}
