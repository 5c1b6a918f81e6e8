package blackbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// A file is the magic of snapshots, the version 2, and blocks. A block is
//
//	kind 1 | codec 1 | raw length 4 | stored length 4 | stored bytes | CRC-32C 4
//
// in little-endian order, as in a snapshot, but for its greater length. The
// checksum covers the block's number too, so that blocks can be neither changed
// nor moved. Blocks are written one by one and never changed: a file that was
// cut off, or damaged, is whole up to there.
const (
	magic     = "\x89LOUPE\r\n"
	version   = 2
	blockHead = 10
	blockTail = 4

	kindHeader  = 'H' // JSON: Header
	kindTypes   = 'T' // JSON: what the samples that follow are made of
	kindSamples = 'S' // chunk.go
	kindPart    = 'D' // a name, and a document
	kindEnd     = 'E' // nothing: the file is complete

	codecStored = 0
	codecZstd   = 1
)

// maxBlock bounds what one block may hold. A chunk is closed long before, unless
// a single sample is larger.
const maxBlock = 256 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// newEncoder and newDecoder make what one file needs: they are kept no longer.
func newEncoder() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // constant options
	}
	return e
}

func newDecoder(limit int) *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderMaxMemory(uint64(limit)), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		panic(err)
	}
	return d
}

func blockSum(index uint32, head, stored []byte) uint32 {
	var n [4]byte
	binary.LittleEndian.PutUint32(n[:], index)
	sum := crc32.Update(0, castagnoli, n[:])
	sum = crc32.Update(sum, castagnoli, head)
	return crc32.Update(sum, castagnoli, stored)
}

// blockWriter writes blocks; one goroutine's.
type blockWriter struct {
	w     io.Writer
	index uint32
	bytes int64
	buf   []byte
	enc   *zstd.Encoder
}

func (b *blockWriter) begin() error {
	return b.emit(binary.LittleEndian.AppendUint16([]byte(magic), version))
}

// block writes one block in one Write, so that a process that is killed leaves
// whole blocks as often as can be.
func (b *blockWriter) block(kind byte, raw []byte) error {
	if len(raw) > maxBlock {
		return &refusal.Error{Code: refusal.TooLarge, Message: fmt.Sprintf("a part of the recording takes %d bytes, more than the %d that a file holds in one piece", len(raw), maxBlock)}
	}
	if b.enc == nil {
		b.enc = newEncoder()
	}
	b.buf = append(b.buf[:0], kind, codecZstd, 0, 0, 0, 0, 0, 0, 0, 0)
	b.buf = b.enc.EncodeAll(raw, b.buf)
	if len(b.buf)-blockHead >= len(raw) {
		b.buf = append(b.buf[:blockHead], raw...)
		b.buf[1] = codecStored
	}
	stored := b.buf[blockHead:]
	binary.LittleEndian.PutUint32(b.buf[2:], uint32(len(raw)))
	binary.LittleEndian.PutUint32(b.buf[6:], uint32(len(stored)))
	b.buf = binary.LittleEndian.AppendUint32(b.buf, blockSum(b.index, b.buf[:blockHead], stored))
	b.index++
	return b.emit(b.buf)
}

func (b *blockWriter) emit(p []byte) error {
	n, err := b.w.Write(p)
	b.bytes += int64(n)
	return err
}

// blockReader reads blocks one by one, each of at most limit raw bytes.
type blockReader struct {
	r      io.Reader
	index  uint32
	limit  int
	stored []byte
	raw    []byte
	dec    *zstd.Decoder
}

// begin checks magic and version.
func (b *blockReader) begin() error {
	var head [len(magic) + 2]byte
	n, err := io.ReadFull(b.r, head[:])
	switch {
	case n == 0 && err != nil:
		return badFile("the file is empty")
	case n < len(magic) || string(head[:len(magic)]) != magic:
		e := badFile("this is no Loupe file: it does not begin with the magic bytes")
		e.Want = "a file that record_save wrote"
		return e
	case n < len(head):
		return badFile("the file ends after %d bytes", n)
	}
	switch v := binary.LittleEndian.Uint16(head[len(magic):]); {
	case v == 1:
		e := badFile("this is a snapshot, not a recording")
		e.Hint = "snapshot_load puts it into a running game"
		return e
	case v != version:
		e := badFile("format version %d, this build reads version %d", v, version)
		e.Got, e.Want = v, version
		e.Hint = "open it with a newer loupe"
		return e
	}
	return nil
}

// next reads a block; its bytes are valid until the next one. io.EOF: the file
// ends here, with no end block.
func (b *blockReader) next() (kind byte, raw []byte, err error) {
	var head [blockHead]byte
	if _, err := io.ReadFull(b.r, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return 0, nil, io.EOF
		}
		return 0, nil, b.damaged("it is cut short")
	}
	size, stored := binary.LittleEndian.Uint32(head[2:]), binary.LittleEndian.Uint32(head[6:])
	codec := head[1]
	// The lengths are checked before anything is allocated for them: zstd spends
	// at least four bytes on 128 KiB, so what announces more lies.
	if uint64(size) > uint64(b.limit) || stored > size || codec > codecZstd || codec == codecStored && stored != size ||
		codec == codecZstd && uint64(size) > (uint64(stored)/4+1)<<17 {
		return 0, nil, b.damaged("its head is impossible, or it holds more than memory is allowed for")
	}
	if b.stored, err = readFull(b.r, b.stored[:0], int(stored)+blockTail); err != nil {
		return 0, nil, b.damaged("it is cut short")
	}
	data := b.stored[:stored]
	if binary.LittleEndian.Uint32(b.stored[stored:]) != blockSum(b.index, head[:], data) {
		return 0, nil, b.damaged("its checksum does not match")
	}
	if codec == codecZstd {
		if b.dec == nil {
			b.dec = newDecoder(b.limit)
		}
		if cap(b.raw) < int(size) {
			b.raw = make([]byte, 0, size)
		}
		if data, err = b.dec.DecodeAll(data, b.raw[:0:size]); err != nil || len(data) != int(size) {
			return 0, nil, b.damaged("it does not decompress to the bytes that it announces")
		}
	}
	b.index++
	return head[0], data, nil
}

// readFull reads n bytes, growing as they come: a head that announces more than
// the file has takes no memory for it.
func readFull(r io.Reader, dst []byte, n int) ([]byte, error) {
	for len(dst) < n {
		step := min(n-len(dst), max(1<<16, len(dst)))
		at := len(dst)
		if cap(dst) < at+step {
			dst = append(make([]byte, 0, at+step), dst...)
		}
		dst = dst[:at+step]
		if _, err := io.ReadFull(r, dst[at:]); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (b *blockReader) damaged(why string) error {
	return badFile("block %d of the file is damaged: %s", b.index, why)
}

func badFile(format string, args ...any) *refusal.Error {
	return &refusal.Error{Code: refusal.BadSnapshot, Message: fmt.Sprintf(format, args...)}
}
