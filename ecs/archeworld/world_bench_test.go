package archeworld

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/mlange-42/arche/ecs"

	loupe "github.com/loupe-ecs/loupe/ecs"
)

type b1 struct{ X, Y float64 }
type b2 struct{ X, Y float64 }
type b3 struct{ HP, Max int32 }
type b4 struct{ Kind, Team uint32 }
type b5 struct{ A, B, C uint32 }

// benchWorld has n entities with five pointer-free components (60 bytes).
func benchWorld(n int) (*ecs.World, *World) {
	w := ecs.NewWorld(1024)
	ids := []ecs.ID{ecs.ComponentID[b1](&w), ecs.ComponentID[b2](&w), ecs.ComponentID[b3](&w), ecs.ComponentID[b4](&w), ecs.ComponentID[b5](&w)}
	ecs.NewBuilder(&w, ids...).NewBatch(n)
	return &w, New(&w)
}

func BenchmarkChunks(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("entities=%d", n), func(b *testing.B) {
			_, w := benchWorld(n)
			w.Catalog()
			sum := int32(0)
			b.ReportAllocs()
			for b.Loop() {
				for c := range w.Chunks(loupe.Filter{With: []loupe.TypeID{2}}) {
					col, _ := c.Column(2)
					for row := range c.Len() {
						sum += (*b3)(unsafe.Add(col.Base, uintptr(row)*col.Stride)).HP
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
		})
	}
	b.Run("archetypes=1000", func(b *testing.B) {
		w := ecs.NewWorld(1)
		var ids []ecs.ID
		for i := range 10 {
			ids = append(ids, ecs.TypeID(&w, reflect.ArrayOf(i+1, reflect.TypeFor[int64]())))
		}
		for m := range 1000 {
			var use []ecs.ID
			for i, id := range ids {
				if m>>i&1 == 1 {
					use = append(use, id)
				}
			}
			w.NewEntity(use...)
		}
		lw := New(&w)
		f := loupe.Filter{With: []loupe.TypeID{0, 5, 9}}
		b.ReportAllocs()
		for b.Loop() {
			for range lw.Chunks(f) {
				continue
			}
		}
	})
}

func BenchmarkCatalogUnchanged(b *testing.B) {
	_, w := benchWorld(1000)
	b.ReportAllocs()
	for b.Loop() {
		w.Catalog()
	}
}

func BenchmarkRow(b *testing.B) {
	_, w := benchWorld(100_000)
	e, _ := w.Holder(777)
	b.ReportAllocs()
	for b.Loop() {
		w.Row(e)
	}
}

func BenchmarkApply(b *testing.B) {
	_, w := benchWorld(10_000)
	value := func(id loupe.TypeID, v any) []loupe.Value {
		return []loupe.Value{{Type: id, Value: reflect.ValueOf(v)}}
	}
	e, _ := w.Holder(777)
	run := func(name string, cs ...loupe.Change) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.Apply(cs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("set", loupe.Change{Op: loupe.OpSet, Entity: e, Values: value(0, b1{1, 2})})
	run("remove+add", loupe.Change{Op: loupe.OpRemove, Entity: e, Types: []loupe.TypeID{0}}, loupe.Change{Op: loupe.OpAdd, Entity: e, Values: value(0, b1{1, 2})})
	b.Run("spawn+despawn", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			es, err := w.Apply([]loupe.Change{{Op: loupe.OpSpawn, Values: value(0, b1{1, 2})}})
			if err != nil {
				b.Fatal(err)
			}
			if _, err = w.Apply([]loupe.Change{{Op: loupe.OpDespawn, Entity: es[0]}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		_, w := benchWorld(n)
		per := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
		}
		var img loupe.Image
		b.Run(fmt.Sprintf("entities=%d/capture-fresh", n), func(b *testing.B) {
			for b.Loop() {
				img = loupe.Image{}
				if err := w.Capture(&img); err != nil {
					b.Fatal(err)
				}
			}
			per(b)
		})
		b.Run(fmt.Sprintf("entities=%d/capture-reused", n), func(b *testing.B) {
			for b.Loop() {
				if err := w.Capture(&img); err != nil {
					b.Fatal(err)
				}
			}
			per(b)
		})
		b.Run(fmt.Sprintf("entities=%d/check", n), func(b *testing.B) {
			for b.Loop() {
				if err := w.Check(&img); err != nil {
					b.Fatal(err)
				}
			}
			per(b)
		})
		b.Run(fmt.Sprintf("entities=%d/restore", n), func(b *testing.B) {
			for b.Loop() {
				if err := w.Restore(&img); err != nil {
					b.Fatal(err)
				}
			}
			per(b)
		})
	}
}
