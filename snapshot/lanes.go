package snapshot

import (
	"slices"
	"unsafe"
)

// Pointer-free columns are cut into byte planes: for each scalar of the type
// in declaration order, for each of its bytes from the lowest, the byte of
// every row. The planes of high bytes are nearly constant, and padding, whose
// bytes are arbitrary, is left out: the result is smaller (0.51 against 0.60 of
// raw after the fastest zstd) and the same for equal worlds.

// appendLanes appends the planes of rows values that start at base.
func appendLanes(dst []byte, lanes []lane, base unsafe.Pointer, stride uintptr, rows int) []byte {
	for _, l := range lanes {
		size := int(l.size)
		at := len(dst)
		dst = slices.Grow(dst, size*rows)[:at+size*rows]
		out := dst[at:]
		p := unsafe.Add(base, l.offset)
		switch size {
		case 1:
			for i := range out {
				out[i] = *(*byte)(unsafe.Add(p, uintptr(i)*stride))
			}
		case 2:
			a, b := out[:rows], out[rows:][:rows]
			for i := range a {
				v := *(*uint16)(unsafe.Add(p, uintptr(i)*stride))
				a[i], b[i] = byte(v), byte(v>>8)
			}
		case 4:
			a, b, c, d := out[:rows], out[rows:][:rows], out[2*rows:][:rows], out[3*rows:][:rows]
			for i := planes4(out, p, stride, rows); i < rows; i++ {
				v := *(*uint32)(unsafe.Add(p, uintptr(i)*stride))
				a[i], b[i], c[i], d[i] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
			}
		case 8:
			a, b, c, d := out[:rows], out[rows:][:rows], out[2*rows:][:rows], out[3*rows:][:rows]
			e, f, g, h := out[4*rows:][:rows], out[5*rows:][:rows], out[6*rows:][:rows], out[7*rows:][:rows]
			for i := planes8(out, p, stride, rows); i < rows; i++ {
				v := *(*uint64)(unsafe.Add(p, uintptr(i)*stride))
				a[i], b[i], c[i], d[i] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
				e[i], f[i], g[i], h[i] = byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56)
			}
		}
	}
	return dst
}

// readLanes is the way back; src holds exactly the planes. It returns false if
// a bool is neither 0 nor 1.
func readLanes(src []byte, lanes []lane, base unsafe.Pointer, stride uintptr, rows int) bool {
	bools := byte(0)
	for _, l := range lanes {
		size := int(l.size)
		in := src[:size*rows]
		src = src[size*rows:]
		p := unsafe.Add(base, l.offset)
		switch size {
		case 1:
			all := byte(0)
			for i, v := range in {
				all |= v
				*(*byte)(unsafe.Add(p, uintptr(i)*stride)) = v
			}
			if l.isBool {
				bools |= all
			}
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
	}
	return bools <= 1
}

// packRows turns planes into the stream form (rows of scalars without
// padding), for a column whose type has changed since.
func packRows(src []byte, sizes []uint8, rows int) []byte {
	width := 0
	for _, s := range sizes {
		width += int(s)
	}
	out := make([]byte, width*rows)
	at := 0
	for _, s := range sizes {
		for range s {
			for i, v := range src[:rows] {
				out[i*width+at] = v
			}
			src = src[rows:]
			at++
		}
	}
	return out
}
