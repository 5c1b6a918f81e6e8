package timeline

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/imageworld"
)

// Cursor walks along a line. What it shows is decoded when it is asked for, and
// from then on followed from sample to sample: reading one column of many
// thousand samples costs what changed in that column. One goroutine.
type Cursor struct {
	line *Line
	k    int // span
	d    *decoder
	src  *source
	w    *imageworld.World
	end  Ref
	spot spot
}

// Walk begins before the first sample from from on; the last is to. Both are of
// this line.
func (l *Line) Walk(from, to Ref) *Cursor {
	c := &Cursor{line: l, k: -1, end: to}
	for k, s := range l.spans {
		if last := s.samples[s.hi-1]; last.seq < from.Seq {
			c.k = k
		}
	}
	if c.k+1 < len(l.spans) && c.d == nil {
		s := l.spans[c.k+1]
		i := 0
		for i < s.hi && s.samples[i].seq < from.Seq {
			i++
		}
		if i > 0 {
			c.k, c.d = c.k+1, s.open(i-1)
		}
	}
	return c
}

// Next goes on to the next sample; false after the last.
func (c *Cursor) Next() bool {
	next := c.d
	structure := true
	switch {
	case c.d != nil && c.d.i+1 < c.d.hi:
		if c.d.samples[c.d.i+1].seq > c.end.Seq {
			return false
		}
		structure = c.d.step()
	case c.k+1 < len(c.line.spans):
		if c.line.spans[c.k+1].samples[0].seq > c.end.Seq {
			return false
		}
		c.k++
		next = c.line.spans[c.k].open(0)
	default:
		return false
	}
	c.show(next, structure)
	return true
}

// show brings the world in line with the decoder.
func (c *Cursor) show(d *decoder, structure bool) {
	another := c.d == nil || d.types != c.d.types
	c.d = d
	if c.src == nil {
		c.src = &source{}
	}
	c.src.d = d
	switch {
	case c.w == nil || another:
		c.w = imageworld.Of(d.types, c.src)
	case structure:
		c.w.Moved()
	default:
		c.w.Changed()
	}
}

// Ref names the sample at hand.
func (c *Cursor) Ref() Ref { return c.d.ref(c.d.i) }

// World is the world at the sample. It shows the next one after Next.
func (c *Cursor) World() *imageworld.World { return c.w }

// Inputs is what came from outside since the sample before.
func (c *Cursor) Inputs() []byte { return c.d.samples[c.d.i].more.inputs }

// at is a cursor on one sample, that one alone.
func (l *Line) at(r Ref) *Cursor {
	c := l.Walk(r, r)
	if !c.Next() {
		return nil
	}
	return c
}

// World is the world at a sample of the line. Columns are decoded when they are
// asked for. Any goroutine may use it.
func (l *Line) World(r Ref) *imageworld.World { return l.at(r).w }

// Sample decodes a whole sample.
func (l *Line) Sample(r Ref) *Sample { return l.at(r).Sample() }

// Sample is the whole sample at hand. It is not to be used after Next, but for
// values that hold pointers.
func (c *Cursor) Sample() *Sample {
	d := c.d
	var missing []int
	for n := range d.columns {
		if d.cols[n] == nil {
			missing = append(missing, n)
		}
	}
	d.ask(missing...)
	s := &d.samples[d.i]
	img := &ecs.Image{Pool: s.pool()}
	src := &source{d: d}
	img.Pool.Slots = src.Pool().Slots
	if n := int(d.rows[tableHints]); n > 0 {
		img.Hints = unsafe.Slice((*uint32)(d.base(d.tables[tableHints].columns)), n)
	}
	for i := range src.Archetypes() {
		a := ecs.ImageArchetype{Entities: src.Entities(i)}
		a.Components, a.Targets, _ = src.Archetype(i)
		for k, id := range a.Components {
			a.Columns = append(a.Columns, d.slice(d.tables[s.shape.order[i]].columns+1+k, d.types.Components[id].Type.Go, len(a.Entities)))
		}
		img.Archetypes = append(img.Archetypes, a)
	}
	for _, r := range d.types.Resources {
		if s.shape.listed != nil && !s.shape.listed[r.ID] {
			continue
		}
		v, _ := src.Resource(r.ID)
		img.Resources = append(img.Resources, ecs.ImageResource{ID: r.ID, Value: v})
	}
	return &Sample{Ref: d.ref(d.i), Image: img, Types: d.types, Locked: s.more.locked, States: s.more.states, Inputs: s.more.inputs}
}

// slice views a column as the []T of an image.
func (d *decoder) slice(n int, t reflect.Type, rows int) reflect.Value {
	if t.Size() == 0 || rows == 0 {
		return reflect.MakeSlice(reflect.SliceOf(t), rows, rows)
	}
	return reflect.SliceAt(t, d.base(n), rows)
}

// source is a decoder as a source of package imageworld.
type source struct {
	mu sync.Mutex // of asking for columns
	d  *decoder
}

func (s *source) shown() *sample { return &s.d.samples[s.d.i] }

func (s *source) Archetypes() int { return len(s.shown().shape.order) }

func (s *source) table(i int) (n int, t *table) {
	n = int(s.shown().shape.order[i])
	return n, &s.d.tables[n]
}

func (s *source) Archetype(i int) ([]ecs.TypeID, []ecs.Target, int) {
	n, t := s.table(i)
	return t.components, t.targets, int(s.d.rows[n])
}

func (s *source) Entities(i int) []ecs.Entity {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, t := s.table(i)
	return s.d.entities(t.columns, int(s.d.rows[n]))
}

func (s *source) Column(i, k int) unsafe.Pointer {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, t := s.table(i)
	return s.d.base(t.columns + 1 + k)
}

// Foresee implements [imageworld.Foreseer].
func (s *source) Foresee(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, t := s.table(i)
	first := t.columns
	var missing []int
	for n := first; n <= first+len(t.components); n++ {
		if s.d.cols[n] == nil && s.d.columns[n].size > 0 {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		s.d.ask(missing...)
	}
}

func (s *source) Pool() ecs.Pool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.shown().pool()
	p.Slots = s.d.entities(s.d.tables[tablePool].columns, int(s.d.rows[tablePool]))
	return p
}

func (s *source) Resource(id ecs.TypeID) (reflect.Value, bool) {
	if id < 0 || int(id) >= len(s.d.types.Resources) || s.d.rows[tableResources+int(id)] == 0 {
		return reflect.Value{}, false
	}
	t := s.d.types.Resources[id].Type.Go
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.Size() == 0 {
		return reflect.New(t).Elem(), true
	}
	return reflect.NewAt(t, s.d.base(s.d.tables[tableResources+int(id)].columns)).Elem(), true
}

func (s *source) Locked() bool { return s.shown().more.locked }
