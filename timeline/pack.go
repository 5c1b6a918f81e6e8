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
	ring   *ring
	types  *ecs.Catalog
	tips   []*tip // those of the open segment, by number
	byKey  map[string]*tip
	order  []*tip // the archetypes of the last sample
	shape  *shape
	seg    *segment // the open one
	layout *layout
	laid   []*tip // the tips of layout, by number
	step   int32
	dirty  int64 // bytes that the next keyframe will have to copy
	raw    int64 // what the last sample takes as a whole image
	last   []State
	plain  *more // that of the last sample that had states and nothing else

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
	pool := &s.img.Pool
	smp := sample{seq: s.Seq, tick: s.Tick, frame: s.Frame, next: pool.Next, available: pool.Available, reserved: pool.Reserved, shape: p.shape}
	if fresh {
		p.begin(s.Branch)
		lengths, p.lengths, p.data, p.refs = 0, p.lengths[:0], p.data[:0], nil // the keyframe has it all
	}
	smp.more = p.moreOf(s)
	p.raw = raw
	p.ring.publish(p, smp, lengths, raw)
}

// moreOf is what a shot has beside values: often what the one before had.
func (p *packer) moreOf(s *shot) *more {
	m := more{cause: s.Cause, locked: s.locked, refs: p.refs, states: p.shareStates(s.states), inputs: bytes.Clone(s.inputs)}
	if m.cause != "" || m.locked || len(m.refs)+len(m.inputs) > 0 {
		return &m
	}
	if len(m.states) == 0 {
		return plainMore
	}
	if p.plain == nil || &p.plain.states[0] != &m.states[0] {
		p.plain = &m
	}
	return p.plain
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
	grown := s.bytes() - int64(cap(s.arena)-len(s.arena))
	return p.step >= maxSteps-1 || p.step >= minSteps && grown > max(keyShare*p.dirty, keyLeast) || grown > p.ring.most()/4 || len(p.tips) > 4*len(p.order)+64
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
		more = append(more, &tip{columns: []tipColumn{newTipColumn(r.Type, int(r.Type.Go.Size()))}})
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
	if p.layout == nil || !slices.Equal(p.laid, p.tips) {
		p.layout, p.laid = (&layout{}).with(p.tips), slices.Clone(p.tips)
	}
	seg := &segment{branch: branch, types: p.types, layout: p.layout}
	for _, t := range p.tips {
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
func (p *packer) finish(r *ring, smp sample, lengths, most int) {
	if len(p.added) > 0 {
		r.drop(p.layout)
		p.layout, p.laid = p.layout.with(p.added), slices.Clone(p.tips)
		p.seg.layout = p.layout
		r.use(p.layout)
	}
	if lengths > 0 || len(p.data) > 0 {
		p.column = binary.AppendUvarint(p.column[:0], uint64(lengths))
		p.column = append(append(p.column, p.lengths...), p.data...)
		smp.data = p.seg.store(p.column, most)
	}
	p.seg.add(smp)
}
