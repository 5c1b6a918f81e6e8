package builtin

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/store"
	"github.com/loupe-ecs/loupe/tools"
)

func screenshotTools(h filesHost) []*tools.Tool {
	return []*tools.Tool{withEntities[screenshotArgs](tools.NewPhased(tools.Spec{Name: "screenshot", Group: "subsystems", NeedsApp: true, Effect: tools.ReadOnly, WritesFiles: true, Example: `{"scale":2}`,
		Description: "A PNG picture of the game now, whole or a part."},
		tools.Phases[screenshotArgs, *capture, *capture, screenshotResult]{
			Before: prepareShot,
			Frame:  takeShot,
			After:  func(_ *tools.Call, c *capture) (screenshotResult, error) { return c.finish(h) },
		}))}
}

type screenshotArgs struct {
	Entity entityArg `json:"entity,omitzero" jsonschema:"crop around this entity"`
	Crop   *cropArgs `json:"crop,omitempty" jsonschema:"the part to keep"`
	Scale  *float64  `json:"scale,omitempty" jsonschema:"enlarges or reduces" debug:"min=0.1,max=8,default=1"`
	Save   string    `json:"save,omitempty" jsonschema:"also write shots/NAME.png"`
}

type cropArgs struct {
	X      *int `json:"x,omitempty" jsonschema:"left edge; default: centred" debug:"min=0,max=32768,unit=px"`
	Y      *int `json:"y,omitempty" jsonschema:"top edge; default: centred" debug:"min=0,max=32768,unit=px"`
	Width  int  `json:"width" jsonschema:"width" debug:"min=1,max=32768,unit=px"`
	Height int  `json:"height" jsonschema:"height" debug:"min=1,max=32768,unit=px"`
}

// maxShotPixels bounds a picture: clients refuse larger ones.
const maxShotPixels = 8 << 20

// entityCrop is the part around an entity that is kept by default.
var entityCrop = cropArgs{Width: 240, Height: 160}

type screenshotResult struct {
	Width  int    `json:"width" jsonschema:"width of the picture in pixels"`
	Height int    `json:"height" jsonschema:"height of the picture in pixels"`
	Drawn  uint64 `json:"drawnFrame,omitempty" jsonschema:"host frame that it shows"`
	Focus  []int  `json:"focus,omitempty" jsonschema:"pixel of the entity, x and y"`
	Bytes  int    `json:"bytes" jsonschema:"size of the PNG"`
	Path   string `json:"path,omitempty" jsonschema:"file that it was written to"`

	png []byte
}

// ToolContent implements [tools.WithContent].
func (r screenshotResult) ToolContent() []tools.Content {
	return []tools.Content{{Type: "image", Data: r.png, MIMEType: "image/png"}}
}

// capture is a screenshot on its way: asked for once, then waited for, frame by
// frame, until the host has drawn.
type capture struct {
	args  screenshotArgs
	asked *tools.App // whose screen was asked
	done  bool
	pic   tools.Picture
	err   error
}

func prepareShot(_ *tools.Call, in screenshotArgs) (*capture, error) {
	if in.Scale != nil {
		if err := mustBeFinite("scale", *in.Scale); err != nil {
			return nil, err
		}
	}
	return &capture{args: in}, nil
}

func takeShot(f *tools.Frame, c *capture) (*capture, error) {
	if f.App.Screen == nil {
		return nil, lacks("screen")
	}
	if c.asked != nil && c.asked != f.App {
		return nil, &refusal.Error{Code: refusal.NotRunning, Message: "another app was bound before the picture was drawn", Hint: "call screenshot again", Next: "screenshot"}
	}
	if c.asked == nil {
		c.asked = f.App
		var shot tools.Shot
		if c.args.Entity.given {
			if f.World == nil {
				return nil, noWorld()
			}
			e, err := c.args.Entity.reading(f.World)
			if err != nil {
				return nil, err
			}
			if err := requireAlive(f.World, e); err != nil {
				return nil, err
			}
			shot.Entity = e
		}
		f.App.Screen.Capture(shot, func(p tools.Picture, err error) {
			if !c.done {
				c.done, c.pic, c.err = true, p, err
			}
		})
	}
	if !c.done {
		return nil, tools.ErrLater
	}
	if c.err == nil && c.pic.Image == nil {
		c.err = tools.ErrNoDisplay
	}
	return c, c.err
}

// finish crops, scales and encodes, off the frame.
func (c *capture) finish(h filesHost) (r screenshotResult, err error) {
	bounds := c.pic.Image.Bounds()
	if bounds.Empty() {
		return r, tools.ErrNoDisplay
	}
	part, err := c.part(bounds)
	if err != nil {
		return r, err
	}
	scale := 1.0
	if c.args.Scale != nil {
		scale = *c.args.Scale
	}
	w, ht := max(1, int(float64(part.Dx())*scale+0.5)), max(1, int(float64(part.Dy())*scale+0.5))
	if w*ht > maxShotPixels {
		return r, &refusal.Error{Code: refusal.TooLarge, Message: fmt.Sprintf("the picture would have %d x %d pixels", w, ht), Got: w * ht, Want: maxShotPixels,
			Hint: "crop it, or take a smaller scale"}
	}
	r = screenshotResult{Width: w, Height: ht, Drawn: c.pic.Frame}
	if p := c.pic.Focus; p != nil && p.In(part) {
		r.Focus = []int{int(float64(p.X-part.Min.X) * scale), int(float64(p.Y-part.Min.Y) * scale)}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, resample(c.pic.Image, part, w, ht)); err != nil {
		return r, err
	}
	r.png, r.Bytes = buf.Bytes(), buf.Len()
	if c.args.Save != "" {
		r.Path, _, err = store.New(h.Limits().DataDir).Kind("shots", ".png").Write(c.args.Save, func(w io.Writer) error {
			_, err := w.Write(r.png)
			return err
		})
	}
	return r, err
}

// part is the rectangle that is kept.
func (c *capture) part(bounds image.Rectangle) (image.Rectangle, error) {
	crop := c.args.Crop
	if crop == nil {
		if !c.args.Entity.given || c.pic.Focus == nil {
			return bounds, nil
		}
		crop = &entityCrop
	}
	at := bounds.Min.Add(bounds.Size().Div(2))
	if c.pic.Focus != nil {
		at = *c.pic.Focus
	}
	// A crop that is centred stays whole by moving; one that was placed is cut.
	size := image.Pt(crop.Width, crop.Height)
	slide := func(v, lo, hi int) int { return max(lo, min(v, hi)) }
	from := image.Pt(slide(at.X-size.X/2, bounds.Min.X, bounds.Max.X-size.X), slide(at.Y-size.Y/2, bounds.Min.Y, bounds.Max.Y-size.Y))
	if crop.X != nil {
		from.X = bounds.Min.X + *crop.X
	}
	if crop.Y != nil {
		from.Y = bounds.Min.Y + *crop.Y
	}
	part := image.Rectangle{Min: from, Max: from.Add(size)}.Intersect(bounds)
	if part.Empty() {
		return part, &refusal.Error{Code: refusal.InvalidArguments, Message: "crop lies outside the picture",
			Got: fmt.Sprintf("%d,%d", from.X-bounds.Min.X, from.Y-bounds.Min.Y), Want: fmt.Sprintf("within %d x %d", bounds.Dx(), bounds.Dy())}
	}
	return part, nil
}

// resample copies a part of a picture at another size: enlarged by repeating
// pixels, so that they can be counted, reduced by taking the mean.
func resample(img image.Image, part image.Rectangle, w, h int) *image.RGBA {
	src := image.NewRGBA(image.Rect(0, 0, part.Dx(), part.Dy()))
	draw.Draw(src, src.Rect, img, part.Min, draw.Src)
	if w == part.Dx() && h == part.Dy() {
		return src
	}
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		y0, y1 := span(y, h, part.Dy())
		for x := range w {
			x0, x1 := span(x, w, part.Dx())
			var sum [4]uint32
			for sy := y0; sy < y1; sy++ {
				for sx := x0; sx < x1; sx++ {
					for k, v := range src.Pix[src.PixOffset(sx, sy):][:4] {
						sum[k] += uint32(v)
					}
				}
			}
			n := uint32((x1 - x0) * (y1 - y0))
			for k := range 4 {
				dst.Pix[dst.PixOffset(x, y)+k] = uint8(sum[k] / n)
			}
		}
	}
	return dst
}

// span is which of the from source pixels make up pixel i of to.
func span(i, to, from int) (a, b int) {
	a = i * from / to
	return a, max(a+1, (i+1)*from/to)
}
