package blackbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/timeline"
)

// File is a recording that was read.
type File struct {
	Header
	Facts
	Parts   map[string][]byte
	Lines   []Line
	Samples int
	Bytes   int64
	// Damage says where the file is cut off or spoiled; "" if it is whole. What
	// came before was read.
	Damage   string
	Types    *ecs.Catalog // of the last sample; nil if there is none
	Recorder *timeline.Recorder
}

// Limits bound what a file may take. The zero value follows from its size.
type Limits struct {
	Memory int64 // of the samples; the oldest are left out
	Chunk  int64 // of what is read at a time
}

func (l Limits) orDefault(size int64) Limits {
	if l.Memory <= 0 {
		l.Memory = 24<<20 + 2*size
	}
	if l.Chunk <= 0 {
		// A world that stands still is much larger than its file.
		l.Chunk = max(64<<20-l.Memory, 8<<20+size)
	}
	return l
}

// Open reads a file into a recorder. The error is of a file of which nothing can
// be used; one that is damaged later is opened up to there.
func Open(path string, l Limits) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, badFile("%s is no file", path)
	}
	return Read(f, info.Size(), l)
}

// Read is Open for something that is no file.
func Read(r io.Reader, size int64, l Limits) (*File, error) {
	l = l.orDefault(size)
	in := &reader{blocks: blockReader{r: r, limit: int(min(l.Chunk, maxBlock))}, limits: l, results: l.Chunk, builder: newBuilder(),
		file: &File{Parts: map[string][]byte{}, Bytes: size, Recorder: timeline.NewRecorder(nil)}}
	if err := in.header(); err != nil {
		return nil, err
	}
	if err := in.file.Recorder.Import(l.Memory, in.next, in.rest); err != nil {
		in.file.Damage = err.Error()
	}
	return in.file, nil
}

type reader struct {
	blocks   blockReader
	limits   Limits
	file     *File
	builder  *builder
	types    *ecs.Catalog
	stage    *stage
	chunk    *chunkReader
	ended    bool
	branches int   // that samples are on
	kept     int64 // bytes of parts
	logged   int64 // of lines
	results  int64 // that labels and computed values may still take

	redaction *Redaction // nil: nothing is taken out, and documents are kept
	copyTo    *Writer
}

func (r *reader) header() error {
	if err := r.blocks.begin(); err != nil {
		return err
	}
	kind, raw, err := r.blocks.next()
	if errors.Is(err, io.EOF) {
		return badFile("the file ends before its header")
	}
	if err != nil {
		return err
	}
	if kind != kindHeader || json.Unmarshal(raw, &r.file.Header) != nil {
		return badFile("the first block is no header")
	}
	return nil
}

// next is the next sample of the file.
func (r *reader) next() (*timeline.Sample, error) {
	for {
		if r.chunk != nil {
			s, err := r.chunk.next()
			if err == nil {
				r.file.Samples++
				r.file.Types = s.Types
				r.branches = max(r.branches, s.Branch+1)
				r.file.Current = s.Branch
				return s, nil
			}
			r.chunk = nil
			if !errors.Is(err, io.EOF) {
				return nil, err
			}
		}
		kind, raw, err := r.blocks.next()
		switch {
		case errors.Is(err, io.EOF):
			if !r.ended {
				return nil, badFile("the file was cut off, or the game ended while it was written: everything up to there is here")
			}
			return nil, io.EOF
		case err != nil:
			return nil, err
		case r.ended:
			return nil, badFile("blocks follow the end of the file")
		}
		if err := r.block(kind, raw); err != nil {
			return nil, err
		}
	}
}

func (r *reader) block(kind byte, raw []byte) error {
	switch kind {
	case kindTypes:
		doc, err := parseTypes(raw)
		if err != nil {
			return err
		}
		if r.redaction != nil {
			if err := r.redaction.types(doc); err != nil {
				return err
			}
		}
		if r.types, r.stage, err = r.builder.build(doc); err == nil && r.redaction != nil {
			r.redaction.settle(r.types)
		}
		return err
	case kindSamples:
		if r.types == nil {
			return badFile("samples come before their types")
		}
		// The block's memory is the next block's: the chunk is read before.
		r.chunk = &chunkReader{kept: &r.results, scan: scan{data: raw, where: fmt.Sprintf("block %d", r.blocks.index-1)}, types: r.types, stage: r.stage, budget: r.limits.Chunk - int64(len(raw))}
		return r.chunk.open()
	case kindPart:
		if r.redaction != nil {
			return r.redaction.part(r.copyTo, scan{data: raw, where: "a part"})
		}
		return r.part(scan{data: raw, where: "a part"})
	case kindEnd:
		r.ended = true
		return nil
	}
	return badFile("block %d is of an unknown kind %q", r.blocks.index-1, kind)
}

// part takes a document. Those that are too much for memory are left out.
func (r *reader) part(s scan) (err error) {
	defer recovered(&err)
	label := s.bytes()
	if len(label) > maxPartName {
		return badFile("the name of a document takes %d bytes", len(label))
	}
	name := string(label)
	if (name == PartFacts || name == PartLog) && (int64(len(s.data)) > r.limits.Chunk/2 || weight(s.data, elementBytes, elementBytes) > r.limits.Chunk) {
		return badFile("the %s takes more memory than is allowed for a file of this size", name)
	}
	switch name {
	case PartFacts:
		var f Facts
		if err := json.Unmarshal(s.data, &f); err != nil {
			return badFile("the facts are not readable: %v", err)
		}
		f.Current = min(max(f.Current, 0), maxBranches)
		r.file.Facts = f
		return nil
	case PartLog:
		var lines []Line
		if err := json.Unmarshal(s.data, &lines); err != nil {
			return badFile("the log is not readable: %v", err)
		}
		r.log(lines)
		return nil
	}
	r.kept += int64(len(s.data)) - int64(len(r.file.Parts[name]))
	if r.kept > r.limits.Chunk || len(r.file.Parts) > 64 {
		return badFile("the documents take more memory than is allowed for a file of this size")
	}
	r.file.Parts[name] = append([]byte(nil), s.data...)
	return nil
}

// log takes lines. The oldest are left out where they are too many, or too much
// for memory.
func (r *reader) log(lines []Line) {
	all := append(r.file.Lines, lines...)
	for i := range lines {
		r.logged += lines[i].bytes()
	}
	drop := max(0, len(all)-maxLines)
	for i := range all {
		if i >= drop && r.logged <= r.limits.Chunk/2 {
			break
		}
		r.logged -= all[i].bytes()
		drop = max(drop, i+1)
	}
	r.file.Lines = slices.Delete(all, 0, drop)
}

func (l *Line) bytes() int64 { return int64(len(l.Msg)+len(l.Attrs)) + elementBytes }

const (
	maxLines     = 4096
	maxPartName  = 256
	elementBytes = 80 // of a Line, a Mark
)

// weight is what a JSON document takes once it is decoded into structs, beside
// its texts: outer for an element of an array, inner for one of an array in an
// array's element.
func weight(raw []byte, outer, inner int64) (n int64) {
	var open []bool // what is open is an array
	arrays := 0
	element := func() {
		if arrays == 1 {
			n += outer
		} else {
			n += inner
		}
	}
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case '[':
			open = append(open, true)
			arrays++
			element()
		case '{':
			open = append(open, false)
		case ']', '}':
			if last := len(open) - 1; last >= 0 {
				if open[last] {
					arrays--
				}
				open = open[:last]
			}
		case ',':
			if last := len(open) - 1; last >= 0 && open[last] {
				element()
			}
		}
	}
	return n
}

// rest is what the recorder is told beside the samples.
func (r *reader) rest() timeline.Recorded {
	f := &r.file.Facts
	out := timeline.Recorded{Every: min(max(f.Every, 1), timeline.MaxEvery), Current: f.Current, Tick: f.Tick, Marks: f.Marks}
	for b := range max(r.branches, f.Current+1) {
		known := timeline.Branch{Parent: -1}
		// A parent comes before its children: a circle would never end.
		if b < len(f.Branches) && f.Branches[b].Parent < b {
			known = f.Branches[b]
			known.Parent = max(known.Parent, -1)
		}
		out.Branches = append(out.Branches, known)
	}
	return out
}
