package render

// lightMap holds the light at every block-th pixel; the pixels between are
// interpolated.
const (
	block  = 4
	lightW = Width/block + 1
	lightH = Height/block + 1
)

type lightMap [lightW * lightH][3]float32

// The light that is everywhere, cold and dim, so that lamps show.
var ambient = [3]float32{0.50, 0.52, 0.66}

// lights multiplies the picture by the light that falls on it.
func (r *Renderer) lights() {
	for i := range r.light {
		r.light[i] = ambient
	}
	for i := range r.scene.Lights {
		r.shine(&r.scene.Lights[i])
	}
	pix := r.img.Pix
	for by := range lightH - 1 {
		for bx := range lightW - 1 {
			a, b := &r.light[by*lightW+bx], &r.light[by*lightW+bx+1]
			c, d := &r.light[(by+1)*lightW+bx], &r.light[(by+1)*lightW+bx+1]
			for y := range block {
				fy := float32(y) / block
				var left, step [3]float32
				for k := range 3 {
					left[k] = (a[k] + (c[k]-a[k])*fy) * 256
					step[k] = ((b[k]+(d[k]-b[k])*fy)*256 - left[k]) / block
				}
				at := (by*block+y)*r.img.Stride + bx*block*4
				for range block {
					pix[at] = lit(pix[at], left[0])
					pix[at+1] = lit(pix[at+1], left[1])
					pix[at+2] = lit(pix[at+2], left[2])
					left[0], left[1], left[2] = left[0]+step[0], left[1]+step[1], left[2]+step[2]
					at += 4
				}
			}
		}
	}
}

// lit leaves 32 shades of each colour: a flatter picture, which suits the art,
// and which is a third the size as a PNG.
func lit(v uint8, f float32) uint8 { return uint8(min(255, uint32(v)*uint32(f)>>8+4) &^ 7) }

func (r *Renderer) shine(l *Light) {
	if !finite(l.X, l.Y, l.Radius) || l.Radius <= 0 || l.Radius > 1e5 {
		return
	}
	cx, cy := r.project(l.X, l.Y)
	rad := l.Radius * r.scene.Zoom
	if !(cx > -rad && cx < Width+rad && cy > -rad && cy < Height+rad) {
		return
	}
	r.stats.Lights++
	x0, x1 := int(max(0, (cx-rad)/block)), int(min(lightW-1, (cx+rad)/block+1))
	y0, y1 := int(max(0, (cy-rad)/block)), int(min(lightH-1, (cy+rad)/block+1))
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			dx, dy := (float64(x*block)-cx)/rad, (float64(y*block)-cy)/rad
			d := dx*dx + dy*dy
			if d >= 1 {
				continue
			}
			f := float32((1 - d) * (1 - d))
			m := &r.light[y*lightW+x]
			m[0] += l.Color[0] * f
			m[1] += l.Color[1] * f
			m[2] += l.Color[2] * f
		}
	}
}
