package game

import (
	"fmt"
	"testing"
)

// A frame without drawing, at a steady number of enemies: fresh waves come as
// they do in play.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{40, 2000, 20000} {
		b.Run(fmt.Sprintf("enemies=%d", n), func(b *testing.B) {
			g := play(b, Options{Seed: 1, Enemies: n}, 120)
			b.ReportAllocs()
			for b.Loop() {
				run(g, 1)
			}
			b.ReportMetric(float64(countFoes(g)), "enemies")
		})
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, n := range []int{40, 2000} {
		b.Run(fmt.Sprintf("enemies=%d", n), func(b *testing.B) {
			g := play(b, Options{Seed: 1, Enemies: n}, 300)
			b.ReportAllocs()
			for b.Loop() {
				g.Draw()
			}
		})
	}
}
