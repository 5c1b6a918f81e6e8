package query

import (
	"go/ast"
	"go/constant"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// expr checks an expression and builds its kernels.
func (c *compiler) expr(e ast.Expr) operand {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > maxDepth {
		c.fail(e, "", "the expression is nested deeper than %d levels", maxDepth)
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		o := c.expr(e.X)
		o.node = e
		return o
	case *ast.BasicLit:
		return c.literal(e)
	case *ast.Ident:
		return c.ident(e)
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.TypeAssertExpr:
		return c.field(e, c.selector(e))
	case *ast.UnaryExpr:
		return c.unary(e)
	case *ast.BinaryExpr:
		return c.binary(e)
	case *ast.CallExpr:
		return c.call(e)
	case *ast.IndexListExpr:
		c.fail(e, "name the component by its short name, as components_info lists it", "type arguments cannot be written here")
	case *ast.StarExpr:
		c.fail(e, "leave the * out: paths go through pointers by themselves", "a pointer is not dereferenced by hand")
	}
	c.fail(e, "use field paths, literals, arithmetic, comparisons, && || !, len(x), isnan(x), has(Component)", "%s has no meaning here", c.text(e))
	return operand{}
}

func (c *compiler) literal(e *ast.BasicLit) operand {
	if e.Kind == token.IMAG {
		c.fail(e, "", "complex numbers cannot be compared")
	}
	v := constant.MakeFromLiteral(e.Value, e.Kind, 0)
	if v.Kind() == constant.Unknown {
		c.fail(e, "", "%s is no valid literal", e.Value)
	}
	return operand{class: classConst, node: e, val: v}
}

func (c *compiler) ident(e *ast.Ident) operand {
	switch e.Name {
	case "true", "false":
		return operand{class: classConst, node: e, val: constant.MakeBool(e.Name == "true")}
	case "nil", "null":
		return operand{class: classNil, node: e}
	case "entity":
		c.prog.entities = true
		return operand{class: classEntity, node: e, what: "entity", ints: loadEntities}
	}
	src, _, err := c.named(e.Name)
	if err != nil {
		c.failErr(e, hinted(err, "text and labels go in double quotes: "+strconv.Quote(e.Name)))
	}
	typ := src.typ(c.cat)
	if typ.Root != nil && typ.Root.Kind != value.KindStruct {
		return c.field(e, e.Name)
	}
	var fields []string
	for _, f := range typ.Fields {
		if !f.Hidden && len(fields) < 10 {
			fields = append(fields, e.Name+"."+f.Name)
		}
	}
	what, hint := " is a component, not a value", "write has("+e.Name+") to ask for it, or name one of its fields"
	if src.resource {
		what, hint = " is a resource, not a value", "name one of its fields"
	}
	c.failAt(c.offset(e.Pos()), &refusal.Error{Code: refusal.InvalidArguments, Message: e.Name + what, Got: e.Name, Options: fields, Total: len(fields), Hint: hint})
	return operand{}
}

// hinted puts a hint before that of an error of the catalog, unless the name
// is a resource's.
func hinted(err error, hint string) error {
	e, ok := err.(*refusal.Error)
	if !ok || e.Next == "resources_info" {
		return err
	}
	c := *e
	c.Hint = hint
	if e.Hint != "" {
		c.Hint += "; " + e.Hint
	}
	return &c
}

// selector writes a selector or index expression as a field path.
func (c *compiler) selector(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return c.selector(e.X) + "." + e.Sel.Name
	case *ast.IndexExpr:
		index := ast.Unparen(e.Index)
		sign := ""
		if u, ok := index.(*ast.UnaryExpr); ok && u.Op == token.SUB {
			sign, index = "-", u.X
		}
		lit, ok := index.(*ast.BasicLit)
		if !ok {
			if id, isID := index.(*ast.Ident); isID { // a label or a bool as a map's key
				return c.selector(e.X) + "[" + strconv.Quote(id.Name) + "]"
			}
			c.fail(e.Index, `for instance Slots[0] or Tags["fire"]`, "an index must be a literal")
		}
		text := lit.Value
		if lit.Kind == token.STRING {
			s, err := strconv.Unquote(lit.Value)
			if err != nil {
				c.fail(lit, "", "%s is no valid text", lit.Value)
			}
			text = strconv.Quote(s)
		}
		return c.selector(e.X) + "[" + sign + text + "]"
	case *ast.TypeAssertExpr:
		if e.Type != nil {
			return c.selector(e.X) + ".(" + c.text(e.Type) + ")"
		}
	case *ast.ParenExpr:
		return c.selector(e.X)
	}
	c.fail(e, "a path starts with a component: Health.HP", "%s has no fields to select", c.text(e))
	return ""
}

// component resolves the argument of has(): a name, or a full name in quotes.
func (c *compiler) component(e ast.Expr) ecs.TypeID {
	name := ""
	if lit, ok := ast.Unparen(e).(*ast.BasicLit); ok && lit.Kind == token.STRING {
		name, _ = strconv.Unquote(lit.Value)
	} else {
		name = c.selector(e)
	}
	comp, err := c.cat.Component(name)
	if err != nil {
		c.failErr(e, err)
	}
	return comp.ID
}

// field is the value at a path that starts with the name of a component or of a
// resource.
func (c *compiler) field(e ast.Expr, path string) operand {
	src, p, err := c.named(path)
	if err != nil {
		c.failErr(e, err)
	}
	typ := src.typ(c.cat)
	col := c.column(src)
	if !slices.Contains(c.prog.paths, path) {
		c.prog.paths = append(c.prog.paths, path)
	}
	optional := src.resource || c.allOptional || !c.prog.required(src.id)
	o := operand{node: e, partial: optional}
	f := p.Field
	if p.Computed != nil {
		f = p.Computed.Type.Root
	}
	if f.Kind != value.KindPointer && p.Computed == nil {
		if off, ok := p.Fixed(); ok {
			o.leaf = &leaf{col: col, offset: off, typ: f.Go}
			if l := value.LayoutOf(f.Go); l.Kind == value.KindEntity && l.Converted() {
				o.leaf.entity = l.LoadEntity
			}
		}
	}
	o.goType = f.Go
	o.asRow = &rowPath{col: col, typ: typ.Go, path: p, handle: f.Kind == value.KindEntity}
	if o.leaf == nil || f.Kind == value.KindText || f.Kind == value.KindJSON {
		o.leaf, o.row = nil, o.asRow
		o.partial, o.slow = true, true
	}
	for f.Kind == value.KindPointer && f.Elem != nil {
		f = f.Elem
	}
	o.what, o.enum = f.Go.String(), f.Enum
	o.class = classOf(f)
	c.load(&o)
	if c.before {
		o.lookBack(col)
	}
	return o
}

// classOf says how kernels represent a field.
func classOf(f *value.Field) class {
	switch f.Kind {
	case value.KindBool:
		return classBool
	case value.KindInt, value.KindUint, value.KindEnum:
		switch f.Go.Kind() {
		case reflect.Uint, reflect.Uint64, reflect.Uintptr:
			return classUint
		}
		return classInt
	case value.KindFloat:
		return classFloat
	case value.KindString, value.KindText, value.KindJSON:
		return classString
	case value.KindEntity:
		return classEntity
	}
	return classOther
}

// load gives an operand that is a field its kernels.
func (c *compiler) load(o *operand) {
	switch o.class {
	case classBool:
		if o.leaf != nil {
			o.pred = boolLeaf(*o.leaf, true)
		} else {
			o.pred = boolRow(*o.row, true)
		}
	case classInt, classUint:
		if o.leaf != nil {
			o.ints = intLeaf(*o.leaf)
		} else {
			o.ints = intRow(*o.row)
		}
	case classEntity:
		if o.leaf != nil {
			o.ints = loadEntity(*o.leaf)
		} else {
			o.ints = entityRow(*o.row)
		}
	case classFloat:
		if o.leaf != nil {
			o.floats = floatLeaf(*o.leaf)
			o.float32 = o.leaf.typ.Kind() == reflect.Float32
		} else {
			o.floats = floatRow(*o.row)
		}
	case classString:
		if o.leaf != nil {
			o.strs = loadStrings(*o.leaf)
		} else {
			o.strs = stringRow(*o.row)
		}
	}
}

func (c *compiler) unary(e *ast.UnaryExpr) operand {
	x := c.expr(e.X)
	switch e.Op {
	case token.NOT:
		if x.class == classConst && x.val.Kind() == constant.Bool {
			return operand{class: classConst, node: e, val: constant.MakeBool(!constant.BoolVal(x.val))}
		}
		p, slot := c.predicateOf(x), x.need.sels
		o := operand{class: classBool, node: e, slow: x.slow, need: x.need, pred: not(p, slot)}
		o.need.sels = slot + 1
		return o
	case token.ADD, token.SUB:
		if x.class == classConst && (x.val.Kind() == constant.Int || x.val.Kind() == constant.Float) {
			return operand{class: classConst, node: e, val: constant.UnaryOp(e.Op, x.val, 0)}
		}
		if !x.number() {
			c.fail(e.X, "", "%s is %s, not a number", c.text(e.X), x.describe())
		}
		if e.Op == token.ADD {
			x.node = e
			return x
		}
		zero := operand{class: classConst, node: e, val: constant.MakeInt64(0)}
		if x.class == classFloat {
			// 0 - x would lose the sign of zero.
			return c.arithmetic(e, token.MUL, x, operand{class: classConst, node: e, val: constant.MakeFloat64(-1)})
		}
		return c.arithmetic(e, token.SUB, zero, x)
	}
	c.fail(e, "", "the operator %s has no meaning here", e.Op)
	return operand{}
}

func (o *operand) number() bool {
	switch o.class {
	case classInt, classUint, classFloat:
		return true
	case classConst:
		return o.val.Kind() == constant.Int || o.val.Kind() == constant.Float
	}
	return false
}

func (c *compiler) binary(e *ast.BinaryExpr) operand {
	switch e.Op {
	case token.LAND, token.LOR:
		return c.logical(e)
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		x, y := c.sides(e)
		return c.compare(e, x, y)
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT:
		x, y := c.expr(e.X), c.expr(e.Y)
		if !x.number() || !y.number() {
			bad := x
			if x.number() {
				bad = y
			}
			c.fail(bad.node, "", "%s is %s; %s wants numbers", c.text(bad.node), bad.describe(), e.Op)
		}
		return c.arithmetic(e, e.Op, x, y)
	}
	c.failAt(c.offset(e.OpPos), &refusal.Error{Code: refusal.InvalidArguments, Message: "the operator " + e.Op.String() + " has no meaning here",
		Got: e.Op.String(), Want: "+ - * / % & | ^ &^ == != < <= > >= && || !"})
	return operand{}
}

func (c *compiler) logical(e *ast.BinaryExpr) operand {
	x, y := c.expr(e.X), c.expr(e.Y)
	p, q := c.predicateOf(x), c.predicateOf(y)
	o := operand{class: classBool, node: e, slow: x.slow || y.slow, need: x.need.atLeast(y.need)}
	if e.Op == token.LAND {
		if x.slow && !y.slow {
			p, q = q, p
		}
		o.pred = func(st *state, s *selection) {
			if p(st, s); s.n > 0 {
				q(st, s)
			}
		}
		return o
	}
	o.pred = or(p, q, o.need.sels)
	o.need.sels += 2
	return o
}

// call is one of the functions that where knows.
func (c *compiler) call(e *ast.CallExpr) operand {
	fn, ok := e.Fun.(*ast.Ident)
	if !ok {
		got := c.text(e.Fun)
		name := got
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok {
			name = sel.Sel.Name
		}
		c.failAt(c.offset(e.Fun.Pos()), &refusal.Error{Code: refusal.InvalidArguments, Message: got + " is no function", Got: got,
			Want: "one of the functions of where", Options: refusal.Nearest(strings.ToLower(name), functionNames), Total: len(functionNames)})
	}
	f, ok := functions[fn.Name]
	if !ok {
		c.failAt(c.offset(fn.Pos()), &refusal.Error{Code: refusal.InvalidArguments, Message: "there is no function " + fn.Name, Got: fn.Name,
			Options: refusal.Nearest(fn.Name, functionNames), Total: len(functionNames)})
	}
	if len(e.Args) != len(f.args) || e.Ellipsis.IsValid() {
		c.fail(e, "", "%s takes %s, got %d arguments", fn.Name, fn.Name+"("+strings.Join(f.args, ", ")+")", len(e.Args))
	}
	return f.compile(c, e)
}
