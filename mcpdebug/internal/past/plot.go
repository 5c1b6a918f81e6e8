package past

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
)

// plotResult is a picture of a history: its words are the text of the answer.
type plotResult struct {
	Width   int                         `json:"width" jsonschema:"of the picture, in pixels"`
	Height  int                         `json:"height" jsonschema:"of the picture, in pixels"`
	From    uint64                      `json:"fromTick" jsonschema:"left edge"`
	To      uint64                      `json:"toTick" jsonschema:"right edge"`
	Summary map[string]timeline.Summary `json:"summary" jsonschema:"by path, over every sample"`
	file    []byte
}

// ToolContent implements [tools.WithContent].
func (r plotResult) ToolContent() []tools.Content {
	return []tools.Content{{Type: "image", Data: r.file, MIMEType: "image/png"}}
}

func (p *Past) plotTool() *tools.Tool {
	return tools.NewOff(tools.Spec{Name: "history_plot", Effect: tools.ReadOnly, Idempotent: true, Unlisted: true,
		Example: `{"paths":["Score.Points"]}`, Description: "history as a picture, with its summary as text."},
		func(c *tools.Call, in historyArgs) (r plotResult, err error) {
			if in.Points < plotPoints {
				in.Points = plotPoints
			}
			h, err := p.history(c, in)
			if err != nil {
				return r, err
			}
			if len(h.Numbers) == 0 {
				return r, &refusal.Error{Code: refusal.InvalidArguments, Message: "nothing to draw: none of the values is a number",
					Hint: "history lists values of any kind", Next: "history"}
			}
			r = plotResult{Width: plotWidth, Height: plotHeight, Summary: h.Summary, From: h.Ticks[0], To: h.Ticks[len(h.Ticks)-1]}
			for name, s := range r.Summary {
				s.First, s.Last = short(s.First), short(s.Last)
				r.Summary[name] = s
			}
			var buf bytes.Buffer
			err = png.Encode(&buf, draw(h))
			r.file = buf.Bytes()
			return r, err
		})
}

func short(v json.RawMessage) json.RawMessage {
	if len(v) > 80 {
		return json.RawMessage(`{"$len":` + strconv.Itoa(len(v)) + `}`)
	}
	return v
}

// The picture. Charts are few lines on a grid: golang.org/x/image has the
// rasterizer and the font for it and is kept by Go's own team; gonum/plot brings
// ten modules, and the light chart libraries are not maintained any more.
const (
	plotWidth, plotHeight   = 960, 400
	plotLeft, plotRight     = 80, 16
	plotTop, plotBottom     = 16, 56
	plotPoints              = 800
	plotLines, plotTickMark = 5, 6
)

var (
	paper  = color.RGBA{250, 250, 248, 255}
	grid   = color.RGBA{222, 222, 218, 255}
	ink    = color.RGBA{60, 60, 66, 255}
	colors = []color.RGBA{{31, 119, 180, 255}, {214, 90, 20, 255}, {44, 140, 44, 255}, {190, 40, 60, 255}, {120, 80, 170, 255}, {140, 86, 75, 255}, {20, 150, 160, 255}}
)

// chart is where ticks and values lie in the picture.
type chart struct {
	*image.RGBA
	from, to uint64
	lo, hi   float64
}

func draw(h timeline.History) image.Image {
	c := chart{RGBA: image.NewRGBA(image.Rect(0, 0, plotWidth, plotHeight)), from: h.Ticks[0], to: h.Ticks[len(h.Ticks)-1], lo: math.Inf(1), hi: math.Inf(-1)}
	names := make([]string, 0, len(h.Numbers))
	for name, vs := range h.Numbers {
		names = append(names, name)
		for _, v := range vs {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				c.lo, c.hi = min(c.lo, v), max(c.hi, v)
			}
		}
	}
	slices.Sort(names)
	switch {
	case c.lo > c.hi:
		c.lo, c.hi = 0, 1
	case c.lo == c.hi:
		c.lo, c.hi = c.lo-0.5, c.hi+0.5
	}
	c.frame()
	at := plotLeft
	for i, name := range names {
		col := colors[i%len(colors)]
		c.line(h.Ticks, h.Numbers[name], col)
		at = c.text(at, plotHeight-10, refusal.Cut(name, 40), col) + 16
	}
	return c
}

func (c *chart) x(tick uint64) float32 {
	span := max(float64(c.to-c.from), 1)
	return plotLeft + float32(float64(tick-c.from)/span*(plotWidth-plotLeft-plotRight))
}

func (c *chart) y(v float64) float32 {
	return plotTop + float32((c.hi-v)/(c.hi-c.lo)*(plotHeight-plotTop-plotBottom))
}

// frame draws the background, grid lines with their values, and ticks.
func (c *chart) frame() {
	fill(c.RGBA, c.Bounds(), paper)
	for i := range plotLines {
		part := float64(i) / (plotLines - 1)
		v := c.lo + part*(c.hi-c.lo)
		y := int(c.y(v))
		fill(c.RGBA, image.Rect(plotLeft, y, plotWidth-plotRight, y+1), grid)
		c.text(4, y+4, fmt.Sprintf("%.6g", v), ink)
		tick := c.from + uint64(part*float64(c.to-c.from))
		x := int(c.x(tick))
		fill(c.RGBA, image.Rect(x, plotHeight-plotBottom, x+1, plotHeight-plotBottom+plotTickMark), ink)
		label := strconv.FormatUint(tick, 10)
		c.text(min(x-len(label)*3, plotWidth-plotRight-len(label)*7), plotHeight-plotBottom+18, label, ink)
	}
	c.text(4, plotHeight-plotBottom+18, "tick", ink)
}

func fill(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.SetRGBA(x, y, c)
		}
	}
}

// text writes from x on and returns where it ends.
func (c *chart) text(x, y int, s string, col color.RGBA) int {
	d := font.Drawer{Dst: c.RGBA, Src: image.NewUniform(col), Face: basicfont.Face7x13, Dot: fixed.P(x, y)}
	d.DrawString(s)
	return d.Dot.X.Ceil()
}

// line connects values; where there is none it is interrupted. A value between
// two gaps is a dot.
func (c *chart) line(ticks []uint64, vs []float64, col color.RGBA) {
	r := vector.NewRasterizer(plotWidth, plotHeight)
	known := func(i int) bool { return i >= 0 && i < len(vs) && !math.IsNaN(vs[i]) && !math.IsInf(vs[i], 0) }
	for i := range vs {
		if !known(i) {
			continue
		}
		x, y := c.x(ticks[i]), c.y(vs[i])
		if known(i + 1) {
			stroke(r, x, y, c.x(ticks[i+1]), c.y(vs[i+1]), 0.9)
		} else if !known(i - 1) {
			stroke(r, x-1.5, y, x+1.5, y, 1.5)
		}
	}
	r.Draw(c.RGBA, c.Bounds(), image.NewUniform(col), image.Point{})
}

// stroke adds a line of twice the half width.
func stroke(r *vector.Rasterizer, x0, y0, x1, y1, half float32) {
	dx, dy := x1-x0, y1-y0
	n := float32(math.Hypot(float64(dx), float64(dy)))
	if n == 0 {
		return
	}
	nx, ny := -dy/n*half, dx/n*half
	r.MoveTo(x0+nx, y0+ny)
	r.LineTo(x1+nx, y1+ny)
	r.LineTo(x1-nx, y1-ny)
	r.LineTo(x0-nx, y0-ny)
	r.ClosePath()
}
