package main

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// A bench produces the lines of one entry of the table. quick asks for a
// shorter run with the same method.
type bench struct {
	name string
	run  func(c *config) ([]line, error)
}

type config struct {
	quick bool
	// smoke only shows that everything runs: a hundredth of every world and
	// count. Its figures mean nothing.
	smoke bool
	// rounds is how often each side of a pair is measured, in turn.
	rounds int
	// slice is how long one side runs in one round.
	slice time.Duration
}

// size is n, or what a smoke test takes in its place.
func (c *config) size(n int) int {
	if c.smoke {
		return max(1, n/100)
	}
	return n
}

// line is one printed figure.
type line struct {
	kind   string // ratio or figure
	name   string
	value  float64
	unit   string
	goal   string  // as in the table; "" for none
	limit  float64 // the greatest value that meets the goal; 0: none
	detail string
}

func (l line) String() string {
	if l.kind == "ratio" {
		return fmt.Sprintf("ratio %s %.4g", l.name, l.value)
	}
	return fmt.Sprintf("figure %s %.4g %s", l.name, l.value, l.unit)
}

func (l line) met() bool { return l.limit == 0 || l.value <= l.limit }

// op runs n operations.
type op func(n int)

// sides are the times of one operation of each side, one entry a round.
type sides struct{ a, b []float64 }

// pair measures a and b in turn, so that the drift of a shared machine meets
// both alike. Times are nanoseconds an operation.
func pair(c *config, a, b op) sides {
	na, nb := calibrate(c, a), calibrate(c, b)
	var s sides
	for i := range c.rounds {
		// The order changes from round to round: whoever is second finds warm caches.
		if i%2 == 0 {
			s.a = append(s.a, timeOp(a, na))
			s.b = append(s.b, timeOp(b, nb))
		} else {
			s.b = append(s.b, timeOp(b, nb))
			s.a = append(s.a, timeOp(a, na))
		}
	}
	return s
}

// calibrate finds how many operations fill a slice.
func calibrate(c *config, f op) int {
	n := 1
	for {
		start := time.Now()
		f(n)
		took := time.Since(start)
		if took >= c.slice/4 {
			return max(1, int(float64(n)*float64(c.slice)/float64(took)))
		}
		n *= 4
	}
}

func timeOp(f op, n int) float64 {
	runtime.GC()
	start := time.Now()
	f(n)
	return float64(time.Since(start).Nanoseconds()) / float64(n)
}

// single measures one side alone.
func single(c *config, f op) []float64 {
	n := calibrate(c, f)
	var out []float64
	for range c.rounds {
		out = append(out, timeOp(f, n))
	}
	return out
}

// ratio is the median of the rounds' ratios, with their spread.
func (s sides) ratio() (median, low, high float64) {
	rs := make([]float64, len(s.a))
	for i := range s.a {
		rs[i] = s.a[i] / s.b[i]
	}
	slices.Sort(rs)
	return quantile(rs, 0.5), rs[0], rs[len(rs)-1]
}

func (s sides) line(name, goal string, limit float64) line {
	m, lo, hi := s.ratio()
	return line{kind: "ratio", name: name, value: m, goal: goal, limit: limit,
		detail: fmt.Sprintf("%s beside %s; spread %.3g to %.3g", ns(medianOf(s.a)), ns(medianOf(s.b)), lo, hi)}
}

func medianOf(v []float64) float64 {
	return quantile(slices.Sorted(slices.Values(v)), 0.5)
}

// quantile is the nearest-rank quantile of sorted values.
func quantile[T cmp.Ordered](sorted []T, q float64) T {
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[max(0, min(i, len(sorted)-1))]
}

func ns(v float64) string {
	switch {
	case v < 1e3:
		return fmt.Sprintf("%.3g ns", v)
	case v < 1e6:
		return fmt.Sprintf("%.3g µs", v/1e3)
	case v < 1e9:
		return fmt.Sprintf("%.3g ms", v/1e6)
	}
	return fmt.Sprintf("%.3g s", v/1e9)
}

// allocated runs f and returns the bytes and objects it allocated, on all
// goroutines.
func allocated(f func()) (bytes, objects uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
}
