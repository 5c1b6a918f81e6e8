package source

import "github.com/yuin/gopher-lua/ast"

// variable is a local variable, a parameter or the variable of a loop.
type variable struct {
	function int  // how many functions enclose its declaration
	captured bool // a function inside its own uses it
	assigned bool // after its declaration
}

// boxed tells whether the variable must live in a table of one element. When
// anything raises an error, gopher-lua closes every variable that a function
// has captured, in the calls that go on running after a pcall too: function
// and closure then have a copy each. What is not assigned may be copied.
func (v *variable) boxed() bool { return v != nil && v.captured && v.assigned }

// variables tells which variable a name means.
type variables struct {
	used     map[*ast.IdentExpr]*variable
	declared map[any][]*variable // by *ast.LocalAssignStmt, the loops, *ast.FunctionExpr: in the order of the names
	varargs  bool                // the chunk itself uses ...

	visible  []binding
	function int
}

type binding struct {
	name string
	v    *variable
}

func findVariables(chunk []ast.Stmt) *variables {
	vs := &variables{used: map[*ast.IdentExpr]*variable{}, declared: map[any][]*variable{}}
	vs.block(chunk)
	return vs
}

func (vs *variables) declare(at any, names ...string) {
	for _, name := range names {
		v := &variable{function: vs.function}
		vs.declared[at] = append(vs.declared[at], v)
		vs.visible = append(vs.visible, binding{name, v})
	}
}

func (vs *variables) find(name string) *variable {
	for i := len(vs.visible) - 1; i >= 0; i-- {
		if vs.visible[i].name == name {
			return vs.visible[i].v
		}
	}
	return nil // a global
}

// inside runs f and forgets what it declared.
func (vs *variables) inside(f func()) {
	n := len(vs.visible)
	f()
	vs.visible = vs.visible[:n]
}

func (vs *variables) block(stmts []ast.Stmt) {
	vs.inside(func() { vs.stmts(stmts) })
}

func (vs *variables) stmts(stmts []ast.Stmt) {
	for _, s := range stmts {
		vs.stmt(s)
	}
}

func (vs *variables) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		if isLocalFunction(s) { // it may call itself
			vs.declare(s, s.Names...)
			Heads(s, vs.expr)
			return
		}
		Heads(s, vs.expr)
		vs.declare(s, s.Names...)
	case *ast.AssignStmt:
		Heads(s, vs.expr)
		for _, to := range s.Lhs {
			vs.assign(to)
		}
	case *ast.FuncDefStmt:
		Heads(s, vs.expr)
		if s.Name.Receiver == nil {
			vs.assign(s.Name.Func)
			vs.body(s.Func, nil)
		} else {
			vs.body(s.Func, []string{"self"})
		}
	case *ast.RepeatStmt: // the condition sees the block's variables
		vs.inside(func() {
			vs.stmts(s.Stmts)
			Heads(s, vs.expr)
		})
	case *ast.NumberForStmt:
		Heads(s, vs.expr)
		vs.inside(func() {
			vs.declare(s, s.Name)
			vs.stmts(s.Stmts)
		})
	case *ast.GenericForStmt:
		Heads(s, vs.expr)
		vs.inside(func() {
			vs.declare(s, s.Names...)
			vs.stmts(s.Stmts)
		})
	default:
		Heads(s, vs.expr)
		Blocks(s, func(b *[]ast.Stmt) { vs.block(*b) })
	}
}

func (vs *variables) assign(to ast.Expr) {
	if id, ok := to.(*ast.IdentExpr); ok && vs.used[id] != nil {
		vs.used[id].assigned = true
	}
}

func (vs *variables) expr(p *ast.Expr) {
	switch e := (*p).(type) {
	case *ast.IdentExpr:
		if v := vs.find(e.Value); v != nil {
			vs.used[e] = v
			v.captured = v.captured || v.function != vs.function
		}
	case *ast.Comma3Expr:
		vs.varargs = vs.varargs || vs.function == 0
	case *ast.FunctionExpr:
		vs.body(e, nil)
	default:
		Operands(e, vs.expr)
	}
}

// body walks a function; first names a parameter that is not written.
func (vs *variables) body(f *ast.FunctionExpr, first []string) {
	vs.function++
	vs.inside(func() {
		vs.declare(f, parameters(f, first)...)
		vs.stmts(f.Stmts)
	})
	vs.function--
}

// parameters lists what a function finds declared: as the compiler does it.
func parameters(f *ast.FunctionExpr, first []string) []string {
	names := append(first[:len(first):len(first)], f.ParList.Names...)
	if f.ParList.HasVargs {
		names = append(names, "arg")
	}
	return names
}

// isLocalFunction tells local function f from local f = function: of the two
// the parser gives only the former a last line.
func isLocalFunction(s *ast.LocalAssignStmt) bool {
	if len(s.Names) != 1 || len(s.Exprs) != 1 || s.LastLine() == 0 {
		return false
	}
	_, ok := s.Exprs[0].(*ast.FunctionExpr)
	return ok
}
