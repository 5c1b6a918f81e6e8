package timeline

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// packer turns shots into samples: it holds the world as the last sample left
// it and writes down what differs. It is one goroutine's.
type packer struct {
	ring  *ring
	types *ecs.Catalog
	tips  []*tip // those of the open segment, by number
	byKey map[string]*tip
	order []*tip // the archetypes of the last sample
	shape *shape
	seg   *segment // the open one
	step  int32
	dirty int64 // bytes that the next keyframe will have to copy
	last  []State

	key           []byte
	lengths, data []byte
	column        []byte
	refs          []refDelta
	added         []*tip
}

// pack stores a shot; it may be reused afterwards. The packer keeps values that
// hold pointers: captures make new ones each time.
func (p *packer) pack(s *shot) {
	fresh := p.newTypes(s.types)
	fresh = fresh || p.seg == nil || s.Branch != p.seg.branch || s.Cause == CauseStart || p.full()
	p.step++
	if fresh {
		p.step = 0
		for _, t := range p.tips {
			t.number = -1
		}
		p.tips = p.tips[:min(len(p.tips), tableResources+len(p.types.Resources))]
		for i, t := range p.tips {
			t.number = i
		}
	}
	p.match(s)
	p.lengths, p.data, p.refs = p.lengths[:0], p.data[:0], nil
	lengths, tableBefore, columnBefore, columns, raw := 0, 0, 0, 0, int64(0)
	for number, t := range p.tips {
		rows := p.rowsOf(t, &s.img)
		if rows != t.rows {
			p.lengths = binary.AppendUvarint(p.lengths, uint64(number-tableBefore))
			p.lengths = binary.AppendUvarint(p.lengths, uint64(rows))
			lengths, tableBefore = lengths+1, number
		}
		was := t.rows
		t.rows = rows
		for k := range t.columns {
			c := &t.columns[k]
			raw += int64(rows * c.size)
			if p.changed(c, t, k, columns+k, rows, &s.img, &columnBefore) || rows != was {
				p.touch(c, rows)
			}
		}
		columns += len(t.columns)
	}
	smp := sample{Ref: s.Ref, locked: s.locked, pool: s.img.Pool, shape: p.shape, inputs: bytes.Clone(s.inputs), states: p.shareStates(s.states)}
	smp.pool.Slots = nil
	if fresh {
		p.begin(s.Branch)
		lengths, p.lengths, p.data, p.refs = 0, p.lengths[:0], p.data[:0], nil // the keyframe has it all
	}
	p.ring.publish(p, smp, lengths, raw)
}

// touch notes that a keyframe would have to copy the column.
func (p *packer) touch(c *tipColumn, rows int) {
	if !c.stale {
		c.stale = true
		p.dirty += int64(rows * c.size)
	}
}

// full: a new segment is due.
func (p *packer) full() bool {
	s := p.seg
	grown := s.bytes - int64(cap(s.arena)-len(s.arena))
	return p.step >= maxSteps-1 || p.step >= minSteps && grown > keyShare*p.dirty || grown > p.ring.most()/4 || len(p.tips) > 4*len(p.order)+64
}

// newTypes takes over a catalog that knows other types than the last.
func (p *packer) newTypes(cat *ecs.Catalog) bool {
	old := p.types
	if cat == old {
		return false
	}
	p.types = cat
	if old != nil && len(old.Resources) == len(cat.Resources) && len(old.Components) == len(cat.Components) && cat.Extends(old) {
		return false
	}
	if old == nil || !cat.Extends(old) { // another world
		p.byKey, p.tips, p.order = map[string]*tip{}, nil, nil
	}
	if len(p.tips) == 0 {
		p.tips = []*tip{{columns: []tipColumn{newTipColumn(nil, int(unsafe.Sizeof(ecs.Entity{})))}}, {columns: []tipColumn{newTipColumn(nil, 4)}}}
	}
	have := 0
	if old != nil && len(p.tips) > tableResources {
		have = len(old.Resources)
	}
	var more []*tip
	for _, r := range cat.Resources[have:] {
		more = append(more, &tip{columns: []tipColumn{newTipColumn(r.Type, int(r.Type.Size))}})
	}
	p.tips = slices.Insert(p.tips, tableResources+have, more...)
	for i := len(p.tips); i > tableResources+len(cat.Resources); i-- {
		p.tips[i-1].number = -1
	}
	p.tips = p.tips[:tableResources+len(cat.Resources)]
	return true
}

// match finds the tip of every archetype of the image, makes those that are new,
// and notes the order.
func (p *packer) match(s *shot) {
	for _, t := range p.tips {
		t.source = -1
	}
	same := p.step > 0 && len(p.order) == len(s.img.Archetypes)
	p.added = p.added[:0]
	for i := range s.img.Archetypes {
		a := &s.img.Archetypes[i]
		var t *tip
		if i < len(p.order) && p.order[i].same(a) {
			t = p.order[i]
		} else {
			same = false
			p.key = keyOf(p.key[:0], a.Components, a.Targets)
			if t = p.byKey[string(p.key)]; t == nil {
				t = newTip(p.types, a.Components, a.Targets)
				p.byKey[string(p.key)] = t
			}
			p.order = append(p.order[:i], t)
		}
		t.source = i
		if t.number < 0 {
			t.number = len(p.tips)
			p.tips, p.added = append(p.tips, t), append(p.added, t)
			if p.step > 0 {
				t.forget() // in this segment it begins empty
			}
		}
	}
	p.order = p.order[:len(s.img.Archetypes)]
	listed := p.listed(&s.img)
	if same && slices.Equal(p.shape.listed, listed) {
		return
	}
	p.shape = &shape{listed: listed, order: make([]int32, len(p.order))}
	for i, t := range p.order {
		p.shape.order[i] = int32(t.number)
	}
}

// forget empties a tip that the open segment does not know.
func (t *tip) forget() {
	t.rows = 0
	for k := range t.columns {
		t.columns[k] = newTipColumn(t.columns[k].typ, t.columns[k].size)
	}
}

// listed tells which resources the image names; nil: all.
func (p *packer) listed(img *ecs.Image) []bool {
	if len(img.Resources) == len(p.types.Resources) {
		return nil
	}
	l := make([]bool, len(p.types.Resources))
	for _, r := range img.Resources {
		l[r.ID] = true
	}
	return l
}

// rowsOf is how long a table is in the image.
func (p *packer) rowsOf(t *tip, img *ecs.Image) int {
	switch n := t.number; {
	case n == tablePool:
		return len(img.Pool.Slots)
	case n == tableHints:
		return len(img.Hints)
	case n < tableResources+len(p.types.Resources):
		if _, ok := resourceOf(img, ecs.TypeID(n-tableResources)); ok {
			return 1
		}
		return 0
	case t.source < 0:
		return 0
	}
	return len(img.Archetypes[t.source].Entities)
}

func resourceOf(img *ecs.Image, id ecs.TypeID) (reflect.Value, bool) {
	for i := range img.Resources {
		if r := &img.Resources[i]; r.ID == id {
			return r.Value, r.Value.IsValid()
		}
	}
	return reflect.Value{}, false
}

// changed compares column k of a table with the image's and writes down what
// differs. Its number follows that of the last one written, before.
func (p *packer) changed(c *tipColumn, t *tip, k, number, rows int, img *ecs.Image, before *int) bool {
	var at unsafe.Pointer
	var now reflect.Value
	switch n := t.number; {
	case rows == 0:
		if c.refs.IsValid() {
			now = c.refs.Slice(0, 0)
		}
	case n == tablePool:
		at = unsafe.Pointer(unsafe.SliceData(img.Pool.Slots))
	case n == tableHints:
		at = unsafe.Pointer(unsafe.SliceData(img.Hints))
	case n < tableResources+len(p.types.Resources):
		v, _ := resourceOf(img, ecs.TypeID(n-tableResources))
		if !v.CanAddr() {
			v = value.Copy(v)
		}
		now = reflect.SliceAt(v.Type(), v.Addr().UnsafePointer(), 1)
		at = now.UnsafePointer()
	case k == 0:
		at = unsafe.Pointer(unsafe.SliceData(img.Archetypes[t.source].Entities))
	default:
		now = img.Archetypes[t.source].Columns[k-1]
		at = now.UnsafePointer()
	}
	if c.refs.IsValid() {
		which, values, some := c.compare(now, rows)
		if some {
			p.refs = append(p.refs, refDelta{number, which, values})
		}
		return some
	}
	p.column = c.diff(p.column[:0], content(at, rows*c.size), p.step)
	if len(p.column) == 0 {
		return false
	}
	p.data = binary.AppendUvarint(p.data, uint64(number-*before))
	p.data = binary.AppendUvarint(p.data, uint64(len(p.column)))
	p.data = append(p.data, p.column...)
	*before = number
	return true
}

func (p *packer) shareStates(now []State) []State {
	same := len(now) == len(p.last)
	for i := range now {
		same = same && now[i].Name == p.last[i].Name && now[i].Version == p.last[i].Version && bytes.Equal(now[i].Data, p.last[i].Data)
	}
	if !same {
		p.last = slices.Clone(now)
	}
	return p.last
}

// begin makes the next segment of the tips as they are.
func (p *packer) begin(branch int) {
	seg := &segment{branch: branch, types: p.types}
	for _, t := range p.tips {
		seg.add(t)
		seg.rows = append(seg.rows, int32(t.rows))
		for k := range t.columns {
			t.columns[k].restart()
			seg.key = append(seg.key, t.columns[k].keyframe(t.rows))
		}
	}
	for key, t := range p.byKey { // forget what the world does not have any more
		if t.number < 0 {
			delete(p.byKey, key)
		}
	}
	p.seg, p.dirty, p.added = seg, 0, p.added[:0]
}

// finish makes smp whole and adds it to the open segment. Under the ring's lock.
func (p *packer) finish(smp sample, lengths, most int) {
	for _, t := range p.added {
		p.seg.add(t)
	}
	if lengths > 0 || len(p.data) > 0 {
		p.column = binary.AppendUvarint(p.column[:0], uint64(lengths))
		p.column = append(append(p.column, p.lengths...), p.data...)
		smp.data = p.seg.store(p.column, most)
	}
	for _, d := range p.refs {
		p.seg.bytes += int64(len(d.rows)*4) + int64(unsafe.Sizeof(d))
		for i := range d.values.Len() {
			p.seg.bytes += deepSize(d.values.Index(i))
		}
	}
	smp.refs = p.refs
	p.seg.bytes += sampleBytes + int64(len(smp.inputs))
	if n := len(p.seg.samples); n == 0 || len(smp.states) > 0 && (len(p.seg.samples[n-1].states) == 0 || &p.seg.samples[n-1].states[0] != &smp.states[0]) {
		for _, st := range smp.states {
			p.seg.bytes += int64(len(st.Data)) + int64(unsafe.Sizeof(st))
		}
	}
	if n := len(p.seg.samples); n == 0 || p.seg.samples[n-1].shape != smp.shape {
		p.seg.bytes += int64(len(smp.shape.order)*4 + len(smp.shape.listed))
	}
	p.seg.samples = append(p.seg.samples, smp)
}
