package query

import (
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
)

// blockLen is how many rows a kernel handles at once: a selection and a few
// vectors of it stay in the first-level cache. A power of two, so that an
// index masked with blockMask needs no bounds check.
const (
	blockLen  = 1024
	blockMask = blockLen - 1
)

// selection is the rows of one block that still match, ascending. While all
// rows from lo on match it is dense and idx is not filled.
type selection struct {
	idx   [blockLen]int32
	n     int
	lo    int
	dense bool
}

func (s *selection) fill(lo, n int) { s.lo, s.n, s.dense = lo, n, true }

// rows makes the selection sparse and returns its row numbers.
func (s *selection) rows() []int32 {
	if s.dense {
		for k := range s.n {
			s.idx[k&blockMask] = int32(s.lo + k)
		}
		s.dense = false
	}
	return s.idx[:s.n]
}

// set makes the selection the given rows of one block.
func (s *selection) set(rows []int32) {
	s.n, s.dense = copy(s.idx[:], rows), false
}

func (s *selection) none() { s.n, s.dense = 0, false }

func (s *selection) copyFrom(o *selection) {
	s.n, s.lo, s.dense = o.n, o.lo, o.dense
	if !o.dense {
		copy(s.idx[:o.n], o.idx[:o.n])
	}
}

// subtract removes the rows of o, a subset of s, from s.
func (s *selection) subtract(o *selection) {
	switch o.n {
	case 0:
		return
	case s.n:
		s.none()
		return
	}
	gone, n, j := o.rows(), 0, 0
	for _, r := range s.rows() {
		if j < len(gone) && gone[j] == r {
			j++
			continue
		}
		s.idx[n] = r
		n++
	}
	s.n = n
}

// union makes s the rows of a and b, which have none in common.
func (s *selection) union(a, b *selection) {
	x, y, n := a.rows(), b.rows(), 0
	for len(x) > 0 && len(y) > 0 {
		if x[0] < y[0] {
			s.idx[n], x = x[0], x[1:]
		} else {
			s.idx[n], y = y[0], y[1:]
		}
		n++
	}
	n += copy(s.idx[n:], x)
	n += copy(s.idx[n:], y)
	s.n, s.dense = n, false
}

// column is where a component's values are in the chunk at hand.
type column struct {
	ecs.Column
	ok   bool
	gone []bool // rows without a value; nil: none
}

func (c *column) has(row int32) bool { return c.ok && (c.gone == nil || !c.gone[row]) }

// state is what one run of a plan works in.
type state struct {
	world  ecs.World
	before ecs.World // the moment before; nil: none is known
	cat    *ecs.Catalog
	chunk  ecs.Chunk
	cols   []column
	sel    selection
	// bad marks, by position in the selection, rows where the comparison at
	// hand cannot be made. It is cleared by each comparison that may need it.
	bad    [blockLen]bool
	anyBad bool
	ints   [][blockLen]int64
	floats [][blockLen]float64
	strs   [][blockLen]string
	sels   []selection
	// labelled: the chunk has a component that names entities.
	labelled bool
}

func (p *Plan) acquire(w, before ecs.World) *state {
	st := p.spare.Swap(nil)
	if st == nil {
		st = newState(&p.prog)
	}
	st.begin(&p.prog, w, before)
	return st
}

func (st *state) begin(prog *program, w, before ecs.World) {
	st.world, st.before, st.cat = w, before, w.Catalog()
	st.enterResources(prog)
}

func newState(prog *program) *state {
	return &state{
		cols:   make([]column, len(prog.columns)),
		ints:   make([][blockLen]int64, prog.regs.ints),
		floats: make([][blockLen]float64, prog.regs.floats),
		strs:   make([][blockLen]string, prog.regs.strs),
		sels:   make([]selection, prog.regs.sels),
	}
}

// release keeps the state for the next run, without a hold on the game's memory.
func (p *Plan) release(st *state) {
	st.world, st.before, st.cat, st.chunk = nil, nil, nil, nil
	clear(st.cols)
	clear(st.strs)
	p.spare.Store(st)
}

// enterColumns looks up the columns of a chunk.
func (st *state) enterColumns(prog *program, c ecs.Chunk) {
	st.chunk = c
	for i, s := range prog.columns {
		if !s.resource && !s.before {
			st.cols[i] = columnOf(c, s.id)
		}
	}
	if prog.looksBack {
		st.enterBefore(prog, c)
	}
}

// tagMemory stands in for the column of a component without data.
var tagMemory uint64

func (st *state) enter(p *Plan, c ecs.Chunk) {
	st.enterColumns(&p.prog, c)
	if p.name != "" {
		st.labelled = false
		for _, id := range c.Components() {
			if int(id) < len(st.cat.Components) && st.cat.Components[id].Type.Label != nil {
				st.labelled = true
				break
			}
		}
	}
}

// named keeps the rows whose label contains the name asked for.
func (st *state) named(p *Plan) {
	if !st.labelled {
		st.sel.none()
		return
	}
	n := 0
	for _, r := range st.sel.rows() {
		if strings.Contains(strings.ToLower(ecs.LabelOf(st.cat, st.chunk, int(r))), p.name) {
			st.sel.idx[n] = r
			n++
		}
	}
	st.sel.n = n
}

func (st *state) clearBad(n int) {
	clear(st.bad[:n])
	st.anyBad = false
}

func (st *state) allBad(n int) {
	for k := range n {
		st.bad[k] = true
	}
	st.anyBad = true
}

func (st *state) setBad(k int) { st.bad[k&blockMask], st.anyBad = true, true }

// dropBad removes the rows marked bad. It must run before positions change.
func (st *state) dropBad(s *selection, keep func(k int) bool) {
	n := 0
	for k, r := range s.rows() {
		if !st.bad[k] && keep(k) {
			s.idx[n] = r
			n++
		}
	}
	s.n = n
}
