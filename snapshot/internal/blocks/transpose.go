package blocks

import (
	"encoding/binary"
	"unsafe"
)

// planes8 writes the eight planes of 8-byte values, step bytes apart, eight rows at a time: an
// 8 × 8 block of bytes is turned in registers and stored by words, a third of
// the time of storing byte by byte. It returns how many rows it did.
func planes8(out []byte, step int, p unsafe.Pointer, stride uintptr, rows int) int {
	i := 0
	for ; i+8 <= rows; i += 8 {
		at := unsafe.Add(p, uintptr(i)*stride)
		x0, x1, x2, x3 := *(*uint64)(at), *(*uint64)(unsafe.Add(at, stride)), *(*uint64)(unsafe.Add(at, 2*stride)), *(*uint64)(unsafe.Add(at, 3*stride))
		x4, x5, x6, x7 := *(*uint64)(unsafe.Add(at, 4*stride)), *(*uint64)(unsafe.Add(at, 5*stride)), *(*uint64)(unsafe.Add(at, 6*stride)), *(*uint64)(unsafe.Add(at, 7*stride))
		x0, x4 = exchange(x0, x4, 32, halves)
		x1, x5 = exchange(x1, x5, 32, halves)
		x2, x6 = exchange(x2, x6, 32, halves)
		x3, x7 = exchange(x3, x7, 32, halves)
		x0, x2 = exchange(x0, x2, 16, quarters)
		x1, x3 = exchange(x1, x3, 16, quarters)
		x4, x6 = exchange(x4, x6, 16, quarters)
		x5, x7 = exchange(x5, x7, 16, quarters)
		x0, x1 = exchange(x0, x1, 8, eighths)
		x2, x3 = exchange(x2, x3, 8, eighths)
		x4, x5 = exchange(x4, x5, 8, eighths)
		x6, x7 = exchange(x6, x7, 8, eighths)
		binary.LittleEndian.PutUint64(out[i:], x0)
		binary.LittleEndian.PutUint64(out[step+i:], x1)
		binary.LittleEndian.PutUint64(out[2*step+i:], x2)
		binary.LittleEndian.PutUint64(out[3*step+i:], x3)
		binary.LittleEndian.PutUint64(out[4*step+i:], x4)
		binary.LittleEndian.PutUint64(out[5*step+i:], x5)
		binary.LittleEndian.PutUint64(out[6*step+i:], x6)
		binary.LittleEndian.PutUint64(out[7*step+i:], x7)
	}
	return i
}

// planes4 is planes8 for 4-byte values: two blocks of 4 × 4, side by side.
func planes4(out []byte, step int, p unsafe.Pointer, stride uintptr, rows int) int {
	i := 0
	for ; i+8 <= rows; i += 8 {
		at := unsafe.Add(p, uintptr(i)*stride)
		low, high := at, unsafe.Add(at, 4*stride)
		x0 := uint64(*(*uint32)(low)) | uint64(*(*uint32)(high))<<32
		x1 := uint64(*(*uint32)(unsafe.Add(low, stride))) | uint64(*(*uint32)(unsafe.Add(high, stride)))<<32
		x2 := uint64(*(*uint32)(unsafe.Add(low, 2*stride))) | uint64(*(*uint32)(unsafe.Add(high, 2*stride)))<<32
		x3 := uint64(*(*uint32)(unsafe.Add(low, 3*stride))) | uint64(*(*uint32)(unsafe.Add(high, 3*stride)))<<32
		x0, x2 = exchange(x0, x2, 16, quarters)
		x1, x3 = exchange(x1, x3, 16, quarters)
		x0, x1 = exchange(x0, x1, 8, eighths)
		x2, x3 = exchange(x2, x3, 8, eighths)
		binary.LittleEndian.PutUint64(out[i:], x0)
		binary.LittleEndian.PutUint64(out[step+i:], x1)
		binary.LittleEndian.PutUint64(out[2*step+i:], x2)
		binary.LittleEndian.PutUint64(out[3*step+i:], x3)
	}
	return i
}

const (
	halves   = 0x00000000ffffffff
	quarters = 0x0000ffff0000ffff
	eighths  = 0x00ff00ff00ff00ff
)

// exchange swaps the parts of a above the mask with the parts of b under it.
func exchange(a, b uint64, shift uint, mask uint64) (uint64, uint64) {
	t := (a>>shift ^ b) & mask
	return a ^ t<<shift, b ^ t
}
