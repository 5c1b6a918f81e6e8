package blocks

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"
)

// Pointer-free columns are cut into byte planes: for each scalar of the type
// in declaration order, for each of its bytes from the lowest, the byte of
// every row. The planes of high bytes are constant or nearly so, those of a
// float's low bytes are noise that no time need be spent on, and padding, whose
// bytes are arbitrary, is left out: the result is smaller, sooner done, and the
// same for equal worlds.

// LaneRows is how many rows are cut at a time: 64 Ki, so that the planes of a
// scalar stay in a processor's cache until they are compressed. A column is, for
// each scalar, for each such run of rows, its planes.
const LaneRows = 1 << 16

// A Lane is one scalar of a value in memory.
type Lane struct {
	Offset uintptr
	Size   uint8
	IsBool bool
}

// LittleEndian: so is this machine.
var LittleEndian = func() bool { n := uint16(1); return *(*byte)(unsafe.Pointer(&n)) == 1 }()

// AppendLanes appends the planes of rows values that start at base.
func AppendLanes(dst []byte, lanes []Lane, base unsafe.Pointer, stride uintptr, rows int) []byte {
	for _, l := range lanes {
		for from := 0; from < rows; from += LaneRows {
			n := min(rows-from, LaneRows)
			at := len(dst)
			dst = slices.Grow(dst, int(l.Size)*n)[:at+int(l.Size)*n]
			cut(dst[at:], n, int(l.Size), unsafe.Add(base, l.Offset+uintptr(from)*stride), stride, n)
		}
	}
	return dst
}

// cut writes the planes of scalars at p to out, step bytes apart.
func cut(out []byte, step, size int, p unsafe.Pointer, stride uintptr, rows int) {
	i := 0
	switch size {
	case 4:
		i = planes4(out, step, p, stride, rows)
	case 8:
		i = planes8(out, step, p, stride, rows)
	}
	for k := 0; k < size && i < rows; k++ {
		cutByte(out[k*step+i:][:rows-i], unsafe.Add(p, uintptr(i)*stride+uintptr(nth(k, size))), stride)
	}
}

// nth is where a scalar's byte k, counted from the lowest, lies in memory.
func nth(k, size int) int {
	if LittleEndian {
		return k
	}
	return size - 1 - k
}

// cutByte writes the plane of the bytes at p.
func cutByte(out []byte, p unsafe.Pointer, stride uintptr) {
	i := 0
	for ; i+8 <= len(out); i += 8 {
		low, high := unsafe.Add(p, uintptr(i)*stride), unsafe.Add(p, uintptr(i+4)*stride)
		binary.LittleEndian.PutUint64(out[i:], uint64(*(*byte)(low))|uint64(*(*byte)(unsafe.Add(low, stride)))<<8|
			uint64(*(*byte)(unsafe.Add(low, 2*stride)))<<16|uint64(*(*byte)(unsafe.Add(low, 3*stride)))<<24|
			uint64(*(*byte)(high))<<32|uint64(*(*byte)(unsafe.Add(high, stride)))<<40|
			uint64(*(*byte)(unsafe.Add(high, 2*stride)))<<48|uint64(*(*byte)(unsafe.Add(high, 3*stride)))<<56)
	}
	for ; i < len(out); i++ {
		out[i] = *(*byte)(unsafe.Add(p, uintptr(i)*stride))
	}
}

// cutVarying is cut for the planes that are not constant; of the others it
// writes the first byte. The result has a bit for each plane that varies.
func cutVarying(out []byte, step, size int, p unsafe.Pointer, stride uintptr, rows int) (varying byte) {
	diff := uint64(0)
	switch size {
	case 1:
		diff = differing[uint8](p, stride, rows)
	case 2:
		diff = differing[uint16](p, stride, rows)
	case 4:
		diff = differing[uint32](p, stride, rows)
	case 8:
		diff = differing[uint64](p, stride, rows)
	}
	for k := range size {
		if byte(diff>>(8*k)) != 0 {
			varying |= 1 << k
		}
	}
	if bits.OnesCount8(varying)*2 > size {
		cut(out, step, size, p, stride, rows)
		return varying
	}
	for k := range size {
		n := 1
		if varying>>k&1 != 0 {
			n = rows
		}
		cutByte(out[k*step:][:n], unsafe.Add(p, nth(k, size)), stride)
	}
	return varying
}

// differing is the set of bits in which any scalar differs from the first,
// except that it stops when all bytes do.
func differing[T uint8 | uint16 | uint32 | uint64](p unsafe.Pointer, stride uintptr, rows int) uint64 {
	first, diff := *(*T)(p), T(0)
	i := 0
	for ; i+4 <= rows; i += 4 {
		at := unsafe.Add(p, uintptr(i)*stride)
		diff |= (*(*T)(at) ^ first) | (*(*T)(unsafe.Add(at, stride)) ^ first) |
			(*(*T)(unsafe.Add(at, 2*stride)) ^ first) | (*(*T)(unsafe.Add(at, 3*stride)) ^ first)
		if i&255 == 0 && everyByte(uint64(diff), int(unsafe.Sizeof(first))) {
			return uint64(diff)
		}
	}
	for ; i < rows; i++ {
		diff |= *(*T)(unsafe.Add(p, uintptr(i)*stride)) ^ first
	}
	return uint64(diff)
}

// everyByte tells that none of the lowest size bytes is 0.
func everyByte(v uint64, size int) bool {
	for ; size > 0; size-- {
		if byte(v) == 0 {
			return false
		}
		v >>= 8
	}
	return true
}

// ReadLanes is the way back; src holds exactly the planes. It returns false if
// a bool is neither 0 nor 1.
func ReadLanes(src []byte, lanes []Lane, base unsafe.Pointer, stride uintptr, rows int) bool {
	for _, l := range lanes {
		for from := 0; from < rows; from += LaneRows {
			n := min(rows-from, LaneRows)
			if !readLane(src[:int(l.Size)*n], l, unsafe.Add(base, l.Offset+uintptr(from)*stride), stride, n) {
				return false
			}
			src = src[int(l.Size)*n:]
		}
	}
	return true
}

func readLane(in []byte, l Lane, p unsafe.Pointer, stride uintptr, rows int) bool {
	switch l.Size {
	case 1:
		all := byte(0)
		for i, v := range in {
			all |= v
			*(*byte)(unsafe.Add(p, uintptr(i)*stride)) = v
		}
		return !l.IsBool || all <= 1
	case 2:
		a, b := in[:rows], in[rows:][:rows]
		for i := range a {
			*(*uint16)(unsafe.Add(p, uintptr(i)*stride)) = uint16(a[i]) | uint16(b[i])<<8
		}
	case 4:
		a, b, c, d := in[:rows], in[rows:][:rows], in[2*rows:][:rows], in[3*rows:][:rows]
		for i := range a {
			*(*uint32)(unsafe.Add(p, uintptr(i)*stride)) = uint32(a[i]) | uint32(b[i])<<8 | uint32(c[i])<<16 | uint32(d[i])<<24
		}
	case 8:
		a, b, c, d := in[:rows], in[rows:][:rows], in[2*rows:][:rows], in[3*rows:][:rows]
		e, f, g, h := in[4*rows:][:rows], in[5*rows:][:rows], in[6*rows:][:rows], in[7*rows:][:rows]
		for i := range a {
			lo := uint32(a[i]) | uint32(b[i])<<8 | uint32(c[i])<<16 | uint32(d[i])<<24
			hi := uint32(e[i]) | uint32(f[i])<<8 | uint32(g[i])<<16 | uint32(h[i])<<24
			*(*uint64)(unsafe.Add(p, uintptr(i)*stride)) = uint64(lo) | uint64(hi)<<32
		}
	}
	return true
}

// PackRows turns planes into the stream form (rows of scalars without
// padding), for a column whose type has changed since.
func PackRows(src []byte, sizes []uint8, rows int) []byte {
	width := 0
	for _, s := range sizes {
		width += int(s)
	}
	out := make([]byte, width*rows)
	at := 0
	for _, s := range sizes {
		for from := 0; from < rows; from += LaneRows {
			n := min(rows-from, LaneRows)
			for k := range int(s) {
				for i, v := range src[:n] {
					out[(from+i)*width+at+k] = v
				}
				src = src[n:]
			}
		}
		at += int(s)
	}
	return out
}
