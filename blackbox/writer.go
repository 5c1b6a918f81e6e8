package blackbox

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/timeline"
)

// Writer writes a file, block after block; memory is bounded by one chunk. It is
// one goroutine's, and never the frame's.
type Writer struct {
	blocks  blockWriter
	types   *ecs.Catalog
	known   describer
	chunk   chunkWriter
	raw     []byte
	lastSeq uint64
	Samples int
	From    uint64 // first and last tick, of the branch that was written last
	To      uint64
}

// NewWriter begins a file.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	out := &Writer{blocks: blockWriter{w: w}}
	if err := out.blocks.begin(); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return out, out.blocks.block(kindHeader, raw)
}

// Bytes is how much has been written.
func (w *Writer) Bytes() int64 { return w.blocks.bytes }

// Part writes a document.
func (w *Writer) Part(name string, data []byte) error {
	w.raw = binary.AppendUvarint(w.raw[:0], uint64(len(name)))
	w.raw = append(append(w.raw, name...), data...)
	return w.blocks.block(kindPart, w.raw)
}

// JSON writes a document as JSON.
func (w *Writer) JSON(name string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.Part(name, raw)
}

// Record writes all samples of a recorder that came after the last ones that
// were written, branch after branch.
func (w *Writer) Record(rec *timeline.Recorder) error {
	branches, current := rec.Branches()
	last := w.lastSeq
	for b := range branches {
		if err := w.line(rec.LineOf(b), b, last); err != nil {
			return err
		}
	}
	w.From, w.To, _ = rec.LineOf(current).Ticks()
	return nil
}

func (w *Writer) line(l *timeline.Line, branch int, after uint64) error {
	refs := slices.DeleteFunc(l.Refs(0, math.MaxUint64), func(r timeline.Ref) bool { return r.Branch != branch || r.Seq <= after })
	if len(refs) == 0 {
		return nil
	}
	for c := l.Walk(refs[0], refs[len(refs)-1]); c.Next(); {
		if err := w.Sample(c.Sample()); err != nil {
			return err
		}
	}
	return w.flush()
}

// Sample writes one sample; it reaches the file with its chunk.
func (w *Writer) Sample(s *timeline.Sample) error {
	if !w.chunk.fits(s) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if s.Types != w.types {
		w.types = s.Types
		doc := w.chunk.told
		if doc == nil {
			doc = w.known.catalog(s.Types)
		}
		raw, err := doc.bytes()
		if err != nil {
			return err
		}
		if err := w.blocks.block(kindTypes, raw); err != nil {
			return err
		}
	}
	w.lastSeq = max(w.lastSeq, s.Seq)
	w.Samples++
	return w.chunk.add(s)
}

func (w *Writer) flush() error {
	if w.chunk.n == 0 {
		return nil
	}
	w.raw = w.chunk.finish(w.raw[:0])
	return w.blocks.block(kindSamples, w.raw)
}

// Close writes what is left and the end. It does not close the file.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.blocks.block(kindEnd, nil)
}
