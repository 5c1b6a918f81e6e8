package render

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// Renderer draws scenes. Make one with [New].
type Renderer struct {
	stats Stats
	order []int32
	light lightMap
	cos   float64
	sin   float64
	scene *Scene
	img   *image.RGBA
}

// New makes a renderer.
func New() *Renderer { return &Renderer{} }

// Stats counts what the last picture needed.
func (r *Renderer) Stats() Stats { return r.stats }

// Draw draws a scene into a new image of Width by Height.
func (r *Renderer) Draw(s *Scene) *image.RGBA {
	r.begin(s)
	r.floor()
	r.walls()
	r.sprites()
	r.lights()
	r.glows()
	r.bars()
	r.overlay()
	img := r.img
	r.img, r.scene = nil, nil
	return img
}

// begin takes over a scene. Values that are not finite would reach the
// conversion of floats to integers, whose result is then undefined.
func (r *Renderer) begin(s *Scene) {
	c := *s
	if !(c.Zoom > 0.01 && c.Zoom < 100) {
		c.Zoom = 1
	}
	if !finite(c.X, c.Y) || math.Abs(c.X) > 1e9 || math.Abs(c.Y) > 1e9 {
		c.X, c.Y = c.ArenaW/2, c.ArenaH/2
	}
	if !finite(c.Rotation) {
		c.Rotation = 0
	}
	r.scene, r.stats = &c, Stats{}
	r.sin, r.cos = math.Sincos(c.Rotation)
	r.img = image.NewRGBA(image.Rect(0, 0, Width, Height))
}

func finite(vs ...float64) bool {
	for _, v := range vs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Project gives the pixel of a place in a scene's picture.
func (s *Scene) Project(x, y float64) (px, py float64) {
	sin, cos := math.Sincos(s.Rotation)
	dx, dy := (x-s.X)*s.Zoom, (y-s.Y)*s.Zoom
	return Width/2 + dx*cos - dy*sin, Height/2 + dx*sin + dy*cos
}

// Unproject gives the place that a pixel shows.
func (s *Scene) Unproject(px, py float64) (x, y float64) {
	sin, cos := math.Sincos(s.Rotation)
	dx, dy := (px-Width/2)/s.Zoom, (py-Height/2)/s.Zoom
	return s.X + dx*cos + dy*sin, s.Y - dx*sin + dy*cos
}

func (r *Renderer) project(x, y float64) (px, py float64) {
	dx, dy := (x-r.scene.X)*r.scene.Zoom, (y-r.scene.Y)*r.scene.Zoom
	return Width/2 + dx*r.cos - dy*r.sin, Height/2 + dx*r.sin + dy*r.cos
}

func (r *Renderer) unproject(px, py float64) (x, y float64) {
	dx, dy := (px-Width/2)/r.scene.Zoom, (py-Height/2)/r.scene.Zoom
	return r.scene.X + dx*r.cos + dy*r.sin, r.scene.Y - dx*r.sin + dy*r.cos
}

func (r *Renderer) sprites() {
	s := r.scene
	r.order = r.order[:0]
	for i := range s.Sprites {
		sp := &s.Sprites[i]
		if sp.Art >= arts || !finite(sp.X, sp.Y) {
			r.stats.Culled++
			continue
		}
		px, py := r.project(sp.X, sp.Y)
		const margin = 64
		if m := margin * max(1, s.Zoom); !(px > -m && px < Width+m && py > -m && py < Height+m) {
			r.stats.Culled++
			continue
		}
		r.order = append(r.order, int32(i))
	}
	slices.SortStableFunc(r.order, func(a, b int32) int {
		x, y := &s.Sprites[a], &s.Sprites[b]
		return cmp.Or(cmp.Compare(x.Layer, y.Layer), cmp.Compare(x.Y, y.Y))
	})
	r.stats.Drawn = len(r.order)
	for _, i := range r.order {
		r.shadow(&s.Sprites[i])
	}
	for _, i := range r.order {
		if sp := &s.Sprites[i]; !sp.Glow {
			r.sprite(sp)
		}
	}
}

// glows come after the lights: they shine by themselves.
func (r *Renderer) glows() {
	for _, i := range r.order {
		sp := &r.scene.Sprites[i]
		if !sp.Glow {
			continue
		}
		if sp.DirX != 0 || sp.DirY != 0 {
			r.streak(sp)
		} else {
			r.sprite(sp)
		}
	}
}

func (sp *Sprite) size() float64 {
	if sp.Scale > 0 && sp.Scale < 50 {
		return sp.Scale
	}
	return 1
}

// shadow is a soft ellipse at the sprite's feet.
func (r *Renderer) shadow(sp *Sprite) {
	if sp.Glow || sp.Art == Block {
		return
	}
	pic := &pictures[sp.Art]
	z := r.scene.Zoom * sp.size()
	cx, cy := r.project(sp.X, sp.Y+float64(pic.h)*0.42*sp.size())
	rx, ry := float64(pic.w)*0.42*z, float64(pic.w)*0.17*z
	r.each(cx-rx, cy-ry, cx+rx, cy+ry, func(x, y, at int) {
		dx, dy := (float64(x)+0.5-cx)/rx, (float64(y)+0.5-cy)/ry
		if d := dx*dx + dy*dy; d < 1 {
			r.mul(at, uint32(256-150*(1-d)))
		}
	})
}

// sprite draws a picture upright, nearest pixel, around its place.
func (r *Renderer) sprite(sp *Sprite) {
	pic := &pictures[sp.Art]
	if pic.w == 0 || sp.Art == Block {
		return
	}
	z := r.scene.Zoom * sp.size()
	cx, cy := r.project(sp.X, sp.Y)
	cy -= sp.Lift * r.scene.Zoom
	x0, y0 := math.Round(cx-float64(pic.w)*z/2), math.Round(cy-float64(pic.h)*z/2)
	r.each(x0, y0, x0+float64(pic.w)*z, y0+float64(pic.h)*z, func(x, y, at int) {
		u, v := int((float64(x)+0.5-x0)/z), int((float64(y)+0.5-y0)/z)
		if u < 0 || v < 0 || u >= pic.w || v >= pic.h {
			return
		}
		if sp.Flip {
			u = pic.w - 1 - u
		}
		c := pic.pix[v*pic.w+u]
		if c.A == 0 {
			return
		}
		if sp.Flash {
			c.R, c.G, c.B = 255, 255, 255
		}
		rr, gg, bb := uint32(c.R)*uint32(sp.Tint[0])/255, uint32(c.G)*uint32(sp.Tint[1])/255, uint32(c.B)*uint32(sp.Tint[2])/255
		if sp.Glow {
			r.addTo(at, rr, gg, bb, uint32(sp.Tint[3]))
		} else {
			r.over(at, rr, gg, bb, uint32(sp.Tint[3]))
		}
	})
	if sp.Art == Hero && (sp.DirX != 0 || sp.DirY != 0) {
		r.gun(sp, cx, cy)
	}
}

// gun is drawn in the hero's hands, along where it aims.
func (r *Renderer) gun(sp *Sprite, cx, cy float64) {
	z := r.scene.Zoom
	dx, dy := sp.DirX*r.cos-sp.DirY*r.sin, sp.DirX*r.sin+sp.DirY*r.cos
	for t := 2.0; t < 15; t += 0.5 / z {
		x, y := cx+dx*t*z, cy+(dy*t+3)*z
		half, c := 1.6*z, [3]uint32{60, 66, 88}
		if t > 11 {
			half, c = 1.0*z, [3]uint32{190, 200, 225}
		}
		r.each(x-half, y-half, x+half, y+half, func(_, _, at int) { r.over(at, c[0], c[1], c[2], 255) })
	}
}

// streak is a bolt: a bright head with a fading tail.
func (r *Renderer) streak(sp *Sprite) {
	z := r.scene.Zoom * sp.size()
	cx, cy := r.project(sp.X, sp.Y)
	dx, dy := sp.DirX*r.cos-sp.DirY*r.sin, sp.DirX*r.sin+sp.DirY*r.cos
	const length, width = 16.0, 2.6
	reach := (length + width) * z
	r.each(cx-reach, cy-reach, cx+reach, cy+reach, func(x, y, at int) {
		px, py := (float64(x)+0.5-cx)/z, (float64(y)+0.5-cy)/z
		along := -(px*dx + py*dy) // behind the head
		off := math.Abs(px*dy - py*dx)
		tail := 1.0
		if along > 0 {
			tail = 1 - along/length
		} else {
			off = math.Hypot(off, along)
		}
		if tail <= 0 || off >= width*(0.35+0.65*tail) {
			return
		}
		f := tail * tail * (1 - off/(width*(0.35+0.65*tail)))
		core := max(0, f-0.55) * 2
		add := func(c uint8) uint32 { return uint32(min(255, float64(c)*f*1.4+255*core)) }
		r.addTo(at, add(sp.Tint[0]), add(sp.Tint[1]), add(sp.Tint[2]), uint32(sp.Tint[3]))
	})
}

func (r *Renderer) bars() {
	for _, b := range r.scene.Bars {
		if !finite(b.X, b.Y, b.Width, b.Full) {
			continue
		}
		px, py := r.project(b.X, b.Y)
		w, h := b.Width*r.scene.Zoom, max(2, 2*r.scene.Zoom)
		x0, y0 := math.Round(px-w/2), math.Round(py)
		r.each(x0-1, y0-1, x0+w+1, y0+h+1, func(_, _, at int) { r.over(at, 12, 10, 18, 210) })
		r.each(x0, y0, x0+w*min(max(b.Full, 0), 1), y0+h, func(_, _, at int) {
			r.over(at, uint32(b.Color.R), uint32(b.Color.G), uint32(b.Color.B), 255)
		})
	}
}

// each calls f with every pixel of a rectangle that is in the picture.
func (r *Renderer) each(x0, y0, x1, y1 float64, f func(x, y, at int)) {
	if !(x1 > 0 && y1 > 0 && x0 < Width && y0 < Height) {
		return
	}
	ax, ay := int(math.Ceil(max(x0-0.5, 0))), int(math.Ceil(max(y0-0.5, 0)))
	bx, by := int(math.Ceil(min(x1-0.5, Width))), int(math.Ceil(min(y1-0.5, Height)))
	for y := ay; y < by; y++ {
		at := y*r.img.Stride + ax*4
		for x := ax; x < bx; x++ {
			f(x, y, at)
			at += 4
		}
	}
}

func (r *Renderer) mul(at int, f uint32) {
	p := r.img.Pix[at : at+3 : at+3]
	p[0], p[1], p[2] = uint8(uint32(p[0])*f>>8), uint8(uint32(p[1])*f>>8), uint8(uint32(p[2])*f>>8)
}

func (r *Renderer) over(at int, cr, cg, cb, a uint32) {
	p := r.img.Pix[at : at+4 : at+4]
	if a >= 255 {
		p[0], p[1], p[2], p[3] = uint8(cr), uint8(cg), uint8(cb), 255
		return
	}
	p[0] = uint8((cr*a + uint32(p[0])*(255-a)) / 255)
	p[1] = uint8((cg*a + uint32(p[1])*(255-a)) / 255)
	p[2] = uint8((cb*a + uint32(p[2])*(255-a)) / 255)
}

func (r *Renderer) addTo(at int, cr, cg, cb, a uint32) {
	p := r.img.Pix[at : at+3 : at+3]
	p[0] = uint8(min(255, uint32(p[0])+cr*a/255))
	p[1] = uint8(min(255, uint32(p[1])+cg*a/255))
	p[2] = uint8(min(255, uint32(p[2])+cb*a/255))
}
