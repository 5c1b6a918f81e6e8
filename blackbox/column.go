package blackbox

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// A column without pointers is taken as words of 8 bytes. Written are, sample by
// sample, the words that changed: how many, the gaps between them, and by what
// each moved, less what it moved by in the sample before. What counts or moves
// evenly is then close to 0. The values of a column stand together, byte plane by
// byte plane, for the compressor to see what they have in common.

// words is a column's content on one side.
type words struct {
	now   []uint64
	moved []uint64 // by what each word moved in its last change
	when  []int32  // and in which sample
	bytes int
}

const never = -2

// resize makes the content n bytes long; what is cut off is forgotten.
func (w *words) resize(n int) {
	size := (n + 7) / 8
	for len(w.now) < size {
		w.now, w.moved, w.when = append(w.now, 0), append(w.moved, 0), append(w.when, never)
	}
	w.now, w.moved, w.when = w.now[:size], w.moved[:size], w.when[:size]
	if n < w.bytes && n%8 != 0 {
		w.now[size-1] &= 1<<(8*(n%8)) - 1
	}
	w.bytes = n
}

func (w *words) base() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(w.now)) }

func (w *words) content() []byte {
	if w.bytes == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(w.base()), w.bytes)
}

func (w *words) clear() { w.now, w.moved, w.when, w.bytes = w.now[:0], w.moved[:0], w.when[:0], 0 }

// flatWriter gathers the changes of one column of a chunk.
type flatWriter struct {
	words
	index  []byte   // a count for each sample, gaps
	values []uint64 // what moved, zigzag
	asleep int      // samples without a change that index does not tell of yet
}

// add notes what the column holds in sample number i. Masked bytes count as 0.
func (f *flatWriter) add(data []byte, i int32) {
	if len(data) == f.bytes && string(data) == string(f.content()) {
		f.asleep++
		return
	}
	f.wake()
	f.resize(len(data))
	head := len(f.index)
	f.index = append(f.index, 0)
	count, last := 0, 0
	for k := range f.now {
		var x uint64
		if rest := data[8*k:]; len(rest) >= 8 {
			x = binary.LittleEndian.Uint64(rest)
		} else {
			for j, b := range rest {
				x |= uint64(b) << (8 * j)
			}
		}
		if x == f.now[k] {
			continue
		}
		move := x - f.now[k]
		delta := move
		if f.when[k] == i-1 {
			delta -= f.moved[k]
		}
		f.now[k], f.moved[k], f.when[k] = x, move, i
		f.index = binary.AppendUvarint(f.index, uint64(k-last))
		f.values = append(f.values, delta<<1^uint64(int64(delta)>>63))
		last = k
		count++
	}
	f.index[head] = byte(min(count, 255))
	if count >= 255 {
		f.index = append(binary.AppendUvarint(append([]byte(nil), f.index[:head+1]...), uint64(count)), f.index[head+1:]...)
	}
}

// wake writes how many samples brought nothing.
func (f *flatWriter) wake() {
	f.index = binary.AppendUvarint(f.index, uint64(f.asleep))
	f.asleep = 0
}

// finish appends the column and begins anew.
func (f *flatWriter) finish(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(f.index)))
	dst = append(dst, f.index...)
	dst = appendPlanes(dst, f.values)
	f.index, f.values, f.asleep = f.index[:0], f.values[:0], 0
	f.clear()
	return dst
}

// appendPlanes writes numbers byte plane by byte plane, as many as the greatest
// needs.
func appendPlanes(dst []byte, values []uint64) []byte {
	var all uint64
	for _, v := range values {
		all |= v
	}
	planes := (bits.Len64(all) + 7) / 8
	dst = binary.AppendUvarint(dst, uint64(len(values)))
	dst = append(dst, byte(planes))
	at, n := len(dst), len(values)
	dst = append(dst, make([]byte, planes*n)...)
	for p := range planes {
		plane := dst[at+p*n:][:n]
		shift := 8 * p
		for i, v := range values {
			plane[i] = byte(v >> shift)
		}
	}
	return dst
}

// flatReader follows one column of a chunk.
type flatReader struct {
	words
	index  scan
	planes []byte
	count  int // values
	planeN int
	next   int // value
	asleep uint64
	began  bool
}

// read takes a column's bytes.
func (f *flatReader) read(s *scan) {
	f.index = scan{data: s.take(s.length(1)), where: s.where}
	f.count = s.length(0)
	f.planeN = int(s.byte())
	if f.planeN > 8 || f.planeN > 0 && f.count > s.rest()/f.planeN {
		s.fail("a column is cut short")
	}
	if f.planeN == 0 && f.count > len(f.index.data) {
		s.fail("a column announces more changes than it tells of")
	}
	f.planes = s.take(f.planeN * f.count)
}

func (f *flatReader) value() uint64 {
	if f.next >= f.count {
		f.index.fail("a column has fewer values than changes")
	}
	var v uint64
	for p := range f.planeN {
		v |= uint64(f.planes[p*f.count+f.next]) << (8 * p)
	}
	f.next++
	return v>>1 ^ -(v & 1)
}

// step goes on to sample i, in which the column has n bytes.
func (f *flatReader) step(i int32, n int) (changed bool) {
	if !f.began {
		f.began = true
		f.wake()
	}
	if f.asleep > 0 {
		f.asleep--
		if n != f.bytes {
			f.index.fail("a column has another length than its rows")
		}
		return false
	}
	f.resize(n)
	count := uint64(f.index.byte())
	if count == 255 {
		count = f.index.uvarint()
	}
	k := uint64(0)
	for range count {
		k += f.index.uvarint()
		if k >= uint64(len(f.now)) {
			f.index.fail("a change beyond the end of a column")
		}
		move := f.value()
		if f.when[k] == i-1 {
			move += f.moved[k]
		}
		f.now[k] += move
		f.moved[k], f.when[k] = move, i
	}
	f.wake()
	return true
}

func (f *flatReader) wake() {
	f.asleep = 1 << 62
	if f.index.rest() > 0 {
		f.asleep = f.index.uvarint()
	}
}
