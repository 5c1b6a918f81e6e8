package sandbox

import "github.com/yuin/gopher-lua/ast"

// isQueryLoop tells whether s is: for e in world.query(...) do.
func isQueryLoop(s *ast.GenericForStmt) bool {
	if len(s.Names) != 1 || len(s.Exprs) != 1 {
		return false
	}
	call, ok := s.Exprs[0].(*ast.FuncCallExpr)
	if !ok {
		return false
	}
	attr, ok := call.Func.(*ast.AttrGetExpr)
	if !ok {
		return false
	}
	world, ok1 := attr.Object.(*ast.IdentExpr)
	key, ok2 := attr.Key.(*ast.StringExpr)
	return ok1 && ok2 && world.Value == "world" && key.Value == "query"
}

// escapes tells whether the entity in the variable name can be seen after its
// turn of the loop: whether it is used otherwise than in e.Component.Field,
// e.id, e.name and the methods that keep nothing. If not, one proxy serves all
// turns. The block is not rewritten yet.
func escapes(stmts []ast.Stmt, name string) bool {
	e := escape{name: name}
	e.block(stmts)
	return e.found
}

type escape struct {
	name  string
	found bool
	depth int
}

// keepsNothing lists the methods of an entity that leave no reference to it.
var keepsNothing = map[string]bool{"has": true, "remove": true, "despawn": true, "alive": true, "retarget": true, "target": true}

func (x *escape) block(stmts []ast.Stmt) {
	if x.depth++; x.depth > 250 {
		x.found = true
	}
	for _, s := range stmts {
		if x.found {
			break
		}
		x.stmt(s)
	}
	x.depth--
}

func (x *escape) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, l := range s.Lhs {
			if id, ok := l.(*ast.IdentExpr); ok && id.Value == x.name {
				x.found = true
			}
			if a, ok := l.(*ast.AttrGetExpr); ok && a.Object != nil {
				if id, ok := a.Object.(*ast.IdentExpr); ok && id.Value == x.name {
					x.expr(a.Key) // e.Component = value keeps no reference
					continue
				}
			}
			x.expr(l)
		}
		x.exprs(s.Rhs)
	case *ast.LocalAssignStmt:
		x.exprs(s.Exprs)
	case *ast.FuncCallStmt:
		x.expr(s.Expr)
	case *ast.DoBlockStmt:
		x.block(s.Stmts)
	case *ast.WhileStmt:
		x.expr(s.Condition)
		x.block(s.Stmts)
	case *ast.RepeatStmt:
		x.expr(s.Condition)
		x.block(s.Stmts)
	case *ast.IfStmt:
		x.expr(s.Condition)
		x.block(s.Then)
		x.block(s.Else)
	case *ast.NumberForStmt:
		x.exprs([]ast.Expr{s.Init, s.Limit, s.Step})
		x.block(s.Stmts)
	case *ast.GenericForStmt:
		x.exprs(s.Exprs)
		x.block(s.Stmts)
	case *ast.ReturnStmt:
		x.exprs(s.Exprs)
	case *ast.FuncDefStmt:
		x.found = true // it may use the variable later
	}
}

func (x *escape) exprs(es []ast.Expr) {
	for _, e := range es {
		x.expr(e)
	}
}

func (x *escape) expr(e ast.Expr) {
	if e == nil || x.found {
		return
	}
	if x.depth++; x.depth > 250 {
		x.found = true
	}
	defer func() { x.depth-- }()
	switch e := e.(type) {
	case *ast.IdentExpr:
		x.found = x.found || e.Value == x.name
	case *ast.AttrGetExpr:
		if obj, _, ok := fusible(e); ok && obj.(*ast.IdentExpr).Value == x.name {
			return
		}
		if id, ok := e.Object.(*ast.IdentExpr); ok && id.Value == x.name {
			key, ok := e.Key.(*ast.StringExpr)
			x.found = !ok || key.Value != "id" && key.Value != "name"
			return
		}
		x.expr(e.Object)
		x.expr(e.Key)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			x.expr(f.Key)
			x.expr(f.Value)
		}
	case *ast.FuncCallExpr:
		id, ok := e.Receiver.(*ast.IdentExpr)
		if !ok || id.Value != x.name || !keepsNothing[e.Method] {
			x.expr(e.Func)
			x.expr(e.Receiver)
		}
		x.exprs(e.Args)
	case *ast.LogicalOpExpr:
		x.exprs([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.RelationalOpExpr:
		x.exprs([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.ArithmeticOpExpr:
		x.exprs([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.StringConcatOpExpr:
		x.exprs([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.UnaryMinusOpExpr:
		x.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		x.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		x.expr(e.Expr)
	case *ast.FunctionExpr:
		x.found = true // it may use the variable later
	}
}
