package arkworld

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/mlange-42/ark/ecs"

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
	ecs.NewMap5[b1, b2, b3, b4, b5](w).NewBatch(n, &b1{}, &b2{}, &b3{}, &b4{}, &b5{})
	return w, New(w)
}

func BenchmarkChunks(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		ew, w := benchWorld(n)
		w.Catalog()
		sum := int32(0)
		b.Run(fmt.Sprintf("entities=%d/loupe", n), func(b *testing.B) {
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
		b.Run(fmt.Sprintf("entities=%d/native", n), func(b *testing.B) {
			f := ecs.NewFilter1[b3](ew)
			for b.Loop() {
				for q := f.Query(); q.Next(); {
					sum += q.Get().HP
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
		})
	}
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
}

func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		_, w := benchWorld(n)
		var img loupe.Image
		for _, op := range []struct {
			name string
			f    func(*loupe.Image) error
		}{{"capture", w.Capture}, {"check", w.Check}, {"restore", w.Restore}} {
			b.Run(fmt.Sprintf("entities=%d/%s", n, op.name), func(b *testing.B) {
				for b.Loop() {
					if err := op.f(&img); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
			})
		}
	}
}
