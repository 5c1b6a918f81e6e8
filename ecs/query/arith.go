package query

import (
	"go/ast"
	"go/constant"
	"go/token"
	"math"
	"math/bits"
)

// arithmetic follows Go, with three differences that suit a question asked of
// data: integers up to 32 bits are computed in 64, an int meets a float64
// without a conversion, and a division by zero never panics.
func (c *compiler) arithmetic(e ast.Expr, op token.Token, x, y operand) operand {
	if x.class == classConst && y.class == classConst {
		return c.fold(e, op, x, y)
	}
	isFloat := x.class == classFloat || y.class == classFloat ||
		x.class == classConst && x.val.Kind() == constant.Float || y.class == classConst && y.val.Kind() == constant.Float
	out := operand{node: e, partial: x.partial || y.partial, slow: x.slow || y.slow}
	if isFloat {
		switch op {
		case token.ADD, token.SUB, token.MUL, token.QUO:
		default:
			c.fail(e, "convert with int(x)", "%s wants integers", op)
		}
		for _, o := range []operand{x, y} {
			if o.intDiv {
				c.failIntDiv(o)
			}
		}
		out.class, out.what = classFloat, "float64"
		x = c.toFloat(x)
		if y.class == classConst {
			out.need, out.floats = x.need, floatConstOp(op, x.floats, c.floatConst(y))
			return out
		}
		y = c.toFloat(y)
		reg := y.need.floats
		out.need = x.need.atLeast(y.need)
		out.need.floats = max(out.need.floats, reg+1)
		out.floats = floatOp(op, x.floats, y.floats, reg)
		return out
	}
	out.class, out.what = classInt, "int"
	if (x.class == classUint || x.class == classConst && constant.Sign(x.val) >= 0) &&
		(y.class == classUint || y.class == classConst && constant.Sign(y.val) >= 0) {
		out.class, out.what = classUint, "uint64"
	}
	unsigned := out.class == classUint
	out.intDiv = op == token.QUO || x.intDiv || y.intDiv
	if x.class == classConst {
		k := c.intConst(x, unsigned)
		x = operand{ints: func(_ *state, s *selection, dst *[blockLen]int64) {
			for i := range s.n {
				dst[i&blockMask] = k
			}
		}}
	}
	if y.class == classConst {
		k := c.intConst(y, unsigned)
		if k == 0 && (op == token.QUO || op == token.REM) {
			c.fail(y.node, "", "division by zero")
		}
		out.need, out.ints = x.need, intConstOp(op, x.ints, k, unsigned)
		return out
	}
	if op == token.QUO || op == token.REM {
		out.partial = true
	}
	reg := y.need.ints
	out.need = x.need.atLeast(y.need)
	out.need.ints = max(out.need.ints, reg+1)
	out.ints = intOp(op, x.ints, y.ints, reg, unsigned)
	return out
}

// fold computes with constants, exactly.
func (c *clause) fold(e ast.Expr, op token.Token, x, y operand) operand {
	bothInt := x.val.Kind() == constant.Int && y.val.Kind() == constant.Int
	switch op {
	case token.QUO, token.REM:
		if constant.Sign(y.val) == 0 {
			c.fail(y.node, "", "division by zero")
		}
		if op == token.QUO && bothInt {
			op = token.QUO_ASSIGN // integer division
		}
	}
	if !bothInt && (op == token.REM || op == token.AND || op == token.OR || op == token.XOR || op == token.AND_NOT) {
		c.fail(e, "", "%s wants integers", op)
	}
	v := constant.BinaryOp(x.val, op, y.val)
	if v.Kind() == constant.Unknown {
		c.fail(e, "", "%s overflows", c.text(e))
	}
	return operand{class: classConst, node: e, val: v}
}

func (c *clause) intConst(o operand, unsigned bool) int64 {
	v := constant.ToInt(o.val)
	if unsigned {
		if u, ok := constant.Uint64Val(v); ok {
			return int64(u)
		}
	} else if i, ok := constant.Int64Val(v); ok {
		return i
	}
	c.fail(o.node, "", "%s does not fit into 64 bits", c.text(o.node))
	return 0
}

func (c *clause) floatConst(o operand) float64 {
	f, _ := constant.Float64Val(o.val)
	if math.IsInf(f, 0) {
		c.fail(o.node, "", "%s overflows float64", c.text(o.node))
	}
	return f
}

// toFloat gives a number a float64 vector.
func (c *compiler) toFloat(o operand) operand {
	switch o.class {
	case classFloat:
		return o
	case classConst:
		f := c.floatConst(o)
		o.floats = func(_ *state, s *selection, dst *[blockLen]float64) {
			for i := range s.n {
				dst[i&blockMask] = f
			}
		}
	default:
		ints, unsigned, reg := o.ints, o.class == classUint, o.need.ints
		o.need.ints++
		o.floats = func(st *state, s *selection, dst *[blockLen]float64) {
			src := &st.ints[reg]
			ints(st, s, src)
			if unsigned {
				for i := range s.n {
					dst[i&blockMask] = float64(uint64(src[i&blockMask]))
				}
				return
			}
			for i := range s.n {
				dst[i&blockMask] = float64(src[i&blockMask])
			}
		}
	}
	o.class, o.what, o.leaf, o.row, o.ints, o.intDiv, o.float32 = classFloat, "float64", nil, nil, nil, false, false
	return o
}

// sums adds, subtracts or multiplies two vectors; false for another operator.
func sums[T int64 | float64](op token.Token, dst, src *[blockLen]T, n int) bool {
	switch op {
	case token.ADD:
		for i := range n {
			dst[i&blockMask] += src[i&blockMask]
		}
	case token.SUB:
		for i := range n {
			dst[i&blockMask] -= src[i&blockMask]
		}
	case token.MUL:
		for i := range n {
			dst[i&blockMask] *= src[i&blockMask]
		}
	default:
		return false
	}
	return true
}

// sumsConst is sums with the same number for every row.
func sumsConst[T int64 | float64](op token.Token, dst *[blockLen]T, k T, n int) bool {
	switch op {
	case token.ADD:
		for i := range n {
			dst[i&blockMask] += k
		}
	case token.SUB:
		for i := range n {
			dst[i&blockMask] -= k
		}
	case token.MUL:
		for i := range n {
			dst[i&blockMask] *= k
		}
	default:
		return false
	}
	return true
}

func floatOp(op token.Token, x, y floatVec, reg int) floatVec {
	return func(st *state, s *selection, dst *[blockLen]float64) {
		src := &st.floats[reg]
		x(st, s, dst)
		y(st, s, src)
		if !sums(op, dst, src, s.n) {
			for i := range s.n {
				dst[i&blockMask] /= src[i&blockMask]
			}
		}
	}
}

func floatConstOp(op token.Token, x floatVec, k float64) floatVec {
	return func(st *state, s *selection, dst *[blockLen]float64) {
		x(st, s, dst)
		if !sumsConst(op, dst, k, s.n) {
			for i := range s.n {
				dst[i&blockMask] /= k
			}
		}
	}
}

func intOp(op token.Token, x, y intVec, reg int, unsigned bool) intVec {
	return func(st *state, s *selection, dst *[blockLen]int64) {
		src := &st.ints[reg]
		x(st, s, dst)
		y(st, s, src)
		n := s.n
		if sums(op, dst, src, n) {
			return
		}
		switch op {
		case token.AND:
			for i := range n {
				dst[i&blockMask] &= src[i&blockMask]
			}
		case token.OR:
			for i := range n {
				dst[i&blockMask] |= src[i&blockMask]
			}
		case token.XOR:
			for i := range n {
				dst[i&blockMask] ^= src[i&blockMask]
			}
		case token.AND_NOT:
			for i := range n {
				dst[i&blockMask] &^= src[i&blockMask]
			}
		case token.QUO, token.REM:
			for i := range n {
				d := src[i]
				if d == 0 {
					dst[i] = 0
					st.setBad(i)
					continue
				}
				dst[i] = divide(op, dst[i], d, unsigned)
			}
		}
	}
}

func divide(op token.Token, x, d int64, unsigned bool) int64 {
	switch {
	case op == token.QUO && unsigned:
		return int64(uint64(x) / uint64(d))
	case op == token.QUO:
		return x / d
	case unsigned:
		return int64(uint64(x) % uint64(d))
	}
	return x % d
}

func intConstOp(op token.Token, x intVec, k int64, unsigned bool) intVec {
	return func(st *state, s *selection, dst *[blockLen]int64) {
		x(st, s, dst)
		n := s.n
		if sumsConst(op, dst, k, n) {
			return
		}
		switch op {
		case token.AND:
			for i := range n {
				dst[i&blockMask] &= k
			}
		case token.OR:
			for i := range n {
				dst[i&blockMask] |= k
			}
		case token.XOR:
			for i := range n {
				dst[i&blockMask] ^= k
			}
		case token.AND_NOT:
			for i := range n {
				dst[i&blockMask] &^= k
			}
		case token.QUO:
			if unsigned {
				for i := range n {
					dst[i&blockMask] = int64(uint64(dst[i&blockMask]) / uint64(k))
				}
				return
			}
			if k&(k-1) == 0 && k > 0 {
				// A power of two: shift, with the correction that rounds towards zero.
				shift, low := bits.TrailingZeros64(uint64(k)), k-1
				for i := range n {
					x := dst[i&blockMask]
					dst[i&blockMask] = (x + x>>63&low) >> (shift & 63)
				}
				return
			}
			for i := range n {
				dst[i&blockMask] /= k
			}
		case token.REM:
			for i := range n {
				dst[i&blockMask] = divide(op, dst[i&blockMask], k, unsigned)
			}
		}
	}
}

// flipSign makes unsigned numbers compare rightly as signed ones.
func flipSign(x intVec) intVec {
	return func(st *state, s *selection, dst *[blockLen]int64) {
		x(st, s, dst)
		for i := range s.n {
			dst[i&blockMask] ^= math.MinInt64
		}
	}
}
