package query_test

import (
	"testing"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/query"
)

// BenchmarkWhere holds, in one run, a loop written for the one question (over
// the column, keeping the row numbers), the engine's own queries, and Loupe.

const million = 1_000_000

// newMillion has a million entities of which one in ten, at random, has
// Health.HP < 10, and half of these Position.X > 500.
func newMillion(b *testing.B) (*arche.World, ecs.World, []arche.ID) {
	b.Helper()
	w := arche.NewWorld()
	m := generic.NewMap2[Position, Health](&w)
	seed := uint64(1)
	next := func() int {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		return int(seed >> 33)
	}
	for range million {
		m.NewWith(&Position{X: float64(next() % 1000)}, &Health{HP: next() % 100, Max: 100})
	}
	return &w, archeworld.New(&w), []arche.ID{arche.ComponentID[Health](&w), arche.ComponentID[Position](&w)}
}

// columns gives the two columns as Go slices.
func columns(b *testing.B, w ecs.World) (health []Health, pos []Position) {
	b.Helper()
	cat := w.Catalog()
	h, err := cat.Component("Health")
	if err != nil {
		b.Fatal(err)
	}
	p, err := cat.Component("Position")
	if err != nil {
		b.Fatal(err)
	}
	for c := range w.Chunks(ecs.Filter{With: []ecs.TypeID{h.ID, p.ID}}) {
		hb, _ := c.Column(h.ID)
		pb, _ := c.Column(p.ID)
		return unsafeSlice[Health](hb.Base, c.Len()), unsafeSlice[Position](pb.Base, c.Len())
	}
	b.Fatal("no chunk")
	return nil, nil
}

func perEntity(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/million, "ns/entity")
}

func benchPlan(b *testing.B, w ecs.World, where string) {
	p, err := query.Compile(w.Catalog(), query.Query{Where: where})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n = 0
		p.Each(w, func(_ ecs.Chunk, rows []int32) bool { n += len(rows); return true })
	}
	if n == 0 || n == million {
		b.Fatal(n)
	}
	perEntity(b)
}

func BenchmarkWhere(b *testing.B) {
	aw, w, ids := newMillion(b)
	health, pos := columns(b, w)
	out := make([]int32, 0, million)

	b.Run("HP<10/loop", func(b *testing.B) {
		for b.Loop() {
			out = out[:0]
			for i := range health {
				if health[i].HP < 10 {
					out = append(out, int32(i))
				}
			}
		}
		perEntity(b)
	})
	b.Run("HP<10/loop-branchless", func(b *testing.B) {
		all := out[:million]
		for b.Loop() {
			n := 0
			for i := range health {
				all[n] = int32(i)
				if health[i].HP < 10 {
					n++
				}
			}
			out = all[:n]
		}
		perEntity(b)
	})
	b.Run("HP<10/arche-query-get", func(b *testing.B) {
		f := arche.All(ids[0])
		for b.Loop() {
			out = out[:0]
			i := int32(0)
			for q := aw.Query(f); q.Next(); i++ {
				if (*Health)(q.Get(ids[0])).HP < 10 {
					out = append(out, i)
				}
			}
		}
		perEntity(b)
	})
	b.Run("HP<10/arche-generic", func(b *testing.B) {
		f := generic.NewFilter1[Health]()
		for b.Loop() {
			out = out[:0]
			i := int32(0)
			for q := f.Query(aw); q.Next(); i++ {
				if q.Get().HP < 10 {
					out = append(out, i)
				}
			}
		}
		perEntity(b)
	})
	b.Run("HP<10/loupe", func(b *testing.B) { benchPlan(b, w, "Health.HP < 10") })

	b.Run("HP<10&&X>500/loop", func(b *testing.B) {
		for b.Loop() {
			out = out[:0]
			for i := range health {
				if health[i].HP < 10 && pos[i].X > 500 {
					out = append(out, int32(i))
				}
			}
		}
		perEntity(b)
	})
	b.Run("HP<10&&X>500/arche-query-get", func(b *testing.B) {
		f := arche.All(ids...)
		for b.Loop() {
			out = out[:0]
			i := int32(0)
			for q := aw.Query(f); q.Next(); i++ {
				if (*Health)(q.Get(ids[0])).HP < 10 && (*Position)(q.Get(ids[1])).X > 500 {
					out = append(out, i)
				}
			}
		}
		perEntity(b)
	})
	b.Run("HP<10&&X>500/loupe", func(b *testing.B) { benchPlan(b, w, "Health.HP < 10 && Position.X > 500") })

	b.Run("X*2+HP>1900/loop", func(b *testing.B) {
		for b.Loop() {
			out = out[:0]
			for i := range health {
				if pos[i].X*2+float64(health[i].HP) > 1900 {
					out = append(out, int32(i))
				}
			}
		}
		perEntity(b)
	})
	b.Run("X*2+HP>1900/loupe", func(b *testing.B) { benchPlan(b, w, "Position.X*2 + Health.HP > 1900") })
	b.Run("HP<Max/2/loupe", func(b *testing.B) { benchPlan(b, w, "Health.HP < Health.Max/2") })
	b.Run("HP<10||X>500/loupe", func(b *testing.B) { benchPlan(b, w, "Health.HP < 10 || Position.X > 500") })
	b.Run("top50/loupe", func(b *testing.B) {
		p, err := query.Compile(w.Catalog(), query.Query{With: []string{"Health"}})
		if err != nil {
			b.Fatal(err)
		}
		o, err := query.CompileOrder(w.Catalog(), "-Position.X")
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if top, _, err := p.Top(w, o, 50, nil); err != nil || len(top) != 50 {
				b.Fatal(len(top), err)
			}
		}
		perEntity(b)
	})
}

func BenchmarkCompile(b *testing.B) {
	_, w := newWorld(b, 10)
	cat := w.Catalog()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := query.Compile(cat, query.Query{Where: `Health.HP < Health.Max/2 && Enemy.Kind == "Brute"`}); err != nil {
			b.Fatal(err)
		}
	}
}
