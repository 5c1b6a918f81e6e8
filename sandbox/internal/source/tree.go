package source

import "github.com/yuin/gopher-lua/ast"

// Operands calls f with the place of every expression that stands directly in
// e, in the order of the source. A function's body holds statements: it has
// none.
func Operands(e ast.Expr, f func(*ast.Expr)) {
	some := func(p *ast.Expr) {
		if *p != nil {
			f(p)
		}
	}
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		f(&e.Object)
		f(&e.Key)
	case *ast.TableExpr:
		for _, field := range e.Fields {
			some(&field.Key)
			f(&field.Value)
		}
	case *ast.FuncCallExpr:
		some(&e.Func)
		some(&e.Receiver)
		eachOf(e.Args, f)
	case *ast.LogicalOpExpr:
		f(&e.Lhs)
		f(&e.Rhs)
	case *ast.RelationalOpExpr:
		f(&e.Lhs)
		f(&e.Rhs)
	case *ast.ArithmeticOpExpr:
		f(&e.Lhs)
		f(&e.Rhs)
	case *ast.StringConcatOpExpr:
		f(&e.Lhs)
		f(&e.Rhs)
	case *ast.UnaryMinusOpExpr:
		f(&e.Expr)
	case *ast.UnaryNotOpExpr:
		f(&e.Expr)
	case *ast.UnaryLenOpExpr:
		f(&e.Expr)
	}
}

func eachOf(es []ast.Expr, f func(*ast.Expr)) {
	for i := range es {
		f(&es[i])
	}
}

// Heads calls f with the place of every expression that stands directly in the
// statement s: not in a block of it, not in a function that it defines.
func Heads(s ast.Stmt, f func(*ast.Expr)) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		eachOf(s.Lhs, f)
		eachOf(s.Rhs, f)
	case *ast.LocalAssignStmt:
		eachOf(s.Exprs, f)
	case *ast.FuncCallStmt:
		f(&s.Expr)
	case *ast.WhileStmt:
		f(&s.Condition)
	case *ast.RepeatStmt:
		f(&s.Condition)
	case *ast.IfStmt:
		f(&s.Condition)
	case *ast.NumberForStmt:
		f(&s.Init)
		f(&s.Limit)
		if s.Step != nil {
			f(&s.Step)
		}
	case *ast.GenericForStmt:
		eachOf(s.Exprs, f)
	case *ast.FuncDefStmt:
		if s.Name.Receiver != nil {
			f(&s.Name.Receiver)
		} else {
			f(&s.Name.Func)
		}
	case *ast.ReturnStmt:
		eachOf(s.Exprs, f)
	}
}

// Blocks calls f with the place of every block that stands directly in s.
func Blocks(s ast.Stmt, f func(*[]ast.Stmt)) {
	switch s := s.(type) {
	case *ast.DoBlockStmt:
		f(&s.Stmts)
	case *ast.WhileStmt:
		f(&s.Stmts)
	case *ast.RepeatStmt:
		f(&s.Stmts)
	case *ast.IfStmt:
		f(&s.Then)
		f(&s.Else)
	case *ast.NumberForStmt:
		f(&s.Stmts)
	case *ast.GenericForStmt:
		f(&s.Stmts)
	}
}

// placed gives the made node n the lines of at.
func placed[N ast.PositionHolder](n N, at ast.PositionHolder) N {
	n.SetLine(at.Line())
	n.SetLastLine(max(at.Line(), at.LastLine()))
	return n
}

func newIdent(at ast.PositionHolder, name string) *ast.IdentExpr {
	return placed(&ast.IdentExpr{Value: name}, at)
}

func newNumber(at ast.PositionHolder, text string) *ast.NumberExpr {
	return placed(&ast.NumberExpr{Value: text}, at)
}

func newLocal(at ast.PositionHolder, names []string, exprs ...ast.Expr) *ast.LocalAssignStmt {
	return placed(&ast.LocalAssignStmt{Names: names, Exprs: exprs}, at)
}

func newAssign(at ast.PositionHolder, to, value ast.Expr) *ast.AssignStmt {
	return placed(&ast.AssignStmt{Lhs: []ast.Expr{to}, Rhs: []ast.Expr{value}}, at)
}

func newList(at ast.PositionHolder, value ast.Expr) *ast.TableExpr {
	return placed(&ast.TableExpr{Fields: []*ast.Field{{Value: value}}}, at)
}

func newBlock(at ast.PositionHolder, stmts ...ast.Stmt) *ast.DoBlockStmt {
	return placed(&ast.DoBlockStmt{Stmts: stmts}, at)
}
