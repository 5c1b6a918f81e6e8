package query_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/query"
)

// Number stands in every row, and tells by ID which it is.
type Number struct {
	ID  int
	I   int
	I8  int8
	I64 int64
	U8  uint8
	U64 uint64
	F   float64
	G   float32
	B   bool
	S   string
	K   Kind
}

// Extra stands in some rows.
type Extra struct {
	N int
	X float64
	P *int
	L []int
	T map[string]int
}

// row is what the oracle knows of an entity.
type row struct {
	Number
	extra *Extra
}

// sizes of archetypes: around the 1024 rows of a block, and beyond the second.
var sizes = []int{1, 1023, 1024, 1025, 2050, 3073}

func oracleWorld(r *rand.Rand) (ecs.World, []row) {
	w := arche.NewWorld()
	number := generic.NewMap1[Number](&w)
	both := generic.NewMap2[Number, Extra](&w)
	tagged := generic.NewMap3[Number, Extra, Player](&w)
	titled := generic.NewMap2[Number, Title](&w)
	var rows []row
	for part, size := range sizes {
		for range size {
			n := Number{ID: len(rows), I: r.IntN(21) - 10, I8: int8(r.IntN(256)), I64: pick(r, int64(r.IntN(5)), math.MaxInt64, math.MinInt64, 1<<53+1),
				U8: uint8(r.IntN(256)), U64: pick(r, uint64(r.IntN(5)), math.MaxUint64, 1<<63, 1<<53+1), F: float64(r.IntN(17)-8) / 4, G: float32(r.IntN(9)-4) / 10,
				B: r.IntN(2) == 0, S: pick(r, "", "a", "ab", "b"), K: Kind(r.IntN(3))}
			if r.IntN(40) == 0 {
				n.F = pick(r, math.NaN(), math.Inf(1), math.Inf(-1))
			}
			x := &Extra{N: r.IntN(7) - 3, X: float64(r.IntN(9)) / 2}
			for range r.IntN(3) {
				x.L = append(x.L, r.IntN(5))
			}
			if r.IntN(2) == 0 {
				x.P, x.T = new(int), map[string]int{"k": r.IntN(4)}
				*x.P = r.IntN(4)
			}
			switch part % 4 {
			case 0:
				number.NewWith(&n)
				x = nil
			case 1:
				both.NewWith(&n, x)
			case 2:
				tagged.NewWith(&n, x, &Player{})
			default:
				titled.NewWith(&n, &Title{})
				x = nil
			}
			rows = append(rows, row{n, x})
		}
	}
	return archeworld.New(&w), rows
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// The oracle computes an expression for a row; false: it cannot be computed.
type (
	intOf   func(*row) (int64, bool)
	floatOf func(*row) (float64, bool)
	truth   func(*row) bool
)

type oracle struct{ r *rand.Rand }

func (o *oracle) ints(d int) (string, intOf) {
	if d == 0 || o.r.IntN(3) == 0 {
		return o.intLeaf()
	}
	a, fa := o.ints(d - 1)
	b, fb := o.ints(d - 1)
	op := pick(o.r, "+", "-", "*", "/", "%", "&", "|", "^", "&^")
	if o.r.IntN(3) == 0 {
		k := int64(o.r.IntN(7) - 3)
		if k == 0 && (op == "/" || op == "%") {
			k = 3
		}
		b, fb = fmt.Sprintf("(%d)", k), func(*row) (int64, bool) { return k, true }
	}
	return fmt.Sprintf("(%s %s %s)", a, op, b), func(r *row) (int64, bool) {
		x, ok1 := fa(r)
		y, ok2 := fb(r)
		if !ok1 || !ok2 {
			return 0, false
		}
		switch op {
		case "+":
			return x + y, true
		case "-":
			return x - y, true
		case "*":
			return x * y, true
		case "/", "%":
			if y == 0 {
				return 0, false
			}
			if y == -1 {
				if op == "/" {
					return -x, true
				}
				return 0, true
			}
			if op == "/" {
				return x / y, true
			}
			return x % y, true
		case "&":
			return x & y, true
		case "|":
			return x | y, true
		case "^":
			return x ^ y, true
		}
		return x &^ y, true
	}
}

func (o *oracle) intLeaf() (string, intOf) {
	switch o.r.IntN(8) {
	case 0:
		return "Number.I8", func(r *row) (int64, bool) { return int64(r.I8), true }
	case 1:
		return "abs(Number.I)", func(r *row) (int64, bool) { return max(int64(r.I), -int64(r.I)), true }
	case 2:
		return "Number.I64", func(r *row) (int64, bool) { return r.I64, true }
	case 3, 4:
		switch o.r.IntN(5) {
		case 0:
			return "Extra.L[1]", func(r *row) (int64, bool) {
				if r.extra == nil || len(r.extra.L) < 2 {
					return 0, false
				}
				return int64(r.extra.L[1]), true
			}
		case 1:
			return `Extra.T["k"]`, func(r *row) (int64, bool) {
				if r.extra == nil || r.extra.T == nil {
					return 0, false
				}
				return int64(r.extra.T["k"]), true
			}
		case 2:
			return "len(Extra.L)", func(r *row) (int64, bool) {
				if r.extra == nil {
					return 0, false
				}
				return int64(len(r.extra.L)), true
			}
		}
		return "Extra.N", func(r *row) (int64, bool) {
			if r.extra == nil {
				return 0, false
			}
			return int64(r.extra.N), true
		}
	}
	return "Number.I", func(r *row) (int64, bool) { return int64(r.I), true }
}

func (o *oracle) floats(d int) (string, floatOf) {
	if d > 0 && o.r.IntN(3) > 0 {
		a, fa := o.floats(d - 1)
		b, fb := o.floats(d - 1)
		if o.r.IntN(3) == 0 {
			k := float64(o.r.IntN(9)-4) / 2
			b, fb = fmt.Sprintf("(%.1f)", k), func(*row) (float64, bool) { return k, true }
		}
		op := pick(o.r, "+", "-", "*", "/")
		return fmt.Sprintf("(%s %s %s)", a, op, b), func(r *row) (float64, bool) {
			x, ok1 := fa(r)
			y, ok2 := fb(r)
			switch op {
			case "+":
				x += y
			case "-":
				x -= y
			case "*":
				x *= y
			default:
				x /= y
			}
			return x, ok1 && ok2
		}
	}
	switch o.r.IntN(7) {
	case 0:
		return "Number.G", func(r *row) (float64, bool) { return float64(r.G), true }
	case 1:
		return "float(Number.I)", func(r *row) (float64, bool) { return float64(r.I), true }
	case 2:
		return "sqrt(Number.F)", func(r *row) (float64, bool) { return math.Sqrt(r.F), true }
	case 3:
		return "floor(Number.F)", func(r *row) (float64, bool) { return math.Floor(r.F), true }
	case 4:
		return "Extra.X", func(r *row) (float64, bool) {
			if r.extra == nil {
				return 0, false
			}
			return r.extra.X, true
		}
	}
	return "Number.F", func(r *row) (float64, bool) { return r.F, true }
}

func compared[T int64 | uint64 | float64 | float32 | string](op string, x, y T) bool {
	switch op {
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	case ">=":
		return x >= y
	case "==":
		return x == y
	}
	return x != y
}

func (o *oracle) compare() (string, truth) {
	op := pick(o.r, "<", "<=", ">", ">=", "==", "!=")
	switch o.r.IntN(12) {
	case 0, 1: // an integer with a constant, at the ends of its type as well
		a, f := o.ints(o.r.IntN(3))
		k := pick(o.r, int64(o.r.IntN(21)-10), -128, 127, math.MaxInt64, math.MinInt64, 1<<53+1)
		return fmt.Sprintf("%s %s %d", a, op, k), func(r *row) bool { x, ok := f(r); return ok && compared(op, x, k) }
	case 2: // with a fraction, which is exact
		k := float64(o.r.IntN(41)-20)/2 + 0.25
		return fmt.Sprintf("%v %s Number.I", k, op), func(r *row) bool { return compared(op, k, float64(r.I)) }
	case 3:
		a, f := o.ints(2)
		b, g := o.ints(2)
		return fmt.Sprintf("%s %s %s", a, op, b), func(r *row) bool { x, ok := f(r); y, ok2 := g(r); return ok && ok2 && compared(op, x, y) }
	case 4:
		k := pick(o.r, uint64(o.r.IntN(5)), math.MaxUint64, 1<<63, 1<<53+1, 255)
		if o.r.IntN(2) == 0 {
			return fmt.Sprintf("Number.U64 %s %d", op, k), func(r *row) bool { return compared(op, r.U64, k) }
		}
		return fmt.Sprintf("Number.U8 %s %d", op, k&511), func(r *row) bool { return compared(op, uint64(r.U8), k&511) }
	case 5, 6: // a float field with a bound that is met exactly
		k := float64(o.r.IntN(17)-8) / 4
		if o.r.IntN(2) == 0 {
			return fmt.Sprintf("Number.F %s %v", op, k), func(r *row) bool { return compared(op, r.F, k) }
		}
		k = float64(o.r.IntN(9)-4) / 10
		return fmt.Sprintf("Number.G %s %v", op, k), func(r *row) bool { return compared(op, r.G, float32(k)) }
	case 7:
		a, f := o.floats(2)
		b, g := o.floats(1)
		return fmt.Sprintf("%s %s %s", a, op, b), func(r *row) bool { x, ok := f(r); y, ok2 := g(r); return ok && ok2 && compared(op, x, y) }
	case 8:
		k := pick(o.r, "", "a", "ab", "c")
		return fmt.Sprintf("Number.S %s %q", op, k), func(r *row) bool { return compared(op, r.S, k) }
	case 9:
		k := o.r.IntN(3)
		return fmt.Sprintf("Number.K %s %q", op, Kind(k)), func(r *row) bool { return compared(op, int64(r.K), int64(k)) }
	case 10:
		return "Number.B", func(r *row) bool { return r.B }
	}
	if o.r.IntN(2) == 0 {
		return "Extra.P == nil", func(r *row) bool { return r.extra != nil && r.extra.P == nil }
	}
	return "Extra.P " + op + " 2", func(r *row) bool {
		return r.extra != nil && r.extra.P != nil && compared(op, int64(*r.extra.P), 2)
	}
}

func (o *oracle) condition(d int) (string, truth) {
	if d == 0 || o.r.IntN(4) == 0 {
		return o.compare()
	}
	a, f := o.condition(d - 1)
	switch o.r.IntN(7) {
	case 0:
		return "!(" + a + ")", func(r *row) bool { return !f(r) }
	case 1:
		return "has(Extra)", func(r *row) bool { return r.extra != nil }
	}
	b, g := o.condition(d - 1)
	switch o.r.IntN(5) {
	case 0, 1:
		return "(" + a + " && " + b + ")", func(r *row) bool { return f(r) && g(r) }
	case 2, 3: // the sides overlap: most rows meet both
		return "(" + a + " || " + b + ")", func(r *row) bool { return f(r) || g(r) }
	}
	return "((" + a + ") == (" + b + "))", func(r *row) bool { return f(r) == g(r) }
}

// Generated conditions find what Go finds, row by row, in several archetypes,
// of several blocks each.
func TestWhereAgainstAnOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	w, rows := oracleWorld(r)
	id, err := w.Catalog().Component("Number")
	if err != nil {
		t.Fatal(err)
	}
	n := 600
	if testing.Short() {
		n = 100
	}
	empty, direct, boxed := 0, w, ecstest.Boxed(w)
	for i := range n {
		if w = direct; i%2 == 1 {
			w = boxed
		}
		o := &oracle{r: r}
		where, want := o.condition(3)
		if len(where) > 900 {
			continue
		}
		p, err := query.Compile(w.Catalog(), query.Query{With: []string{"Number"}, Where: where})
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		required := strings.Contains(where, "Extra.") && !strings.Contains(where, "has(Extra)")
		got := make([]bool, len(rows))
		p.Each(w, func(c ecs.Chunk, list []int32) bool {
			col, _ := c.Column(id.ID)
			for _, i := range list {
				got[(*Number)(col.At(int(i))).ID] = true
			}
			return true
		})
		matched := 0
		for i := range rows {
			should := want(&rows[i]) && (rows[i].extra != nil || !required)
			if should {
				matched++
			}
			if got[i] != should {
				t.Errorf("%s: row %d is %v, want %v: %+v %+v", where, i, got[i], should, rows[i].Number, rows[i].extra)
				break
			}
		}
		if matched == 0 {
			empty++
		}
		if c := p.Count(w); c != matched {
			t.Errorf("%s: Count is %d, want %d", where, c, matched)
		}
		ex, err := p.Explain(w)
		if err != nil || ex.Matched != matched {
			t.Errorf("%s: Explain counts %d (%v), want %d", where, ex.Matched, err, matched)
		}
		if t.Failed() {
			return
		}
	}
	if empty > n/2 {
		t.Errorf("%d of %d conditions match nothing: they prove little", empty, n)
	}
}
