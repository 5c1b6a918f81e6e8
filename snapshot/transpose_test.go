package snapshot

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
	for _, size := range []int{4, 8} {
		for _, stride := range []int{size, 12, 24} {
			if stride < size || stride%size != 0 {
				continue
			}
			for rows := range 37 {
				got := appendLanes([]byte("x"), []lane{{0, uint8(size), false}}, base, uintptr(stride), rows)
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
