package source

import (
	"math"
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// mender rewrites a tree so that gopher-lua 1.1.2 compiles what Lua 5.1 means.
// Its compiler is right for an expression whose value goes to a fresh register,
// and wrong elsewhere; each case below names the fault that it goes around.
// What it finds sound stays as it is, so that plain code costs nothing.
type mender struct {
	vars   *variables
	block  *openBlock
	labels int // made so far
	line   int // of the first thing that is no Lua, with
	fault  string
}

// openBlock is a block that is being mended.
type openBlock struct {
	outer    *openBlock
	loop     bool
	captured bool   // a function has captured a variable that is declared in it
	leave    string // of a loop: the label behind it that breaks go to, once one does
}

// names that no source can spell
const (
	never    = "(never)"
	function = "(function)"
)

func temporary(n int) string { return "(" + strconv.Itoa(n) + ")" }

func mend(chunk []ast.Stmt) (mended []ast.Stmt, vars *variables, line int, fault string) {
	m := mender{vars: findVariables(chunk)}
	m.body(&chunk)
	return chunk, m.vars, m.line, m.fault
}

// body mends the statements of a function, whose blocks are its own.
func (m *mender) body(stmts *[]ast.Stmt) {
	outer := m.block
	m.block = nil
	m.inner(stmts)
	m.block = outer
}

// in mends the block b, and the condition that stands in it, if any.
func (m *mender) in(b *openBlock, stmts *[]ast.Stmt, condition *ast.Expr) {
	b.outer, m.block = m.block, b
	var out []ast.Stmt
	for i, s := range *stmts {
		mended := m.stmt(s)
		if len(mended) == 1 && out == nil {
			(*stmts)[i] = mended[0]
			continue
		}
		if out == nil {
			out = append(make([]ast.Stmt, 0, len(*stmts)+len(mended)), (*stmts)[:i]...)
		}
		out = append(out, mended...)
	}
	if out != nil {
		*stmts = out
	}
	if condition != nil {
		m.expr(condition)
	}
	m.block = b.outer
}

func (m *mender) inner(stmts *[]ast.Stmt) { m.in(&openBlock{}, stmts, nil) }

func (b *openBlock) declare(vars []*variable) {
	for _, v := range vars {
		b.captured = b.captured || v.captured
	}
}

func (m *mender) stmt(s ast.Stmt) []ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return []ast.Stmt{m.assign(s)}
	case *ast.LocalAssignStmt:
		return m.local(s)
	case *ast.FuncDefStmt:
		return []ast.Stmt{m.define(s)}
	case *ast.IfStmt:
		return []ast.Stmt{m.condition(s)}
	case *ast.WhileStmt:
		Heads(s, m.expr)
		s.Condition = decided(s.Condition)
		if _, never := s.Condition.(*ast.FalseExpr); never {
			return []ast.Stmt{newBlock(s)}
		}
		return m.loop(s, &s.Stmts, nil)
	case *ast.RepeatStmt:
		loop := m.loop(s, &s.Stmts, &s.Condition)
		s.Condition = decided(s.Condition)
		return loop
	case *ast.NumberForStmt:
		Heads(s, m.expr)
		vars := m.vars.declared[s]
		s.Stmts = append(m.box(s, vars, []string{s.Name}), s.Stmts...)
		return m.loop(s, &s.Stmts, nil, vars...)
	case *ast.GenericForStmt:
		Heads(s, m.expr)
		before := m.iterator(s)
		vars := m.vars.declared[s]
		s.Stmts = append(m.box(s, vars, s.Names), s.Stmts...)
		loop := m.loop(s, &s.Stmts, nil, vars...)
		if before == nil {
			return loop
		}
		loop[0] = newBlock(s, before, loop[0])
		return loop
	case *ast.BreakStmt:
		return []ast.Stmt{m.leave(s)}
	case *ast.GotoStmt:
		return []ast.Stmt{jump(s, s)}
	}
	Heads(s, m.expr)
	Blocks(s, func(b *[]ast.Stmt) { m.inner(b) })
	return []ast.Stmt{s}
}

// box gives the statements that put the boxed ones of the variables that have
// just been declared into their tables: local x = {x}.
func (m *mender) box(at ast.PositionHolder, vars []*variable, names []string) (out []ast.Stmt) {
	for i, v := range vars {
		if v.boxed() {
			out = append(out, newLocal(at, []string{names[i]}, newList(at, newIdent(at, names[i]))))
		}
	}
	return out
}

// local mends a declaration.
func (m *mender) local(s *ast.LocalAssignStmt) []ast.Stmt {
	vars := m.vars.declared[s]
	if isLocalFunction(s) {
		m.block.declare(vars)
		Heads(s, m.expr)
		if !vars[0].boxed() {
			return []ast.Stmt{s}
		}
		table := newLocal(s, s.Names, placed(&ast.TableExpr{Fields: []*ast.Field{}}, s))
		return []ast.Stmt{table, newAssign(s, unbox(newIdent(s, s.Names[0])), s.Exprs[0])}
	}
	Heads(s, m.expr)
	m.block.declare(vars)
	if len(s.Names) == 1 && len(s.Exprs) == 1 {
		// In local f = function() f() end, f is not yet the new variable. The
		// compiler takes it for local function f() unless there is more.
		if _, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
			s.Exprs = append(s.Exprs, placed(&ast.NilExpr{}, s))
		}
	}
	// Not local x = {x}: no second register, the names are new anyway.
	out := []ast.Stmt{s}
	for i, v := range vars {
		if v.boxed() {
			out = append(out, newAssign(s, newIdent(s, s.Names[i]), newList(s, newIdent(s, s.Names[i]))))
		}
	}
	return out
}

// define mends function a.b.c() and function a:b().
func (m *mender) define(s *ast.FuncDefStmt) ast.Stmt {
	if s.Name.Receiver != nil {
		m.expr(&s.Name.Receiver)
		m.function(s.Func, []string{"self"})
		return s
	}
	m.expr(&s.Name.Func)
	m.function(s.Func, nil)
	if _, ok := s.Name.Func.(*ast.IdentExpr); ok {
		return s
	}
	return placed(&ast.AssignStmt{Lhs: []ast.Expr{s.Name.Func}, Rhs: []ast.Expr{s.Func}}, s.Func)
}

func (m *mender) function(f *ast.FunctionExpr, first []string) {
	f.Stmts = append(m.box(f, m.vars.declared[f], parameters(f, first)), f.Stmts...)
	m.body(&f.Stmts)
}

// assign mends an assignment. In one of several values the compiler computes
// each right into its variable, over values that are still needed; in one value
// it writes the operands of and and or, and the function of a call with one
// result, over the variable before they are all read.
func (m *mender) assign(s *ast.AssignStmt) ast.Stmt {
	Heads(s, m.expr)
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		switch to := s.Lhs[0].(type) {
		case *ast.IdentExpr:
			if m.vars.used[to] == nil { // a global
				return s
			}
			switch v := s.Rhs[0].(type) {
			case *ast.FuncCallExpr:
				v.AdjustRet = false // one variable takes one value
				return s
			case *ast.LogicalOpExpr:
			default:
				return s
			}
		case *ast.AttrGetExpr:
			if !isConstant(to.Object) {
				return s
			}
		}
	}
	var stmts []ast.Stmt
	n := 0
	temp := func(e ast.Expr) ast.Expr {
		n++
		stmts = append(stmts, newLocal(e, []string{temporary(n)}, e))
		return newIdent(e, temporary(n))
	}
	for _, to := range s.Lhs {
		if to, ok := to.(*ast.AttrGetExpr); ok {
			if !m.settled(to.Object, s.Lhs) {
				to.Object = temp(to.Object)
			}
			if !m.settled(to.Key, s.Lhs) && !isConstant(to.Key) {
				to.Key = temp(to.Key)
			}
		}
	}
	values := placed(&ast.LocalAssignStmt{Exprs: s.Rhs}, s)
	first := n
	for range s.Lhs {
		n++
		values.Names = append(values.Names, temporary(n))
	}
	stmts = append(stmts, values)
	for i := len(s.Lhs) - 1; i >= 0; i-- { // from the right, as the reference does
		stmts = append(stmts, newAssign(s, s.Lhs[i], newIdent(s, temporary(first+i+1))))
	}
	return newBlock(s, stmts...)
}

// settled tells whether e is a variable that the assignment to others leaves as
// it is.
func (m *mender) settled(e ast.Expr, others []ast.Expr) bool {
	id, ok := e.(*ast.IdentExpr)
	if !ok || m.vars.used[id] == nil {
		return false
	}
	for _, o := range others {
		if o, ok := o.(*ast.IdentExpr); ok && m.vars.used[o] == m.vars.used[id] {
			return false
		}
	}
	return true
}

// condition mends an if. A constant condition becomes a jump, and a jump at the
// head of a loop misleads the compiler's shortening of jumps, which takes the
// distance it has already filled in for the number of a label: see jumpsFirst.
func (m *mender) condition(s *ast.IfStmt) ast.Stmt {
	Heads(s, m.expr)
	m.inner(&s.Then)
	if len(s.Else) == 1 {
		if next, ok := s.Else[0].(*ast.IfStmt); ok { // elseif: not one level deeper
			s.Else[0] = m.condition(next)
		} else {
			m.inner(&s.Else)
		}
	} else {
		m.inner(&s.Else)
	}
	switch known, truth := constant(s.Condition); {
	case known && truth:
		return newBlock(s, s.Then...)
	case known:
		return newBlock(s, s.Else...)
	}
	return s
}

// loop mends the body of the loop s. The condition is that of a repeat, which
// stands in the body.
func (m *mender) loop(s ast.Stmt, body *[]ast.Stmt, condition *ast.Expr, declared ...*variable) []ast.Stmt {
	b := &openBlock{loop: true}
	b.declare(declared)
	m.in(b, body, condition)
	if _, counts := s.(*ast.NumberForStmt); !counts && jumpsFirst(*body) {
		*body = append([]ast.Stmt{newLocal(s, []string{never})}, *body...)
	}
	if b.leave == "" {
		return []ast.Stmt{s}
	}
	return []ast.Stmt{s, placed(&ast.LabelStmt{Name: b.leave}, s)}
}

// jumpsFirst tells whether a block begins with a jump, or holds nothing.
func jumpsFirst(stmts []ast.Stmt) bool {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.LabelStmt:
			continue
		case *ast.DoBlockStmt:
			if len(s.Stmts) == 0 {
				continue
			}
			return jumpsFirst(s.Stmts)
		case *ast.BreakStmt:
			return true
		case *ast.WhileStmt:
			known, _ := constant(s.Condition)
			return known && jumpsFirst(s.Stmts)
		case *ast.RepeatStmt:
			return jumpsFirst(s.Stmts)
		}
		return false
	}
	return true
}

// leave mends a break. The compiler closes the variables that functions have
// captured in the loop's own block, and forgets those of the blocks in it, so
// that the functions go on with registers that others use. A goto can be made
// to close them.
func (m *mender) leave(s *ast.BreakStmt) ast.Stmt {
	captured := false
	for b := m.block; b != nil; b = b.outer {
		if b.loop {
			if !captured {
				return s
			}
			if b.leave == "" {
				m.labels++
				b.leave = "(leave " + strconv.Itoa(m.labels) + ")"
			}
			return jump(s, &ast.GotoStmt{Label: b.leave})
		}
		captured = captured || b.captured
	}
	return s // the compiler refuses it
}

// jump makes a goto that closes the captured variables of the blocks it leaves,
// and no others. The compiler closes all of the function unless the goto stands
// in a block of its own with a captured variable:
//
//	do local (never); if (never) then local (function) = function() return (never) end end goto label end
func jump(at ast.PositionHolder, to *ast.GotoStmt) ast.Stmt {
	f := placed(&ast.FunctionExpr{ParList: &ast.ParList{Names: []string{}},
		Stmts: []ast.Stmt{placed(&ast.ReturnStmt{Exprs: []ast.Expr{newIdent(at, never)}}, at)}}, at)
	capture := placed(&ast.IfStmt{Condition: newIdent(at, never),
		Then: []ast.Stmt{newLocal(at, []string{function}, f)}}, at)
	return newBlock(at, newLocal(at, []string{never}), capture, placed(to, at))
}

// iterator gives a for loop the three expressions that the compiler needs: it
// counts the variables instead. A call alone is right. The statement, if any,
// must come before the loop.
func (m *mender) iterator(s *ast.GenericForStmt) ast.Stmt {
	n := len(s.Exprs)
	multi := isMulti(s.Exprs[n-1])
	if n == 1 && multi || n == 3 && !multi {
		return nil
	}
	if n < 3 && !multi {
		for ; n < 3; n++ {
			s.Exprs = append(s.Exprs, placed(&ast.NilExpr{}, s))
		}
		return nil
	}
	values := newLocal(s, []string{temporary(1), temporary(2), temporary(3)}, s.Exprs...)
	s.Exprs = []ast.Expr{newIdent(s, temporary(1)), newIdent(s, temporary(2)), newIdent(s, temporary(3))}
	return values
}

// isMulti tells whether e may give any number of values.
func isMulti(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		return !e.AdjustRet
	case *ast.Comma3Expr:
		return !e.AdjustRet
	}
	return false
}

// expr mends an expression.
func (m *mender) expr(p *ast.Expr) {
	switch e := (*p).(type) {
	case *ast.IdentExpr:
		if m.vars.used[e].boxed() {
			*p = unbox(e)
		}
	case *ast.FunctionExpr:
		m.function(e, nil)
	case *ast.NumberExpr:
		m.number(e)
	case *ast.TableExpr:
		Operands(e, m.expr)
		*p = constructor(e)
	case *ast.LogicalOpExpr:
		Operands(e, m.expr)
		// A constant on the left makes a jump of itself: see condition.
		if known, truth := constant(e.Lhs); known {
			if truth == (e.Operator == "and") {
				single(e.Rhs)
				*p = e.Rhs
			} else {
				*p = e.Lhs
			}
		}
	default:
		Operands(e, m.expr)
	}
}

func unbox(id *ast.IdentExpr) ast.Expr {
	return placed(&ast.AttrGetExpr{Object: id, Key: newNumber(id, "1")}, id)
}

// number writes a numeral as the VM reads it right: it would take 0010 for an
// octal number and drop what it cannot read.
func (m *mender) number(e *ast.NumberExpr) {
	f, ok := ParseNumber(e.Value)
	if !ok {
		if m.line == 0 {
			m.line, m.fault = max(e.Line(), 1), "malformed number near "+strconv.Quote(e.Value)
		}
		return
	}
	e.Value = strconv.FormatFloat(f, 'g', -1, 64)
	if math.IsInf(f, 0) {
		e.Value = "inf" // strconv reads it
	}
}

// constant tells whether e's truth is known, and what it is.
func constant(e ast.Expr) (known, truth bool) {
	switch e := e.(type) {
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr, *ast.FunctionExpr:
		return true, true
	case *ast.FalseExpr, *ast.NilExpr:
		return true, false
	case *ast.UnaryNotOpExpr:
		known, truth = constant(e.Expr)
		return known, !truth
	}
	return false, false
}

// decided is true or false in the place of an e whose truth is known.
func decided(e ast.Expr) ast.Expr {
	switch known, truth := constant(e); {
	case known && truth:
		return placed(&ast.TrueExpr{}, e)
	case known:
		return placed(&ast.FalseExpr{}, e)
	}
	return e
}

// isConstant tells whether the compiler may fold e into a constant.
func isConstant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.NumberExpr, *ast.StringExpr:
		return true
	case *ast.UnaryMinusOpExpr:
		return isConstant(e.Expr)
	case *ast.ArithmeticOpExpr:
		return isConstant(e.Lhs) && isConstant(e.Rhs)
	}
	return false
}

// perFlush is how many values the VM moves into a table at once. Beyond that
// the compiler loses count of them where keys stand among them, or where all
// values of a call follow.
const perFlush = 50

// constructor writes the keys of a long list out. Values of a call at its end
// are appended by (list).
func constructor(e *ast.TableExpr) ast.Expr {
	n := 0
	for _, f := range e.Fields {
		if f.Key == nil {
			n++
		} else {
			single(f.Value) // or {1, a = f()} would take f's value for an element, too
		}
	}
	if n < perFlush {
		return e
	}
	var rest ast.Expr
	if last := e.Fields[len(e.Fields)-1]; last.Key == nil && isMulti(last.Value) {
		rest = last.Value
		e.Fields = e.Fields[:len(e.Fields)-1]
	}
	i := 0
	for _, f := range e.Fields {
		if f.Key == nil {
			i++
			f.Key = newNumber(f.Value, strconv.Itoa(i))
		}
	}
	if rest == nil {
		return e
	}
	return placed(&ast.FuncCallExpr{Func: newIdent(e, listName), Args: []ast.Expr{e, newNumber(e, strconv.Itoa(i)), rest}, AdjustRet: true}, e)
}
