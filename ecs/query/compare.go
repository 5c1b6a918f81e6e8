package query

import (
	"go/ast"
	"go/constant"
	"go/token"
	"math"
	"math/big"
	"strconv"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

var mirrored = map[token.Token]token.Token{
	token.EQL: token.EQL, token.NEQ: token.NEQ,
	token.LSS: token.GTR, token.LEQ: token.GEQ, token.GTR: token.LSS, token.GEQ: token.LEQ,
}

func (c *compiler) compare(e *ast.BinaryExpr, x, y operand) operand {
	op := e.Op
	if x.class == classNil || x.class == classConst && y.class != classNil {
		x, y, op = y, x, mirrored[op]
	}
	out := operand{class: classBool, node: e, slow: x.slow || y.slow, need: x.need.atLeast(y.need)}
	equality := op == token.EQL || op == token.NEQ
	switch {
	case y.class == classNil:
		if !equality {
			c.fail(e, "", "nil can be compared with == and != only")
		}
		out.pred = c.compareNil(x, op == token.EQL)
	case x.class == classConst && y.class == classConst:
		xn, yn := x.number(), y.number()
		if !xn && x.val.Kind() != y.val.Kind() || xn != yn || x.val.Kind() == constant.Bool && !equality {
			c.mismatch(e, x, y)
		}
		return operand{class: classConst, node: e, val: constant.MakeBool(constant.Compare(x.val, op, y.val))}
	case x.class == classBool:
		c.compareBool(e, op, x, y, &out)
	case x.class == classEntity && (y.class == classEntity || y.class == classConst):
		c.compareEntity(e, op, x, y, &out)
	case y.class == classConst && y.val.Kind() == constant.String && len(x.enum) > 0:
		value, ok := c.label(x, y)
		if x.class == classString {
			if !ok {
				c.unknownLabel(x, y)
			}
			out.pred = c.stringConst(op, x, &out, constant.StringVal(y.val))
			break
		}
		if !ok {
			c.unknownLabel(x, y)
		}
		y.val = constant.MakeInt64(value)
		out.pred = c.numberConst(e, op, x, y, &out)
	case x.class == classString && y.class == classConst && y.val.Kind() == constant.String:
		out.pred = c.stringConst(op, x, &out, constant.StringVal(y.val))
	case x.class == classString && y.class == classString:
		reg := out.take(&out.need.strs, 2)
		out.pred = compareVec(op, x.strs, y.strs, func(st *state, i int) *[blockLen]string { return &st.strs[reg+i] }, x.partial || y.partial)
	case x.number() && y.class == classConst && y.number():
		out.pred = c.numberConst(e, op, x, y, &out)
	case x.number() && y.number():
		out.pred = c.numbers(e, op, x, y, &out)
	default:
		c.mismatch(e, x, y)
	}
	return out
}

// take reserves n registers and returns the first.
func (o *operand) take(counter *int, n int) int {
	first := *counter
	*counter += n
	return first
}

func (c *clause) mismatch(e *ast.BinaryExpr, x, y operand) {
	hint := ""
	switch {
	case x.class == classEntity || y.class == classEntity:
		hint = `compare with an entity in quotes ("42v3") or with nil`
	case x.class == classOther || y.class == classOther:
		hint = "name a field inside it, or use len(x) or x == nil"
	case x.number() && y.class == classConst && y.val.Kind() == constant.String:
		hint = "numbers are written without quotes"
		if x.what == "time.Duration" {
			hint = "a duration is a number of nanoseconds: 1.5 seconds are 1500000000"
		}
	case x.class == classString:
		hint = "text goes in double quotes"
	}
	c.fail(e, hint, "%s (%s) cannot be compared with %s (%s)", c.text(x.node), x.describe(), c.text(y.node), y.describe())
}

// label finds the value behind a label, also for text with an enum of its own.
func (c *clause) label(x, y operand) (int64, bool) {
	want := constant.StringVal(y.val)
	for _, l := range x.enum {
		if l.Name == want {
			return l.Value, true
		}
	}
	return 0, false
}

func (c *clause) unknownLabel(x, y operand) {
	names := make([]string, len(x.enum))
	for i, l := range x.enum {
		names[i] = l.Name
	}
	got := constant.StringVal(y.val)
	c.failAt(c.offset(y.node.Pos()), &refusal.Error{Code: refusal.InvalidArguments,
		Message: c.text(x.node) + " has no label " + strconv.Quote(got), Got: got,
		Want: "a label of " + x.what, Options: refusal.Nearest(got, names), Total: len(names)})
}

func (c *compiler) compareBool(e *ast.BinaryExpr, op token.Token, x, y operand, out *operand) {
	if op != token.EQL && op != token.NEQ {
		c.fail(e, "", "conditions can be compared with == and != only")
	}
	switch {
	case y.class == classConst && y.val.Kind() == constant.Bool:
		want := constant.BoolVal(y.val) == (op == token.EQL)
		switch {
		case x.leaf != nil:
			out.pred = boolLeaf(*x.leaf, want)
		case x.row != nil:
			out.pred = boolRow(*x.row, want)
		case want:
			out.pred = x.pred
		default:
			out.pred = not(x.pred, out.take(&out.need.sels, 1))
		}
	case y.class == classBool:
		same := sameTruth(x.pred, y.pred, out.need.sels)
		out.need.sels += 3
		if out.pred = same; op == token.NEQ {
			out.pred = not(same, out.take(&out.need.sels, 1))
		}
	default:
		c.mismatch(e, x, y)
	}
}

func (c *compiler) compareEntity(e *ast.BinaryExpr, op token.Token, x, y operand, out *operand) {
	if op != token.EQL && op != token.NEQ {
		c.fail(e, "", "entities can be compared with == and != only")
	}
	if y.class == classEntity {
		reg := out.take(&out.need.ints, 2)
		out.pred = compareVec(op, x.ints, y.ints, func(st *state, i int) *[blockLen]int64 { return &st.ints[reg+i] }, x.partial || y.partial)
		return
	}
	if y.val.Kind() != constant.String {
		c.mismatch(e, x, y)
	}
	ent, full, err := ecs.ParseEntity(constant.StringVal(y.val))
	if err != nil {
		c.failErr(y.node, err)
	}
	if !full {
		c.fail(y.node, "the bare slot number may name another entity by now", `%s lacks the generation: write "42v3"`, c.text(y.node))
	}
	out.pred = c.inRange(x, wordRange(entityBits(ent), op), out)
}

// wordRange is the range for == and != of one 64-bit pattern.
func wordRange(bits int64, op token.Token) intRange {
	r := intRange{lo: uint64(bits)}
	if op == token.NEQ {
		return r.not()
	}
	return r
}

func (c *compiler) stringConst(op token.Token, x operand, out *operand, want string) predicate {
	if x.leaf != nil && (op == token.EQL || op == token.NEQ) {
		return stringLeaf(*x.leaf, want, op == token.EQL)
	}
	reg := out.take(&out.need.strs, 1)
	return compareConst(op, x.strs, want, func(st *state) *[blockLen]string { return &st.strs[reg] }, x.partial)
}

// numberConst compares an expression with a constant, exactly: an integer is
// never rounded to a float64 for it.
func (c *compiler) numberConst(e *ast.BinaryExpr, op token.Token, x, y operand, out *operand) predicate {
	if x.class == classFloat {
		f, _ := constant.Float64Val(y.val)
		if math.IsInf(f, 0) {
			c.fail(y.node, "write isinf(x) to find infinities", "%s overflows float64", c.text(y.node))
		}
		if x.float32 {
			if g, _ := constant.Float32Val(y.val); !math.IsInf(float64(g), 0) {
				f = float64(g)
			}
		}
		if x.leaf != nil {
			return floatLeafConst(*x.leaf, op, f)
		}
		reg := out.take(&out.need.floats, 1)
		return compareConst(op, x.floats, f, func(st *state) *[blockLen]float64 { return &st.floats[reg] }, x.partial)
	}
	if x.intDiv && constant.ToInt(y.val).Kind() != constant.Int {
		c.failIntDiv(x)
	}
	return c.inRange(x, rangeOf(op, y.val, x.class == classUint), out)
}

// inRange tests an integer expression.
func (c *compiler) inRange(x operand, r intRange, out *operand) predicate {
	if x.leaf != nil {
		return intLeafRange(*x.leaf, r)
	}
	reg := out.take(&out.need.ints, 1)
	return rangeVec(x.ints, reg, r, x.partial)
}

func (c *clause) failIntDiv(x operand) {
	c.fail(x.node, "write float(a)/b to divide with fractions",
		"%s divides integers, which drops the fraction as in Go, and then meets a fraction", c.text(x.node))
}

func (c *compiler) numbers(e *ast.BinaryExpr, op token.Token, x, y operand, out *operand) predicate {
	partial := x.partial || y.partial
	if x.class == classFloat || y.class == classFloat {
		for _, o := range []operand{x, y} {
			if o.intDiv {
				c.failIntDiv(o)
			}
		}
		x, y = c.toFloat(x), c.toFloat(y)
		out.need = x.need.atLeast(y.need)
		reg := out.take(&out.need.floats, 2)
		return compareVec(op, x.floats, y.floats, func(st *state, i int) *[blockLen]float64 { return &st.floats[reg+i] }, partial)
	}
	reg := out.take(&out.need.ints, 2)
	regs := func(st *state, i int) *[blockLen]int64 { return &st.ints[reg+i] }
	switch {
	case x.class == y.class && x.class == classInt:
		return compareVec(op, x.ints, y.ints, regs, partial)
	case x.class == y.class:
		return compareVec(op, flipSign(x.ints), flipSign(y.ints), regs, partial)
	case x.class == classUint:
		return compareMixed(mirrored[op], y.ints, x.ints, regs, partial)
	}
	return compareMixed(op, x.ints, y.ints, regs, partial)
}

// intRange is the set of 64-bit integers x with uint64(x)-lo <= span, in
// modular arithmetic: every comparison of an integer with a constant, signed
// or not and negated or not, is one of these.
type intRange struct {
	lo, span uint64
	empty    bool
}

var everything = intRange{span: math.MaxUint64}

func (r intRange) not() intRange {
	switch {
	case r.empty:
		return everything
	case r.span == math.MaxUint64:
		return intRange{empty: true}
	}
	// From the successor of the last to the predecessor of the first.
	return intRange{lo: r.lo + r.span + 1, span: math.MaxUint64 - r.span - 1}
}

// rangeOf gives the integers x for which "x op v" holds.
func rangeOf(op token.Token, v constant.Value, unsigned bool) intRange {
	lowest, highest := big.NewInt(math.MinInt64), big.NewInt(math.MaxInt64)
	if unsigned {
		lowest, highest = new(big.Int), new(big.Int).SetUint64(math.MaxUint64)
	}
	floor, exact := floorOf(v)
	if op == token.NEQ {
		return rangeOf(token.EQL, v, unsigned).not()
	}
	lo, hi := lowest, highest
	one := big.NewInt(1)
	switch op {
	case token.LSS:
		if hi = floor; exact {
			hi = new(big.Int).Sub(floor, one)
		}
	case token.LEQ:
		hi = floor
	case token.GTR:
		lo = new(big.Int).Add(floor, one)
	case token.GEQ:
		if lo = floor; !exact {
			lo = new(big.Int).Add(floor, one)
		}
	case token.EQL:
		if lo, hi = floor, floor; !exact {
			return intRange{empty: true}
		}
	}
	if lo.Cmp(lowest) < 0 {
		lo = lowest
	}
	if hi.Cmp(highest) > 0 {
		hi = highest
	}
	if lo.Cmp(hi) > 0 {
		return intRange{empty: true}
	}
	bits := func(b *big.Int) uint64 {
		if b.Sign() < 0 {
			return uint64(b.Int64())
		}
		return b.Uint64()
	}
	return intRange{lo: bits(lo), span: bits(hi) - bits(lo)}
}

// floorOf rounds a constant down; what lies beyond every integer type is cut
// to a number that does so too.
func floorOf(v constant.Value) (floor *big.Int, exact bool) {
	beyond := new(big.Int).Lsh(big.NewInt(1), 70)
	if f, _ := constant.Float64Val(v); f > 1e20 || f < -1e20 {
		if f < 0 {
			beyond.Neg(beyond)
		}
		return beyond, true
	}
	if i := constant.ToInt(v); i.Kind() == constant.Int {
		v = i
	}
	switch x := constant.Val(v).(type) {
	case int64:
		return big.NewInt(x), true
	case *big.Int:
		return x, true
	case *big.Rat:
		return new(big.Int).Div(x.Num(), x.Denom()), false
	case *big.Float:
		i, _ := x.Int(nil)
		if x.Sign() < 0 {
			i.Sub(i, big.NewInt(1))
		}
		return i, false
	}
	return beyond, true
}
