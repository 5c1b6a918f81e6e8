package render

import (
	"image"
	"image/color"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

var (
	ink  = color.RGBA{236, 240, 255, 255}
	gold = color.RGBA{255, 213, 74, 255}
)

// overlay writes the HUD and the title.
func (r *Renderer) overlay() {
	s := r.scene
	if h := &s.HUD; h.Show {
		for i, line := range h.Left {
			r.text(10, 20+15*i, line, ink)
		}
		for i, line := range h.Right {
			r.text(Width-10-textWidth(line), 20+15*i, line, gold)
		}
		r.text((Width-textWidth(h.Centre))/2, 20, h.Centre, gold)
		r.healthBar(h)
	}
	if s.Title == "" {
		return
	}
	r.each(0, 0, Width, Height, func(_, _, at int) { r.mul(at, 96) })
	r.bigText(Height/2-30, s.Title, 4, ink)
	r.text((Width-textWidth(s.Subtitle))/2, Height/2+46, s.Subtitle, gold)
}

func (r *Renderer) healthBar(h *HUD) {
	const x0, y0, w, ht = 10.0, Height - 22.0, 150.0, 12.0
	full := min(max(h.Health, 0), 1)
	r.each(x0-2, y0-2, x0+w+2, y0+ht+2, func(_, _, at int) { r.over(at, 12, 10, 18, 220) })
	r.each(x0, y0, x0+w, y0+ht, func(_, _, at int) { r.over(at, 60, 24, 34, 255) })
	r.each(x0, y0, x0+w*full, y0+ht, func(_, y, at int) {
		f := 1.15 - 0.5*(float64(y)-y0)/ht
		r.over(at, uint32(min(255, (230-140*full)*f)), uint32(min(255, (70+125*full)*f)), uint32(min(255, 84*f)), 255)
	})
	r.text(int(x0)+int(w-float64(textWidth(h.HP)))/2, int(y0)+10, h.HP, ink)
}

func textWidth(s string) int { return font.MeasureString(basicfont.Face7x13, s).Round() }

// text writes one line with a dark edge; y is the baseline.
func (r *Renderer) text(x, y int, s string, c color.RGBA) {
	for _, o := range [][2]int{{1, 1}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		r.write(x+o[0], y+o[1], s, rimColor)
	}
	r.write(x, y, s, c)
}

func (r *Renderer) write(x, y int, s string, c color.RGBA) {
	d := font.Drawer{Dst: r.img, Src: image.NewUniform(c), Face: basicfont.Face7x13, Dot: fixed.P(x, y)}
	d.DrawString(s)
}

// bigText writes one line in the middle, each pixel of the font so many wide.
func (r *Renderer) bigText(y int, s string, scale int, c color.RGBA) {
	w := textWidth(s)
	mask := image.NewAlpha(image.Rect(0, 0, w, 13))
	d := font.Drawer{Dst: mask, Src: image.Opaque, Face: basicfont.Face7x13, Dot: fixed.P(0, 11)}
	d.DrawString(s)
	x0 := (Width - w*scale) / 2
	draw := func(dx, dy int, c color.RGBA) {
		for my := range 13 {
			for mx := range w {
				if mask.AlphaAt(mx, my).A == 0 {
					continue
				}
				px, py := float64(x0+mx*scale+dx), float64(y+my*scale+dy)
				r.each(px, py, px+float64(scale), py+float64(scale), func(_, _, at int) {
					r.over(at, uint32(c.R), uint32(c.G), uint32(c.B), 255)
				})
			}
		}
	}
	draw(scale, scale, rimColor)
	draw(0, 0, c)
}
