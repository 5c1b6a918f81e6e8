package sandbox

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/loupe-ecs/loupe/sandbox/internal/source"
)

// escapes tells whether the entity in the variable name can be seen after its
// turn of the loop: whether it is used otherwise than in e.Component.Field,
// e.id, e.name and the methods that keep nothing. If not, one proxy serves all
// turns. The block is not rewritten yet.
func escapes(stmts []ast.Stmt, name string) bool {
	e := escape{name: name}
	e.block(&stmts)
	return e.found
}

type escape struct {
	name  string
	found bool
	depth int
}

// keepsNothing lists the methods of an entity that leave no reference to it.
var keepsNothing = map[string]bool{"has": true, "remove": true, "despawn": true, "alive": true, "retarget": true, "target": true}

// enter goes one level down, and gives up where it is deep.
func (x *escape) enter() bool {
	x.depth++
	x.found = x.found || x.depth > 250
	return !x.found
}

func (x *escape) leave() { x.depth-- }

func (x *escape) is(e ast.Expr) bool {
	id, ok := e.(*ast.IdentExpr)
	return ok && id.Value == x.name
}

func (x *escape) block(stmts *[]ast.Stmt) {
	defer x.leave()
	if !x.enter() {
		return
	}
	for _, s := range *stmts {
		x.stmt(s)
	}
}

func (x *escape) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.FuncDefStmt:
		x.found = true // it may use the variable later
	case *ast.AssignStmt:
		for i := range s.Lhs {
			if a, ok := s.Lhs[i].(*ast.AttrGetExpr); ok && x.is(a.Object) {
				x.expr(&a.Key) // e.Component = value keeps no reference
				continue
			}
			x.expr(&s.Lhs[i])
		}
		for i := range s.Rhs {
			x.expr(&s.Rhs[i])
		}
	default:
		source.Heads(s, x.expr)
		source.Blocks(s, x.block)
	}
}

func (x *escape) expr(p *ast.Expr) {
	defer x.leave()
	if !x.enter() {
		return
	}
	switch e := (*p).(type) {
	case *ast.FunctionExpr:
		x.found = true // it may use the variable later
	case *ast.IdentExpr:
		x.found = x.is(e)
	case *ast.AttrGetExpr:
		if obj, _, ok := selection(e); ok && x.is(obj) {
			return
		}
		if x.is(e.Object) {
			key, ok := e.Key.(*ast.StringExpr)
			x.found = !ok || key.Value != "id" && key.Value != "name"
			return
		}
		source.Operands(e, x.expr)
	case *ast.FuncCallExpr:
		if x.is(e.Receiver) && keepsNothing[e.Method] {
			for i := range e.Args {
				x.expr(&e.Args[i])
			}
			return
		}
		source.Operands(e, x.expr)
	default:
		source.Operands(e, x.expr)
	}
}
