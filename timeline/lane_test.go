package timeline

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestLanesOfTypes(t *testing.T) {
	type vec3 struct{ X, Y, Z float32 }
	for _, c := range []struct {
		of   any
		want []lane
	}{
		{struct{ X, Y float64 }{}, []lane{laneFloat, laneFloat}},
		{struct {
			Timer float64
			Mood  uint8
		}{}, []lane{laneFloat, laneInts}},
		{float32(0), []lane{lanePair | lowFloat | highFloat}},
		{vec3{}, []lane{lanePair | lowFloat | highFloat, lanePair | lowFloat | highFloat, lanePair | lowFloat | highFloat}},
		{struct {
			ID uint32
			W  float32
		}{}, []lane{lanePair | highFloat}},
		{complex128(0), []lane{laneFloat, laneFloat}},
		{struct{ HP, Max int32 }{}, nil},
		{struct{}{}, nil},
		{[1 << 16]float64{}, nil},
	} {
		if got := lanesOf(reflect.TypeOf(c.of)); !slices.Equal(got, repeat(c.want)) {
			t.Errorf("%T: %v, want %v", c.of, got, c.want)
		}
	}
}

// Whatever the words are, mend undoes miss.
func TestMissesAreMended(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	odd := []uint64{0, 1, math.MaxUint64, 1 << 63, math.Float64bits(math.Inf(1)), math.Float64bits(math.NaN()), math.Float64bits(math.Inf(-1)),
		math.Float64bits(math.SmallestNonzeroFloat64), math.Float64bits(-math.MaxFloat64), uint64(math.Float32bits(float32(math.NaN()))) << 32}
	word := func() uint64 {
		switch r.IntN(3) {
		case 0:
			return odd[r.IntN(len(odd))]
		case 1:
			return math.Float64bits(r.NormFloat64())
		}
		return r.Uint64()
	}
	for range 100_000 {
		x, x1, x2, x3, now := word(), word(), word(), word(), word()
		for _, l := range []lane{laneInts, laneFloat, lanePair | lowFloat, lanePair | highFloat, lanePair | lowFloat | highFloat} {
			g := l.guess(x, x1, x2, x3, int32(r.IntN(4)))
			if got := l.mend(g, l.miss(now, g)); got != now {
				t.Fatalf("lane %d: %x became %x", l, now, got)
			}
		}
	}
}

// How games move things, and what a sample of each may cost a number, with the
// nibble and its share of the bitmaps.
func TestMotionIsCheap(t *testing.T) {
	const n, ticks = 256, 100
	for name, c := range map[string]struct {
		move func(x, v *float64)
		most float64 // bytes
	}{
		"even":       {func(x, v *float64) { *x += *v / 60 }, 2.2},
		"timer":      {func(x, _ *float64) { *x -= 1.0 / 60 }, 2.2},
		"approach":   {func(x, _ *float64) { *x += (100 - *x) * 0.1 }, 2.4},
		"fall":       {func(x, v *float64) { *v += 9.81 / 60; *x += *v / 60 }, 2.4},
		"speeding":   {func(x, v *float64) { *v += (3 - *v) * 0.05; *x += *v / 60 }, 2.8},
		"there back": {func(x, _ *float64) { *x = -*x }, 8.8},
	} {
		r := rand.New(rand.NewPCG(2, 2))
		xs, vs := make([]float64, n), make([]float64, n)
		for i := range xs {
			xs[i], vs[i] = r.Float64()*1000, r.Float64()*10
		}
		var wide, narrow column
		wide.lanes, narrow.lanes = lanesOf(reflect.TypeFor[float64]()), lanesOf(reflect.TypeFor[float32]())
		bytes, narrowBytes := 0, 0
		for step := range int32(ticks) {
			halves := make([]float32, n)
			for i := range xs {
				c.move(&xs[i], &vs[i])
				halves[i] = float32(xs[i])
			}
			b, nb := len(wide.diff(nil, bytesOf(xs), step)), len(narrow.diff(nil, bytesOf(halves), step))
			if step > 4 {
				bytes, narrowBytes = bytes+b, narrowBytes+nb
			}
		}
		if per := float64(bytes) / (n * (ticks - 5)); per > c.most {
			t.Errorf("%s: %.2f bytes a float64, at most %.1f", name, per, c.most)
		}
		if per := float64(narrowBytes) / (n * (ticks - 5)); per > min(c.most, 4.8) {
			t.Errorf("%s: %.2f bytes a float32", name, per)
		}
	}
}
