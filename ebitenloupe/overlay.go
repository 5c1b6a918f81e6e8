package ebitenloupe

import (
	"image"
	"image/color"
	"strings"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/ebitenutil"
)

// overlay says what the game is, where a person would wonder.
func (g *Game) overlay(to *ebiten.Image) {
	lines := g.notes()
	if len(lines) == 0 {
		return
	}
	w, h := 8, 4+16*len(lines)
	for _, l := range lines {
		w = max(w, 8+6*len(l))
	}
	b := to.Bounds()
	w, h = min(w, b.Dx()), min(h, b.Dy())
	bar := to.SubImage(image.Rect(b.Min.X, b.Min.Y, b.Min.X+w, b.Min.Y+h)).(*ebiten.Image)
	bar.Fill(color.RGBA{0, 0, 0, 0xc0})
	ebitenutil.DebugPrintAt(to, strings.Join(lines, "\n"), b.Min.X+4, b.Min.Y+2)
}

// notes are the overlay's lines; none while the game simply runs.
func (g *Game) notes() (lines []string) {
	if g.dbg == nil {
		return nil
	}
	if text, crashed := g.dbg.Crashed(); crashed {
		first, _, _ := strings.Cut(text, "\n")
		lines = append(lines, "CRASHED: "+clip(first, 100), "the game stands still; clear_crash goes on")
	}
	if info := g.o.Clock.Info(); info.Paused {
		lines = append(lines, "PAUSED ("+g.o.PauseKey.String()+" goes on, "+g.o.StepKey.String()+" makes a tick)")
	}
	if g.dbg.Recording() {
		lines = append(lines, "RECORDING")
	}
	return lines
}

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n] + "..."
	}
	return s
}
