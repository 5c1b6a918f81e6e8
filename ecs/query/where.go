package query

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

const (
	// maxWhere is far beyond what anybody writes by hand and keeps the parser's
	// and the checker's recursion shallow.
	maxWhere = 4096
	// maxDepth bounds the nesting, and with it the vectors a plan needs.
	maxDepth = 100
)

// predicate narrows a selection to the rows for which it holds.
type predicate func(st *state, s *selection)

// condition is one operand of the outermost && chain.
type condition struct {
	text string
	pred predicate
	slow bool // looks at single values through reflection
}

// program is a compiled where expression.
type program struct {
	columns  []source     // what kernels address by position
	optional []ecs.TypeID // asked about with has()
	conds    []condition  // as written
	paths    []string     // of the fields it reads, as written
	order    []condition  // as run: fast ones first
	regs     registers
	// looksBack: prev() is in it. entities: it asks about single entities, not
	// about resources alone.
	looksBack, entities bool
}

// registers counts the vectors and selections that a run needs.
type registers struct{ ints, floats, strs, sels int }

func (p *program) required(id ecs.TypeID) bool { return !slices.Contains(p.optional, id) }

// compiler checks an expression and builds its kernels in one walk.
type compiler struct {
	*clause
	cat   *ecs.Catalog
	prog  program
	with  []ecs.TypeID // present whatever has() says
	depth int
	// allOptional: an entity may lack any component that is named.
	allOptional bool
	mayLookBack bool // prev() has a meaning
	before      bool // within prev()
}

// fault is how the walk gives up; compileWhere turns it into the error.
type fault struct{ err *refusal.Error }

func compileWhere(cat *ecs.Catalog, src string, with []ecs.TypeID, mayLookBack bool) (prog program, err error) {
	c := &compiler{clause: newClause("where", flat(src)), cat: cat, with: with, mayLookBack: mayLookBack}
	err = c.catch(func() error { return c.where() })
	return c.prog, err
}

// catch turns a fault into the error it carries.
func (c *compiler) catch(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(fault)
			if !ok {
				panic(r)
			}
			err = f.err
		}
	}()
	return f()
}

func (c *compiler) where() error {
	expr, err := c.parse()
	if err != nil {
		return err
	}
	c.findOptional(expr)
	for _, e := range conjuncts(expr, nil) {
		o := c.expr(e)
		c.prog.conds = append(c.prog.conds, condition{text: c.text(e), pred: c.predicateOf(o), slow: o.slow})
		c.prog.regs = c.prog.regs.atLeast(o.need)
	}
	c.prog.order = slices.Clone(c.prog.conds)
	slices.SortStableFunc(c.prog.order, func(a, b condition) int {
		switch {
		case a.slow == b.slow:
			return 0
		case b.slow:
			return -1
		}
		return 1
	})
	return nil
}

// flat puts the expression on one line, so that a column says it all.
func flat(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, s)
}

// conjuncts splits a && b && c.
func conjuncts(e ast.Expr, dst []ast.Expr) []ast.Expr {
	inner := ast.Unparen(e)
	if b, ok := inner.(*ast.BinaryExpr); ok && b.Op == token.LAND {
		return conjuncts(b.Y, conjuncts(b.X, dst))
	}
	return append(dst, e)
}

// findOptional collects the components that has() asks about.
func (c *compiler) findOptional(e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && isIdent(call.Fun, "has") && len(call.Args) == 1 {
			id := c.component(call.Args[0])
			if !slices.Contains(c.with, id) {
				c.prog.optional = append(c.prog.optional, id)
			}
		}
		return true
	})
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// column returns the position of a column.
func (c *compiler) column(s source) int {
	if i := slices.Index(c.prog.columns, s); i >= 0 {
		return i
	}
	c.prog.columns = append(c.prog.columns, s)
	c.prog.entities = c.prog.entities || !s.resource
	return len(c.prog.columns) - 1
}
