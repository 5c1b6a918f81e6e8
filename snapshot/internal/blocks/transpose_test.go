package blocks

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// The planes are the same whether rows are turned in blocks or one by one, for
// every number of rows and with gaps between the values.
func TestPlanesInBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	memory := make([]uint64, 3*40)
	for i := range memory {
		memory[i] = r.Uint64()
	}
	base := unsafe.Pointer(unsafe.SliceData(memory))
	for _, size := range []int{1, 2, 4, 8} {
		for _, stride := range []int{size, 12, 24} {
			if stride < size || stride%size != 0 {
				continue
			}
			for rows := range 37 {
				got := AppendLanes([]byte("x"), []Lane{{0, uint8(size), false}}, base, uintptr(stride), rows)
				want := []byte("x")
				for plane := range size {
					for row := range rows {
						want = append(want, *(*byte)(unsafe.Add(base, row*stride+plane)))
					}
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("size %d, stride %d, %d rows: got %x, want %x", size, stride, rows, got, want)
				}
			}
		}
	}
}

// Constant planes are told from others wherever the one different byte is, and
// the others are cut.
func TestVaryingPlanes(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8} {
		for _, rows := range []int{1, 3, 8, 300, 1027} {
			memory := make([]uint64, 3*rows)
			base := unsafe.Pointer(unsafe.SliceData(memory))
			reset := func() {
				for i := range memory {
					memory[i] = 0x5a6b7c8d9eafb0c1
				}
			}
			reset()
			original := *(*[8]byte)(base)
			for _, row := range []int{0, rows / 2, rows - 1} {
				for set := range 1 << size {
					for k := range size {
						*(*byte)(unsafe.Add(base, 24*row+k)) = original[k] ^ byte(set>>k&1)
					}
					out := make([]byte, size*rows)
					varying := cutVarying(out, rows, size, base, 24, rows)
					if rows == 1 && varying != 0 || rows > 1 && varying != byte(set) {
						t.Fatalf("size %d, row %d of %d: planes %08b vary, want %08b", size, row, rows, varying, set)
					}
					for k := range size {
						for i := range rows {
							want := *(*byte)(unsafe.Add(base, 24*i+nth(k, size)))
							if got := out[k*rows+i]; got != want && (varying>>k&1 != 0 || i == 0) {
								t.Fatalf("size %d, plane %d, row %d: got %d, want %d", size, k, i, got, want)
							}
						}
					}
				}
				reset()
			}
		}
	}
}
