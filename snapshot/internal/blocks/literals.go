package blocks

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/huff0"
)

// Planes such as a float's sign and exponent hold few values in no order.
// zstd's search finds thousands of short matches in them, at 200 MB/s, and
// codes them in more bits than the bytes alone would take. For such planes a
// zstd frame is made without a search: one block of Huffman-coded literals and
// no sequences (RFC 8878, 3.1.1), three times as fast and a fifth smaller.
// Noise, such as the low bytes of a mantissa, is not even tried.

// maxLiterals is the greatest plane: all literals lie in one zstd block, which
// may hold 128 KiB.
const maxLiterals = LaneRows

var huffmans = sync.Pool{New: func() any { return &huff0.Scratch{Reuse: huff0.ReusePolicyNone} }}

// The ways to write a plane.
type planeForm int

const (
	asNoise    planeForm = iota // stored
	asSearched                  // zstd
	asLiterals
)

// A probe of a plane is pieces from all over it.
const (
	pieces    = 4
	pieceSize = 256
	probeSize = pieces * pieceSize
)

// planeFormOf judges a plane that is long enough by a probe. Literals must
// save a quarter, and no less than zstd's search does. spare is memory behind
// whose length it may write.
func planeFormOf(raw, spare []byte) planeForm {
	var probe [probeSize]byte
	for i := range pieces {
		copy(probe[i*pieceSize:][:pieceSize], raw[len(raw)/pieces*i:])
	}
	enc, _ := compressors()
	searched := len(enc.EncodeAll(probe[:], spare)) - len(spare)
	if !skewed(probe[:]) {
		if searched >= probeSize {
			return asNoise
		}
		return asSearched
	}
	h := huffmans.Get().(*huff0.Scratch)
	defer huffmans.Put(h)
	coded, _, err := huff0.Compress4X(probe[:], h)
	if err != nil || len(coded) > probeSize*3/4 || len(coded) > searched || len(raw) > maxLiterals {
		return asSearched
	}
	return asLiterals
}

// skewed tells that two bytes of the probe are equal more often than once in
// 64, a cheap lower bound of the entropy: the Huffman code of others would not
// be below 6 bits a byte.
func skewed(probe []byte) bool {
	var counts [256]uint32
	for _, b := range probe {
		counts[b]++
	}
	pairs := 0
	for _, n := range counts {
		pairs += int(n) * int(n)
	}
	return pairs*64 > len(probe)*len(probe)
}

// appendLiterals appends a zstd frame of raw as literals; ok is false if that
// is not shorter.
func appendLiterals(dst, raw []byte) (out []byte, ok bool) {
	h := huffmans.Get().(*huff0.Scratch)
	defer huffmans.Put(h)
	coded, _, err := huff0.Compress4X(raw, h)
	if err != nil {
		return dst, false
	}
	const (
		singleSegment4 = 0xa0     // frame: no window, content size in 4 bytes, no checksum
		lastCompressed = 1 | 2<<1 // block
		fourStreams    = 2 | 3<<2 // literals: compressed, sizes of 18 bits
		literalsHead   = 5
	)
	dst = binary.LittleEndian.AppendUint32(dst, 0xfd2fb528)
	dst = append(dst, singleSegment4)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(raw)))
	block := uint32(literalsHead + len(coded) + 1)
	head := lastCompressed | block<<3
	dst = append(dst, byte(head), byte(head>>8), byte(head>>16))
	sizes := fourStreams | uint64(len(raw))<<4 | uint64(len(coded))<<22
	dst = append(dst, byte(sizes), byte(sizes>>8), byte(sizes>>16), byte(sizes>>24), byte(sizes>>32))
	dst = append(dst, coded...)
	return append(dst, 0), true // no sequences
}
