package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// edit is one mistake: the text from start to end of a file becomes text.
type edit struct {
	operator   string
	start, end token.Pos
	text       string
}

// operators are the ten kinds of mistakes, in words of the report.
var operators = []string{
	"negated condition", "moved boundary", "equal for unequal", "wrong arithmetic", "off by one",
	"dropped statement", "swapped arguments", "wrong field", "and for or", "true for false",
}

var swapped = map[token.Token]struct {
	to       token.Token
	operator string
}{
	token.LSS: {token.LEQ, "moved boundary"}, token.LEQ: {token.LSS, "moved boundary"},
	token.GTR: {token.GEQ, "moved boundary"}, token.GEQ: {token.GTR, "moved boundary"},
	token.EQL: {token.NEQ, "equal for unequal"}, token.NEQ: {token.EQL, "equal for unequal"},
	token.ADD: {token.SUB, "wrong arithmetic"}, token.SUB: {token.ADD, "wrong arithmetic"},
	token.MUL: {token.QUO, "wrong arithmetic"}, token.QUO: {token.MUL, "wrong arithmetic"},
	token.SHL: {token.SHR, "wrong arithmetic"}, token.SHR: {token.SHL, "wrong arithmetic"},
	token.LAND: {token.LOR, "and for or"}, token.LOR: {token.LAND, "and for or"},
}

// symmetric functions answer the same whichever argument comes first.
var symmetric = map[string]bool{"slices.Equal": true, "bytes.Equal": true, "maps.Equal": true, "reflect.DeepEqual": true,
	"strings.EqualFold": true, "min": true, "max": true}

// finder collects the mistakes that can be made in a function.
type finder struct {
	info  *types.Info
	text  func(from, to token.Pos) string
	edits []edit
}

func (f *finder) add(operator string, from, to token.Pos, text string) {
	f.edits = append(f.edits, edit{operator, from, to, text})
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		f.negate(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			f.negate(n.Cond)
		}
	case *ast.BinaryExpr:
		if s, ok := swapped[n.Op]; ok {
			f.add(s.operator, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), s.to.String())
		}
	case *ast.BasicLit:
		if n.Kind == token.INT {
			if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
				f.add("off by one", n.Pos(), n.End(), strconv.FormatInt(v+1, 10))
			}
		}
	case *ast.Ident:
		if n.Name == "true" || n.Name == "false" {
			f.add("true for false", n.Pos(), n.End(), strconv.FormatBool(n.Name == "false"))
		}
	case *ast.BlockStmt:
		f.drop(n.List)
	case *ast.CaseClause:
		f.drop(n.Body)
	case *ast.CallExpr:
		if callee := f.text(n.Fun.Pos(), n.Fun.End()); callee == "make" {
			return false // a capacity changes nothing that anybody sees
		} else if !symmetric[callee] {
			f.swap(n.Args)
		}
	case *ast.SelectorExpr:
		f.field(n)
	}
	return true
}

func (f *finder) negate(cond ast.Expr) {
	f.add("negated condition", cond.Pos(), cond.End(), "!("+f.text(cond.Pos(), cond.End())+")")
}

// drop offers to leave out the statements whose absence may still compile.
func (f *finder) drop(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
		default:
			continue
		}
		f.add("dropped statement", s.Pos(), s.End(), "")
	}
}

// swap offers to exchange neighbours that are assignable to each other.
func (f *finder) swap(args []ast.Expr) {
	for i := 1; i < len(args); i++ {
		a, b := args[i-1], args[i]
		ta, tb := f.info.TypeOf(a), f.info.TypeOf(b)
		ta2, tb2 := f.text(a.Pos(), a.End()), f.text(b.Pos(), b.End())
		if ta == nil || tb == nil || ta2 == tb2 || !types.AssignableTo(ta, tb) {
			continue
		}
		f.add("swapped arguments", a.Pos(), b.End(), tb2+f.text(a.End(), b.Pos())+ta2)
	}
}

// field offers the first other field of the same type.
func (f *finder) field(s *ast.SelectorExpr) {
	sel := f.info.Selections[s]
	if sel == nil || sel.Kind() != types.FieldVal || len(sel.Index()) != 1 {
		return
	}
	t := sel.Recv()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := range st.NumFields() {
		other := st.Field((sel.Index()[0] + 1 + i) % st.NumFields())
		if other.Name() != s.Sel.Name && types.Identical(other.Type(), sel.Type()) && (other.Exported() || other.Pkg() == f.info.ObjectOf(s.Sel).Pkg()) {
			f.add("wrong field", s.Sel.Pos(), s.Sel.End(), other.Name())
			return
		}
	}
}
