package snapshot

import (
	"encoding/binary"
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// StreamWriter writes columns of any type in the encoding that snapshots have,
// for files of another shape. It is one goroutine's.
type StreamWriter struct {
	types typeTable
	spare []byte
}

// Append appends n values at base behind their type's number. Private fields are
// written as zero.
func (s *StreamWriter) Append(dst []byte, t reflect.Type, base unsafe.Pointer, n int) (out []byte, err error) {
	defer recovered(&err, "encoding")
	plan := nodeOf(t)
	e := encoder{buf: binary.AppendUvarint(dst, uint64(s.types.index(plan))), types: &s.types, spare: s.spare, discreet: true}
	e.column(plan, base, n)
	s.spare = e.spare
	return e.buf, nil
}

// Types describes the types of all values so far, for OpenStream.
func (s *StreamWriter) Types() []byte {
	var e encoder
	s.types.write(&e)
	return e.buf
}

// StreamReader reads what a StreamWriter wrote. It trusts nothing, and takes no
// more memory than its budget. It is one goroutine's.
type StreamReader struct {
	d      decoder
	report report
}

// OpenStream reads the description of the types; dynamic types are looked for
// among those that the process knows. budget, in bytes, is what the values may
// take: it is lowered by what they take.
func OpenStream(types []byte, budget *int64) (r *StreamReader, err error) {
	defer recovered(&err, "decoding")
	r = &StreamReader{}
	d := &r.d
	d.data, d.budget, d.report, d.lax = types, budget, &r.report, true
	d.known = &typeNames{cat: ecs.NewCatalog(ecs.Catalog{})}
	d.entityCheck.pool = &ecs.Pool{}
	d.where = "types"
	d.types = d.fileTypes()
	if d.rest() != 0 {
		d.fail("%d bytes are left over", d.rest())
	}
	return r, nil
}

// Column reads rows values into a new slice of ts. Fields that t lacks are left
// out.
func (r *StreamReader) Column(data []byte, t reflect.Type, rows int) (v reflect.Value, err error) {
	defer recovered(&err, "decoding")
	d := &r.d
	d.data, d.off, d.where = data, 0, t.String()
	w := d.uvarint()
	if w >= uint64(len(d.types)) {
		d.fail("a type %d of %d", w, len(d.types))
	}
	d.exact = true
	return d.column(int(w), nodeOf(t), rowForm, rows), nil
}

// standsFor: both are pointers to stand-ins of one type, which contains itself:
// they differ in how far down it goes, and lie in memory alike.
func (d *decoder) standsFor(a, b *node) bool {
	return d.exact && a.kind == kPointer && b.kind == kPointer && value.SameStandIn(a.elem.Go, b.elem.Go)
}
