package timeline

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

func bytesOf[T any](s []T) []byte {
	var zero T
	return content(unsafe.Pointer(unsafe.SliceData(s)), len(s)*int(unsafe.Sizeof(zero)))
}

// What diff writes makes a follower equal, whatever changes: whole columns,
// windows of them, lengths that come and go, elements of odd sizes.
func TestDeltaFollows(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		size := []int{1, 2, 8, 12, 16, 24}[seed%6]
		data := make([]byte, size*r.IntN(3000))
		fill := func(b []byte) {
			for i := range b {
				b[i] = byte(r.Uint32())
			}
		}
		fill(data)
		lanes := [][]lane{nil, repeat([]lane{laneFloat}), repeat([]lane{lanePair | lowFloat, laneFloat, laneInts})}[seed%3]
		from, to := column{lanes: lanes}, column{lanes: lanes}
		from.diff(nil, data, 0)
		from.restart()
		to.resize(wordsFor(len(data)))
		copy(to.words, from.words)
		win := column{window: true, lanes: lanes, lo: 2 * blockWords, words: make([]uint64, 3*blockWords), blocks: []block{{last: never}, {last: never}, {last: never}}}
		copy(win.words, from.words[min(win.lo, len(from.words)):])
		for step := int32(1); step < 60; step++ {
			switch r.IntN(4) {
			case 0:
				n := size * r.IntN(3000)
				for len(data) < n {
					data = append(data, byte(r.Uint32()))
				}
				data = data[:n]
			case 1:
				fill(data)
			case 2:
			case 3:
				for range r.IntN(20) {
					if len(data) > 0 {
						data[r.IntN(len(data))]++
					}
				}
			}
			d := from.diff(nil, data, step)
			to.apply(d, len(data), step)
			win.apply(d, len(data), step)
			if got := bytesOf(to.words)[:len(data)]; !slices.Equal(got, data) {
				t.Fatalf("seed %d step %d: the follower differs", seed, step)
			}
			if n := len(data); n > win.lo*8 {
				want := data[win.lo*8 : min(n, (win.lo+len(win.words))*8)]
				if got := bytesOf(win.words)[:len(want)]; !slices.Equal(got, want) {
					t.Fatalf("seed %d step %d: the window differs", seed, step)
				}
			}
		}
	}
}

// An unchanged column costs nothing, one that moves evenly half a byte a word,
// and the worst case an eighth more than what changed.
func TestDeltaCosts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	type pos struct{ X, Y float64 }
	world := make([]pos, 10_000)
	for i := range world {
		world[i] = pos{r.Float64() * 1000, r.Float64() * 1000}
	}
	var c column
	c.diff(nil, bytesOf(world), 0)
	c.restart()
	if d := c.diff(nil, bytesOf(world), 1); len(d) != 0 {
		t.Errorf("nothing changed: %d bytes", len(d))
	}
	for step := int32(2); step < 5; step++ {
		for i := range world {
			world[i].X++
		}
		d := c.diff(nil, bytesOf(world), step)
		if perWord := float64(len(d)) / 10_000; step > 2 && perWord > 2 {
			t.Errorf("an even motion: %.2f bytes a word", perWord)
		}
	}
	for i := 0; i < len(world); i += 10 {
		world[i] = pos{math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64())}
	}
	d := c.diff(nil, bytesOf(world), 9)
	if ratio := float64(len(d)) / 16_000; ratio > 1.3 {
		t.Errorf("noise in one row of ten: %.2f × what changed", ratio)
	}
}
