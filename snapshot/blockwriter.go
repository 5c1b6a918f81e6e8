package snapshot

import (
	"encoding/binary"
	"io"
	"runtime"
	"sync"
	"unsafe"
)

// blockWriter cuts the body into blocks, compresses them concurrently and
// writes them in order.
type blockWriter struct {
	w       io.Writer
	index   uint32
	blocks  uint32
	raw     uint64 // body bytes so far
	written int64
	buf     []byte // an open frame
	pending []*blockJob
	err     error
}

// blockJob makes one or more blocks in the background.
type blockJob struct {
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

func newBlockWriter(w io.Writer) *blockWriter {
	b := &blockWriter{w: w, buf: newFrame()[:blockHead]}
	b.emit([]byte(magic))
	b.emit(binary.LittleEndian.AppendUint16(nil, version))
	return b
}

func (b *blockWriter) emit(p []byte) {
	if b.err != nil {
		return
	}
	n, err := b.w.Write(p)
	b.written += int64(n)
	b.err = err
}

// size is how many body bytes have been taken.
func (b *blockWriter) size() uint64 { return b.raw + uint64(len(b.buf)-blockHead) }

// Write takes body bytes.
func (b *blockWriter) Write(p []byte) (int, error) {
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

func (b *blockWriter) flush() {
	if len(b.buf) == blockHead {
		return
	}
	b.count(1, len(b.buf)-blockHead)
	b.single(kindBody, b.buf)
	b.buf = newFrame()[:blockHead]
}

func (b *blockWriter) count(blocks, raw int) {
	b.blocks += uint32(blocks)
	b.raw += uint64(raw)
}

// start writes a block of another kind than the body's.
func (b *blockWriter) start(kind byte, raw []byte) {
	b.single(kind, append(newFrame()[:blockHead], raw...))
}

// single makes one block of a frame without its tail.
func (b *blockWriter) single(kind byte, frame []byte) {
	index := b.index
	b.queue(1, func(j *blockJob) {
		j.frame = frame
		j.seal(index, kind, append(frame, make([]byte, blockTail)...), compress)
	})
}

// lane cuts scalars of the given size, from base on, into planes: a block
// each. rows is at most laneRows; gather, if there is one, fetches the scalars
// in place of base. Memory at base must stay until wait or Close.
func (b *blockWriter) lane(size int, base unsafe.Pointer, stride uintptr, rows int, gather func(dst []uint32)) {
	b.flush()
	b.count(size, size*rows)
	index := b.index
	b.queue(size, func(j *blockJob) {
		if gather != nil {
			tmp := gathered.Get().(*[laneRows]uint32)
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

var gathered = sync.Pool{New: func() any { return new([laneRows]uint32) }}

// queue runs f in the background, for the next blocks; at most two jobs a
// processor wait.
func (b *blockWriter) queue(blocks int, f func(j *blockJob)) {
	b.index += uint32(blocks)
	j := &blockJob{done: make(chan struct{})}
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
func (j *blockJob) seal(index uint32, kind byte, frame []byte, compress func(dst, raw []byte) []byte) {
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
func (j *blockJob) fill(index uint32, value byte, rows int) {
	at := len(j.out)
	j.out = j.out[:at+blockHead+1+blockTail]
	j.out[at+blockHead] = value
	j.close(index, kindBody, codecFill, rows, j.out[at:])
}

// close fills in head and checksum.
func (j *blockJob) close(index uint32, kind, codec byte, raw int, frame []byte) {
	end := len(frame) - blockTail
	frame[0], frame[1] = kind, codec
	binary.LittleEndian.PutUint32(frame[2:], uint32(raw))
	binary.LittleEndian.PutUint32(frame[6:], uint32(end-blockHead))
	binary.LittleEndian.PutUint32(frame[end:], blockSum(index, frame[:blockHead], frame[blockHead:end]))
	j.parts = append(j.parts, frame)
}

func (b *blockWriter) finish() {
	j := b.pending[0]
	b.pending = b.pending[1:]
	<-j.done
	for _, p := range j.parts {
		b.emit(p)
	}
	recycle(j.frame)
	recycle(j.out)
}

// wait ends what runs in the background, for a save that failed.
func (b *blockWriter) wait() {
	for _, j := range b.pending {
		<-j.done
	}
	b.pending = nil
}

// Close writes what is left and the end block; it does not close the writer.
func (b *blockWriter) Close() error {
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
