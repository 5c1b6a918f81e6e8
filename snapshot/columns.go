package snapshot

import (
	"unsafe"

	"github.com/loupe-ecs/loupe/snapshot/internal/blocks"
)

// values writes form, length and encoding of a column.
func (s *saver) values(n *node, base unsafe.Pointer, rows int) {
	if n.lanes != nil && rows > 1 {
		s.byte(laneForm)
		width := 0
		for _, l := range n.lanes {
			width += int(l.Size)
		}
		s.uvarint(uint64(width * rows))
		s.lanes(n.lanes, base, n.Size, rows)
		return
	}
	c := &s.column
	*c = encoder{buf: c.buf[:0], types: &s.types, spare: c.spare}
	c.column(n, base, rows)
	s.byte(rowForm)
	s.uvarint(uint64(len(c.buf)))
	s.flush()
	if _, err := s.w.Write(c.buf); err != nil {
		panic(fail{err})
	}
}

// manyRows is from where on planes get blocks of their own, so that they are
// cut in the background and constant ones cost nothing. Shorter planes share
// blocks.
const manyRows = 4096

// lanes writes the planes of rows values at base, which must stay.
func (s *saver) lanes(lanes []blocks.Lane, base unsafe.Pointer, stride uintptr, rows int) {
	if rows < manyRows {
		s.buf = blocks.AppendLanes(s.buf, lanes, base, stride, rows)
		s.flush()
		return
	}
	for _, l := range lanes {
		s.flush()
		for from := 0; from < rows; from += blocks.LaneRows {
			s.w.Lane(int(l.Size), unsafe.Add(base, l.Offset+uintptr(from)*stride), stride, min(rows-from, blocks.LaneRows), nil)
		}
	}
	s.flush()
}

// numbers writes the planes of n numbers; get fetches those from a row on and
// may be called on any goroutine.
func (s *saver) numbers(n int, get func(dst []uint32, from int)) {
	if n < manyRows {
		all := make([]uint32, n)
		get(all, 0)
		s.buf = blocks.AppendLanes(s.buf, entityLanes[:1], unsafe.Pointer(unsafe.SliceData(all)), 4, n)
		s.flush()
		return
	}
	s.flush()
	for from := 0; from < n; from += blocks.LaneRows {
		s.w.Lane(4, nil, 0, min(n-from, blocks.LaneRows), func(dst []uint32) { get(dst, from) })
	}
	s.flush()
}
