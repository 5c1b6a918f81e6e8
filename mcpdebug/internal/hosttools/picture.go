package hosttools

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// maxPictureSide bounds the longer side of a picture that nobody asked to be
// larger: models are shown no more than that.
const maxPictureSide = 1568

// maxPicturePixels bounds any picture.
const maxPicturePixels = 8 << 20

// textRoom is what a reply keeps for the words beside its picture, in bytes.
const textRoom = 4096

// picture is a part of an image, to be sent as a PNG.
type picture struct {
	img  image.Image
	part image.Rectangle
}

// size is the picture's at a scale.
func (p *picture) size(scale float64) (w, h int) {
	side := func(n int) int { return max(1, int(float64(n)*scale+0.5)) }
	return side(p.part.Dx()), side(p.part.Dy())
}

// fitting is the scale at which no side is longer than [maxPictureSide].
func (p *picture) fitting() float64 {
	return min(1, maxPictureSide/float64(max(p.part.Dx(), p.part.Dy())))
}

// fit encodes the picture as large as it can be within limit bytes of base64.
func (p *picture) fit(limit int) (file []byte, scale float64, err error) {
	for scale = p.fitting(); ; {
		w, h := p.size(scale)
		if file, err = encodePNG(resample(p.img, p.part, w, h)); err != nil {
			return nil, 0, err
		}
		over := float64(base64.StdEncoding.EncodedLen(len(file))) / float64(limit-textRoom)
		if over <= 1 || w == 1 && h == 1 {
			return file, scale, nil
		}
		scale *= 0.95 / math.Sqrt(over)
	}
}

// at encodes the picture at the scale that was asked for, or refuses.
func (p *picture) at(scale float64, limit int) ([]byte, error) {
	w, h := p.size(scale)
	if w*h > maxPicturePixels {
		return nil, &refusal.Error{Code: refusal.TooLarge, Message: fmt.Sprintf("the picture would have %d x %d pixels", w, h), Got: w * h, Want: maxPicturePixels,
			Hint: "crop it, or take a smaller scale"}
	}
	file, err := encodePNG(resample(p.img, p.part, w, h))
	if n := base64.StdEncoding.EncodedLen(len(file)); err == nil && n > limit-textRoom {
		return nil, &refusal.Error{Code: refusal.TooLarge, Message: fmt.Sprintf("the picture of %d x %d pixels would take %d bytes of an answer", w, h, n), Got: n, Want: limit - textRoom,
			Hint: "crop it, take a smaller scale, or leave scale out: it is then as large as can be"}
	}
	return file, err
}

func encodePNG(img image.Image) ([]byte, error) {
	var buf bytes.Buffer
	err := png.Encode(&buf, img)
	return buf.Bytes(), err
}

// resample copies a part of a picture at another size: enlarged by repeating
// pixels, so that they can be counted, reduced by taking the mean. What shows
// through is black, as in a window.
func resample(img image.Image, part image.Rectangle, w, h int) *image.RGBA {
	src := image.NewRGBA(image.Rect(0, 0, part.Dx(), part.Dy()))
	draw.Draw(src, src.Rect, image.Black, image.Point{}, draw.Src)
	draw.Draw(src, src.Rect, img, part.Min, draw.Over)
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
