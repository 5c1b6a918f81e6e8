package blocks

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// Literals are a zstd frame as any other.
func TestLiteralsAreZstd(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	_, dec := compressors()
	for _, values := range []int{2, 3, 10, 60, 200} {
		for _, n := range []int{1, 100, 300, 2048, 5000, LaneRows} {
			raw := make([]byte, n)
			for i := range raw {
				raw[i] = byte(math.Sqrt(float64(r.IntN(values * values))))
			}
			out, ok := appendLiterals([]byte("before"), raw)
			if !ok {
				if n >= 2048 && values <= 60 {
					t.Errorf("%d bytes of %d values are not compressed", n, values)
				}
				continue
			}
			got, err := dec.DecodeAll(out[6:], make([]byte, 0, n))
			if err != nil || !bytes.Equal(got, raw) || string(out[:6]) != "before" {
				t.Fatalf("%d bytes of %d values: %v", n, values, err)
			}
		}
	}
	for _, raw := range [][]byte{nil, make([]byte, 5000)} {
		if _, ok := appendLiterals(nil, raw); ok {
			t.Error("what has no Huffman code gets one")
		}
	}
}

// Literals are for bytes without order; zstd's search is spared where it finds
// nothing.
func TestFormsOfPlanes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		what string
		at   func(i int) byte
		want planeForm
	}{
		{"noise", func(int) byte { return byte(r.Uint32()) }, asNoise},
		{"four values", func(int) byte { return byte(r.IntN(4)) }, asLiterals},
		{"twenty values", func(int) byte { return byte(r.IntN(20)) }, asLiterals},
		{"a hundred values", func(int) byte { return byte(r.IntN(100)) }, asNoise},
		{"a counter", func(i int) byte { return byte(i) }, asSearched},
		{"a pattern", func(i int) byte { return byte(i % 5) }, asSearched},
		{"noise, then nothing", func(i int) byte { return byte(r.Uint32()) * byte(1-i/10_000) }, asSearched},
		{"long runs", func(i int) byte { return byte(i / 500) }, asSearched},
	} {
		raw := make([]byte, 20_000)
		for i := range raw {
			raw[i] = c.at(i)
		}
		if got := planeFormOf(raw, make([]byte, 3, 10_000)); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// A fill is one byte for at most LaneRows: a head that says otherwise is
// refused although its checksum is right.
func TestFillsAreBounded(t *testing.T) {
	for _, c := range []struct {
		raw    uint32
		stored []byte
		ok     bool
	}{
		{1, []byte{7}, true}, {LaneRows, []byte{7}, true}, {LaneRows + 1, []byte{7}, false}, {blockSize, []byte{0}, false},
		{5, []byte{1, 2}, false}, {5, nil, false}, {0, []byte{1}, false},
	} {
		head := binary.LittleEndian.AppendUint32([]byte{kindBody, codecFill}, c.raw)
		head = binary.LittleEndian.AppendUint32(head, uint32(len(c.stored)))
		file := binary.LittleEndian.AppendUint16([]byte(magic), Version)
		file = append(append(file, head...), c.stored...)
		file = binary.LittleEndian.AppendUint32(file, blockSum(0, head, c.stored))
		br, err := NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		bl, err := br.next()
		if (err == nil) != c.ok {
			t.Errorf("%d bytes from %v: %v", c.raw, c.stored, err)
		}
		if err != nil {
			continue
		}
		if got, err := bl.expand(nil); err != nil || !bytes.Equal(got, bytes.Repeat(c.stored, int(c.raw))) {
			t.Errorf("%d bytes from %v: %v", c.raw, c.stored, err)
		}
	}
}

// What is stored as it is has one size, and nothing is longer than a block, nor
// longer packed than unpacked: a head that says otherwise is refused before
// anything is allocated or read for it, although its checksum is right.
func TestHeadsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		codec       byte
		raw, stored int
		ok          bool
	}{
		{codecStored, 5, 5, true}, {codecStored, 0, 0, true}, {codecStored, 5, 4, false}, {codecStored, 4, 5, false}, {codecStored, 5, 0, false},
		{codecStored, blockSize, blockSize, true}, {codecStored, blockSize + 1, blockSize + 1, false},
		{codecZstd, blockSize + 1, 5, false}, {codecZstd, 5, 5, true}, {codecZstd, 5, 6, false}, {codecFill + 1, 5, 5, false},
	} {
		stored := make([]byte, c.stored)
		head := binary.LittleEndian.AppendUint32([]byte{kindBody, c.codec}, uint32(c.raw))
		head = binary.LittleEndian.AppendUint32(head, uint32(c.stored))
		file := binary.LittleEndian.AppendUint16([]byte(magic), Version)
		file = append(append(file, head...), stored...)
		file = binary.LittleEndian.AppendUint32(file, blockSum(0, head, stored))
		br, err := NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if bl, err := br.next(); (err == nil) != c.ok || err == nil && (bl.raw != c.raw || len(bl.stored) != c.stored) {
			t.Errorf("codec %d of %d bytes in %d: %v", c.codec, c.raw, c.stored, err)
		}
	}
}
