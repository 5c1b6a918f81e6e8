package blocks

import (
	"encoding/binary"
	"io"
	"runtime"
	"sync"
	"unsafe"
)

// Writer cuts the body into blocks, compresses them concurrently and
// writes them in order.
type Writer struct {
	w       io.Writer
	index   uint32
	blocks  uint32
	raw     uint64 // body bytes so far
	written int64
	buf     []byte // an open frame
	pending []*job
	err     error
}

// job makes one or more blocks in the background.
type job struct {
	parts [][]byte // what is to be written
	frame []byte   // memory that parts lie in, as out
	out   []byte
	done  chan struct{}
}

// A frame is the memory of a block: room for the head, the raw bytes, room for
// the checksum. A block that is stored as it is need not be moved.
const (
	blockTail = 4
	frameSize = blockHead + blockSize + blockTail
)

var frames = sync.Pool{New: func() any { b := make([]byte, 0, frameSize); return &b }}

func newFrame() []byte { return (*frames.Get().(*[]byte))[:0] }

// recycle keeps a frame's memory for the next one.
func recycle(b []byte) {
	if c := cap(b); c >= frameSize && c <= 2*frameSize {
		b = b[:0]
		frames.Put(&b)
	}
}

func NewWriter(w io.Writer) *Writer {
	b := &Writer{w: w, buf: newFrame()[:blockHead]}
	b.emit([]byte(magic))
	b.emit(binary.LittleEndian.AppendUint16(nil, Version))
	return b
}

func (b *Writer) emit(p []byte) {
	if b.err != nil {
		return
	}
	n, err := b.w.Write(p)
	b.written += int64(n)
	b.err = err
}

// Size is how many body bytes have been taken.
func (b *Writer) Size() uint64 { return b.raw + uint64(len(b.buf)-blockHead) }

// Cut is how many of them are in blocks, and Written how many bytes of the file
// have been written.
func (b *Writer) Cut() uint64    { return b.raw }
func (b *Writer) Written() int64 { return b.written }

// MaxHeader is the most bytes of a header.
const MaxHeader = blockSize / 2

// Header writes the first block.
func (b *Writer) Header(raw []byte) { b.start(kindHeader, raw) }

// Write takes body bytes.
func (b *Writer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), blockHead+blockSize-len(b.buf))
		b.buf = append(b.buf, rest[:n]...)
		rest = rest[n:]
		if len(b.buf) == blockHead+blockSize {
			b.flush()
		}
	}
	return len(p), b.err
}

func (b *Writer) flush() {
	if len(b.buf) == blockHead {
		return
	}
	b.count(1, len(b.buf)-blockHead)
	b.single(kindBody, b.buf)
	b.buf = newFrame()[:blockHead]
}

func (b *Writer) count(blocks, raw int) {
	b.blocks += uint32(blocks)
	b.raw += uint64(raw)
}

// start writes a block of another kind than the body's.
func (b *Writer) start(kind byte, raw []byte) {
	b.single(kind, append(newFrame()[:blockHead], raw...))
}

// single makes one block of a frame without its tail.
func (b *Writer) single(kind byte, frame []byte) {
	index := b.index
	b.queue(1, func(j *job) {
		j.frame = frame
		j.seal(index, kind, append(frame, make([]byte, blockTail)...), compress)
	})
}

// Lane cuts scalars of the given size, from base on, into planes: a block
// each. rows is at most LaneRows; gather, if there is one, fetches the scalars
// in place of base. Memory at base must stay until Wait or Close.
func (b *Writer) Lane(size int, base unsafe.Pointer, stride uintptr, rows int, gather func(dst []uint32)) {
	b.flush()
	b.count(size, size*rows)
	index := b.index
	b.queue(size, func(j *job) {
		if gather != nil {
			tmp := gathered.Get().(*[LaneRows]uint32)
			defer gathered.Put(tmp)
			gather(tmp[:rows])
			base, stride = unsafe.Pointer(tmp), 4
		}
		step := blockHead + rows + blockTail
		frame := newFrame()[:size*step]
		j.frame, j.out = frame, newFrame()
		varying := cutVarying(frame[blockHead:], step, size, base, stride, rows)
		for i := range size {
			f := frame[i*step:][:step]
			if varying>>i&1 != 0 {
				j.seal(index+uint32(i), kindBody, f, compressPlane)
			} else {
				j.fill(index+uint32(i), f[blockHead], rows)
			}
		}
	})
}

var gathered = sync.Pool{New: func() any { return new([LaneRows]uint32) }}

// queue runs f in the background, for the next blocks; at most two jobs a
// processor wait.
func (b *Writer) queue(blocks int, f func(j *job)) {
	b.index += uint32(blocks)
	j := &job{done: make(chan struct{})}
	b.pending = append(b.pending, j)
	go func() {
		defer close(j.done)
		f(j)
	}()
	for len(b.pending) > 2*runtime.GOMAXPROCS(0) {
		b.finish()
	}
}

// seal makes a block of a frame, compressed if that is shorter.
func (j *job) seal(index uint32, kind byte, frame []byte, compress func(dst, raw []byte) []byte) {
	raw := frame[blockHead : len(frame)-blockTail]
	if j.out == nil {
		j.out = newFrame()
	}
	at := len(j.out)
	j.out = compress(j.out[:at+blockHead], raw)
	if stored := len(j.out) - at - blockHead; stored > 0 && stored < len(raw) {
		j.out = append(j.out, make([]byte, blockTail)...)
		j.close(index, kind, codecZstd, len(raw), j.out[at:])
		return
	}
	j.out = j.out[:at]
	j.close(index, kind, codecStored, len(raw), frame)
}

// compressPlane appends a zstd frame of raw, or nothing if that is not worth
// the time.
func compressPlane(dst, raw []byte) []byte {
	switch planeFormOf(raw, dst) {
	case asNoise:
		return dst
	case asLiterals:
		if out, ok := appendLiterals(dst, raw); ok {
			return out
		}
	}
	return compress(dst, raw)
}

func compress(dst, raw []byte) []byte {
	enc, _ := compressors()
	return enc.EncodeAll(raw, dst)
}

// fill makes a block of rows equal bytes.
func (j *job) fill(index uint32, value byte, rows int) {
	at := len(j.out)
	j.out = j.out[:at+blockHead+1+blockTail]
	j.out[at+blockHead] = value
	j.close(index, kindBody, codecFill, rows, j.out[at:])
}

// close fills in head and checksum.
func (j *job) close(index uint32, kind, codec byte, raw int, frame []byte) {
	end := len(frame) - blockTail
	frame[0], frame[1] = kind, codec
	binary.LittleEndian.PutUint32(frame[2:], uint32(raw))
	binary.LittleEndian.PutUint32(frame[6:], uint32(end-blockHead))
	binary.LittleEndian.PutUint32(frame[end:], blockSum(index, frame[:blockHead], frame[blockHead:end]))
	j.parts = append(j.parts, frame)
}

func (b *Writer) finish() {
	j := b.pending[0]
	b.pending = b.pending[1:]
	<-j.done
	for _, p := range j.parts {
		b.emit(p)
	}
	recycle(j.frame)
	recycle(j.out)
}

// Wait ends what runs in the background, for a save that failed.
func (b *Writer) Wait() {
	for _, j := range b.pending {
		<-j.done
	}
	b.pending = nil
}

// Close writes what is left and the end block; it does not close the writer.
func (b *Writer) Close() error {
	b.flush()
	end := binary.LittleEndian.AppendUint32(nil, b.blocks)
	b.start(kindEnd, binary.LittleEndian.AppendUint64(end, b.raw))
	for len(b.pending) > 0 {
		b.finish()
	}
	recycle(b.buf)
	b.buf = nil
	return b.err
}
