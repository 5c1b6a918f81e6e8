package source

import (
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// Names that no source can spell: locals around the whole chunk, so that the
// script can neither shadow nor replace what the rewritten code calls.
const (
	concatName = "(concat)"
	listName   = "(list)" // appends all values of a call to a long list
)

// Dialect is what a host adds to the source: the functions that some places of it
// call instead of what stands there.
type Dialect struct {
	// Hidden names functions, which no source can spell.
	Hidden []string
	// Iterator is the hidden function that makes the iterator of a loop; "" leaves
	// it alone. The loop is not rewritten yet.
	Iterator func(*ast.GenericForStmt) string
	// Select tells whether e is read and written by a site of its own, and of what
	// object.
	Select func(e *ast.AttrGetExpr) (object ast.Expr, s Site, ok bool)
}

// maxSites bounds the fields that get functions of their own: each takes two
// of the 200 locals that a function may have. Others go the long way.
const maxSites = 60

// maxChain bounds operators and selectors that follow each other on the left
// (a+b+c, a.b.c): they nest in the tree, and the compiler recurses on it.
const maxChain = 3000

// maxConcat is how many operands one call of (concat) takes: they all need
// registers.
const maxConcat = 50

// Site is one place in the source that reads or writes X.Outer.Inner. The two
// selectors are done in one call, with a cache of its own.
type Site struct {
	Outer, Inner string
}

// rewriter walks the syntax tree once: it enforces the nesting limit and
// replaces what the VM would do without asking for a budget (..) or in too
// many steps (the sites).
type rewriter struct {
	dialect *Dialect
	limit   int
	depth   int
	chain   int
	line    int    // where the limit was exceeded
	long    bool   // it was the limit on chains
	fault   string // what is wrong there, if no limit is
	sites   []Site
	index   map[Site]int
}

// chunk rewrites a whole chunk. A line other than 0 tells where it nests too
// deep.
func (rw *rewriter) chunk(stmts []ast.Stmt) ([]ast.Stmt, int) {
	rw.index = map[Site]int{}
	rw.block(stmts)
	if rw.line != 0 {
		return nil, rw.line
	}
	stmts, vars, line, fault := mend(stmts)
	if line != 0 {
		rw.fault = fault
		return nil, line
	}
	// local (concat), (list), those of the dialect, (get 0), (set 0), ... = ...
	// return (function(...) stmts end)()
	first, last := 1, 1
	if len(stmts) > 0 {
		first, last = stmts[0].Line(), stmts[len(stmts)-1].LastLine()
	}
	at := func(n ast.PositionHolder) { n.SetLine(first); n.SetLastLine(max(first, last)) }
	rest := &ast.Comma3Expr{}
	locals := &ast.LocalAssignStmt{Names: append([]string{concatName, listName}, rw.dialect.Hidden...), Exprs: []ast.Expr{rest}}
	for i := range rw.sites {
		locals.Names = append(locals.Names, getName(i), setName(i))
	}
	body := &ast.FunctionExpr{ParList: &ast.ParList{HasVargs: vars.varargs, Names: []string{}}, Stmts: stmts}
	call := &ast.FuncCallExpr{Func: body}
	ret := &ast.ReturnStmt{Exprs: []ast.Expr{call}}
	for _, n := range []ast.PositionHolder{rest, locals, body, call, ret} {
		at(n)
	}
	return []ast.Stmt{locals, ret}, 0
}

// enter goes one level down; it reports false past a limit.
func (rw *rewriter) enter(n ast.PositionHolder) bool {
	rw.depth++
	if rw.line == 0 && (rw.depth > rw.limit || rw.chain > maxChain) {
		rw.line, rw.long = max(n.Line(), 1), rw.chain > maxChain
	}
	return rw.line == 0
}

func (rw *rewriter) leave() { rw.depth-- }

// left walks an operand on the left of a chain: a step in the chain, not a
// level.
func (rw *rewriter) left(e ast.Expr) ast.Expr {
	rw.depth--
	rw.chain++
	e = rw.expr(e)
	rw.chain--
	rw.depth++
	return e
}

func (rw *rewriter) block(stmts []ast.Stmt) {
	for i, s := range stmts {
		if !rw.enter(s) {
			return
		}
		stmts[i] = rw.stmt(s)
		rw.leave()
	}
}

func (rw *rewriter) stmt(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if call := rw.siteAssign(s); call != nil {
			return call
		}
		for _, l := range s.Lhs {
			if a, ok := l.(*ast.AttrGetExpr); ok {
				a.Object, a.Key = rw.left(a.Object), rw.expr(a.Key)
			}
		}
		rw.exprs(s.Rhs)
	case *ast.IfStmt:
		s.Condition = rw.expr(s.Condition)
		rw.block(s.Then)
		if len(s.Else) == 1 {
			if next, ok := s.Else[0].(*ast.IfStmt); ok { // elseif: a chain, not a level
				rw.chain++
				if rw.chain > maxChain && rw.line == 0 {
					rw.line, rw.long = max(next.Line(), 1), true
				}
				if rw.line == 0 {
					s.Else[0] = rw.stmt(next)
				}
				rw.chain--
				return s
			}
		}
		rw.block(s.Else)
	case *ast.GenericForStmt:
		rw.exprs(s.Exprs)
		if name := rw.dialect.Iterator(s); name != "" {
			call := rw.call(s, name, s.Exprs[0]).(*ast.FuncCallExpr)
			call.AdjustRet = false // it may be a function of the script
			s.Exprs[0].(*ast.FuncCallExpr).AdjustRet = false
			s.Exprs[0] = call
		}
		rw.block(s.Stmts)
	case *ast.FuncDefStmt:
		if s.Name.Receiver != nil {
			s.Name.Receiver = rw.expr(s.Name.Receiver)
		} else if a, ok := s.Name.Func.(*ast.AttrGetExpr); ok {
			a.Object = rw.left(a.Object) // function a.b.c(): the target itself stays
		}
		rw.block(s.Func.Stmts)
	default:
		Heads(s, rw.operand)
		Blocks(s, func(b *[]ast.Stmt) { rw.block(*b) })
	}
	return s
}

func (rw *rewriter) exprs(es []ast.Expr) {
	for i, e := range es {
		es[i] = rw.expr(e)
	}
}

func (rw *rewriter) operand(p *ast.Expr) { *p = rw.expr(*p) }

func (rw *rewriter) expr(e ast.Expr) ast.Expr {
	if e == nil || !rw.enter(e) {
		return e
	}
	defer rw.leave()
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		if obj, s, ok := rw.dialect.Select(e); ok {
			if n, ok := rw.site(s); ok {
				return rw.call(e, getName(n), obj)
			}
		}
		e.Object = rw.left(e.Object)
		e.Key = rw.expr(e.Key)
	case *ast.FuncCallExpr:
		if e.Func != nil {
			e.Func = rw.left(e.Func)
		}
		if e.Receiver != nil {
			e.Receiver = rw.left(e.Receiver)
		}
		rw.exprs(e.Args)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = rw.left(e.Lhs), rw.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = rw.left(e.Lhs), rw.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = rw.left(e.Lhs), rw.expr(e.Rhs)
	case *ast.StringConcatOpExpr:
		return rw.concat(e)
	case *ast.FunctionExpr:
		rw.block(e.Stmts)
	default:
		Operands(e, rw.operand)
	}
	return e
}

// concat turns a .. b .. c into (concat)(a, b, c). It evaluates from left to
// right and joins from right to left, as the operator does.
func (rw *rewriter) concat(e *ast.StringConcatOpExpr) ast.Expr {
	var args []ast.Expr
	for {
		args = append(args, rw.expr(e.Lhs))
		next, ok := e.Rhs.(*ast.StringConcatOpExpr)
		if !ok {
			args = append(args, rw.expr(e.Rhs))
			break
		}
		e = next
	}
	for len(args) > maxConcat {
		n := len(args) - maxConcat
		args = append(args[:n:n], rw.call(e, concatName, args[n:]...))
	}
	return rw.call(e, concatName, args...)
}

// call makes a call of one of the hidden locals, with exactly one result.
func (rw *rewriter) call(at ast.PositionHolder, name string, args ...ast.Expr) ast.Expr {
	fn := &ast.IdentExpr{Value: name}
	for _, a := range args {
		single(a)
	}
	c := &ast.FuncCallExpr{Func: fn, Args: args, AdjustRet: true}
	for _, n := range []ast.PositionHolder{fn, c} {
		n.SetLine(at.Line())
		n.SetLastLine(at.LastLine())
	}
	return c
}

// single keeps a call or ... in the last place from giving several values.
func single(e ast.Expr) {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
}

func (rw *rewriter) siteAssign(s *ast.AssignStmt) ast.Stmt {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return nil
	}
	target, ok := s.Lhs[0].(*ast.AttrGetExpr)
	if !ok {
		return nil
	}
	obj, st, ok := rw.dialect.Select(target)
	if !ok {
		return nil
	}
	n, ok := rw.site(st)
	if !ok {
		return nil
	}
	call := rw.call(s, setName(n), obj, rw.expr(s.Rhs[0]))
	stmt := &ast.FuncCallStmt{Expr: call}
	stmt.SetLine(s.Line())
	stmt.SetLastLine(s.LastLine())
	return stmt
}

// site numbers a site; false: there are too many.
func (rw *rewriter) site(s Site) (int, bool) {
	n, ok := rw.index[s]
	if !ok && len(rw.sites) < maxSites {
		n, ok = len(rw.sites), true
		rw.sites = append(rw.sites, s)
		rw.index[s] = n
	}
	return n, ok
}

func getName(site int) string { return "(get " + strconv.Itoa(site) + ")" }
func setName(site int) string { return "(set " + strconv.Itoa(site) + ")" }
