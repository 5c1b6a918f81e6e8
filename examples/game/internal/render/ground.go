package render

import "math"

// tile is the edge of a floor tile in world units and texture pixels.
const tile = 32

// floorTextures are a few variants of one stone tile.
var floorTextures = func() (ts [6][tile * tile][3]uint8) {
	for v := range ts {
		seed := uint32(v*7919 + 17)
		next := func() float64 {
			seed = seed*1664525 + 1013904223
			return float64(seed>>8) / (1 << 24)
		}
		base := 0.94 + 0.12*next()
		// Grain in patches: single pixels would only make pictures larger.
		var grain [8][8]float64
		for y := range grain {
			for x := range grain[y] {
				grain[y][x] = 0.05 * (next() - 0.5)
			}
		}
		for y := range tile {
			for x := range tile {
				f := base + grain[y/4][x/4]
				switch {
				case x == 0 || y == 0:
					f *= 0.62 // the joint
				case x == 1 || y == 1:
					f *= 1.13 // its lit edge
				case x == tile-1 || y == tile-1:
					f *= 0.86
				}
				// Some tiles have a crack, some a stud in each corner.
				if v == 2 && absInt(x-y/2-8) < 1 && y > 6 && y < 26 {
					f *= 0.72
				}
				if v == 4 && (x == 5 || x == 26) && (y == 5 || y == 26) {
					f *= 1.3
				}
				ts[v][y*tile+x] = [3]uint8{scale8(66, f), scale8(70, f), scale8(92, f)}
			}
		}
	}
	return ts
}()

func absInt(v int) int { return max(v, -v) }

func tileHash(seed uint64, x, y int) uint64 {
	z := seed ^ uint64(uint32(x))*0x9e3779b97f4a7c15 ^ uint64(uint32(y))*0xc2b2ae3d27d4eb4f
	z = (z ^ z>>29) * 0xbf58476d1ce4e5b9
	return z ^ z>>32
}

// floor fills every pixel with the tile under it, black outside the arena.
func (r *Renderer) floor() {
	s := r.scene
	stepX, stepY := r.cos/s.Zoom, -r.sin/s.Zoom
	pix := r.img.Pix
	lastX, lastY := math.MinInt, math.MinInt
	tex := &floorTextures[0]
	for y := range Height {
		wx, wy := r.unproject(0.5, float64(y)+0.5)
		at := y * r.img.Stride
		for range Width {
			if wx >= 0 && wy >= 0 && wx < s.ArenaW && wy < s.ArenaH {
				ix, iy := int(wx), int(wy)
				if tx, ty := ix/tile, iy/tile; tx != lastX || ty != lastY {
					lastX, lastY = tx, ty
					h := tileHash(s.Seed, tx, ty)
					v := 0
					switch {
					case h%11 == 0:
						v = 2
					case h%7 == 0:
						v = 4
					case h&1 != 0:
						v = 1 + 2*int(h>>8&1)
					}
					tex = &floorTextures[v]
				}
				c := &tex[(iy%tile)*tile+ix%tile]
				pix[at], pix[at+1], pix[at+2] = c[0], c[1], c[2]
			} else {
				pix[at], pix[at+1], pix[at+2] = 10, 9, 16
			}
			pix[at+3] = 255
			at += 4
			wx += stepX
			wy += stepY
		}
	}
}

// wallHeight is how far the front of a wall reaches down, in world units.
const wallHeight = 12

// walls draws each box with a shadow, a front and a lit top.
func (r *Renderer) walls() {
	for _, w := range r.scene.Walls {
		if r.sane(&w) {
			r.fill(w.X-w.HalfW, w.Y-w.HalfH, w.X+w.HalfW+7, w.Y+w.HalfH+9, func(x, y float64, at int) {
				r.mul(at, 150)
			})
		}
	}
	for _, w := range r.scene.Walls {
		if !r.sane(&w) {
			continue
		}
		x0, y0, x1, y1 := w.X-w.HalfW, w.Y-w.HalfH, w.X+w.HalfW, w.Y+w.HalfH
		front := y1 - min(wallHeight, w.HalfH)
		r.fill(x0, y0, x1, y1, func(x, y float64, at int) {
			var c [3]float64
			if y >= front { // bricks
				row := int((y - front) / 4)
				joint := math.Mod(x-x0+float64(row%2)*6, 12) < 1 || math.Mod(y-front, 4) < 0.8
				f := 0.95 - 0.4*(y-front)/wallHeight
				if joint {
					f *= 0.68
				}
				c = [3]float64{98 * f, 74 * f, 92 * f}
			} else {
				f := 1.0
				switch {
				case x < x0+2 || y < y0+2:
					f = 1.28
				case x > x1-2 || y > front-2:
					f = 0.82
				}
				// A weathered top: each 4x4 patch a little different.
				f *= 0.96 + 0.08*float64(tileHash(7, int(math.Floor(x/4)), int(math.Floor(y/4)))&255)/255
				c = [3]float64{150 * f, 124 * f, 138 * f}
			}
			p := r.img.Pix[at : at+3 : at+3]
			p[0], p[1], p[2] = uint8(min(255, c[0])), uint8(min(255, c[1])), uint8(min(255, c[2]))
		})
	}
}

func (r *Renderer) sane(w *Wall) bool {
	return finite(w.X, w.Y, w.HalfW, w.HalfH) && w.HalfW > 0 && w.HalfH > 0
}

// fill calls f with every pixel that shows a place in a rectangle of the world.
func (r *Renderer) fill(x0, y0, x1, y1 float64, f func(x, y float64, at int)) {
	minX, minY, maxX, maxY := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, c := range [4][2]float64{{x0, y0}, {x1, y0}, {x0, y1}, {x1, y1}} {
		px, py := r.project(c[0], c[1])
		minX, minY, maxX, maxY = min(minX, px), min(minY, py), max(maxX, px), max(maxY, py)
	}
	r.each(minX, minY, maxX, maxY, func(px, py, at int) {
		if x, y := r.unproject(float64(px)+0.5, float64(py)+0.5); x >= x0 && x < x1 && y >= y0 && y < y1 {
			f(x, y, at)
		}
	})
}
