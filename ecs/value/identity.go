package value

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"reflect"
	"strconv"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// shapeOf hashes the memory layout: kinds, sizes, field names and offsets, of
// everything the value reaches. Equal in every process built for one
// architecture; type names do not count, so that a rename keeps the shape.
func shapeOf(t reflect.Type) string {
	h := sha256.New()
	writeShape(h, t, map[reflect.Type]int{})
	return sum(h)
}

func writeShape(w io.Writer, t reflect.Type, seen map[reflect.Type]int) {
	if n, ok := seen[t]; ok {
		fmt.Fprintf(w, "^%d;", n)
		return
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Pointer, reflect.Array:
		seen[t] = len(seen)
	}
	fmt.Fprintf(w, "%s/%d/%d", t.Kind(), t.Size(), t.Align())
	switch t.Kind() {
	case reflect.Struct:
		io.WriteString(w, "{")
		if !layout.Of(t).Handle {
			for i := range t.NumField() {
				sf := t.Field(i)
				fmt.Fprintf(w, "%s@%d:", sf.Name, sf.Offset)
				writeShape(w, sf.Type, seen)
			}
		}
		io.WriteString(w, "}")
	case reflect.Array:
		fmt.Fprintf(w, "[%d]", t.Len())
		writeShape(w, t.Elem(), seen)
	case reflect.Slice, reflect.Pointer:
		io.WriteString(w, ">")
		writeShape(w, t.Elem(), seen)
	case reflect.Map:
		io.WriteString(w, "[")
		writeShape(w, t.Key(), seen)
		io.WriteString(w, "]")
		writeShape(w, t.Elem(), seen)
	}
	io.WriteString(w, ";")
}

// schemaOf hashes layout and descriptions: it changes when a client's
// knowledge of the type is out of date.
func schemaOf(t *Type) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%q\n", t.ID, t.Shape, t.Doc)
	hashField(h, t.Root)
	for _, c := range t.Computed {
		fmt.Fprintf(h, "computed %q %q %q %s\n", c.Name, c.Doc, c.Unit, c.Type.ID)
	}
	for _, a := range t.Actions {
		fmt.Fprintf(h, "action %q %q %s %s\n", a.Name, a.Doc, a.In.SchemaID, a.Out.SchemaID)
	}
	if t.def.IsValid() {
		b, _ := layout.AppendJSON(nil, t.def, EncodeOptions{})
		h.Write(b)
	}
	return sum(h)
}

func hashField(w io.Writer, f *Field) {
	num := func(p *float64) string {
		if p == nil {
			return "-"
		}
		return strconv.FormatFloat(*p, 'g', -1, 64)
	}
	fmt.Fprintf(w, "%q %s %d %q %q %s %s %q %t%t%t%t%t{", f.Name, layout.FullName(f.Go), f.Kind, f.Doc, f.Unit, num(f.Min), num(f.Max),
		f.Default, f.ReadOnly, f.Hidden, f.Optional, f.Vector, f.Recursive)
	if f.Dangling {
		io.WriteString(w, "dangling,")
	}
	for _, l := range f.Enum {
		fmt.Fprintf(w, "%q=%d,", l.Name, l.Value)
	}
	for _, c := range f.Fields {
		hashField(w, c)
	}
	if f.Key != nil {
		hashField(w, f.Key)
	}
	if f.Elem != nil {
		hashField(w, f.Elem)
	}
	io.WriteString(w, "}")
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:8]) }
