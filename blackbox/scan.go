package blackbox

import (
	"encoding/binary"
	"fmt"
)

// scan reads foreign bytes. It trusts no length; its methods panic with a fault,
// which whoever began turns into an error.
type scan struct {
	data  []byte
	where string
}

type fault struct{ err error }

// recovered turns a fault, or any other panic, into an error.
func recovered(err *error) {
	switch r := recover().(type) {
	case nil:
	case fault:
		*err = r.err
	default:
		*err = badFile("reading the file panicked: %v", r)
	}
}

func (s *scan) fail(format string, args ...any) {
	panic(fault{badFile("%s: %s", s.where, fmt.Sprintf(format, args...))})
}

func (s *scan) rest() int { return len(s.data) }

func (s *scan) take(n int) []byte {
	if n < 0 || n > len(s.data) {
		s.fail("%d bytes are missing", n-len(s.data))
	}
	b := s.data[:n:n]
	s.data = s.data[n:]
	return b
}

func (s *scan) byte() byte { return s.take(1)[0] }

func (s *scan) uvarint() uint64 {
	v, n := binary.Uvarint(s.data)
	if n <= 0 {
		s.fail("a number is cut short or too long")
	}
	s.data = s.data[n:]
	return v
}

func (s *scan) varint() int64 {
	v, n := binary.Varint(s.data)
	if n <= 0 {
		s.fail("a number is cut short or too long")
	}
	s.data = s.data[n:]
	return v
}

// length reads a count of things that take at least size bytes each.
func (s *scan) length(size int) int {
	n := s.uvarint()
	if size > 0 && n > uint64(len(s.data)/size) || n > maxBlock {
		s.fail("a count of %d, with %d bytes left", n, len(s.data))
	}
	return int(n)
}

// below reads a number under n.
func (s *scan) below(n int) int {
	v := s.uvarint()
	if v >= uint64(n) {
		s.fail("number %d of %d", v, n)
	}
	return int(v)
}

func (s *scan) u32() uint32 {
	v := s.uvarint()
	if v > 1<<32-1 {
		s.fail("a number of %d", v)
	}
	return uint32(v)
}

func (s *scan) bytes() []byte { return s.take(s.length(1)) }
