package value

import (
	"encoding/json"
	"reflect"
	"testing"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

type benchRow struct {
	Position tVec
	Velocity tVec
	Health   struct{ HP, Max int }
	Name     string
	Slots    []tSlot
}

func benchRows() []benchRow {
	rows := make([]benchRow, 100)
	for i := range rows {
		rows[i] = benchRow{Position: tVec{float64(i) * 1.37, 17.25}, Velocity: tVec{-0.1 * float64(i), 1}, Name: "enemy number one", Slots: []tSlot{{"torch", i}, {"rope", 2}}}
		rows[i].Health.HP = i
		rows[i].Health.Max = 100
	}
	return rows
}

// One run holds both sides: json.Marshal of the same rows beside ours.
func BenchmarkEncodePage(b *testing.B) {
	rows := benchRows()
	b.Run("rows=100/encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(rows); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("rows=100/loupe", func(b *testing.B) {
		b.ReportAllocs()
		v := reflect.ValueOf(&rows).Elem()
		var buf []byte
		for b.Loop() {
			buf, _ = layout.AppendJSON(buf[:0], v, EncodeOptions{})
		}
	})
}

func BenchmarkEncodeComponent(b *testing.B) {
	pos := reflect.ValueOf(&tVec{12.5, -3}).Elem()
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = layout.AppendJSON(buf[:0], pos, EncodeOptions{})
	}
}

func BenchmarkDecodeComponent(b *testing.B) {
	ty := TypeOf(reflect.TypeFor[tVec]())
	raw := []byte(`{"X":12.5,"Y":-3}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ty.DecodeJSON(raw, reflect.Value{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPath(b *testing.B) {
	ty := TypeOf(reflect.TypeFor[tStats]())
	p, _ := ty.Path("HP")
	root := ty.New()
	b.Run("FromGo+Set", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			leaf, _ := p.FromGo(7.0)
			_ = p.Set(root, leaf)
		}
	})
	b.Run("ToGo", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = p.ToGo(root)
		}
	})
}

func BenchmarkCopyColumn(b *testing.B) {
	rows := benchRows()
	b.Run("rows=100/pointers", func(b *testing.B) {
		b.ReportAllocs()
		ty := TypeOf(reflect.TypeFor[benchRow]())
		for b.Loop() {
			layout.CopyColumn(ty.Go, Column{Base: unsafe.Pointer(&rows[0]), Stride: unsafe.Sizeof(rows[0])}, len(rows))
		}
	})
	flat := make([]tVec, 100_000)
	b.Run("rows=1e5/pointer-free", func(b *testing.B) {
		ty := TypeOf(reflect.TypeFor[tVec]())
		b.SetBytes(16 * 100_000)
		for b.Loop() {
			layout.CopyColumn(ty.Go, Column{Base: unsafe.Pointer(&flat[0]), Stride: 16}, len(flat))
		}
	})
}
