package physics

import "math"

// All is the mask that meets every body.
const All = ^uint32(0)

// crowd bounds the bodies that are paired within one cell: a heap of thousands
// on one spot costs time in proportion, not in its square. Contacts beyond it
// are left out until the heap has spread.
const crowd = 48

// Body is a circle (R > 0) or an axis-aligned box (half extents HX, HY).
type Body struct {
	X, Y   float64
	R      float64
	HX, HY float64
	Mask   uint32 // bits that say what it is
	Ref    int    // the caller's own number for it
}

func (b *Body) halves() (hx, hy float64) {
	if b.R > 0 {
		return b.R, b.R
	}
	return b.HX, b.HY
}

func (b *Body) sound() bool {
	hx, hy := b.halves()
	return finite(b.X) && finite(b.Y) && finite(hx) && finite(hy) && hx > 0 && hy > 0
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Space is a set of bodies in a uniform grid.
type Space struct {
	minX, minY, maxX, maxY float64
	cell                   float64
	cols, rows             int

	bodies   []Body
	ignored  int
	outliers []int32 // bodies that reach beyond the grid; their cells are clamped

	start []int32 // per cell: where its items begin; one more for the end
	items []int32
	spans []span // per body

	seen []uint32 // per body: the query that saw it last
	tick uint32
}

type span struct{ c0, r0, c1, r1 int32 }

// NewSpace makes a space whose grid covers a rectangle with square cells. Bodies
// may be anywhere; those outside the rectangle are found too, only slower.
func NewSpace(minX, minY, maxX, maxY, cell float64) *Space {
	s := &Space{minX: minX, minY: minY, maxX: maxX, maxY: maxY, cell: cell}
	s.cols = max(1, int(math.Ceil((maxX-minX)/cell)))
	s.rows = max(1, int(math.Ceil((maxY-minY)/cell)))
	return s
}

// Reset forgets all bodies.
func (s *Space) Reset() {
	s.bodies, s.spans, s.outliers, s.ignored = s.bodies[:0], s.spans[:0], s.outliers[:0], 0
}

// Add puts a body in and gives its number, or -1: a body whose place or size is
// not finite, or that has no size, is counted and left out.
func (s *Space) Add(b Body) int {
	if !b.sound() {
		s.ignored++
		return -1
	}
	s.bodies = append(s.bodies, b)
	return len(s.bodies) - 1
}

// Build sorts the bodies into the grid. Call it after the last Add.
func (s *Space) Build() {
	cells := s.cols * s.rows
	if cap(s.start) < cells+1 {
		s.start = make([]int32, cells+1)
	}
	s.start = s.start[:cells+1]
	clear(s.start)
	for i := range s.bodies {
		b := &s.bodies[i]
		hx, hy := b.halves()
		sp := s.spanOf(b.X-hx, b.Y-hy, b.X+hx, b.Y+hy)
		s.spans = append(s.spans, sp)
		if b.X-hx < s.minX || b.Y-hy < s.minY || b.X+hx > s.maxX || b.Y+hy > s.maxY {
			s.outliers = append(s.outliers, int32(i))
		}
		for r := sp.r0; r <= sp.r1; r++ {
			for c := sp.c0; c <= sp.c1; c++ {
				s.start[int(r)*s.cols+int(c)+1]++
			}
		}
	}
	for i := 0; i < cells; i++ {
		s.start[i+1] += s.start[i]
	}
	total := int(s.start[cells])
	if cap(s.items) < total {
		s.items = make([]int32, total+total/4)
	}
	s.items = s.items[:total]
	// Filled from the back, so that start ends up at each cell's beginning.
	for i := len(s.bodies) - 1; i >= 0; i-- {
		sp := s.spans[i]
		for r := sp.r0; r <= sp.r1; r++ {
			for c := sp.c0; c <= sp.c1; c++ {
				at := int(r)*s.cols + int(c) + 1
				s.start[at]--
				s.items[s.start[at]] = int32(i)
			}
		}
	}
	// start[k+1] is now where cell k begins; shift it to start[k].
	copy(s.start, s.start[1:])
	s.start[cells] = int32(total)
	if len(s.seen) < len(s.bodies) {
		s.seen = make([]uint32, cap(s.bodies))
	}
}

func (s *Space) spanOf(x0, y0, x1, y1 float64) span {
	return span{s.col(x0), s.row(y0), s.col(x1), s.row(y1)}
}

func (s *Space) col(x float64) int32 { return cellOf((x-s.minX)/s.cell, s.cols) }
func (s *Space) row(y float64) int32 { return cellOf((y-s.minY)/s.cell, s.rows) }

// cellOf clamps before converting: a float beyond int32 has no defined value.
func cellOf(v float64, n int) int32 {
	if !(v > 0) {
		return 0
	}
	if v >= float64(n) {
		return int32(n - 1)
	}
	return int32(v)
}

func (s *Space) inCell(c, r int32) []int32 {
	at := int(r)*s.cols + int(c)
	return s.items[s.start[at]:s.start[at+1]]
}

// Len is how many bodies are in.
func (s *Space) Len() int { return len(s.bodies) }

// Ignored is how many bodies Add left out since Reset.
func (s *Space) Ignored() int { return s.ignored }

// Body returns a body by its number.
func (s *Space) Body(i int) Body { return s.bodies[i] }

// CellSize is the edge of a grid cell.
func (s *Space) CellSize() float64 { return s.cell }

// Contact is a pair of bodies that overlap. The normal points from A to B.
type Contact struct {
	A, B   int // numbers, A < B
	NX, NY float64
	Depth  float64
}

// Contacts calls f with every overlapping pair once, in a fixed order, except
// pairs of two boxes.
func (s *Space) Contacts(f func(Contact)) {
	for r := int32(0); r < int32(s.rows); r++ {
		for c := int32(0); c < int32(s.cols); c++ {
			in := s.inCell(c, r)
			for i, a := range in {
				for _, b := range in[i+1 : min(len(in), i+1+crowd)] {
					// A pair that shares several cells counts in the first of them.
					sa, sb := s.spans[a], s.spans[b]
					if max(sa.c0, sb.c0) != c || max(sa.r0, sb.r0) != r {
						continue
					}
					if ct, ok := touch(&s.bodies[a], &s.bodies[b]); ok {
						ct.A, ct.B = int(a), int(b)
						f(ct)
					}
				}
			}
		}
	}
}

// touch tests one pair.
func touch(a, b *Body) (Contact, bool) {
	switch {
	case a.R > 0 && b.R > 0:
		dx, dy := b.X-a.X, b.Y-a.Y
		sum := a.R + b.R
		d2 := dx*dx + dy*dy
		if d2 >= sum*sum {
			return Contact{}, false
		}
		d := math.Sqrt(d2)
		if d < 1e-9 {
			return Contact{NX: 1, Depth: sum}, true
		}
		return Contact{NX: dx / d, NY: dy / d, Depth: sum - d}, true
	case a.R > 0:
		return circleBox(a, b)
	case b.R > 0:
		c, ok := circleBox(b, a)
		c.NX, c.NY = -c.NX, -c.NY
		return c, ok
	}
	return Contact{}, false
}

// circleBox gives the normal from the circle to the box.
func circleBox(c, b *Body) (Contact, bool) {
	dx, dy := c.X-b.X, c.Y-b.Y
	px, py := clamp(dx, -b.HX, b.HX), clamp(dy, -b.HY, b.HY)
	ex, ey := dx-px, dy-py
	d2 := ex*ex + ey*ey
	if d2 >= c.R*c.R {
		return Contact{}, false
	}
	if d2 > 1e-18 {
		d := math.Sqrt(d2)
		return Contact{NX: -ex / d, NY: -ey / d, Depth: c.R - d}, true
	}
	// The centre is inside: out through the nearest side.
	ox, oy := b.HX-math.Abs(dx), b.HY-math.Abs(dy)
	if ox < oy {
		return Contact{NX: -math.Copysign(1, dx), Depth: ox + c.R}, true
	}
	return Contact{NY: -math.Copysign(1, dy), Depth: oy + c.R}, true
}

func clamp(v, lo, hi float64) float64 { return min(max(v, lo), hi) }

// Near calls f with the number of every body of the mask that overlaps the
// circle, once each, until f returns false.
func (s *Space) Near(x, y, r float64, mask uint32, f func(i int) bool) {
	probe := Body{X: x, Y: y, R: r}
	if !probe.sound() {
		return
	}
	s.nextTick()
	sp := s.spanOf(x-r, y-r, x+r, y+r)
	for row := sp.r0; row <= sp.r1; row++ {
		for c := sp.c0; c <= sp.c1; c++ {
			for _, i := range s.inCell(c, row) {
				b := &s.bodies[i]
				if b.Mask&mask == 0 || s.seen[i] == s.tick {
					continue
				}
				s.seen[i] = s.tick
				if _, ok := touch(&probe, b); ok && !f(int(i)) {
					return
				}
			}
		}
	}
}

func (s *Space) nextTick() {
	s.tick++
	if s.tick == 0 { // wrapped: old marks could match again
		clear(s.seen)
		s.tick = 1
	}
}
