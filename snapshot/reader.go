package snapshot

import (
	"encoding/binary"
	"fmt"

	"github.com/loupe-ecs/loupe/snapshot/internal/blocks"
)

// reader reads the numbers and texts of a body. It trusts nothing: every length
// is held against the bytes that are left and every allocation against the
// budget. Its methods panic with a fail.
type reader struct {
	data   []byte
	off    int
	where  string // what is being decoded, for messages
	budget *int64
}

func (d *reader) fail(format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	if d.where != "" {
		msg = d.where + ": " + msg
	}
	panic(fail{blocks.BadFile("%s", msg)})
}

// charge takes n bytes off the memory budget.
func (d *reader) charge(n int64) {
	if n < 0 || n > *d.budget {
		panic(fail{blocks.TooLarge("the snapshot needs more memory than Options.MaxBytes allows")})
	}
	*d.budget -= n
}

func (d *reader) rest() int { return len(d.data) - d.off }

func (d *reader) take(n int) []byte {
	if n < 0 || n > d.rest() {
		d.fail("%d bytes are missing", n-d.rest())
	}
	b := d.data[d.off : d.off+n : d.off+n]
	d.off += n
	return b
}

func (d *reader) byte() byte { return d.take(1)[0] }

func (d *reader) uvarint() uint64 {
	v, n := binary.Uvarint(d.data[d.off:])
	if n <= 0 {
		d.fail("a number is cut short or too long")
	}
	d.off += n
	return v
}

func (d *reader) varint() int64 {
	v, n := binary.Varint(d.data[d.off:])
	if n <= 0 {
		d.fail("a number is cut short or too long")
	}
	d.off += n
	return v
}

// length reads a count of things that take at least size bytes each.
func (d *reader) length(size uint64) int {
	n := d.uvarint()
	if n > uint64(d.rest())/max(size, 1) {
		d.fail("a count of %d, with %d bytes left", n, d.rest())
	}
	return int(n)
}

func (d *reader) string() string {
	n := d.length(1)
	d.charge(int64(n))
	return string(d.take(n))
}
