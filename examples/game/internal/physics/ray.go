package physics

import "math"

// Hit is where a ray meets a body.
type Hit struct {
	Body     int // number of the body
	X, Y     float64
	NX, NY   float64 // surface normal at the point, towards the ray's origin
	Fraction float64 // 0 at the start of the ray, 1 at its end
}

// Raycast finds the first body of the mask on the way from (x1, y1) to (x2, y2).
// A ray that starts inside a body hits it at fraction 0 with the normal against
// its own direction. Of bodies hit at the same fraction the one added first
// counts. A ray that is not finite hits nothing.
func (s *Space) Raycast(x1, y1, x2, y2 float64, mask uint32) (Hit, bool) {
	dx, dy := x2-x1, y2-y1
	if !finite(x1) || !finite(y1) || !finite(dx) || !finite(dy) {
		return Hit{}, false
	}
	best := Hit{Fraction: math.Inf(1), Body: -1}
	try := func(i int32) {
		b := &s.bodies[i]
		if b.Mask&mask == 0 {
			return
		}
		h, ok := cast(b, x1, y1, dx, dy)
		if ok && (h.Fraction < best.Fraction || h.Fraction == best.Fraction && int(i) < best.Body) {
			h.Body = int(i)
			best = h
		}
	}
	// What reaches beyond the grid is not where the ray would look for it.
	for _, i := range s.outliers {
		try(i)
	}
	s.walk(x1, y1, dx, dy, func(c, r int32, enter float64) bool {
		if enter > best.Fraction {
			return false
		}
		for _, i := range s.inCell(c, r) {
			try(i)
		}
		return true
	})
	if best.Body < 0 {
		return Hit{}, false
	}
	return best, true
}

// walk visits the cells that the ray passes, in order, with the fraction at
// which it enters each (after Amanatides and Woo, "A Fast Voxel Traversal
// Algorithm", 1987).
func (s *Space) walk(x, y, dx, dy float64, visit func(c, r int32, enter float64) bool) {
	t0, t1 := 0.0, 1.0
	if !clip(x, dx, s.minX, s.maxX, &t0, &t1) || !clip(y, dy, s.minY, s.maxY, &t0, &t1) {
		return
	}
	c, r := s.col(x+t0*dx), s.row(y+t0*dy)
	stepC, nextX, perX := s.axis(x, dx, s.minX, c)
	stepR, nextY, perY := s.axis(y, dy, s.minY, r)
	enter := t0
	for {
		// The border itself belongs to both cells; rounding may put the ray into
		// the neighbour, so that a cell is entered a little early.
		if !visit(c, r, enter-1e-9) {
			return
		}
		if nextX < nextY {
			enter = nextX
			nextX += perX
			c += stepC
		} else {
			enter = nextY
			nextY += perY
			r += stepR
		}
		if !(enter <= t1) || c < 0 || r < 0 || int(c) >= s.cols || int(r) >= s.rows {
			return
		}
	}
}

// axis gives the step along one axis, the fraction at the first border and the
// fraction from border to border.
func (s *Space) axis(from, d, low float64, cell int32) (step int32, next, per float64) {
	switch {
	case d > 0:
		return 1, (low + float64(cell+1)*s.cell - from) / d, s.cell / d
	case d < 0:
		return -1, (low + float64(cell)*s.cell - from) / d, -s.cell / d
	}
	return 0, math.Inf(1), math.Inf(1)
}

// clip narrows [t0, t1] to where from+t*d lies within lo..hi.
func clip(from, d, lo, hi float64, t0, t1 *float64) bool {
	if d == 0 {
		return from >= lo && from <= hi
	}
	a, b := (lo-from)/d, (hi-from)/d
	if a > b {
		a, b = b, a
	}
	*t0, *t1 = max(*t0, a), min(*t1, b)
	return *t0 <= *t1
}

// cast tests one body.
func cast(b *Body, x, y, dx, dy float64) (Hit, bool) {
	if b.R > 0 {
		return castCircle(b, x, y, dx, dy)
	}
	return castBox(b, x, y, dx, dy)
}

func castCircle(b *Body, x, y, dx, dy float64) (Hit, bool) {
	// |o + t d|² = R², with o the start as seen from the centre.
	ox, oy := x-b.X, y-b.Y
	c := ox*ox + oy*oy - b.R*b.R
	if c <= 0 {
		return inside(x, y, dx, dy), true
	}
	length := math.Hypot(dx, dy)
	if length == 0 {
		return Hit{}, false
	}
	ux, uy := dx/length, dy/length
	along := -(ox*ux + oy*uy) // to the point nearest the centre
	if along < 0 {
		return Hit{}, false
	}
	cross := ox*uy - oy*ux // distance of the line from the centre
	h2 := b.R*b.R - cross*cross
	if h2 < 0 {
		return Hit{}, false
	}
	t := (along - math.Sqrt(h2)) / length
	if t < 0 {
		t = 0
	}
	if t > 1 {
		return Hit{}, false
	}
	px, py := x+t*dx, y+t*dy
	nx, ny := (px-b.X)/b.R, (py-b.Y)/b.R
	return Hit{X: px, Y: py, NX: nx, NY: ny, Fraction: t}, true
}

func castBox(b *Body, x, y, dx, dy float64) (Hit, bool) {
	ox, oy := x-b.X, y-b.Y
	if math.Abs(ox) <= b.HX && math.Abs(oy) <= b.HY {
		return inside(x, y, dx, dy), true
	}
	tx0, tx1, ty0, ty1 := 0.0, 1.0, 0.0, 1.0
	if !clip(ox, dx, -b.HX, b.HX, &tx0, &tx1) || !clip(oy, dy, -b.HY, b.HY, &ty0, &ty1) {
		return Hit{}, false
	}
	t := max(tx0, ty0)
	if t > min(tx1, ty1) {
		return Hit{}, false
	}
	h := Hit{X: x + t*dx, Y: y + t*dy, Fraction: t}
	if tx0 >= ty0 {
		h.NX = -math.Copysign(1, dx)
	} else {
		h.NY = -math.Copysign(1, dy)
	}
	return h, true
}

func inside(x, y, dx, dy float64) Hit {
	h := Hit{X: x, Y: y}
	if l := math.Hypot(dx, dy); l > 0 {
		h.NX, h.NY = -dx/l, -dy/l
	}
	return h
}
