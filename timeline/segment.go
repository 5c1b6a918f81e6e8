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
	branch  int
	types   *ecs.Catalog
	tables  []table
	columns []columnInfo
	rows    []int32      // of the keyframe, by table; tables added later begin empty
	key     []*keyColumn // by column; nil: empty
	samples []sample     // the keyframe is the first
	arena   []byte
	bytes   int64   // without the keyframe's columns
	raw     []int64 // by sample: what it would take as a whole image
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
// without storing much twice.
const (
	minSteps   = 32
	maxSteps   = 600
	keyShare   = 12
	arenaBytes = 32 << 10
)

// store keeps a copy of b in memory that the segment's samples share.
func (s *segment) store(b []byte, most int) []byte {
	if len(b) == 0 {
		return nil
	}
	if len(s.arena)+len(b) > cap(s.arena) {
		s.arena = make([]byte, 0, max(len(b), min(arenaBytes, most)))
		s.bytes += int64(cap(s.arena))
	}
	at := len(s.arena)
	s.arena = append(s.arena, b...)
	return s.arena[at:len(s.arena):len(s.arena)]
}

// view is a segment as it was published at one time.
type view struct {
	*segment
	tables  []table
	columns []columnInfo
	samples []sample
}

func (s *segment) view() view { return view{s, s.tables, s.columns, s.samples} }

// add gives a tip's table and columns the next numbers.
func (s *segment) add(t *tip) {
	s.tables = append(s.tables, table{t.components, t.targets, len(s.columns)})
	for k := range t.columns {
		s.columns = append(s.columns, columnInfo{len(s.tables) - 1, t.columns[k].size, t.columns[k].typ, t.columns[k].lanes})
	}
	s.bytes += int64(unsafe.Sizeof(table{})) + int64(len(t.columns))*int64(unsafe.Sizeof(columnInfo{}))
}

// keyBytes is what the keyframe takes, shared columns included.
func (s *segment) keyBytes() (n int64) {
	for _, k := range s.key {
		n += k.bytes
	}
	return n
}
