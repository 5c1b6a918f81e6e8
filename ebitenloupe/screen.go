package ebitenloupe

import (
	"image"
	"slices"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

// screen takes pictures at the end of Draw: then they are what the window shows.
type screen struct {
	wanted []func(host.Picture, error)
	frame  uint64
}

// Capture implements [host.Screen].
func (s *screen) Capture(shot host.Shot, done func(host.Picture, error)) {
	if !shot.Entity.IsZero() {
		done(host.Picture{}, &refusal.Error{Code: refusal.NotSupported, Message: "the game tells nobody where it draws an entity",
			Hint: "ask for the screen as it is, or give Options.App a Screen of your own"})
		return
	}
	s.wanted = append(s.wanted, done)
}

// drawn hands the picture out.
func (s *screen) drawn(from *ebiten.Image) {
	s.frame++
	if len(s.wanted) == 0 {
		return
	}
	b := from.Bounds()
	pixels := make([]byte, 4*b.Dx()*b.Dy())
	from.ReadPixels(pixels)
	opaque(pixels)
	img := &image.RGBA{Pix: pixels, Stride: 4 * b.Dx(), Rect: image.Rect(0, 0, b.Dx(), b.Dy())}
	wanted := slices.Clone(s.wanted)
	s.wanted = s.wanted[:0]
	for _, done := range wanted {
		done(host.Picture{Image: img, Frame: s.frame}, nil)
	}
}

// opaque puts the picture on black, as the window does: what the game has left
// transparent shows nothing behind it. The colours are premultiplied.
func opaque(pixels []byte) {
	for i := 3; i < len(pixels); i += 4 {
		pixels[i] = 0xff
	}
}
