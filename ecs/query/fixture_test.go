package query_test

import (
	"fmt"
	"maps"
	"testing"
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/value"
)

type Position struct{ X, Y float64 }
type Health struct{ HP, Max int }
type Player struct{}
type Kind uint8

func (k Kind) String() string {
	if int(k) < 3 {
		return [...]string{"Grunt", "Brute", "Sniper"}[k]
	}
	return fmt.Sprintf("Kind(%d)", k)
}

type Enemy struct {
	Kind   Kind
	Target arche.Entity
	Aggro  float64
}
type Slot struct {
	Item  string
	Count int
}
type Inventory struct {
	Slots []Slot
	Tags  map[string]int
	Note  string
	Best  *Slot
	Open  bool
	Any   any
}
type Numbers struct {
	I8  int8
	I16 int16
	I32 int32
	I64 int64
	U8  uint8
	U16 uint16
	U32 uint32
	U64 uint64
	F32 float32
	F64 float64
	Arr [3]int32
}
type Title struct{ Text string }

func init() {
	value.RegisterType[Slot]()
	value.Describe(value.Computed("Ratio", func(h *Health) float64 { return float64(h.HP) / float64(h.Max) }))
	value.Describe(value.Computed("Broken", func(p *Position) float64 { panic("no") }))
	value.Describe(value.Label(func(t *Title) string { return t.Text }))
}

// newWorld has n rows in several archetypes; row i is known by Health.HP == i,
// except for a few entities that have no Health at all.
func newWorld(tb testing.TB, n int) (*arche.World, ecs.World) {
	tb.Helper()
	w := arche.NewWorld()
	a := generic.NewMap3[Position, Health, Enemy](&w)
	b := generic.NewMap3[Position, Health, Inventory](&w)
	c := generic.NewMap3[Health, Numbers, Title](&w)
	d := generic.NewMap2[Position, Player](&w)
	p := d.NewWith(&Position{5, 5}, &Player{})
	for i := range n {
		h := &Health{i, 100}
		pos := &Position{float64(i) / 2, float64(-i)}
		switch i % 3 {
		case 0:
			e := &Enemy{Kind: Kind(i % 4), Aggro: float64(i) / 10}
			if i%2 == 0 {
				e.Target = p
			}
			a.NewWith(pos, h, e)
		case 1:
			inv := &Inventory{Note: fmt.Sprint("note ", i), Open: i%2 == 0}
			for j := range i % 5 {
				inv.Slots = append(inv.Slots, Slot{"rope", j + i})
			}
			if inv.Any = i; i%4 == 0 {
				inv.Any = Slot{"sword", i}
			}
			if i%2 == 1 {
				inv.Tags, inv.Best = map[string]int{"fire": i}, &Slot{"gold", i}
			}
			b.NewWith(pos, h, inv)
		default:
			v := int64(i) - 50
			c.NewWith(h, &Numbers{int8(v), int16(v), int32(v), v << 50, uint8(i), uint16(i), uint32(i), uint64(i) << 58, float32(v) / 10, float64(v) / 10, [3]int32{int32(i), 1, 2}}, &Title{fmt.Sprint("Thing ", i)})
		}
	}
	return &w, archeworld.New(&w)
}

// hps runs a query and gives the Health.HP of the matches, -1 for none. An
// engine that keeps a pointer for each value must give the same.
func hps(tb testing.TB, w ecs.World, q query.Query) map[int]bool {
	tb.Helper()
	found := matches(tb, w, q)
	if boxed := matches(tb, ecstest.Boxed(w), q); !maps.Equal(found, boxed) {
		tb.Errorf("%+v finds %v in columns and %v in boxes", q, found, boxed)
	}
	return found
}

func matches(tb testing.TB, w ecs.World, q query.Query) map[int]bool {
	tb.Helper()
	p, err := query.Compile(w.Catalog(), q)
	if err != nil {
		tb.Fatalf("%+v: %v", q, err)
	}
	comp, err := w.Catalog().Component("Health")
	if err != nil {
		tb.Fatal(err)
	}
	out, n := map[int]bool{}, 0
	p.Each(w, func(c ecs.Chunk, rows []int32) bool {
		last := int32(-1)
		for _, r := range rows {
			if r <= last {
				tb.Fatalf("%+v: rows are not ascending: %v", q, rows)
			}
			last = r
			n++
			if col, ok := c.Column(comp.ID); ok {
				out[(*Health)(col.At(int(r))).HP] = true
			} else {
				out[-1] = true
			}
		}
		return true
	})
	if count := p.Count(w); count != n {
		tb.Fatalf("%+v: Count is %d, Each visits %d", q, count, n)
	}
	if m, err := p.Rows(w, func(ecs.Chunk, []int32) bool { return false }); m != n || err != nil {
		tb.Fatalf("%+v: Rows counts %d (%v), Each visits %d", q, m, err, n)
	}
	ex, err := p.Explain(w)
	if err != nil || ex.Matched != n || (n == 0) != (ex.Why != "") {
		tb.Fatalf("%+v: Explain counts %d (%v, %q), Each visits %d", q, ex.Matched, err, ex.Why, n)
	}
	return out
}

func unsafeSlice[T any](p unsafe.Pointer, n int) []T { return unsafe.Slice((*T)(p), n) }
