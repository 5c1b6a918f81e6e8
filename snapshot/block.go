package snapshot

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

// A file is the magic, the version, and blocks. A block is
//
//	kind 1 | codec 1 | raw length 4 | stored length 4 | stored bytes | CRC-32C 4
//
// in little-endian order. The checksum covers the block's number, its head and
// its stored bytes, so that blocks can be neither changed nor moved. The first
// block is the header ('H', JSON), then the body is cut into blocks of at most
// blockSize ('B'), anywhere, and the last ('E') holds the number of body blocks
// and bytes; nothing may follow it. Blocks are compressed on their own: both
// directions use all processors, and a header is read without the body.
const (
	magic     = "\x89LOUPE\r\n" // as PNG's: a transfer in text mode shows
	version   = 1
	blockSize = 1 << 20
	blockHead = 10

	kindHeader = 'H'
	kindBody   = 'B'
	kindEnd    = 'E'

	codecStored = 0
	codecZstd   = 1
	codecFill   = 2 // one stored byte, repeated up to laneRows times
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

// blockReader reads blocks one by one.
type blockReader struct {
	r     *bufio.Reader
	index uint32
}

type block struct {
	kind, codec byte
	raw         int
	stored      []byte
}

// newBlockReader checks magic and version.
func newBlockReader(r io.Reader) (*blockReader, error) {
	br := &blockReader{r: bufio.NewReaderSize(r, 64<<10)}
	var head [len(magic) + 2]byte
	n, err := io.ReadFull(br.r, head[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, readFault(err)
	}
	if n == 0 {
		return nil, badFile("the file is empty")
	}
	if n < len(magic) || string(head[:len(magic)]) != magic {
		e := badFile("not a Loupe snapshot: it does not begin with the magic bytes")
		e.Got, e.Want = string(printable(head[:min(n, len(magic))])), "a file that snapshot_save wrote with format loupe"
		return nil, e
	}
	if n < len(head) {
		return nil, badFile("the file ends after %d bytes", n)
	}
	if v := binary.LittleEndian.Uint16(head[len(magic):]); v != version {
		e := badFile("format version %d, this build reads version %d", v, version)
		e.Got, e.Want = v, version
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
		return badFile("the file is cut short")
	}
	return badFile("reading failed: %v", err)
}

func (b *blockReader) next() (block, error) {
	var head [blockHead]byte
	if _, err := io.ReadFull(b.r, head[:]); err != nil {
		return block{}, readFault(err)
	}
	bl := block{kind: head[0], codec: head[1]}
	raw, stored := binary.LittleEndian.Uint32(head[2:]), binary.LittleEndian.Uint32(head[6:])
	// The lengths are checked before anything is allocated for them.
	if raw > blockSize || stored > raw || bl.codec > codecFill || bl.codec == codecStored && stored != raw ||
		bl.codec == codecFill && (stored != 1 || raw > laneRows) {
		return block{}, badFile("block %d has an impossible head", b.index)
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
		return block{}, badFile("the checksum of block %d does not match: the file is damaged", b.index)
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
		return nil, badFile("a block does not decompress to the %d bytes it announces", bl.raw)
	}
	return dst[:n+bl.raw], nil
}

// body reads all body blocks up to the end of the file; limit bounds the
// memory.
func (b *blockReader) body(limit int64) ([]byte, error) {
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
				return nil, badFile("the end block does not match the blocks before it")
			}
			break
		}
		if bl.kind != kindBody || bl.raw == 0 {
			return nil, badFile("block %d is of an unknown kind", b.index-1)
		}
		// zstd spends at least 4 bytes on 128 KiB: what announces more lies.
		if bl.codec == codecZstd && bl.raw > (len(bl.stored)/4+1)<<17 {
			return nil, badFile("block %d announces more than its bytes can hold", b.index-1)
		}
		if raw += int64(bl.raw); raw > limit {
			return nil, tooLarge("the snapshot holds more than %d bytes", limit)
		}
		blocks = append(blocks, bl)
	}
	if _, err := b.r.ReadByte(); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, readFault(err)
		}
		return nil, badFile("bytes follow the end block")
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

func tooLarge(format string, args ...any) *refusal.Error {
	e := badFile(format, args...)
	e.Code = refusal.TooLarge
	e.Hint = "raise Options.MaxBytes if the file is meant to be that large; the world was not touched"
	return e
}
