package timeline

import (
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
)

// segment is a keyframe and the samples that follow it, each stored as what
// changed. It can be read without any other one. Only the packer writes to it,
// under the ring's lock; what has been published does not change.
type segment struct {
	branch int
	types  *ecs.Catalog
	*layout
	rows    []int32      // of the keyframe, by table; tables added later begin empty
	key     []*keyColumn // by column; nil: empty
	samples []sample     // the keyframe is the first
	arena   []byte       // the last part of the samples' data, while more may come
	arenas  int64        // all parts
	held    int64        // what the samples hold beside data
	raw     int64        // what they would take as whole images
}

// keyColumn is a column of a keyframe. Keyframes that follow each other share
// it while nothing in it changes.
type keyColumn struct {
	words []uint64
	refs  reflect.Value // []T, for values with pointers
	bytes int64
	users int // segments that have it; under the ring's lock
}

// The bounds of a segment. A keyframe is due when the changes since the last are
// a good deal more than what it must copy, which bounds the work of reading
// without storing much twice; of a small world, which is read in no time, when
// they are keyLeast.
const (
	minSteps   = 32
	maxSteps   = 600
	keyShare   = 4
	keyLeast   = 384 << 10
	arenaBytes = 32 << 10
)

// store keeps a copy of b in memory that the segment's samples share.
func (s *segment) store(b []byte, most int) []byte {
	if len(b) == 0 {
		return nil
	}
	if len(s.arena)+len(b) > cap(s.arena) {
		s.arena = make([]byte, 0, max(len(b), min(arenaBytes, most)))
		s.arenas += int64(cap(s.arena))
	}
	at := len(s.arena)
	s.arena = append(s.arena, b...)
	return s.arena[at:len(s.arena):len(s.arena)]
}

// sealed is the samples in memory that is not larger than they are, for a
// segment to which nothing is added any more.
func (s *segment) sealed() (samples []sample, bytes int64) {
	n := 0
	for i := range s.samples {
		n += len(s.samples[i].data)
	}
	data := make([]byte, 0, n)
	samples = make([]sample, len(s.samples))
	copy(samples, s.samples)
	for i := range samples {
		d := &samples[i].data
		at := len(data)
		data = append(data, *d...)
		*d = data[at:len(data):len(data)]
	}
	return samples, int64(n)
}

// add puts a sample at the end.
func (s *segment) add(smp sample) {
	var before sample
	if n := len(s.samples); n > 0 {
		before = s.samples[n-1]
	}
	s.held += smp.extra(&before)
	s.samples = append(s.samples, smp)
}

// extra is what a sample holds beside its data and itself, and does not share
// with the one before.
func (s *sample) extra(before *sample) (n int64) {
	if s.shape != before.shape {
		n += int64(unsafe.Sizeof(*s.shape)) + int64(len(s.shape.order)*4+len(s.shape.listed))
	}
	if s.more == before.more || s.more == plainMore {
		return n
	}
	n += int64(unsafe.Sizeof(*s.more)) + int64(len(s.more.inputs)+len(s.more.cause))
	for _, d := range s.more.refs {
		n += int64(cap(d.rows)*4) + int64(unsafe.Sizeof(d))
		for k := range d.values.Len() {
			n += deepSize(d.values.Index(k))
		}
	}
	if before.more == nil || len(s.more.states) > 0 && (len(before.more.states) == 0 || &before.more.states[0] != &s.more.states[0]) {
		for _, st := range s.more.states {
			n += int64(len(st.Data)) + int64(unsafe.Sizeof(st))
		}
	}
	return n
}

// bytes is what the segment takes, without what it may share with others: its
// layout and the columns of its keyframe.
func (s *segment) bytes() int64 {
	return int64(unsafe.Sizeof(*s)) + s.held + s.arenas + int64(cap(s.samples))*int64(unsafe.Sizeof(sample{})) + int64(cap(s.rows)*4) + int64(cap(s.key))*int64(unsafe.Sizeof(s.key[0]))
}

// view is a segment as it was published at one time.
type view struct {
	*segment
	*layout
	samples []sample
}

func (s *segment) view() view { return view{s, s.layout, s.samples} }

// ref names sample i.
func (v *view) ref(i int) Ref {
	s := &v.samples[i]
	return Ref{Seq: s.seq, Tick: s.tick, Frame: s.frame, Branch: v.branch, Cause: s.more.cause}
}

// keyBytes is what the keyframe takes, shared columns included.
func (s *segment) keyBytes() (n int64) {
	for _, k := range s.key {
		n += k.bytes
	}
	return n
}
