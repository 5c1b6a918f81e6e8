package blocks

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Version is that of the file format.
const Version = 1

const (
	magic     = "\x89LOUPE\r\n" // as PNG's: a transfer in text mode shows
	blockSize = 1 << 20
	blockHead = 10

	kindHeader = 'H'
	kindBody   = 'B'
	kindEnd    = 'E'

	codecStored = 0
	codecZstd   = 1
	codecFill   = 2 // one stored byte, repeated up to LaneRows times
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// compressors are shared by all saves: one costs megabytes, and EncodeAll and
// DecodeAll may be called from many goroutines.
var compressors = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	// The faster level: reference measurements gained nothing from the default.
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithWindowSize(blockSize))
	if err != nil {
		panic(err) // constant options
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(runtime.GOMAXPROCS(0)),
		zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(blockSize*2), zstd.WithDecoderMaxWindow(blockSize*2))
	if err != nil {
		panic(err)
	}
	return e, d
})

func blockSum(index uint32, head, stored []byte) uint32 {
	var n [4]byte
	binary.LittleEndian.PutUint32(n[:], index)
	sum := crc32.Update(0, castagnoli, n[:])
	sum = crc32.Update(sum, castagnoli, head)
	return crc32.Update(sum, castagnoli, stored)
}

// Reader reads the blocks of a file one by one.
type Reader struct {
	r     *bufio.Reader
	index uint32
}

type block struct {
	kind, codec byte
	raw         int
	stored      []byte
}

// NewReader checks magic and version.
func NewReader(r io.Reader) (*Reader, error) {
	br := &Reader{r: bufio.NewReaderSize(r, 64<<10)}
	var head [len(magic) + 2]byte
	n, err := io.ReadFull(br.r, head[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, readFault(err)
	}
	if n == 0 {
		return nil, BadFile("the file is empty")
	}
	if n < len(magic) || string(head[:len(magic)]) != magic {
		e := BadFile("not a Loupe snapshot: it does not begin with the magic bytes")
		e.Got, e.Want = string(printable(head[:min(n, len(magic))])), "a file that snapshot_save wrote with format loupe"
		return nil, e
	}
	if n < len(head) {
		return nil, BadFile("the file ends after %d bytes", n)
	}
	if v := binary.LittleEndian.Uint16(head[len(magic):]); v != Version {
		e := BadFile("format version %d, this build reads version %d", v, Version)
		e.Got, e.Want = v, Version
		e.Hint = "load it with a build of the library that writes this version, then save it anew; " + badHint
		return nil, e
	}
	return br, nil
}

func printable(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		if c < ' ' || c > '~' {
			c = '.'
		}
		out[i] = c
	}
	return out
}

// readFault keeps typed errors of the source (a file that changed while it was
// read) and words the others.
func readFault(err error) error {
	var e *refusal.Error
	if errors.As(err, &e) {
		return e
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return BadFile("the file is cut short")
	}
	return BadFile("reading failed: %v", err)
}

func (b *Reader) next() (block, error) {
	var head [blockHead]byte
	if _, err := io.ReadFull(b.r, head[:]); err != nil {
		return block{}, readFault(err)
	}
	bl := block{kind: head[0], codec: head[1]}
	raw, stored := binary.LittleEndian.Uint32(head[2:]), binary.LittleEndian.Uint32(head[6:])
	// The lengths are checked before anything is allocated for them.
	if raw > blockSize || stored > raw || bl.codec > codecFill || bl.codec == codecStored && stored != raw ||
		bl.codec == codecFill && (stored != 1 || raw > LaneRows) {
		return block{}, BadFile("block %d has an impossible head", b.index)
	}
	bl.raw, bl.stored = int(raw), make([]byte, stored)
	if _, err := io.ReadFull(b.r, bl.stored); err != nil {
		return block{}, readFault(err)
	}
	var sum [4]byte
	if _, err := io.ReadFull(b.r, sum[:]); err != nil {
		return block{}, readFault(err)
	}
	if binary.LittleEndian.Uint32(sum[:]) != blockSum(b.index, head[:], bl.stored) {
		return block{}, BadFile("the checksum of block %d does not match: the file is damaged", b.index)
	}
	b.index++
	return bl, nil
}

// expand appends the block's raw bytes to dst.
func (bl block) expand(dst []byte) ([]byte, error) {
	switch bl.codec {
	case codecStored:
		return append(dst, bl.stored...), nil
	case codecFill:
		return append(dst, bytes.Repeat(bl.stored, bl.raw)...), nil
	}
	_, dec := compressors()
	n := len(dst)
	if cap(dst)-n < bl.raw {
		dst = append(make([]byte, 0, n+bl.raw), dst...)
	}
	out, err := dec.DecodeAll(bl.stored, dst[n:n:n+bl.raw])
	if err != nil || len(out) != bl.raw {
		return nil, BadFile("a block does not decompress to the %d bytes it announces", bl.raw)
	}
	return dst[:n+bl.raw], nil
}

// Header reads the first block.
func (b *Reader) Header() ([]byte, error) {
	bl, err := b.next()
	if err != nil {
		return nil, err
	}
	if bl.kind != kindHeader {
		return nil, BadFile("the first block is no header")
	}
	return bl.expand(nil)
}

// Body reads all body blocks up to the end of the file; limit bounds the
// memory.
func (b *Reader) Body(limit int64) ([]byte, error) {
	var blocks []block
	var raw int64
	for {
		bl, err := b.next()
		if err != nil {
			return nil, err
		}
		if bl.kind == kindEnd {
			tail, err := bl.expand(nil)
			if err != nil {
				return nil, err
			}
			if len(tail) != 12 || binary.LittleEndian.Uint32(tail) != uint32(len(blocks)) || binary.LittleEndian.Uint64(tail[4:]) != uint64(raw) {
				return nil, BadFile("the end block does not match the blocks before it")
			}
			break
		}
		if bl.kind != kindBody || bl.raw == 0 {
			return nil, BadFile("block %d is of an unknown kind", b.index-1)
		}
		// zstd spends at least 4 bytes on 128 KiB: what announces more lies.
		if bl.codec == codecZstd && bl.raw > (len(bl.stored)/4+1)<<17 {
			return nil, BadFile("block %d announces more than its bytes can hold", b.index-1)
		}
		if raw += int64(bl.raw); raw > limit {
			return nil, TooLarge("the snapshot holds more than %d bytes", limit)
		}
		blocks = append(blocks, bl)
	}
	if _, err := b.r.ReadByte(); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, readFault(err)
		}
		return nil, BadFile("bytes follow the end block")
	}
	return expandAll(blocks, int(raw))
}

func expandAll(blocks []block, raw int) ([]byte, error) {
	out := make([]byte, raw)
	errs := make([]error, len(blocks))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	off := 0
	for i, bl := range blocks {
		dst := out[off : off : off+bl.raw]
		off += bl.raw
		if bl.codec == codecFill {
			if bl.stored[0] != 0 { // out is zeroed
				_, errs[i] = bl.expand(dst)
			}
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			_, errs[i] = bl.expand(dst)
			<-slots
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
