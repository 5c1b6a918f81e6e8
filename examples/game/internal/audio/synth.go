package audio

import (
	"math"
	"slices"
)

// Rate is the sample rate of the synthesised sounds.
const Rate = 22050

// recipe is one sound: a tone that slides from one frequency to another, with
// some noise in it, fading out.
type recipe struct {
	seconds  float64
	from, to float64 // Hz
	square   float64 // 0 sine to 1 square
	noise    float64 // 0 tone to 1 noise
	gain     float64
}

var recipes = map[string]recipe{
	"shot":   {0.09, 1400, 320, 0.6, 0.10, 0.35},
	"hit":    {0.07, 420, 160, 0.8, 0.35, 0.40},
	"death":  {0.32, 330, 50, 0.5, 0.55, 0.50},
	"hurt":   {0.22, 190, 90, 1.0, 0.20, 0.60},
	"pickup": {0.18, 660, 1320, 0.2, 0.00, 0.35},
	"wave":   {0.55, 220, 440, 0.3, 0.00, 0.45},
}

// Recipes lists the sounds that [Synth] can make.
func Recipes() []string {
	var names []string
	for n := range recipes {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Synth computes a sound of [Recipes]; always the same samples. Unknown names
// give nil.
func Synth(name string) []int16 {
	r, ok := recipes[name]
	if !ok {
		return nil
	}
	n := int(r.seconds * Rate)
	out := make([]int16, n)
	phase, noise, seed := 0.0, 0.0, uint32(1)
	for i := range out {
		t := float64(i) / float64(n)
		phase += (r.from + (r.to-r.from)*t) / Rate
		tone := math.Sin(2 * math.Pi * phase)
		tone += r.square * (math.Copysign(0.7, tone) - tone)
		if i%3 == 0 { // held for three samples: softer than white
			seed = seed*1664525 + 1013904223
			noise = float64(int32(seed)) / (1 << 31)
		}
		attack := min(1, float64(i)/60)
		fade := (1 - t) * (1 - t)
		out[i] = int16(32767 * r.gain * attack * fade * (tone + r.noise*(noise-tone)))
	}
	return out
}
