package blackbox

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// columnWriter is one column of a table: flat, or of values with pointers, with
// the results of its component's functions beside it.
type columnWriter struct {
	typ     *value.Type // nil: entities, notes
	flat    flatWriter
	private []byte   // flat: of a value, 0 where bytes are left out; nil: none are
	results *results // nil: none
	numbers flatWriter
	last    []uint32 // the results of the rows of last time
	seen    []byte   // memory of their values

	before []byte // memory of the values of the last version

	versions []byte
	asleep   int
}

func (w *chunkWriter) column(t *value.Type) columnWriter {
	return columnWriter{typ: t, private: w.privateOf(t)}
}

// sleep lets n samples pass without the column.
func (c *columnWriter) sleep(n int) { c.flat.asleep, c.numbers.asleep, c.asleep = n, n, n }

func (c *columnWriter) size() int {
	return len(c.flat.index) + 8*len(c.flat.values) + len(c.versions) + len(c.numbers.index) + 8*len(c.numbers.values)
}

// add takes what the column holds in sample i.
func (c *columnWriter) add(w *chunkWriter, base unsafe.Pointer, rows int, i int32) error {
	if c.typ == nil {
		c.flat.add(nil, i)
		return nil
	}
	size := int(c.typ.Go.Size())
	now := memoryOf(base, rows*size)
	if c.results != nil {
		c.addResults(w, now, base, rows, i)
	}
	if c.typ.PointerFree {
		if plain := int(c.typ.Size); plain < size { // a stand-in has more behind its fields
			w.plain = w.plain[:0]
			for row := range rows {
				w.plain = append(w.plain, now[row*size:][:plain]...)
			}
			now, size = w.plain, plain
		}
		if c.private != nil {
			w.masked = append(w.masked[:0], now...)
			for k := range w.masked {
				w.masked[k] &= c.private[k%size]
			}
			now = w.masked
		}
		c.flat.add(now, i)
		return nil
	}
	if string(now) == string(c.before) {
		c.asleep++
		return nil
	}
	c.before = append(c.before[:0], now...)
	c.versions = binary.AppendUvarint(c.versions, uint64(c.asleep))
	c.asleep = 0
	values, err := w.stream.Append(nil, c.typ.Go, base, rows)
	if err != nil {
		return err
	}
	c.versions = binary.AppendUvarint(c.versions, uint64(len(values)))
	c.versions = append(c.versions, values...)
	return nil
}

func (c *columnWriter) finish(dst []byte) []byte {
	if c.typ != nil && !c.typ.PointerFree {
		dst = binary.AppendUvarint(dst, uint64(len(c.versions)))
		dst = append(dst, c.versions...)
	} else {
		dst = c.flat.finish(dst)
	}
	if c.results != nil {
		dst = c.numbers.finish(dst)
	}
	return dst
}

// privateOf is a mask over a value's bytes: 0 where its fields are private.
func (w *chunkWriter) privateOf(t *value.Type) []byte {
	if !t.PointerFree {
		return nil
	}
	mask, ok := w.private[t]
	if !ok {
		mask = privateMask(value.LayoutOf(t.Go), w.told != nil)
		w.private[t] = mask
	}
	return mask
}

// In a copy, what was taken out stands as an opaque value.
func privateMask(l *value.Layout, standIn bool) (mask []byte) {
	var walk func(l *value.Layout, at uintptr)
	size := l.Size
	hide := func(at, n uintptr) {
		if mask == nil {
			mask = bytes.Repeat([]byte{0xff}, int(size))
		}
		clear(mask[at:][:n])
	}
	walk = func(l *value.Layout, at uintptr) {
		if standIn && l.Handle {
			hide(at, l.Size)
			return
		}
		for _, p := range l.Parts {
			if !p.Private {
				walk(p.Layout, at+p.Offset)
				continue
			}
			hide(at+p.Offset, p.Layout.Size)
		}
		for k := range l.Len {
			walk(l.Elem, at+uintptr(k)*l.Elem.Size)
		}
	}
	walk(l, 0)
	return mask
}

// results are what the functions of one component gave in a chunk.
type results struct {
	typ   *value.Type
	lists []dictionary // of encoded values, the label's last
}

func (w *chunkWriter) resultsOf(id ecs.TypeID) *results {
	t := w.types.Components[id].Type
	n := len(t.Computed)
	if t.Label != nil {
		n++
	}
	if w.told != nil { // a copy has the results that it says it has
		doc := &w.told.Components[id]
		if len(doc.Computed) == 0 && !doc.Label {
			return nil
		}
	} else if t.Go.Kind() != reflect.Struct || t.Go.Name() == "" {
		return nil
	}
	if n == 0 {
		return nil
	}
	r := w.results[id]
	if r == nil {
		r = &results{typ: t, lists: make([]dictionary, n)}
		w.results[id] = r
	}
	return r
}

// of tells the numbers of a value's results; 0 is the zero value.
func (r *results) of(w *chunkWriter, p unsafe.Pointer, dst []uint32) {
	for k := range r.lists {
		dst[k] = r.one(w, p, k)
	}
}

func (r *results) one(w *chunkWriter, p unsafe.Pointer, k int) (n uint32) {
	defer func() { _ = recover() }() // the game's own functions
	var v reflect.Value
	if k < len(r.typ.Computed) {
		v = r.typ.Computed[k].Get(p)
	} else {
		v = reflect.ValueOf(r.typ.Label(p))
	}
	if !v.CanAddr() {
		box := reflect.New(v.Type()).Elem()
		box.Set(v)
		v = box
	}
	var err error
	if w.result, err = w.stream.Append(w.result[:0], v.Type(), v.Addr().UnsafePointer(), 1); err != nil {
		return 0
	}
	return uint32(r.lists[k].number(w.result) + 1)
}

func (r *results) finish(dst []byte) []byte {
	for k := range r.lists {
		dst = r.lists[k].finish(dst)
	}
	return dst
}

// addResults asks for the results of the rows that differ from last time.
func (c *columnWriter) addResults(w *chunkWriter, now []byte, base unsafe.Pointer, rows int, i int32) {
	size, k := int(c.typ.Go.Size()), len(c.results.lists)
	if len(c.last) == rows*k && string(now) == string(c.seen) {
		c.numbers.asleep++
		return
	}
	had := len(c.last) / k
	for len(c.last) < rows*k {
		c.last = append(c.last, 0)
	}
	for row := range rows {
		from, to := row*size, (row+1)*size
		if row < had && to <= len(c.seen) && string(now[from:to]) == string(c.seen[from:to]) {
			continue
		}
		c.results.of(w, unsafe.Add(base, from), c.last[row*k:][:k])
	}
	c.last = c.last[:rows*k]
	c.seen = append(c.seen[:0], now...)
	c.numbers.add(memoryOf(unsafe.Pointer(unsafe.SliceData(c.last)), 4*rows*k), i)
}
