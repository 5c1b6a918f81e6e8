package meta

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The limits of the house: what is larger holds more than one idea. Lines are
// those of files, tests and files for other systems or tags left out.
const (
	mostMethods = 40
	mostLines   = 4500
)

// larger are the exceptions, named: a type or package that is here must be above
// its limit, so that none stays longer than it needs to.
var larger = []string{"examples/game/internal/game.Game"}

func TestNothingIsLargerThanOneIdea(t *testing.T) {
	lines, methods := map[string]int{}, map[string]int{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		dir, file := filepath.Split(path)
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || strings.HasPrefix(name, ".") && len(name) > 2 {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		if ok, err := build.Default.MatchFile(dir, file); !ok || err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		pkg := strings.TrimPrefix(filepath.ToSlash(filepath.Clean(dir)), "../../")
		lines[pkg] += strings.Count(string(text), "\n")
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				methods[pkg+"."+receiver(fn.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < 50 || methods["mcpdebug.Server"] < 10 {
		t.Fatalf("%d packages, %d methods of Server: the tree was not read", len(lines), methods["mcpdebug.Server"])
	}
	check := func(what string, counts map[string]int, most int) {
		for name, n := range counts {
			if known := slices.Contains(larger, name); n > most && !known {
				t.Errorf("%s has %d %s, more than %d: find the idea that can leave", name, n, what, most)
			} else if n <= most && known {
				t.Errorf("%s has only %d %s: it is no exception any more", name, n, what)
			}
		}
	}
	check("lines", lines, mostLines)
	check("methods", methods, mostMethods)
	for _, name := range larger {
		if lines[name]+methods[name] == 0 {
			t.Errorf("no %s, which is said to be an exception", name)
		}
	}
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
