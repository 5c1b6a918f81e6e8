package game

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// shot takes a screenshot through the tool.
func (c *client) shot(args obj) (img image.Image, r struct {
	Width, Height, Bytes int
	DrawnFrame           uint64
	Focus                []int
	Path                 string
}) {
	c.t.Helper()
	a := c.call("screenshot", args)
	if a.Result.IsError || a.Result.StructuredContent != nil {
		c.t.Fatalf("screenshot(%v): structured content %s beside a picture", args, a.Result.StructuredContent)
	}
	if err := json.Unmarshal([]byte(a.Result.Content[0].Text), &r); err != nil {
		c.t.Fatalf("screenshot(%v): %v", args, err)
	}
	for _, block := range a.Result.Content {
		if block.Type != "image" || block.MIMEType != "image/png" {
			continue
		}
		b, err := base64.StdEncoding.DecodeString(block.Data)
		if err != nil {
			c.t.Fatal(err)
		}
		if img, err = png.Decode(bytes.NewReader(b)); err != nil {
			c.t.Fatal(err)
		}
	}
	if img == nil {
		c.t.Fatalf("no picture in the answer to %v", args)
	}
	if img.Bounds().Dx() != r.Width || img.Bounds().Dy() != r.Height {
		c.t.Errorf("the picture is %v, the answer says %d x %d", img.Bounds(), r.Width, r.Height)
	}
	return img, r
}

func sameColor(a, b image.Image, ax, ay, bx, by int) bool {
	r, g, bl, _ := a.At(ax, ay).RGBA()
	r2, g2, b2, _ := b.At(bx, by).RGBA()
	return r == r2 && g == g2 && bl == b2
}

func TestScreenshot(t *testing.T) {
	t.Parallel()
	c := connect(t, play(t, Options{Seed: 1, Enemies: 30}, 60))
	whole, r := c.shot(obj{})
	if r.Width != ViewW || r.Height != ViewH || r.DrawnFrame != 60 {
		t.Errorf("%+v", r)
	}
	want := c.g.Draw()
	for i := 0; i < ViewW*ViewH; i += 97 {
		if x, y := i%ViewW, i/ViewW; !sameColor(whole, want, x, y, x, y) {
			t.Fatalf("pixel %d,%d differs from the game's own picture", x, y)
		}
	}
	part, _ := c.shot(obj{"crop": obj{"x": 100, "y": 50, "width": 40, "height": 30}, "scale": 3})
	if part.Bounds().Dx() != 120 || part.Bounds().Dy() != 90 {
		t.Fatalf("crop is %v", part.Bounds())
	}
	for y := range 90 {
		for x := range 120 {
			if !sameColor(part, whole, x, y, 100+x/3, 50+y/3) {
				t.Fatalf("pixel %d,%d of the crop is another", x, y)
			}
		}
	}
	if small, _ := c.shot(obj{"scale": 0.25}); small.Bounds().Dx() != ViewW/4 {
		t.Errorf("a quarter is %v", small.Bounds())
	}
	_, r = c.shot(obj{"save": "first"})
	if b, err := os.ReadFile(r.Path); err != nil || len(b) != r.Bytes {
		t.Errorf("saved %d bytes of %d: %v", len(b), r.Bytes, err)
	}
	for _, bad := range []obj{{"scale": 0}, {"scale": 100}, {"scale": "NaN"}, {"crop": obj{"width": 0, "height": 5}}, {"crop": obj{"x": 5000, "width": 5, "height": 5}}, {"save": "../x"}} {
		c.refused("screenshot", bad, refusal.InvalidArguments)
	}
	c.refused("screenshot", obj{"entity": "9999v0"}, refusal.UnknownEntity)
	var s struct{ Entity string }
	c.ok("spawn", obj{"components": obj{"Health": obj{"HP": 1}}}, &s)
	c.refused("screenshot", obj{"entity": s.Entity}, refusal.ComponentMissing)
}

// Wherever an entity is, its picture shows it.
func TestScreenshotOfAnEntity(t *testing.T) {
	t.Parallel()
	c := connect(t, play(t, Options{Seed: 1, Enemies: 30}, 60))
	cam := *c.g.camera
	q := c.g.foes.Query(&c.g.World)
	var ids []string
	for q.Next() {
		ids = append(ids, archeworld.EntityOf(q.Entity()).String())
	}
	for i := 0; i < len(ids); i += 5 {
		id := ids[i]
		_, r := c.shot(obj{"entity": id})
		if r.Width != 240 || r.Height != 160 || len(r.Focus) != 2 || r.Focus[0] < 40 || r.Focus[0] > 200 || r.Focus[1] < 30 || r.Focus[1] > 130 {
			t.Errorf("entity %s: %+v", id, r)
		}
	}
	if *c.g.camera != cam {
		t.Error("looking moved the game's camera")
	}
}
