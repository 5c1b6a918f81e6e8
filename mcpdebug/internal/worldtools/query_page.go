package worldtools

import (
	"encoding/json"
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
)

// pageRows is the rows of a page as the frame copied them out, in runs of one
// chunk. They are written as JSON in one pass, off the frame.
type pageRows struct {
	cat  *ecs.Catalog
	runs []pageRun
	n    int
}

// pageRun is neighbours of a page that have the same components.
type pageRun struct {
	comps    []ecs.TypeID
	targets  []ecs.Target
	entities []ecs.Entity
	labels   []string // nil: none has one
	columns  []pageColumn
	failed   []map[string]string // why a value is missing, by row and key; nil: none is
}

// pageColumn is one value of each row of a run.
type pageColumn struct {
	key string
	// Values without pointers lie in memory of the page's own.
	t    reflect.Type
	at   unsafe.Pointer
	size uintptr
	// Others are copies of their own; invalid: the row has none.
	each []reflect.Value
	path *value.Path // that was selected; nil for whole components
}

// take copies rows of a chunk, with the whole values of their components if
// wanted. Frame goroutine.
func (p *pageRows) take(c ecs.Chunk, rows []int32, values bool) *pageRun {
	run := pageRun{comps: slices.Clone(c.Components()), targets: slices.Clone(c.Targets()), entities: make([]ecs.Entity, len(rows))}
	labelled := false
	for _, id := range run.comps {
		labelled = labelled || p.cat.Components[id].Type.Label != nil
	}
	if labelled {
		run.labels = make([]string, len(rows))
	}
	for i, row := range rows {
		run.entities[i] = c.Entity(int(row))
		if labelled {
			run.labels[i] = ecs.LabelOf(p.cat, c, int(row))
		}
	}
	if values {
		run.columns = p.columns(c, run.comps, rows)
	}
	p.n += len(rows)
	p.runs = append(p.runs, run)
	return &p.runs[len(p.runs)-1]
}

func (p *pageRows) columns(c ecs.Chunk, comps []ecs.TypeID, rows []int32) []pageColumn {
	out := make([]pageColumn, len(comps))
	words := 0
	for _, id := range comps {
		if t := p.cat.Components[id].Type; t.PointerFree {
			words += (int(t.Size)*len(rows) + 7) / 8
		}
	}
	// One piece of memory for all values without pointers; words keep it aligned.
	memory := make([]uint64, words+1)
	for j, id := range comps {
		comp := p.cat.Components[id]
		out[j] = pageColumn{key: comp.Name, t: comp.Type.Go, size: comp.Type.Size}
		col, ok := c.Column(id)
		switch {
		case !ok || comp.Type.Size == 0:
			// A tag: every value is the same.
			out[j].at, out[j].size = reflect.New(comp.Type.Go).UnsafePointer(), 0
		case comp.Type.PointerFree:
			size := comp.Type.Size
			at := unsafe.Pointer(unsafe.SliceData(memory))
			for i, row := range rows {
				copy(unsafe.Slice((*byte)(unsafe.Add(at, uintptr(i)*size)), size), unsafe.Slice((*byte)(col.At(int(row))), size))
			}
			out[j].at = at
			memory = memory[(int(size)*len(rows)+7)/8:]
		default:
			out[j].each = make([]reflect.Value, len(rows))
			for i, row := range rows {
				out[j].each[i] = value.Copy(col.Value(comp.Type.Go, int(row)))
			}
		}
	}
	return out
}

// pageWriter writes rows as the JSON of an entityRow.
type pageWriter struct {
	cat      *ecs.Catalog
	opts     value.EncodeOptions
	selected bool // values at paths, and no components
	// What the runs of one composition have in common.
	comps      []ecs.TypeID
	components []byte   // their names, as JSON
	order      []int    // of the columns, by key
	keys       [][]byte // by column, with the colon
	encodings  map[reflect.Type]*value.Encoding
	failed     map[string]string // of the row being written
}

func newPageWriter(cat *ecs.Catalog) *pageWriter {
	return &pageWriter{cat: cat, opts: value.EncodeOptions{Bulk: true}, encodings: map[reflect.Type]*value.Encoding{}}
}

func appendResult[T any](dst []byte, v T) []byte {
	// Text, lists and maps of text: nothing in them can fail.
	dst, _ = value.AppendJSON(dst, reflect.ValueOf(&v).Elem(), value.EncodeOptions{JSON: true})
	return dst
}

// begin prepares for the rows of a run. Every run of a page has its columns
// from the same source, so that those of equal components have equal keys.
func (w *pageWriter) begin(run *pageRun) {
	if w.components != nil && slices.Equal(w.comps, run.comps) {
		return
	}
	w.comps = run.comps
	w.components = appendResult(w.components[:0], entities.Names(w.cat, run.comps))
	w.order, w.keys = w.order[:0], w.keys[:0]
	for j := range run.columns {
		w.order = append(w.order, j)
		w.keys = append(w.keys, append(appendResult(nil, run.columns[j].key), ':'))
	}
	slices.SortStableFunc(w.order, func(a, b int) int { return compareText(run.columns[a].key, run.columns[b].key) })
	// The same path selected twice is one value.
	w.order = slices.CompactFunc(w.order, func(a, b int) bool { return run.columns[a].key == run.columns[b].key })
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// row appends one row of the run that began last.
func (w *pageWriter) row(dst []byte, run *pageRun, i int) []byte {
	dst = append(dst, `{"entity":"`...)
	dst = append(run.entities[i].AppendTo(dst), '"')
	if run.labels != nil && run.labels[i] != "" {
		dst = appendResult(append(dst, `,"name":`...), run.labels[i])
	}
	if !w.selected { // who selects knows what to look for
		dst = append(append(dst, `,"components":`...), w.components...)
	}
	if len(run.targets) > 0 {
		dst = appendResult(append(dst, `,"relations":`...), relationsOf(w.cat, run.targets))
	}
	w.failed = nil
	if run.failed != nil {
		w.failed = run.failed[i]
	}
	some := false
	for _, j := range w.order {
		start := len(dst)
		if some {
			dst = append(dst, ',')
		} else {
			dst = append(dst, `,"values":{`...)
		}
		out, ok := w.value(append(dst, w.keys[j]...), &run.columns[j], i)
		if !ok {
			dst = dst[:start]
			continue
		}
		dst, some = out, true
	}
	if some {
		dst = append(dst, '}')
	}
	if len(w.failed) > 0 {
		dst = appendResult(append(dst, `,"errors":`...), w.failed)
	}
	return append(dst, '}')
}

// value appends one value; one that cannot be encoded costs no other one.
func (w *pageWriter) value(dst []byte, col *pageColumn, i int) (out []byte, ok bool) {
	var err error
	if col.each != nil {
		if !col.each[i].IsValid() {
			return dst, false
		}
		if col.path != nil {
			out, err = col.path.AppendJSON(dst, col.each[i], w.opts)
		} else {
			out, err = value.AppendJSON(dst, col.each[i], w.opts)
		}
	} else {
		x := w.encodings[col.t]
		if x == nil {
			x = value.EncodingOf(col.t, w.opts)
			w.encodings[col.t] = x
		}
		out, err = x.Append(dst, unsafe.Add(col.at, uintptr(i)*col.size))
	}
	if err != nil {
		if w.failed == nil {
			w.failed = map[string]string{}
		}
		w.failed[col.key] = err.Error()
		return dst, false
	}
	return out, true
}

// shrunk is the row without the values that make it larger than a page.
func (w *pageWriter) shrunk(row []byte, maxBytes int) ([]byte, error) {
	var r entityRow
	if err := json.Unmarshal(row, &r); err != nil {
		return row, err
	}
	r.shrink(maxBytes)
	return value.AppendJSON(nil, reflect.ValueOf(&r).Elem(), value.EncodeOptions{JSON: true})
}
