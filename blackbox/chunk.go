package blackbox

import (
	"encoding/binary"
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/timeline"
)

// A chunk is samples that follow each other, readable without any other one. It
// holds
//
//	texts      causes, names of states
//	blobs      states and inputs
//	tables     archetypes that occur: components, relation targets
//	shapes     lists of archetypes in their order, and of resources that are listed
//	samples    number, tick, frame, branch, cause, entity table, shape, rows
//	results    distinct labels and computed values, by component
//	types      of the values below that hold pointers (snapshot/stream.go)
//	columns    by table; without pointers as words (column.go), others as the
//	           samples in which they changed and what they were then

// A chunk ends before it holds more.
const (
	chunkSamples = 64
	chunkBytes   = 4 << 20
)

// chunkWriter gathers samples.
type chunkWriter struct {
	types   *ecs.Catalog
	told    *typesDoc // of a copy: types are stand-ins, and this is what they stand for
	branch  int
	n       int
	last    timeline.Ref
	texts   dictionary
	blobs   dictionary
	shapes  dictionary
	heads   []byte
	tables  []*tableWriter
	byKey   map[string]*tableWriter
	results map[ecs.TypeID]*results
	stream  snapshot.StreamWriter
	private map[*value.Type][]byte
	key     []byte
	body    []byte
	masked  []byte
	plain   []byte
	result  []byte
}

// dictionary numbers equal texts.
type dictionary struct {
	numbers map[string]int
	list    []string
}

func (d *dictionary) number(s []byte) int {
	if n, ok := d.numbers[string(s)]; ok {
		return n
	}
	if d.numbers == nil {
		d.numbers = map[string]int{}
	}
	d.numbers[string(s)] = len(d.list)
	d.list = append(d.list, string(s))
	return len(d.list) - 1
}

func (d *dictionary) finish(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(d.list)))
	for _, s := range d.list {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	clear(d.numbers)
	d.list = d.list[:0]
	return dst
}

// tableWriter is the rows of an archetype, or the entity table, the adapter's
// notes, a resource.
type tableWriter struct {
	number  int    // among the archetypes
	head    []byte // components and targets
	rows    int
	told    int // rows that the last sample had
	seen    bool
	columns []columnWriter
}

// fits: the sample can be added to the chunk.
func (w *chunkWriter) fits(s *timeline.Sample) bool {
	return w.n == 0 || s.Types == w.types && s.Branch == w.branch && w.n < chunkSamples && w.size() < chunkBytes
}

func (w *chunkWriter) size() (n int) {
	for _, t := range w.tables {
		for i := range t.columns {
			c := &t.columns[i]
			n += c.size()
		}
	}
	return n + len(w.heads)
}

// add takes a sample into the chunk. Nothing of it is kept.
func (w *chunkWriter) add(s *timeline.Sample) error {
	if w.n == 0 {
		w.begin(s)
	}
	i := int32(w.n)
	h := binary.AppendUvarint(w.heads, s.Seq-w.last.Seq)
	h = binary.AppendVarint(h, int64(s.Tick-w.last.Tick))
	h = binary.AppendVarint(h, int64(s.Frame-w.last.Frame))
	h = binary.AppendUvarint(h, uint64(w.texts.number([]byte(s.Cause))))
	locked := byte(0)
	if s.Locked {
		locked = 1
	}
	h = append(h, locked)
	p := &s.Image.Pool
	for _, n := range []uint32{p.Next, p.Available, p.Reserved} {
		h = binary.AppendUvarint(h, uint64(n))
	}
	h = binary.AppendUvarint(h, uint64(len(s.States)))
	for _, st := range s.States {
		h = binary.AppendUvarint(h, uint64(w.texts.number([]byte(st.Name))))
		h = binary.AppendVarint(h, int64(st.Version))
		h = binary.AppendUvarint(h, uint64(w.blobs.number(st.Data)))
	}
	h = binary.AppendUvarint(h, uint64(w.blobs.number(s.Inputs)))

	for _, t := range w.tables {
		t.rows, t.seen = 0, false
	}
	w.tables[0].set(len(p.Slots))
	w.tables[0].columns[0].flat.add(memoryOf(unsafe.Pointer(unsafe.SliceData(p.Slots)), len(p.Slots)*int(unsafe.Sizeof(ecs.Entity{}))), i)
	w.tables[1].set(len(s.Image.Hints))
	w.tables[1].columns[0].flat.add(memoryOf(unsafe.Pointer(unsafe.SliceData(s.Image.Hints)), len(s.Image.Hints)*4), i)
	shape := append(w.key[:0], make([]byte, len(w.types.Resources))...)
	for _, r := range s.Image.Resources {
		shape[r.ID] = 1
		if !r.Value.IsValid() {
			continue
		}
		t := w.tables[fixedTables+int(r.ID)]
		t.set(1)
		if err := t.columns[0].add(w, addressable(r.Value, w.types.Resources[r.ID].Type.Go), 1, i); err != nil {
			return err
		}
	}
	for k := range s.Image.Archetypes {
		a := &s.Image.Archetypes[k]
		t := w.table(a)
		shape = binary.AppendUvarint(shape, uint64(t.number))
		t.set(len(a.Entities))
		t.columns[0].flat.add(memoryOf(unsafe.Pointer(unsafe.SliceData(a.Entities)), len(a.Entities)*int(unsafe.Sizeof(ecs.Entity{}))), i)
		for n := range a.Components {
			if err := t.columns[1+n].add(w, a.Columns[n].UnsafePointer(), len(a.Entities), i); err != nil {
				return err
			}
		}
	}
	w.key = shape
	h = binary.AppendUvarint(h, uint64(w.shapes.number(shape)))
	w.heads, w.last = w.lengths(h, i), s.Ref
	w.n++
	return nil
}

func (t *tableWriter) set(rows int) { t.rows, t.seen = rows, true }

// lengths writes the rows of the tables that have others than before.
func (w *chunkWriter) lengths(h []byte, i int32) []byte {
	count, last := 0, 0
	w.body = w.body[:0]
	for n, t := range w.tables {
		if !t.seen {
			for k := range t.columns {
				if err := t.columns[k].add(w, nil, 0, i); err != nil {
					panic(err) // of no values
				}
			}
		}
		if t.rows != t.told {
			w.body = binary.AppendUvarint(w.body, uint64(n-last))
			w.body = binary.AppendUvarint(w.body, uint64(t.rows))
			t.told, last = t.rows, n
			count++
		}
	}
	return append(binary.AppendUvarint(h, uint64(count)), w.body...)
}

// begin starts a chunk with this sample.
func (w *chunkWriter) begin(s *timeline.Sample) {
	if w.types != s.Types {
		w.private = map[*value.Type][]byte{}
	}
	w.types, w.branch, w.last = s.Types, s.Branch, timeline.Ref{}
	w.heads, w.byKey, w.stream, w.results = w.heads[:0], map[string]*tableWriter{}, snapshot.StreamWriter{}, map[ecs.TypeID]*results{}
	w.tables = []*tableWriter{{columns: []columnWriter{{}}}, {columns: []columnWriter{{}}}}
	for _, r := range s.Types.Resources {
		w.tables = append(w.tables, &tableWriter{columns: []columnWriter{w.column(r.Type)}})
	}
}

// fixedTables are those before the resources.
const fixedTables = 2

// table is the one of an archetype.
func (w *chunkWriter) table(a *ecs.ImageArchetype) *tableWriter {
	var room [256]byte
	k := binary.AppendUvarint(room[:0], uint64(len(a.Components)))
	for _, id := range a.Components {
		k = binary.AppendUvarint(k, uint64(id))
	}
	k = binary.AppendUvarint(k, uint64(len(a.Targets)))
	for _, t := range a.Targets {
		k = binary.AppendUvarint(k, uint64(t.Relation))
		k = binary.AppendUvarint(k, uint64(t.Entity.ID))
		k = binary.AppendUvarint(k, uint64(t.Entity.Gen))
	}
	if t := w.byKey[string(k)]; t != nil {
		return t
	}
	t := &tableWriter{number: len(w.byKey), head: slices.Clone(k), columns: []columnWriter{{}}}
	for _, id := range a.Components {
		c := w.column(w.types.Components[id].Type)
		c.results = w.resultsOf(id)
		t.columns = append(t.columns, c)
	}
	// What it had before is nothing: samples without it bring no change.
	for k := range t.columns {
		t.columns[k].sleep(w.n)
	}
	w.byKey[string(k)] = t
	w.tables = append(w.tables, t)
	return t
}

// finish appends the chunk and begins anew.
func (w *chunkWriter) finish(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(w.n))
	dst = binary.AppendUvarint(dst, uint64(w.branch))
	dst = w.texts.finish(dst)
	dst = w.blobs.finish(dst)
	dst = binary.AppendUvarint(dst, uint64(len(w.types.Resources)))
	dst = binary.AppendUvarint(dst, uint64(len(w.byKey)))
	for _, t := range w.tables[fixedTables+len(w.types.Resources):] {
		dst = append(dst, t.head...)
	}
	dst = w.shapes.finish(dst)
	dst = binary.AppendUvarint(dst, uint64(len(w.heads)))
	dst = append(dst, w.heads...)
	dst = binary.AppendUvarint(dst, uint64(len(w.results)))
	for id := range w.types.Components {
		if r := w.results[ecs.TypeID(id)]; r != nil {
			dst = binary.AppendUvarint(dst, uint64(id))
			dst = r.finish(dst)
		}
	}
	types := w.stream.Types()
	dst = binary.AppendUvarint(dst, uint64(len(types)))
	dst = append(dst, types...)
	for _, t := range w.tables {
		for k := range t.columns {
			dst = t.columns[k].finish(dst)
		}
	}
	w.n = 0
	return dst
}

func memoryOf(p unsafe.Pointer, n int) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p), n)
}

// addressable is where a resource's value is: values of images are often, and
// pointers stand for what they point at.
func addressable(v reflect.Value, t reflect.Type) unsafe.Pointer {
	if v.Type() != t && v.Kind() == reflect.Pointer {
		return v.UnsafePointer()
	}
	if v.CanAddr() {
		return v.Addr().UnsafePointer()
	}
	box := reflect.New(t)
	box.Elem().Set(v)
	return box.UnsafePointer()
}
