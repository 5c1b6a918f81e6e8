package sandbox

import (
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/loupe-ecs/loupe/sandbox/internal/boundlua"
	"github.com/loupe-ecs/loupe/sandbox/internal/source"
)

// What the source of a script calls in the place of what it says: functions that
// loop over a query and reach a field with fewer steps.
const (
	loopName  = "(loop)"
	reuseName = "(reuse)"
)

var rewriting = source.Dialect{Hidden: []string{loopName, reuseName}, Iterator: queryLoop, Select: selection}

// queryLoop names the function that iterates s if it is: for e in world.query(...) do.
func queryLoop(s *ast.GenericForStmt) string {
	if !isQueryLoop(s) {
		return ""
	}
	if escapes(s.Stmts, s.Names[0]) {
		return loopName
	}
	return reuseName
}

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

// selection tells whether e is variable.Component.Field. Exported Go names begin
// with a capital letter; a plain Lua table with such keys works too, only
// slower.
func selection(e *ast.AttrGetExpr) (ast.Expr, source.Site, bool) {
	field, ok1 := e.Key.(*ast.StringExpr)
	inner, ok2 := e.Object.(*ast.AttrGetExpr)
	if !ok1 || !ok2 || !capital(field.Value) {
		return nil, source.Site{}, false
	}
	component, ok1 := inner.Key.(*ast.StringExpr)
	obj, ok2 := inner.Object.(*ast.IdentExpr)
	if !ok1 || !ok2 || !capital(component.Value) {
		return nil, source.Site{}, false
	}
	return obj, source.Site{Outer: component.Value, Inner: field.Value}, true
}

func capital(s string) bool { return s != "" && 'A' <= s[0] && s[0] <= 'Z' }

// loop gives a query's loop a plain function to call, which is cheaper than a
// callable value. Anything else passes through.
func loop(L *lua.LState) int { return iterate(L, false) }

// reuse is loop for entities that the loop does not keep.
func reuse(L *lua.LState) int { return iterate(L, true) }

func iterate(L *lua.LState, reuse bool) int {
	if ud, ok := L.Get(1).(*lua.LUserData); ok {
		if q, ok := ud.Value.(*result); ok {
			q = &result{parts: q.parts, total: q.total, epoch: q.epoch, reuse: reuse} // its own place
			L.Push(boundlua.Function(func(L *lua.LState) int {
				L.Push(q.next(runOf(L)))
				return 1
			}))
			return 1
		}
	}
	return L.GetTop()
}
