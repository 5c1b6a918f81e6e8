package timeline_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
	ark "github.com/mlange-42/ark/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/arkworld"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/timeline"
)

type (
	archeChild struct{ arche.Relation }
	arkChild   struct{ ark.RelationMarker }
	mapChild   struct{ mapworld.Relation }
)

// worlds makes one of each kind, with the types of the kit.
var worlds = map[string]func() ecs.World{
	"arche": func() ecs.World {
		w := arche.NewWorld(16)
		for _, t := range append(ecstest.Components(), reflect.TypeFor[archeChild]()) {
			arche.TypeID(&w, t)
		}
		arche.AddResource(&w, &ecstest.Score{Points: 1})
		arche.ResourceID[ecstest.Absent](&w)
		return archeworld.New(&w)
	},
	"ark": func() ecs.World {
		w := ark.NewWorld(16)
		for _, t := range append(ecstest.Components(), reflect.TypeFor[arkChild]()) {
			ark.TypeID(w, t)
		}
		ark.AddResource(w, &ecstest.Score{Points: 1})
		ark.ResourceID[ecstest.Absent](w)
		return arkworld.New(w)
	},
	"map": func() ecs.World {
		w := mapworld.New(append(ecstest.Components(), reflect.TypeFor[mapChild]())...)
		w.AddResource(&ecstest.Score{Points: 1})
		w.RegisterResource(reflect.TypeFor[ecstest.Absent]())
		return w
	},
}

// column views a chunk's column as what it holds.
func column[T any](w ecs.World, c ecs.Chunk) []T {
	for _, comp := range w.Catalog().Components {
		if comp.Type.Go == reflect.TypeFor[T]() {
			if col, ok := c.Column(comp.ID); ok {
				return unsafe.Slice((*T)(col.Base), c.Len())
			}
		}
	}
	return nil
}

// play is one tick of a game: some things move, some values behind pointers
// change, a resource counts.
func play(w ecs.World, r *rand.Rand) {
	for c := range w.Chunks(ecs.Filter{}) {
		for i, p := range column[ecstest.Position](w, c) {
			if r.IntN(3) == 0 {
				column[ecstest.Position](w, c)[i] = ecstest.Position{X: p.X + 1.25, Y: r.Float64()}
			}
		}
		bags := column[ecstest.Bag](w, c)
		for i := range bags {
			switch b := &bags[i]; r.IntN(8) {
			case 0:
				b.Items = append(b.Items, ecstest.Item{Label: "new", Count: r.IntN(9)})
			case 1:
				if b.Counts != nil {
					b.Counts["k"] = r.IntN(100)
				}
			case 2:
				b.Next = &ecstest.Bag{Note: fmt.Sprint(r.IntN(100))}
			}
		}
	}
	for _, res := range w.Catalog().Resources {
		if v, ok := w.Resource(res.ID); ok && r.IntN(2) == 0 {
			s := v.Addr().Interface().(*ecstest.Score)
			s.Points++
			s.Names = append(s.Names[:len(s.Names):len(s.Names)], "n")[max(0, len(s.Names)-3):]
		}
	}
}

// For every recorded tick the world read through the recording, the world made
// of its image, and the world that was captured by hand at that tick are equal:
// values, entities, order, relations, resources. The ring wraps many times, and
// readers read while it does.
func TestEveryTickIsWhatItWas(t *testing.T) {
	for name, make := range worlds {
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				w := make()
				r := rand.New(rand.NewPCG(seed, 3))
				rec := timeline.NewRecorder(nil)
				rec.Bind(w, nil)
				ecstest.Churn(t, w, seed, 40)
				memory := []int64{400 << 10, 3 << 20, 64 << 20}[seed]
				if err := rec.Start(timeline.Options{Memory: memory}, 0); err != nil {
					t.Fatal(err)
				}
				defer rec.Stop(true)
				hashes := map[uint64]uint64{0: ecstest.Hash(w)}
				ticks := uint64(300)
				for tick := uint64(1); tick <= ticks; tick++ {
					play(w, r)
					if tick%5 == 0 {
						ecstest.Churn(t, w, seed*1000+tick, r.IntN(6))
					}
					rec.EndTick(tick)
					hashes[tick] = ecstest.Hash(w)
					rec.Flush(context.Background()) // so that no tick is left out
				}
				info := rec.Info()
				if seed == 0 && info.Pushed == 0 {
					t.Errorf("the ring has not wrapped: %+v", info)
				}
				if info.Bytes > memory {
					t.Errorf("%d bytes, more than %d", info.Bytes, memory)
				}
				line := rec.Line()
				refs := line.Refs(0, ticks)
				if last := refs[len(refs)-1].Tick; last != ticks || uint64(len(refs)) != ticks-refs[0].Tick+1 {
					t.Fatalf("%d samples, ticks %d to %d", len(refs), refs[0].Tick, last)
				}
				for c := line.Walk(refs[0], refs[len(refs)-1]); c.Next(); {
					if ecstest.Hash(c.World()) != hashes[c.Ref().Tick] {
						t.Fatalf("tick %d read in passing differs", c.Ref().Tick)
					}
				}
				var now ecs.Image
				restorer := w.(ecs.Restorer)
				if err := restorer.Capture(&now); err != nil {
					t.Fatal(err)
				}
				for range 25 {
					ref := refs[r.IntN(len(refs))]
					if ecstest.Hash(line.World(ref)) != hashes[ref.Tick] {
						t.Fatalf("tick %d read differs", ref.Tick)
					}
					s := line.Sample(ref)
					if err := restorer.Restore(s.Image); err != nil {
						t.Fatalf("tick %d: %v", ref.Tick, err)
					}
					if ecstest.Hash(w) != hashes[ref.Tick] {
						t.Fatalf("the world is not what it was at tick %d", ref.Tick)
					}
				}
				if err := restorer.Restore(&now); err != nil || ecstest.Hash(w) != hashes[ticks] {
					t.Fatalf("the present did not come back: %v", err)
				}
			})
		}
	}
}
