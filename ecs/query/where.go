package query

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

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
	cat   *ecs.Catalog
	src   string
	fset  *token.FileSet
	prog  program
	with  []ecs.TypeID // present whatever has() says
	depth int
	what  string // the argument, for messages
	// allOptional: an entity may lack any component that is named.
	allOptional bool
	mayLookBack bool // prev() has a meaning
	before      bool // within prev()
}

// fault is how the walk gives up; compileWhere turns it into the error.
type fault struct{ err *refusal.Error }

func compileWhere(cat *ecs.Catalog, src string, with []ecs.TypeID, mayLookBack bool) (prog program, err error) {
	c := &compiler{cat: cat, src: flat(src), fset: token.NewFileSet(), with: with, what: "where", mayLookBack: mayLookBack}
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

func (c *compiler) parse() (ast.Expr, error) {
	if len(c.src) > maxWhere {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%s: the expression has %d bytes, more than the %d that are allowed", c.what, len(c.src), maxWhere),
			Got: len(c.src), Want: fmt.Sprintf("at most %d bytes", maxWhere)}
	}
	expr, err := parser.ParseExprFrom(c.fset, "", c.src, parser.SkipObjectResolution)
	if err != nil {
		return nil, c.syntaxError(err)
	}
	return expr, nil
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

func (c *compiler) text(e ast.Node) string {
	return c.src[c.offset(e.Pos()):c.offset(e.End())]
}

func (c *compiler) offset(p token.Pos) int {
	return min(max(c.fset.Position(p).Offset, 0), len(c.src))
}

// failAt gives up with an error that points at a byte of the expression.
func (c *compiler) failAt(offset int, e *refusal.Error) {
	panic(fault{c.pointing(offset, e)})
}

func (c *compiler) fail(at ast.Node, hint, format string, args ...any) {
	c.failAt(c.offset(at.Pos()), &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf(format, args...), Got: c.text(at), Hint: hint})
}

// failErr gives up with an error of the catalog, pointed at the node.
func (c *compiler) failErr(at ast.Node, err error) {
	e, ok := err.(*refusal.Error)
	if !ok {
		e = &refusal.Error{Code: refusal.InvalidArguments, Message: err.Error()}
	}
	c.failAt(c.offset(at.Pos()), e)
}

// pointing adds the column and a caret line to the message.
func (c *compiler) pointing(offset int, e *refusal.Error) *refusal.Error {
	offset = min(max(offset, 0), len(c.src))
	from := offset - 60
	line := c.src
	if from > 0 {
		for from < offset && !utf8.RuneStart(line[from]) {
			from++
		}
		line = line[from:]
	} else {
		from = 0
	}
	column := utf8.RuneCountInString(c.src[:offset]) + 1
	indent := strings.Repeat(" ", utf8.RuneCountInString(c.src[from:offset]))
	if cut := offset - from + 60; cut < len(line) {
		for !utf8.RuneStart(line[cut]) {
			cut--
		}
		line = line[:cut]
	}
	p := *e
	p.Message = fmt.Sprintf("%s, column %d: %s\n  %s\n  %s^", c.what, column, e.Message, strings.ToValidUTF8(line, "?"), indent)
	return &p
}

var (
	wordOperator = regexp.MustCompile(`(?i)\b(and|or|not)\b`)
	singleQuoted = regexp.MustCompile(`'[^']{2,}'`)
	singleEquals = regexp.MustCompile(`[^=!<>]=[^=]`)
)

// syntaxError explains what go/parser found wrong.
func (c *compiler) syntaxError(err error) error {
	msg, offset := err.Error(), 0
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		msg, offset = list[0].Msg, list[0].Pos.Offset
	}
	want, hint := "a Go boolean expression", `write a Go boolean expression, for instance Health.HP < Health.Max/2 && Enemy.Kind == "Brute"`
	switch {
	case c.what == "sort":
		want, hint = "one value", "write one value, for instance Health.HP, with a minus sign for the greatest first: -Health.HP"
	case singleQuoted.MatchString(c.src):
		hint = `text and labels go in double quotes: Enemy.Kind == "Brute"`
	case wordOperator.MatchString(c.src):
		hint = "write && for and, || for or, ! for not"
	case singleEquals.MatchString(c.src):
		hint = "write == to compare; where never assigns"
	}
	return c.pointing(offset, &refusal.Error{Code: refusal.InvalidArguments, Message: msg, Got: c.src, Want: want, Hint: hint})
}
