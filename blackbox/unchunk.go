package blackbox

import (
	"bytes"
	"io"
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/timeline"
)

// chunkReader reads the samples of a chunk one by one, into stand-ins. It trusts
// nothing: every number is held against what there is of its kind, and memory
// is charged before it is taken.
type chunkReader struct {
	scan
	types  *ecs.Catalog
	stage  *stage
	budget int64
	kept   *int64 // what results may take that stay when the chunk is read

	n, i    int
	branch  int
	last    timeline.Ref
	texts   []string
	blobs   [][]byte
	shapes  []shape
	heads   scan
	stream  *snapshot.StreamReader
	results map[int][][]uint32 // numbers here of a component's results, by number in the chunk
	tables  []*tableReader
	img     ecs.Image
}

type shape struct {
	listed []bool
	order  []int
}

type tableReader struct {
	components []ecs.TypeID
	targets    []ecs.Target
	rows       int
	most       int // rows that it has had: memory is kept for them
	listed     int // the number of the last shape that it is in, from 1
	columns    []columnReader
}

// What a table and a column take without values: columns are copied as a table
// grows, and have readers beside them.
const (
	tableBytes  = int64(unsafe.Sizeof(tableReader{}) + 16)
	columnBytes = int64(2*unsafe.Sizeof(columnReader{}) + 2*unsafe.Sizeof(flatReader{}))
)

// columnReader is one column on the reading side.
type columnReader struct {
	kind    *extras // nil: entities, notes
	flat    *flatReader
	numbers *flatReader // of results; nil: none
	lists   [][]uint32
	slots   int // results a row, as the file has them

	versions scan
	asleep   uint64
	values   reflect.Value // []T of the kind
	rows     int
}

// open reads all but the samples.
func (c *chunkReader) open() (err error) {
	defer recovered(&err)
	c.n = c.length(0)
	c.branch = c.length(0)
	if c.n > 1<<16 || c.branch > maxBranches {
		c.fail("%d samples on branch %d", c.n, c.branch)
	}
	for range c.length(1) {
		s := c.bytes()
		c.charge(2*16 + int64(len(s)))
		c.texts = append(c.texts, string(s))
	}
	for range c.length(1) {
		s := c.bytes()
		c.charge(2*24 + int64(len(s)))
		c.blobs = append(c.blobs, bytes.Clone(s))
	}
	if c.length(0) != len(c.stage.resources) {
		c.fail("it has another number of resources than the types")
	}
	c.tables = []*tableReader{{columns: []columnReader{{}}}, {columns: []columnReader{{}}}}
	for _, x := range c.stage.resources {
		c.tables = append(c.tables, &tableReader{columns: []columnReader{{kind: x}}})
	}
	first := len(c.tables)
	for range c.length(2) {
		c.tables = append(c.tables, c.table())
	}
	for range c.length(1) {
		c.shape(first)
	}
	c.heads = scan{data: c.bytes(), where: c.where}
	raw := c.readResults()
	if c.stream, err = snapshot.OpenStream(c.bytes(), &c.budget); err != nil {
		return err
	}
	c.results = map[int][][]uint32{}
	for id, lists := range raw {
		c.results[id] = c.learn(c.stage.components[id], lists)
	}
	for _, t := range c.tables {
		for k := range t.columns {
			c.column(t, k)
		}
	}
	if c.rest() != 0 {
		c.fail("%d bytes are left over", c.rest())
	}
	return nil
}

// maxBranches bounds what a file may announce.
const maxBranches = 1 << 20

func (c *chunkReader) table() *tableReader {
	c.charge(tableBytes + columnBytes)
	t := &tableReader{columns: []columnReader{{}}}
	for range c.length(1) {
		c.charge(columnBytes)
		id := c.below(len(c.stage.components))
		if slices.Contains(t.components, ecs.TypeID(id)) {
			c.fail("an archetype has a component twice")
		}
		t.components = append(t.components, ecs.TypeID(id))
		t.columns = append(t.columns, columnReader{kind: c.stage.components[id]})
	}
	for range c.length(3) {
		c.charge(2 * int64(unsafe.Sizeof(ecs.Target{})))
		id := ecs.TypeID(c.below(len(c.stage.components)))
		t.targets = append(t.targets, ecs.Target{Relation: id, Entity: ecs.Entity{ID: c.u32(), Gen: c.u32()}})
	}
	return t
}

func (c *chunkReader) shape(first int) {
	c.charge(2*int64(unsafe.Sizeof(shape{})) + int64(len(c.stage.resources)))
	outer := c.scan
	c.data = c.bytes()
	rest := outer
	rest.bytes()
	var s shape
	for _, b := range c.take(len(c.stage.resources)) {
		s.listed = append(s.listed, b != 0)
	}
	for c.rest() > 0 {
		n := first + c.below(len(c.tables)-first)
		if t := c.tables[n]; t.listed > len(c.shapes) {
			c.fail("an archetype is there twice")
		} else {
			t.listed = len(c.shapes) + 1
		}
		c.charge(2 * 8)
		s.order = append(s.order, n)
	}
	c.shapes = append(c.shapes, s)
	c.scan = rest
}

// readResults takes the labels and computed values of the chunk, before the
// stream that they are encoded in is open: only their bytes.
func (c *chunkReader) readResults() map[int][][][]byte {
	raw := map[int][][][]byte{}
	for range c.length(1) {
		id := c.below(len(c.stage.components))
		doc := &c.stage.doc.Components[id]
		n := len(doc.Computed)
		if doc.Label {
			n++
		}
		lists := make([][][]byte, n)
		for k := range lists {
			for range c.length(1) {
				c.charge(2 * 24)
				lists[k] = append(lists[k], c.bytes())
			}
		}
		raw[id] = lists
	}
	return raw
}

// learn decodes results and gives them numbers here.
func (c *chunkReader) learn(x *extras, lists [][][]byte) [][]uint32 {
	out := make([][]uint32, len(lists))
	for k, list := range lists {
		if k >= len(x.tables) {
			continue
		}
		t := x.tables[k]
		c.charge(int64(len(list)) * (int64(t.typ.Size()) + 16))
		values, taken := reflect.MakeSlice(reflect.SliceOf(t.typ), len(list), len(list)), make([]int64, len(list))
		for i, raw := range list {
			before := c.budget
			v, err := c.stream.Column(raw, t.typ, 1)
			if err != nil {
				panic(fault{err})
			}
			values.Index(i).Set(v.Index(0))
			taken[i] = before - c.budget + int64(len(raw)) + 64
		}
		var ok bool
		if out[k], ok = t.add(values, taken, c.kept); !ok {
			c.fail("its labels and computed values need more memory than is allowed for a file of this size")
		}
	}
	return out
}

// column takes a column's bytes.
func (c *chunkReader) column(t *tableReader, k int) {
	col := &t.columns[k]
	if col.kind != nil && !col.kind.flat {
		col.versions = scan{data: c.bytes(), where: c.where}
		col.wake()
		col.values = reflect.MakeSlice(reflect.SliceOf(col.kind.typ), 0, 0)
	} else {
		col.flat = new(flatReader)
		col.flat.read(&c.scan)
	}
	if k == 0 || len(t.components) == 0 {
		return
	}
	id := int(t.components[k-1])
	doc := &c.stage.doc.Components[id]
	if col.slots = len(doc.Computed); doc.Label {
		col.slots++
	}
	if col.slots > 0 {
		col.numbers = new(flatReader)
		col.numbers.read(&c.scan)
		col.lists = c.results[id]
	}
}

// next is the next sample; io.EOF after the last. Its columns without pointers
// are reused.
func (c *chunkReader) next() (s *timeline.Sample, err error) {
	defer recovered(&err)
	if c.i == c.n {
		return nil, io.EOF
	}
	h := &c.heads
	s = &timeline.Sample{Types: c.types}
	s.Seq = c.last.Seq + h.uvarint()
	s.Tick = c.last.Tick + uint64(h.varint())
	s.Frame = c.last.Frame + uint64(h.varint())
	s.Branch = c.branch
	s.Cause = c.texts[h.below(len(c.texts))]
	s.Locked = h.byte() != 0
	pool := ecs.Pool{Next: h.u32(), Available: h.u32(), Reserved: h.u32()}
	states := h.length(3)
	if int64(states)*2*int64(unsafe.Sizeof(timeline.State{})) > c.budget {
		c.charge(c.budget + 1)
	}
	for range states {
		s.States = append(s.States, timeline.State{Name: c.texts[h.below(len(c.texts))], Version: int(h.varint()), Data: c.blobs[h.below(len(c.blobs))]})
	}
	if b := c.blobs[h.below(len(c.blobs))]; len(b) > 0 {
		s.Inputs = b
	}
	if s.Seq <= c.last.Seq {
		c.fail("samples are not in order")
	}
	shape := c.shapes[h.below(len(c.shapes))]
	c.lengths(h)
	for _, t := range c.tables {
		for k := range t.columns {
			c.step(&t.columns[k], t.rows)
		}
	}
	c.image(pool, shape)
	s.Image = &c.img
	c.i++
	c.last = s.Ref
	return s, nil
}

func (c *chunkReader) lengths(h *scan) {
	n := 0
	for k := range h.length(2) {
		gap := h.below(len(c.tables))
		n += gap
		if n >= len(c.tables) || k > 0 && gap == 0 {
			h.fail("table %d of %d", n, len(c.tables))
		}
		rows := h.length(0)
		t := c.tables[n]
		if n >= fixedTables && n < fixedTables+len(c.stage.resources) && rows > 1 {
			h.fail("a resource with %d values", rows)
		}
		if rows > t.most { // what shrinks keeps its memory
			for k := range t.columns {
				c.charge(int64(rows-t.most) * t.columns[k].width())
			}
			t.most = rows
		}
		t.rows = rows
	}
}

func (c *columnReader) width() int64 {
	if c.kind == nil {
		return 40
	}
	return 4*int64(c.kind.typ.Size()) + 8
}

// charge takes n bytes off the memory budget.
func (c *chunkReader) charge(n int64) {
	if n > c.budget {
		c.fail("it needs more memory than is allowed for a file of this size")
	}
	c.budget -= n
}

// step goes on to the next sample in one column.
func (c *chunkReader) step(col *columnReader, rows int) {
	i := int32(c.i)
	switch {
	case col.kind == nil:
		size := int(unsafe.Sizeof(ecs.Entity{}))
		if col == &c.tables[1].columns[0] {
			size = 4
		}
		col.flat.step(i, rows*size)
		return
	case col.flat != nil:
		size := int(col.kind.plain.Size())
		changed := col.flat.step(i, rows*size)
		if len(col.kind.offsets) == 0 && col.numbers == nil {
			return // shown in place
		}
		c.spread(col, rows, size, changed)
	default:
		changed := false
		if col.asleep > 0 {
			if col.asleep--; rows != col.rows {
				c.fail("a column has another length than its rows")
			}
		} else {
			v, err := c.stream.Column(col.versions.bytes(), col.kind.typ, rows)
			if err != nil {
				panic(fault{err})
			}
			col.values, changed = v, true
			col.wake()
		}
		if col.numbers != nil && col.numbers.step(i, 4*rows*col.slots) || changed {
			if !changed { // it is shared with the sample before
				v := reflect.MakeSlice(col.values.Type(), rows, rows)
				reflect.Copy(v, col.values)
				col.values = v
			}
			col.number(rows)
		}
	}
	col.rows = rows
}

// spread puts flat values where their numbers fit behind each.
func (c *chunkReader) spread(col *columnReader, rows, size int, changed bool) {
	if col.numbers != nil && col.numbers.step(int32(c.i), 4*rows*col.slots) {
		changed = true
	}
	if !changed && col.values.IsValid() && col.rows == rows {
		return
	}
	if !col.values.IsValid() || col.values.Cap() < rows {
		col.values = reflect.MakeSlice(reflect.SliceOf(col.kind.typ), rows, rows+rows/4)
	}
	col.values = col.values.Slice(0, rows)
	if rows == 0 {
		return
	}
	stride := int(col.kind.typ.Size())
	to, from := unsafe.Slice((*byte)(col.values.UnsafePointer()), rows*stride), col.flat.content()
	for row := range rows {
		copy(to[row*stride:][:size], from[row*size:])
	}
	col.number(rows)
}

// number writes the numbers of results behind the values.
func (col *columnReader) number(rows int) {
	if len(col.kind.offsets) == 0 || rows == 0 || col.numbers == nil {
		return
	}
	stride, base := col.kind.typ.Size(), col.values.UnsafePointer()
	told := unsafe.Slice((*uint32)(col.numbers.base()), rows*col.slots)
	for row := range rows {
		for k, at := range col.kind.offsets {
			n := uint32(0)
			if k < len(col.lists) {
				if x := told[row*col.slots+k]; x > 0 && int64(x) <= int64(len(col.lists[k])) {
					n = col.lists[k][x-1]
				}
			}
			*(*uint32)(unsafe.Add(base, uintptr(row)*stride+at)) = n
		}
	}
}

func (col *columnReader) wake() {
	col.asleep = 1 << 62
	if col.versions.rest() > 0 {
		col.asleep = col.versions.uvarint()
	}
}

// slice is the column as the []T of an image.
func (col *columnReader) slice(rows int) reflect.Value {
	if col.values.IsValid() {
		return col.values
	}
	t := col.kind.typ
	if t.Size() == 0 || rows == 0 {
		return reflect.MakeSlice(reflect.SliceOf(t), rows, rows)
	}
	return reflect.SliceAt(t, col.flat.base(), rows)
}

// image shows the sample.
func (c *chunkReader) image(pool ecs.Pool, s shape) {
	img := &c.img
	*img = ecs.Image{Pool: pool, Archetypes: img.Archetypes[:0], Resources: img.Resources[:0]}
	img.Pool.Slots = entities(c.tables[0])
	if n := c.tables[1].rows; n > 0 {
		img.Hints = unsafe.Slice((*uint32)(c.tables[1].columns[0].flat.base()), n)
	}
	for k := range c.stage.resources {
		if !s.listed[k] {
			continue
		}
		r := ecs.ImageResource{ID: ecs.TypeID(k)}
		if t := c.tables[fixedTables+k]; t.rows > 0 {
			r.Value = t.columns[0].slice(1).Index(0)
		}
		img.Resources = append(img.Resources, r)
	}
	for _, n := range s.order {
		t := c.tables[n]
		a := ecs.ImageArchetype{Components: t.components, Targets: t.targets, Entities: entities(t)}
		for k := range t.components {
			a.Columns = append(a.Columns, t.columns[1+k].slice(t.rows))
		}
		img.Archetypes = append(img.Archetypes, a)
	}
}

func entities(t *tableReader) []ecs.Entity {
	if t.rows == 0 {
		return nil
	}
	return unsafe.Slice((*ecs.Entity)(t.columns[0].flat.base()), t.rows)
}
