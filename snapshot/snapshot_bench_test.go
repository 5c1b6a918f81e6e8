package snapshot_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/snapshot"
)

type (
	benchPos    struct{ X, Y float64 }
	benchVel    struct{ X, Y float32 }
	benchHealth struct{ HP, Max int32 }
	benchTeam   struct {
		Side  uint8
		Rank  uint16
		Score int64
	}
	benchBox struct{ W, H, Depth, Angle float32 }
)

// benchWorld is n entities with five pointer-free components of 56 bytes in
// all: positions and velocities at random, the rest as games have it.
func benchWorld(n int) *archeworld.World {
	w := arche.NewWorld()
	ids := []arche.ID{arche.ComponentID[benchPos](&w), arche.ComponentID[benchVel](&w), arche.ComponentID[benchHealth](&w),
		arche.ComponentID[benchTeam](&w), arche.ComponentID[benchBox](&w)}
	arche.NewBuilder(&w, ids...).NewBatch(n)
	r := rand.New(rand.NewPCG(1, 1))
	q := w.Query(arche.All(ids...))
	for q.Next() {
		*(*benchPos)(q.Get(ids[0])) = benchPos{r.Float64() * 1000, r.Float64() * 1000}
		*(*benchVel)(q.Get(ids[1])) = benchVel{r.Float32() - 0.5, r.Float32() - 0.5}
		*(*benchHealth)(q.Get(ids[2])) = benchHealth{int32(r.IntN(100)), 100}
		*(*benchTeam)(q.Get(ids[3])) = benchTeam{uint8(r.IntN(4)), uint16(r.IntN(10)), int64(r.IntN(5000))}
		*(*benchBox)(q.Get(ids[4])) = benchBox{1, 2, 0.5, r.Float32()}
	}
	return archeworld.New(&w)
}

func rawSize(c *ecs.Catalog) (n int64) {
	for _, x := range c.Components {
		n += int64(x.Entities) * int64(x.Type.Size)
	}
	return n + int64(c.Entities.Total)*8
}

func benchSizes(b *testing.B, f func(b *testing.B, w *archeworld.World)) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("entities=%.0e", float64(n)), func(b *testing.B) {
			w := benchWorld(n)
			b.SetBytes(rawSize(w.Catalog()))
			f(b, w)
		})
	}
}

// BenchmarkTake is the frame part of a save.
func BenchmarkTake(b *testing.B) {
	benchSizes(b, func(b *testing.B, w *archeworld.World) {
		var c snapshot.Capture
		if err := c.Take(w, nil); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			c.Take(w, nil)
		}
	})
}

// BenchmarkEncode is the part of a save off the frame, without the disk.
func BenchmarkEncode(b *testing.B) {
	benchSizes(b, func(b *testing.B, w *archeworld.World) {
		var c snapshot.Capture
		if err := c.Take(w, nil); err != nil {
			b.Fatal(err)
		}
		var info snapshot.Info
		for b.Loop() {
			info, _ = c.Encode(io.Discard)
		}
		b.ReportMetric(float64(info.Bytes)/float64(rawSize(w.Catalog())), "size/raw")
	})
}

// BenchmarkDecode is the part of a load off the frame.
func BenchmarkDecode(b *testing.B) {
	benchSizes(b, func(b *testing.B, w *archeworld.World) {
		data := mustSave(b, w)
		for b.Loop() {
			if _, err := snapshot.Decode(bytes.NewReader(data), w.Catalog(), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRestore is the frame part of a load, its safety copy included.
func BenchmarkRestore(b *testing.B) {
	benchSizes(b, func(b *testing.B, w *archeworld.World) {
		s, err := snapshot.Decode(bytes.NewReader(mustSave(b, w)), w.Catalog(), nil)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := s.Restore(w); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDiff compares two equal worlds.
func BenchmarkDiff(b *testing.B) {
	benchSizes(b, func(b *testing.B, w *archeworld.World) {
		var x, y snapshot.Capture
		if x.Take(w, nil) != nil || y.Take(w, nil) != nil {
			b.Fatal("no capture")
		}
		for b.Loop() {
			d, err := snapshot.Diff(x.Catalog(), &x.Image, &y.Image, snapshot.DiffOptions{})
			if err != nil || !d.Same() {
				b.Fatal(err, d)
			}
		}
	})
}

// BenchmarkBags encodes and decodes components that hold pointers of every
// kind.
func BenchmarkBags(b *testing.B) {
	g := newGame(1, false)
	for i := range 20_000 {
		e := g.w.NewEntity(g.ids[3])
		*(*bag)(g.w.Get(e, g.ids[3])) = *g.bag(i)
	}
	var c snapshot.Capture
	if err := c.Take(g.lw, nil); err != nil {
		b.Fatal(err)
	}
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			c.Encode(io.Discard)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20_000, "ns/entity")
	})
	data := mustSave(b, g.lw)
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := snapshot.Decode(bytes.NewReader(data), c.Catalog(), nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20_000, "ns/entity")
	})
}
