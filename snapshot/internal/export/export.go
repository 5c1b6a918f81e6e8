// Package export writes a world as JSON, for people and other tools.
package export

import (
	"bufio"
	"encoding/json"
	"io"
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Write writes a header, resources and entities by name, values as every tool
// shows them, and tells how many bytes. Any goroutine.
func Write(w io.Writer, header []byte, cat *ecs.Catalog, archetypes []ecs.ImageArchetype, resources []ecs.ImageResource) (int64, error) {
	x := &exporter{w: bufio.NewWriterSize(w, 64<<10), cat: cat}
	x.raw(`{"format":"loupe-json","header":`)
	x.raw(string(header))
	x.raw(",\n\"resources\":{")
	first := true
	for _, r := range resources {
		x.comma(&first, ",\n")
		x.key(cat.Resources[r.ID].Name)
		x.value(r.Value)
	}
	x.raw("},\n\"entities\":[\n")
	first = true
	for i := range archetypes {
		a := &archetypes[i]
		for row, e := range a.Entities {
			x.comma(&first, ",\n")
			x.entity(a, row, e)
		}
	}
	x.raw("\n]}\n")
	if err := x.w.Flush(); err != nil {
		return x.n, err
	}
	return x.n, nil
}

type exporter struct {
	w   *bufio.Writer
	n   int64
	cat *ecs.Catalog
	buf []byte
}

// raw ignores the error: bufio keeps it for Flush.
func (x *exporter) raw(s string) {
	n, _ := x.w.WriteString(s)
	x.n += int64(n)
}

func (x *exporter) comma(first *bool, sep string) {
	if !*first {
		x.raw(sep)
	}
	*first = false
}

func (x *exporter) key(name string) {
	k, _ := json.Marshal(name)
	x.raw(string(k))
	x.raw(":")
}

func (x *exporter) value(v reflect.Value) {
	if !v.IsValid() {
		x.raw("null")
		return
	}
	out, err := value.AppendJSON(x.buf[:0], v, value.EncodeOptions{})
	if err != nil {
		out, _ = json.Marshal(map[string]string{"$error": err.Error()})
	}
	x.buf = out
	n, _ := x.w.Write(out)
	x.n += int64(n)
}

func (x *exporter) entity(a *ecs.ImageArchetype, row int, e ecs.Entity) {
	x.raw(`{"entity":"` + e.String() + `"`)
	for c, id := range a.Components {
		label := x.cat.Components[id].Type.Label
		if label == nil {
			continue
		}
		if name := safeLabel(label, a.Columns[c].Index(row)); name != "" {
			x.raw(",")
			x.key("name")
			raw, _ := json.Marshal(name)
			x.raw(string(raw))
			break
		}
	}
	x.raw(`,"components":{`)
	first := true
	for c, id := range a.Components {
		x.comma(&first, ",")
		x.key(x.cat.Components[id].Name)
		x.value(a.Columns[c].Index(row))
	}
	x.raw("}")
	first = true
	for _, t := range a.Targets {
		if t.Entity.IsZero() {
			continue
		}
		if first {
			x.raw(`,"targets":{`)
		}
		x.comma(&first, ",")
		x.key(x.cat.Components[t.Relation].Name)
		x.raw(`"` + t.Entity.String() + `"`)
	}
	if !first {
		x.raw("}")
	}
	x.raw("}")
}

// safeLabel calls the host's function; it is code of the game.
func safeLabel(f func(unsafe.Pointer) string, v reflect.Value) (name string) {
	defer func() {
		if recover() != nil {
			name = ""
		}
	}()
	return f(v.Addr().UnsafePointer())
}
