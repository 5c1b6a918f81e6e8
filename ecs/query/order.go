package query

import (
	"cmp"
	"container/heap"
	"go/constant"
	"math"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
)

// Order sorts matches by a value. Compile once, run on the frame goroutine.
type Order struct {
	// Descending: the greatest value first.
	Descending bool
	text       string
	cat        *ecs.Catalog
	used       []usedType
	prog       program
	nanLast    bool // keys are floats
	key        func(st *state, s *selection, out []Key)
}

// Key is the value that a row is sorted by, in a form that cursors can hold.
// Keys of one Order compare with each other.
type Key struct {
	// None: the row has no such value; such rows come last in either order.
	None bool   `json:"x,omitempty"`
	Num  uint64 `json:"n,omitempty"` // numbers, in an encoding that keeps their order
	Str  string `json:"s,omitempty"`
}

// After is where a sorted page ended.
type After struct {
	Key    Key        `json:"k"`
	Entity ecs.Entity `json:"e"`
}

// Ranked is a match with its rank's key.
type Ranked struct {
	After
	Row   int
	chunk ecs.Chunk
}

// Chunk is where the match is; valid until the next structural change.
func (r *Ranked) Chunk() ecs.Chunk { return r.chunk }

// CompileOrder checks a sort argument: a field path or an expression over
// several, with a minus sign in front for the greatest first. NaN comes after
// every number; entities without the value come last in either order.
func CompileOrder(cat *ecs.Catalog, text string) (*Order, error) {
	o := &Order{text: text, cat: cat}
	src := strings.TrimSpace(flat(text))
	if rest, ok := strings.CutPrefix(src, "-"); ok {
		o.Descending, src = true, strings.TrimSpace(rest)
	}
	c := &compiler{clause: newClause("sort", src), cat: cat, allOptional: true}
	err := c.catch(func() error {
		expr, err := c.parse()
		if err != nil {
			return err
		}
		x := c.expr(expr)
		c.prog.regs = x.need
		o.key, o.nanLast = c.keys(x), x.class == classFloat
		return nil
	})
	if err != nil {
		return nil, err
	}
	o.prog = c.prog
	for _, s := range o.prog.columns {
		o.used = append(o.used, usedType{s, s.typ(cat)})
	}
	return o, nil
}

// keys makes the kernel that gives the key of every selected row.
func (c *compiler) keys(x operand) func(*state, *selection, []Key) {
	switch x.class {
	case classInt, classUint, classEntity:
		reg, flip := c.prog.regs.ints, uint64(1)<<63
		c.prog.regs.ints++
		if x.class != classInt {
			flip = 0
		}
		entity := x.class == classEntity
		return func(st *state, s *selection, out []Key) {
			st.clearBad(s.n)
			v := &st.ints[reg]
			x.ints(st, s, v)
			for k := range out {
				out[k] = Key{Num: uint64(v[k&blockMask]) ^ flip}
			}
			if entity {
				for k := range out {
					e := bitsEntity(v[k])
					out[k].Num = uint64(e.ID)<<32 | uint64(e.Gen)
				}
			}
			st.markNone(out)
		}
	case classFloat:
		reg := c.prog.regs.floats
		c.prog.regs.floats++
		return func(st *state, s *selection, out []Key) {
			st.clearBad(s.n)
			v := &st.floats[reg]
			x.floats(st, s, v)
			for k := range out {
				out[k] = Key{Num: floatOrder(v[k&blockMask])}
			}
			st.markNone(out)
		}
	case classString:
		reg := c.prog.regs.strs
		c.prog.regs.strs++
		return func(st *state, s *selection, out []Key) {
			st.clearBad(s.n)
			v := &st.strs[reg]
			x.strs(st, s, v)
			for k := range out {
				out[k] = Key{Str: v[k&blockMask]}
			}
			st.markNone(out)
		}
	case classBool:
		slot := c.prog.regs.sels
		c.prog.regs.sels++
		return func(st *state, s *selection, out []Key) {
			t := &st.sels[slot]
			t.copyFrom(s)
			x.pred(st, t)
			yes := t.rows()
			for k, row := range s.rows() {
				out[k] = Key{}
				if len(yes) > 0 && yes[0] == row {
					out[k].Num, yes = 1, yes[1:]
				}
			}
		}
	case classConst:
		if x.val.Kind() != constant.Unknown {
			c.fail(x.node, "name a field path, for instance Health.HP", "%s is the same for every entity", c.text(x.node))
		}
	}
	c.fail(x.node, "sort by numbers, text, labels, bools or entities, or by len(x)", "%s is %s, which has no order", c.text(x.node), x.describe())
	return nil
}

// markNone tells the rows without a value.
func (st *state) markNone(out []Key) {
	if !st.anyBad {
		return
	}
	for k := range out {
		if st.bad[k] {
			out[k] = Key{None: true}
		}
	}
}

// floatOrder maps floats to integers of the same order; -0 equals 0 and NaN
// comes last.
func floatOrder(f float64) uint64 {
	if f != f {
		return math.MaxUint64
	}
	if f == 0 {
		f = 0
	}
	b := math.Float64bits(f)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// compare ranks a against b: negative if a comes first.
func (o *Order) compare(a, b *After) int {
	if a.Key.None != b.Key.None {
		if a.Key.None {
			return 1
		}
		return -1
	}
	d := cmp.Compare(a.Key.Num, b.Key.Num)
	if d == 0 {
		d = cmp.Compare(a.Key.Str, b.Key.Str)
	}
	if d != 0 {
		if o.Descending && !(o.nanLast && (a.Key.Num == math.MaxUint64 || b.Key.Num == math.MaxUint64)) {
			return -d
		}
		return d
	}
	if d = cmp.Compare(a.Entity.ID, b.Entity.ID); d == 0 {
		d = cmp.Compare(a.Entity.Gen, b.Entity.Gen)
	}
	return d
}

// Bind returns an order that fits w: o, or o compiled anew.
func (o *Order) Bind(w ecs.World) (*Order, error) {
	cat := w.Catalog()
	if cat == o.cat {
		return o, nil
	}
	if !fits(cat, o.used) {
		return CompileOrder(cat, o.text)
	}
	return o, nil
}

// worst is a heap whose root is the last of the rows kept so far.
type worst struct {
	o    *Order
	rows []Ranked
}

func (h *worst) Len() int           { return len(h.rows) }
func (h *worst) Less(i, j int) bool { return h.o.compare(&h.rows[i].After, &h.rows[j].After) > 0 }
func (h *worst) Swap(i, j int)      { h.rows[i], h.rows[j] = h.rows[j], h.rows[i] }
func (h *worst) Push(x any)         { h.rows = append(h.rows, x.(Ranked)) }
func (h *worst) Pop() any {
	x := h.rows[len(h.rows)-1]
	h.rows = h.rows[:len(h.rows)-1]
	return x
}

// Top returns the first k matches in the order, after a position if one is
// given, and how many match in all. It keeps k rows, whatever the matches. On
// the frame goroutine.
func (p *Plan) Top(w ecs.World, o *Order, k int, after *After) (top []Ranked, matched int, err error) {
	if o, err = o.Bind(w); err != nil {
		return nil, 0, err
	}
	if p, err = p.Bind(w); err != nil {
		return nil, 0, err
	}
	st := newState(&o.prog)
	st.begin(&o.prog, w, nil)
	var keys [blockLen]Key
	h := &worst{o: o, rows: make([]Ranked, 0, min(k, 1024))}
	p.Each(w, func(c ecs.Chunk, rows []int32) bool {
		matched += len(rows)
		st.enterColumns(&o.prog, c)
		st.sel.set(rows)
		o.key(st, &st.sel, keys[:len(rows)])
		for i, row := range rows {
			full := len(h.rows) >= k
			if full && (k == 0 || o.beyond(&keys[i], &h.rows[0].Key)) {
				continue
			}
			r := Ranked{After: After{Key: keys[i]}, Row: int(row), chunk: c}
			r.Entity = c.Entity(int(row))
			if after != nil && o.compare(&r.After, after) <= 0 {
				continue
			}
			switch {
			case !full:
				heap.Push(h, r)
			case o.compare(&r.After, &h.rows[0].After) < 0:
				h.rows[0] = r
				heap.Fix(h, 0)
			}
		}
		return true
	})
	slices.SortFunc(h.rows, func(a, b Ranked) int { return o.compare(&a.After, &b.After) })
	return h.rows, matched, nil
}

// beyond reports whether key a ranks after b whatever the entities are.
func (o *Order) beyond(a, b *Key) bool {
	nan := o.nanLast && (a.Num == math.MaxUint64 || b.Num == math.MaxUint64)
	if !a.None && !b.None && a.Num != b.Num && !nan {
		return a.Num > b.Num != o.Descending
	}
	return o.beyondSlow(a, b)
}

func (o *Order) beyondSlow(a, b *Key) bool {
	return o.compare(&After{Key: *a}, &After{Key: *b}) > 0
}
