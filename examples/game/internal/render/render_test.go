package render

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"testing"
)

func testScene() *Scene {
	return &Scene{X: 320, Y: 180, Zoom: 1, Seed: 1, ArenaW: 640, ArenaH: 360,
		Walls:   []Wall{{X: 100, Y: 100, HalfW: 30, HalfH: 20}},
		Sprites: []Sprite{{X: 320, Y: 180, Art: Hero, Layer: 2, Tint: [4]uint8{255, 255, 255, 255}}, {X: 5000, Y: 0, Art: Grunt}},
		Lights:  []Light{{X: 320, Y: 180, Radius: 100, Color: [3]float32{1, 1, 1}}},
		HUD:     HUD{Show: true, Health: 0.5, HP: "50/100", Left: []string{"WAVE 1"}}}
}

func TestTheSameSceneGivesTheSamePixels(t *testing.T) {
	r := New()
	a, b := r.Draw(testScene()), New().Draw(testScene())
	if !bytes.Equal(a.Pix, b.Pix) {
		t.Error("two pictures of one scene differ")
	}
	if got := r.Stats(); got != (Stats{Drawn: 1, Culled: 1, Lights: 1}) {
		t.Errorf("stats %+v", got)
	}
	for i := 3; i < len(a.Pix); i += 4 {
		if a.Pix[i] != 255 {
			t.Fatal("a pixel is not opaque")
		}
	}
}

// Each part of a scene changes the picture where it is, and only near there.
func TestPartsAppearWhereTheyAre(t *testing.T) {
	white := [4]uint8{255, 255, 255, 255}
	bare := func() *Scene { return &Scene{X: 320, Y: 180, Zoom: 1, ArenaW: 640, ArenaH: 360} }
	plain := New().Draw(bare())
	for name, c := range map[string]struct {
		x, y, reach int
		add         func(*Scene)
	}{
		"sprite": {200, 150, 24, func(s *Scene) { s.Sprites = []Sprite{{X: 200, Y: 150, Art: Brute, Tint: white}} }},
		"wall":   {400, 200, 40, func(s *Scene) { s.Walls = []Wall{{X: 400, Y: 200, HalfW: 20, HalfH: 20}} }},
		"light":  {500, 90, 52, func(s *Scene) { s.Lights = []Light{{X: 500, Y: 90, Radius: 50, Color: [3]float32{1, 0, 0}}} }},
		"bar":    {300, 60, 14, func(s *Scene) { s.Bars = []Bar{{X: 300, Y: 60, Width: 20, Full: 1, Color: color.RGBA{255, 0, 0, 255}}} }},
		"streak": {250, 250, 24, func(s *Scene) { s.Sprites = []Sprite{{X: 250, Y: 250, Art: Bolt, Tint: white, Glow: true, DirX: 1}} }},
	} {
		s := bare()
		c.add(s)
		img := New().Draw(s)
		near, far := 0, 0
		for y := range Height {
			for x := range Width {
				if img.RGBAAt(x, y) == plain.RGBAAt(x, y) {
					continue
				}
				if math.Abs(float64(x-c.x)) <= float64(c.reach) && math.Abs(float64(y-c.y)) <= float64(c.reach) {
					near++
				} else {
					far++
				}
			}
		}
		if near < 20 || far > 0 {
			t.Errorf("%s: %d pixels changed near it, %d elsewhere", name, near, far)
		}
	}
}

func TestUnprojectUndoesProject(t *testing.T) {
	for _, s := range []Scene{{X: 10, Y: 20, Zoom: 1}, {X: -5, Y: 3, Zoom: 2.5, Rotation: 0.7}, {Zoom: 0.1, Rotation: -3}} {
		for _, p := range [][2]float64{{0, 0}, {100, -40}, {-3.5, 7}} {
			px, py := s.Project(p[0], p[1])
			if x, y := s.Unproject(px, py); math.Abs(x-p[0]) > 1e-9 || math.Abs(y-p[1]) > 1e-9 {
				t.Errorf("%+v: %v went to %v,%v", s, p, x, y)
			}
		}
	}
	s := testScene()
	if px, py := s.Project(s.X, s.Y); px != Width/2 || py != Height/2 {
		t.Errorf("the centre is at %v,%v", px, py)
	}
}

// Whatever numbers a scene holds, a picture comes out, and in bounded time.
func TestOddScenes(t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 0, -1}
	for i := range 200 {
		v := func(k int) float64 { return odd[(i*31+k*17+i/7)%len(odd)] }
		s := testScene()
		switch i % 5 {
		case 0:
			s.X, s.Y, s.Zoom, s.Rotation = v(1), v(2), v(3), v(4)
		case 1:
			s.Sprites = []Sprite{{X: v(1), Y: v(2), Art: Art(i), Scale: v(3), Lift: v(4), DirX: v(5), DirY: v(6), Glow: i%2 == 0, Tint: [4]uint8{9, 9, 9, 255}},
				{X: 320, Y: 180, Art: Art(i % int(arts)), Scale: v(3), Lift: v(4), DirX: v(5), DirY: v(6), Glow: i%2 == 0}}
		case 2:
			s.Walls = []Wall{{v(1), v(2), v(3), v(4)}, {320, 180, v(3), v(4)}}
		case 3:
			s.Lights = []Light{{X: v(1), Y: v(2), Radius: v(3)}, {X: 320, Y: 180, Radius: v(3)}}
			s.ArenaW, s.ArenaH = v(5), v(6)
		case 4:
			s.Bars = []Bar{{X: v(1), Y: v(2), Width: v(3), Full: v(4)}, {X: 320, Y: 180, Width: v(3), Full: v(4)}}
			s.HUD.Health = v(5)
		}
		if img := New().Draw(s); img.Rect.Dx() != Width {
			t.Fatal("no picture")
		}
	}
}

func Example() {
	img := New().Draw(&Scene{X: 320, Y: 180, Zoom: 1, ArenaW: 640, ArenaH: 360, Title: "PAUSED"})
	fmt.Println(img.Rect.Dx(), "x", img.Rect.Dy())
	// Output: 640 x 360
}
