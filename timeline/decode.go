package timeline

import (
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
)

// decoder follows a segment forwards. A column costs something only from when it
// is asked for.
type decoder struct {
	span
	i     int       // the sample that it shows
	rows  []int32   // by table
	cols  []*follow // by column; nil: not asked for
	parts []*follow // the same, where only some rows are wanted
	asked int       // how many of both there are
}

// follow is a column on the reading side.
type follow struct {
	column
	refs reflect.Value
}

// changes reads a sample's data: first the lengths, then the columns.
type changes struct {
	src     []byte
	lengths int
	number  int
}

func changesOf(s *sample) changes {
	c := changes{src: s.data}
	if len(c.src) > 0 {
		c.lengths, c.src = readUvarint(c.src)
	}
	return c
}

func (c *changes) length() (table, rows int, ok bool) {
	if c.lengths == 0 {
		c.number = 0
		return 0, 0, false
	}
	var gap int
	gap, c.src = readUvarint(c.src)
	rows, c.src = readUvarint(c.src)
	c.lengths--
	c.number += gap
	return c.number, rows, true
}

func (c *changes) column() (number int, payload []byte, ok bool) {
	if len(c.src) == 0 {
		return 0, nil, false
	}
	var gap, size int
	gap, c.src = readUvarint(c.src)
	size, c.src = readUvarint(c.src)
	c.number += gap
	payload, c.src = c.src[:size], c.src[size:]
	return c.number, payload, true
}

// begin shows the keyframe.
func (s span) begin() *decoder {
	d := &decoder{span: s, rows: make([]int32, len(s.tables)), cols: make([]*follow, len(s.columns)), parts: make([]*follow, len(s.columns))}
	copy(d.rows, s.segment.rows)
	return d
}

// open shows sample i of a span, without any column.
func (s span) open(i int) *decoder {
	d := s.begin()
	for d.i < i {
		d.step()
	}
	return d
}

// step goes on to the next sample; structure tells whether it may differ in more
// than values.
func (d *decoder) step() (structure bool) {
	before := &d.samples[d.i]
	d.i++
	s := &d.samples[d.i]
	c := changesOf(s)
	structure = s.shape != before.shape || s.more.locked != before.more.locked || c.lengths > 0
	for table, rows, ok := c.length(); ok; table, rows, ok = c.length() {
		d.rows[table] = int32(rows)
		d.resize(table)
	}
	if d.asked == 0 {
		return structure
	}
	for n, payload, ok := c.column(); ok; n, payload, ok = c.column() {
		if f := d.cols[n]; f != nil {
			f.apply(payload, d.bytes(n), int32(d.i))
		}
		if f := d.parts[n]; f != nil {
			f.apply(payload, d.bytes(n), int32(d.i))
		}
	}
	for _, r := range s.more.refs {
		if f := d.cols[r.column]; f != nil {
			f.put(r)
		}
	}
	return structure
}

// bytes is how long a column is now.
func (d *decoder) bytes(column int) int {
	c := &d.columns[column]
	return int(d.rows[c.table]) * c.size
}

func (d *decoder) resize(table int) {
	end := len(d.columns)
	if table+1 < len(d.tables) {
		end = d.tables[table+1].columns
	}
	for n := d.tables[table].columns; n < end; n++ {
		if f := d.cols[n]; f != nil {
			d.fit(f, n)
		}
		if f := d.parts[n]; f != nil {
			d.fit(f, n)
		}
	}
}

func (d *decoder) fit(f *follow, n int) {
	rows := int(d.rows[d.columns[n].table])
	switch {
	case !f.refs.IsValid():
		f.resize(wordsFor(d.bytes(n)))
	case rows > f.refs.Cap():
		more := reflect.MakeSlice(f.refs.Type(), rows, rows+rows/4)
		reflect.Copy(more, f.refs)
		f.refs = more
	default:
		f.refs = f.refs.Slice(0, rows)
	}
}

// put takes over values with pointers. They are shared with the recording.
func (f *follow) put(r refDelta) {
	if r.rows == nil {
		reflect.Copy(f.refs, r.values)
		return
	}
	for k, row := range r.rows {
		f.refs.Index(int(row)).Set(r.values.Index(k))
	}
}

// ask begins to follow columns: from the keyframe on to the sample at hand.
func (d *decoder) ask(numbers ...int) {
	past := d.begin()
	for _, n := range numbers {
		f := &follow{column: column{lanes: d.columns[n].lanes}}
		past.cols[n], d.cols[n] = f, f
		c := &d.columns[n]
		rows := int(past.rows[c.table])
		if c.pointers() {
			f.refs = reflect.MakeSlice(reflect.SliceOf(c.typ.Go), rows, rows)
		} else {
			f.resize(wordsFor(rows * c.size))
		}
		if n < len(d.key) {
			if c.pointers() {
				reflect.Copy(f.refs, d.key[n].refs)
			}
			copy(f.words, d.key[n].words)
		}
	}
	past.catchUp(d, len(numbers))
}

// askPart follows the blocks of a column that hold the given bytes.
func (d *decoder) askPart(n, from, to int) *follow {
	lo := from / 8 / blockWords * blockWords
	hi := (to/8/blockWords + 1) * blockWords
	if f := d.parts[n]; f != nil && f.lo <= lo && f.lo+len(f.words) >= hi {
		return f
	}
	past := d.begin()
	f := &follow{column: column{window: true, lo: lo, lanes: d.columns[n].lanes, words: make([]uint64, hi-lo), blocks: make([]block, (hi-lo)/blockWords)}}
	f.restart()
	if n < len(d.key) && lo < len(d.key[n].words) {
		copy(f.words, d.key[n].words[lo:])
	}
	past.parts[n], d.parts[n] = f, f
	past.catchUp(d, 1)
	return f
}

func (d *decoder) catchUp(to *decoder, asked int) {
	d.asked = asked
	for d.i < to.i {
		d.step()
	}
	to.asked += asked
}

// base is where row 0 of a column is.
func (d *decoder) base(n int) unsafe.Pointer {
	if d.cols[n] == nil {
		d.ask(n)
	}
	if f := d.cols[n]; f.refs.IsValid() {
		return f.refs.UnsafePointer()
	}
	return unsafe.Pointer(unsafe.SliceData(d.cols[n].words))
}

// entities views a column of entities.
func (d *decoder) entities(n, rows int) []ecs.Entity {
	if rows == 0 {
		return nil
	}
	return unsafe.Slice((*ecs.Entity)(d.base(n)), rows)
}
