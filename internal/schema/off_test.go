//go:build !nomcpdebug

package schema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"testing"
)

// A schema that a host writes by hand compiles without the server too.
func TestTheEmptySchemaHasAllFields(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "off.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	off := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == "Schema" {
			for _, f := range spec.Type.(*ast.StructType).Fields.List {
				for _, name := range f.Names {
					off[name.Name] = types.ExprString(f.Type)
				}
			}
		}
		return true
	})
	real := reflect.TypeFor[Schema]()
	for i := range real.NumField() {
		f := real.Field(i)
		want := strings.NewReplacer("jsonschema.", "", "interface {}", "any").Replace(f.Type.String())
		if f.IsExported() && off[f.Name] != want {
			t.Errorf("%s is %q in a build without the server, %q with it", f.Name, off[f.Name], want)
		}
	}
}
