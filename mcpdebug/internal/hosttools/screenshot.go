package hosttools

import (
	"fmt"
	"image"
	"io"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/store"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/inspector"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Screen are screenshot, which saves below dataDir and answers pictures
// that fit into maxReply bytes.
func Screen(dataDir string, maxReply int) []*tools.Tool {
	return []*tools.Tool{entities.WithForms[screenshotArgs](tools.NewPhased(tools.Spec{Name: "screenshot", Page: inspector.URI, Group: "subsystems", NeedsApp: true, Effect: tools.ReadOnly, WritesFiles: true, Example: `{"scale":2}`,
		Description: "A PNG picture of the game now, whole or a part."},
		tools.Phases[screenshotArgs, *capture, *capture, screenshotResult]{
			Before: prepareShot,
			Frame:  takeShot,
			After:  func(_ *tools.Call, c *capture) (screenshotResult, error) { return c.finish(dataDir, maxReply) },
		}))}
}

type screenshotArgs struct {
	Entity entities.Arg `json:"entity,omitzero" jsonschema:"crop around this entity"`
	Crop   *cropArgs    `json:"crop,omitempty" jsonschema:"the part to keep"`
	Scale  *float64     `json:"scale,omitempty" jsonschema:"enlarges or reduces; default: 1, less for a large picture" debug:"min=0.1,max=8"`
	Save   string       `json:"save,omitempty" jsonschema:"also write shots/NAME.png"`
}

type cropArgs struct {
	X      *int `json:"x,omitempty" jsonschema:"left; default: centred" debug:"min=0,max=32768,unit=px"`
	Y      *int `json:"y,omitempty" jsonschema:"top; default: centred" debug:"min=0,max=32768,unit=px"`
	Width  int  `json:"width" jsonschema:"width" debug:"min=1,max=32768,unit=px"`
	Height int  `json:"height" jsonschema:"height" debug:"min=1,max=32768,unit=px"`
}

// entityCrop is the part around an entity that is kept by default.
var entityCrop = cropArgs{Width: 240, Height: 160}

type screenshotResult struct {
	Width  int     `json:"width" jsonschema:"width of the picture in pixels"`
	Height int     `json:"height" jsonschema:"height of the picture in pixels"`
	Scale  float64 `json:"scale" jsonschema:"pixels of the picture per pixel of the screen"`
	Drawn  uint64  `json:"drawnFrame,omitempty" jsonschema:"host frame that it shows"`
	Focus  []int   `json:"focus,omitempty" jsonschema:"pixel of the entity, x and y"`
	Bytes  int     `json:"bytes" jsonschema:"size of the PNG"`
	Path   string  `json:"path,omitempty" jsonschema:"file that it was written to"`

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
	asked *host.App // whose screen was asked
	done  bool
	pic   host.Picture
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
		var shot host.Shot
		if c.args.Entity.Given {
			if f.World == nil {
				return nil, entities.NoWorld()
			}
			e, err := c.args.Entity.Reading(f.World)
			if err != nil {
				return nil, err
			}
			if err := ecs.CheckAlive(f.World, e); err != nil {
				return nil, err
			}
			shot.Entity = e
		}
		f.App.Screen.Capture(shot, func(p host.Picture, err error) {
			if !c.done {
				c.done, c.pic, c.err = true, p, err
			}
		})
	}
	if !c.done {
		return nil, tools.ErrLater
	}
	if c.err == nil && c.pic.Image == nil {
		c.err = host.ErrNoDisplay
	}
	return c, c.err
}

// finish crops, scales and encodes, off the frame.
func (c *capture) finish(dataDir string, maxReply int) (r screenshotResult, err error) {
	bounds := c.pic.Image.Bounds()
	if bounds.Empty() {
		return r, host.ErrNoDisplay
	}
	part, err := c.part(bounds)
	if err != nil {
		return r, err
	}
	shot := picture{c.pic.Image, part}
	if c.args.Scale != nil {
		r.Scale = *c.args.Scale
		r.png, err = shot.at(r.Scale, maxReply)
	} else {
		r.png, r.Scale, err = shot.fit(maxReply)
	}
	if err != nil {
		return r, err
	}
	r.Width, r.Height = shot.size(r.Scale)
	r.Drawn, r.Bytes = c.pic.Frame, len(r.png)
	if p := c.pic.Focus; p != nil && p.In(part) {
		r.Focus = []int{int(float64(p.X-part.Min.X) * r.Scale), int(float64(p.Y-part.Min.Y) * r.Scale)}
	}
	if c.args.Save != "" {
		r.Path, _, err = store.New(dataDir).Kind("shots", ".png").Write(c.args.Save, func(w io.Writer) error {
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
		if !c.args.Entity.Given || c.pic.Focus == nil {
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
