//go:build !nomcpdebug

package mcpdebug

import (
	"image"
	"image/color"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

// arenaParts are the arena's camera and renderer.
type arenaParts struct {
	world      *arche.World
	x, y, zoom float64
	rotation   float64
	pictures   uint64
}

const arenaW, arenaH = 64, 36

func (p *arenaParts) camera() host.CameraInfo {
	w, h := arenaW/2/p.zoom, arenaH/2/p.zoom
	return host.CameraInfo{X: p.x, Y: p.y, Zoom: p.zoom, Rotation: p.rotation,
		Viewport: host.Viewport{Width: arenaW, Height: arenaH, MinX: p.x - w, MinY: p.y - h, MaxX: p.x + w, MaxY: p.y + h}}
}

type arenaCamera struct{ p *arenaParts }

func (c arenaCamera) Info() host.CameraInfo { return c.p.camera() }
func (c arenaCamera) Move(m host.CameraMove) error {
	for _, v := range []struct{ from, to *float64 }{{m.X, &c.p.x}, {m.Y, &c.p.y}, {m.Zoom, &c.p.zoom}, {m.Rotation, &c.p.rotation}} {
		if v.from != nil {
			*v.to = *v.from
		}
	}
	return nil
}

type arenaRender struct{ p *arenaParts }

func (r arenaRender) Info() host.RenderInfo {
	return host.RenderInfo{Backend: "software", Width: arenaW, Height: arenaH, OnDemand: true, Pictures: r.p.pictures, Drawn: 4}
}

type arenaLayers struct{}

func (arenaLayers) List() []host.Layer {
	return []host.Layer{{Name: "ground", Visible: true, Space: "world", Materials: []string{"stone"}},
		{Index: 1, Name: "actors", Visible: true, Sprites: 5, Space: "world", Doc: "What moves."}}
}

type arenaMaterials struct{}

func (arenaMaterials) List() []host.Material {
	return []host.Material{{Name: "stone", Kind: "tile", Width: 16, Height: 16, Color: "#808080", Blend: "opaque"},
		{ID: 1, Name: "goblin", Kind: "sprite", Width: 12, Height: 12, Uses: 3}}
}

// arenaPhysics knows one wall, at x = 40, and the hero in front of it.
type arenaPhysics struct{ p *arenaParts }

func (arenaPhysics) Info() host.PhysicsInfo {
	return host.PhysicsInfo{Bodies: 4, Statics: 1, CellSize: 16, Masks: []host.MaskBit{{Bit: 1, Name: "actors"}, {Bit: 2, Name: "walls"}}}
}

func (ph arenaPhysics) Raycast(r host.Ray) (host.RayHit, bool, error) {
	switch {
	case r.X1 >= 10 || r.X2 <= r.X1:
		return host.RayHit{}, false, nil
	case r.Mask&1 != 0 && r.X2 >= 10:
		return host.RayHit{Entity: ecs.Entity{ID: 1}, X: 10, Y: r.Y1, NormalX: -1, Fraction: (10 - r.X1) / (r.X2 - r.X1)}, true, nil
	case r.Mask&2 != 0 && r.X2 >= 40:
		return host.RayHit{X: 40, Y: r.Y1, NormalX: -1, Fraction: (40 - r.X1) / (r.X2 - r.X1)}, true, nil
	}
	return host.RayHit{}, false, nil
}

type arenaAudio struct{}

var arenaShot = host.Sound{Name: "shot", Source: "shot.wav", DurationMs: 100, Samples: 2205, Peak: 0.5}

func (arenaAudio) Info() host.AudioInfo {
	return host.AudioInfo{SampleRate: 22050, Channels: 2, Gain: 1, MaxVoices: 8, Peak: 0.25, RMS: 0.125, Started: 3,
		Playing: []host.Voice{{Sound: "shot", Gain: 0.5, Pan: -0.5, PositionMs: 20}}, Sounds: []host.Sound{arenaShot}}
}

func (arenaAudio) Reload(name string) (host.Sound, error) {
	if name != "shot" {
		return host.Sound{}, &refusal.Error{Code: refusal.NotFound, Message: "no sound named " + name, Got: name, Options: []string{"shot"}, Total: 1, Next: "audio"}
	}
	return arenaShot, nil
}

// arenaScreen draws at once.
type arenaScreen struct{ p *arenaParts }

func (s arenaScreen) Capture(shot host.Shot, done func(host.Picture, error)) {
	s.p.pictures++
	img := image.NewRGBA(image.Rect(0, 0, arenaW, arenaH))
	for y := range arenaH {
		for x := range arenaW {
			img.SetRGBA(x, y, color.RGBA{uint8(4 * x), uint8(7 * y), 64, 255})
		}
	}
	pic := host.Picture{Image: img}
	if !shot.Entity.IsZero() {
		pic.Focus = &image.Point{X: 20, Y: 10}
	}
	done(pic, nil)
}
