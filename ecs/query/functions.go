package query

import (
	"go/ast"
	"go/constant"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// function is one that where knows.
type function struct {
	args    []string
	compile func(c *compiler, e *ast.CallExpr) operand
}

var (
	functions     map[string]function
	functionNames []string
)

func init() { // a table that refers to functions that refer to the table
	functions = map[string]function{
		"has":       {[]string{"Component"}, (*compiler).has},
		"len":       {[]string{"x"}, (*compiler).length},
		"prev":      {[]string{"x"}, (*compiler).previous},
		"isnan":     {[]string{"x"}, floatTest(math.IsNaN)},
		"isinf":     {[]string{"x"}, floatTest(func(f float64) bool { return math.IsInf(f, 0) })},
		"abs":       {[]string{"x"}, (*compiler).abs},
		"sqrt":      {[]string{"x"}, floatFunc(math.Sqrt)},
		"floor":     {[]string{"x"}, floatFunc(math.Floor)},
		"float":     {[]string{"x"}, floatFunc(nil)},
		"float64":   {[]string{"x"}, floatFunc(nil)},
		"int":       {[]string{"x"}, (*compiler).toInt},
		"alive":     {[]string{"entity"}, (*compiler).alive},
		"contains":  {[]string{"text", `"part"`}, textTest(strings.Contains)},
		"hasPrefix": {[]string{"text", `"part"`}, textTest(strings.HasPrefix)},
		"hasSuffix": {[]string{"text", `"part"`}, textTest(strings.HasSuffix)},
	}
	functionNames = slices.Sorted(maps.Keys(functions))
}

func (c *compiler) has(e *ast.CallExpr) operand {
	col := c.column(source{id: c.component(e.Args[0]), before: c.before})
	return operand{class: classBool, node: e, pred: func(st *state, s *selection) {
		if !st.cols[col].ok {
			s.none()
		}
		st.dropGone(s, col)
	}}
}

// pointee follows pointers, not without end: type P *P points at itself.
func pointee(t reflect.Type) reflect.Type {
	for n := 0; n < 32 && t.Kind() == reflect.Pointer; n++ {
		t = t.Elem()
	}
	return t
}

func (c *compiler) length(e *ast.CallExpr) operand {
	x := c.expr(e.Args[0])
	if x.class == classConst && x.val.Kind() == constant.String {
		return operand{class: classConst, node: e, val: constant.MakeInt64(int64(len(constant.StringVal(x.val))))}
	}
	out := operand{class: classInt, node: e, what: "int", partial: x.partial, slow: x.slow, need: x.need}
	kind := reflect.Invalid
	if x.goType != nil {
		x.goType = pointee(x.goType)
		kind = x.goType.Kind()
	}
	switch kind {
	case reflect.String, reflect.Slice:
		if x.leaf != nil { // the second word of both headers
			l := *x.leaf
			l.offset += unsafe.Sizeof(uintptr(0))
			out.ints = load[int, int64](l)
			return out
		}
	case reflect.Array, reflect.Map:
	default:
		c.fail(e.Args[0], "", "len wants text, a slice, an array or a map; %s is %s", c.text(e.Args[0]), x.describe())
	}
	row := x.row
	if row == nil {
		row = x.asRow
	}
	out.partial, out.slow = true, true
	p := *row
	out.ints = func(st *state, s *selection, dst *[blockLen]int64) {
		p.fill(st, s, func(k int, v reflect.Value) bool {
			dst[k] = int64(v.Len())
			return true
		})
	}
	return out
}

// floatArg checks that the argument is a number and turns it into a float64.
func (c *compiler) floatArg(e ast.Expr) operand {
	x := c.expr(e)
	if !x.number() {
		c.fail(e, "", "%s is %s, not a number", c.text(e), x.describe())
	}
	return c.toFloat(x)
}

func floatTest(test func(float64) bool) func(*compiler, *ast.CallExpr) operand {
	return func(c *compiler, e *ast.CallExpr) operand {
		x := c.floatArg(e.Args[0])
		out := operand{class: classBool, node: e, slow: x.slow, need: x.need}
		reg := out.take(&out.need.floats, 1)
		out.pred = func(st *state, s *selection) {
			st.clearBad(s.n)
			v := &st.floats[reg]
			x.floats(st, s, v)
			st.dropBad(s, func(k int) bool { return test(v[k]) })
		}
		return out
	}
}

func floatFunc(f func(float64) float64) func(*compiler, *ast.CallExpr) operand {
	return func(c *compiler, e *ast.CallExpr) operand {
		x := c.floatArg(e.Args[0])
		x.node = e
		if f != nil {
			arg := x.floats
			x.floats = func(st *state, s *selection, dst *[blockLen]float64) {
				arg(st, s, dst)
				for k := range s.n {
					dst[k] = f(dst[k])
				}
			}
		}
		return x
	}
}

func (c *compiler) abs(e *ast.CallExpr) operand {
	x := c.expr(e.Args[0])
	switch x.class {
	case classUint:
		x.node, x.leaf = e, nil
		return x
	case classInt:
		arg := x.ints
		return operand{class: classInt, node: e, what: "int", partial: x.partial, slow: x.slow, intDiv: x.intDiv, need: x.need,
			ints: func(st *state, s *selection, dst *[blockLen]int64) {
				arg(st, s, dst)
				for k := range s.n {
					if dst[k&blockMask] < 0 {
						dst[k&blockMask] = -dst[k&blockMask]
					}
				}
			}}
	}
	return floatFunc(math.Abs)(c, e)
}

// toInt drops the fraction; what no int64 can hold has no value.
func (c *compiler) toInt(e *ast.CallExpr) operand {
	x := c.expr(e.Args[0])
	if x.class == classInt {
		x.node, x.enum = e, nil
		return x
	}
	f := c.floatArg(e.Args[0])
	out := operand{class: classInt, node: e, what: "int", partial: true, slow: f.slow, need: f.need}
	reg := out.take(&out.need.floats, 1)
	out.ints = func(st *state, s *selection, dst *[blockLen]int64) {
		v := &st.floats[reg]
		f.floats(st, s, v)
		for k := range s.n {
			if g := v[k]; g >= -0x1p63 && g < 0x1p63 {
				dst[k] = int64(g)
			} else {
				dst[k] = 0
				st.setBad(k)
			}
		}
	}
	return out
}

func (c *compiler) alive(e *ast.CallExpr) operand {
	x := c.expr(e.Args[0])
	if x.class != classEntity {
		c.fail(e.Args[0], "", "alive wants an entity field; %s is %s", c.text(e.Args[0]), x.describe())
	}
	out := operand{class: classBool, node: e, slow: x.slow, need: x.need}
	reg := out.take(&out.need.ints, 1)
	out.pred = func(st *state, s *selection) {
		st.clearBad(s.n)
		v := &st.ints[reg]
		x.ints(st, s, v)
		st.dropBad(s, func(k int) bool { return st.world.Alive(bitsEntity(v[k])) })
	}
	return out
}

func textTest(test func(s, part string) bool) func(*compiler, *ast.CallExpr) operand {
	return func(c *compiler, e *ast.CallExpr) operand {
		x, part := c.expr(e.Args[0]), c.expr(e.Args[1])
		if x.class != classString {
			c.fail(e.Args[0], "", "%s is %s, not text", c.text(e.Args[0]), x.describe())
		}
		if part.class != classConst || part.val.Kind() != constant.String {
			c.fail(e.Args[1], "", "%s is %s, not text in double quotes", c.text(e.Args[1]), part.describe())
		}
		want := constant.StringVal(part.val)
		out := operand{class: classBool, node: e, slow: x.slow, need: x.need}
		reg := out.take(&out.need.strs, 1)
		out.pred = func(st *state, s *selection) {
			st.clearBad(s.n)
			v := &st.strs[reg]
			x.strs(st, s, v)
			st.dropBad(s, func(k int) bool { return test(v[k], want) })
		}
		return out
	}
}
