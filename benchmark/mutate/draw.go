package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// mutant is a mistake in a function of the product.
type mutant struct {
	edit
	pkg      string // import path
	file     string // path from the root of the module
	function string
	line     int
	source   []byte // of the file, without the mistake
	from, to int    // offsets of the edit in it
}

// key names a mutant for equivalent.txt, whatever line it moves to.
func (m *mutant) key() string {
	return fmt.Sprintf("%s %s: %s: %s", m.file, m.function, m.operator, strings.Join(strings.Fields(m.before()+" -> "+m.text), " "))
}

func (m *mutant) before() string { return string(m.source[m.from:m.to]) }

// changed is the file with the mistake.
func (m *mutant) changed() []byte {
	return slices.Concat(m.source[:m.from], []byte(m.text), m.source[m.to:])
}

// diff shows the lines that differ, with one around.
func (m *mutant) diff() string {
	start := strings.LastIndexByte(string(m.source[:m.from]), '\n') + 1
	end := m.to + strings.IndexByte(string(m.source[m.to:])+"\n", '\n')
	old := string(m.source[start:end])
	changed := string(m.source[start:m.from]) + m.text + string(m.source[m.to:end])
	mark := func(sign, text string) string {
		return sign + strings.ReplaceAll(text, "\n", "\n"+sign) + "\n"
	}
	return fmt.Sprintf("--- %s:%d in %s\n%s%s", m.file, m.line, m.function, mark("-", old), mark("+", changed))
}

// function is a place that mistakes can be made in.
type function struct {
	pkg  *packages.Package
	file *ast.File
	decl *ast.FuncDecl
}

type source struct {
	root      string
	functions []function
	files     map[string][]byte
	r         *rand.Rand
}

// load reads the packages with their types.
func load(root string, patterns []string, seed uint64) (*source, error) {
	pkgs, err := packages.Load(&packages.Config{Dir: root,
		Mode: packages.LoadSyntax}, patterns...)
	if err != nil {
		return nil, err
	}
	s := &source{root: root, files: map[string][]byte{}, r: rand.New(rand.NewPCG(seed, 1))}
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && len(fd.Body.List) > 0 {
					s.functions = append(s.functions, function{p, f, fd})
				}
			}
		}
	}
	if len(s.functions) == 0 {
		return nil, fmt.Errorf("no functions in %s", strings.Join(patterns, " "))
	}
	return s, nil
}

// draw takes a function, then a kind of mistake, then a place for it.
func (s *source) draw() (*mutant, error) {
	for {
		f := s.functions[s.r.IntN(len(s.functions))]
		fset := f.pkg.Fset
		path := fset.Position(f.decl.Pos()).Filename
		text, ok := s.files[path]
		if !ok {
			var err error
			if text, err = os.ReadFile(path); err != nil {
				return nil, err
			}
			s.files[path] = text
		}
		offset := func(p token.Pos) int { return fset.Position(p).Offset }
		find := finder{info: f.pkg.TypesInfo, text: func(from, to token.Pos) string { return string(text[offset(from):offset(to)]) }}
		ast.Inspect(f.decl.Body, find.visit)
		operator := operators[s.r.IntN(len(operators))]
		var fit []edit
		for _, e := range find.edits {
			if e.operator == operator {
				fit = append(fit, e)
			}
		}
		if len(fit) == 0 {
			continue
		}
		e := fit[s.r.IntN(len(fit))]
		rel, err := filepath.Rel(s.root, path)
		if err != nil {
			return nil, err
		}
		return &mutant{edit: e, pkg: f.pkg.PkgPath, file: filepath.ToSlash(rel), function: name(f.decl), line: fset.Position(e.start).Line,
			source: text, from: offset(e.start), to: offset(e.end)}, nil
	}
}

func name(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + d.Name.Name
	}
	return d.Name.Name
}
