package causes

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/timeline"
)

// growPoints is at how many moments of the recording things are counted.
const growPoints = 12

// world looks at the last sample, and at how counts went.
func (l *look) world(line *timeline.Line) {
	from, to, _ := line.Ticks()
	last, err := line.Find(int64(to))
	if err != nil {
		return
	}
	w := line.World(last)
	l.nonFinite(w)
	if to-from < 120 {
		return
	}
	var counts []map[string]int
	for i := range growPoints {
		ref, err := line.Find(int64(from + (to-from)*uint64(i)/(growPoints-1)))
		if err != nil {
			return // a gap: nothing can be said of a trend over it
		}
		cat := line.World(ref).Catalog()
		l.kindsThen(cat, ref.Tick)
		n := map[string]int{"": cat.Entities.Alive}
		for _, c := range cat.Components {
			n[c.Name] = c.Entities
		}
		counts = append(counts, n)
	}
	for _, name := range sortedKeys(counts[growPoints-1]) {
		first, now := counts[0][name], counts[growPoints-1][name]
		grows := now >= first*3/2 && now-first >= 50
		for i := 1; grows && i < growPoints; i++ {
			grows = counts[i][name] > counts[i-1][name]
		}
		if !grows {
			continue
		}
		what, of := "entities", `{"where":"true","of":"count"}`
		if name != "" {
			what, of = "entities with "+name, fmt.Sprintf(`{"where":"has(%s)","of":"count"}`, name)
		}
		l.add("warning", "grows", "history", of, fmt.Sprintf("ticks %d to %d", from, to), "the count of %s only grows: from %d to %d", what, first, now)
	}
}

// nonFinite looks for NaN and infinities in plain columns.
func (l *look) nonFinite(w ecs.World) {
	cat := w.Catalog()
	for _, c := range cat.Components {
		for _, f := range floats(nil, value.LayoutOf(c.Type.Go), 0, c.Name) {
			n, example := 0, ecs.Entity{}
			for chunk := range w.Chunks(ecs.Filter{With: []ecs.TypeID{c.ID}}) {
				col, ok := chunk.Column(c.ID)
				for row := 0; ok && row < chunk.Len(); row++ {
					if v := f.at(col.At(row)); math.IsNaN(v) || math.IsInf(v, 0) {
						if n++; n == 1 {
							example = chunk.Entity(row)
						}
					}
				}
			}
			if n > 0 {
				l.add("error", "non_finite", "blame", fmt.Sprintf(`{"entity":%q,"path":%q}`, example, f.path), "entity "+example.String(),
					"%s is not finite on %d entities", f.path, n)
			}
		}
	}
	for _, r := range cat.Resources {
		v, ok := w.Resource(r.ID)
		if !ok || !v.CanAddr() {
			continue
		}
		for _, f := range floats(nil, value.LayoutOf(r.Type.Go), 0, r.Name) {
			if x := f.at(v.Addr().UnsafePointer()); math.IsNaN(x) || math.IsInf(x, 0) {
				l.add("error", "non_finite", "blame", fmt.Sprintf(`{"path":%q}`, f.path), "resource "+r.Name, "%s is not finite: %v", f.path, x)
			}
		}
	}
}

// float is a floating-point number at a fixed place in a type.
type float struct {
	path string
	off  uintptr
	wide bool
}

func (f float) at(p unsafe.Pointer) float64 {
	if f.wide {
		return *(*float64)(unsafe.Add(p, f.off))
	}
	return float64(*(*float32)(unsafe.Add(p, f.off)))
}

// maxFloats bounds the numbers of one type that are looked at.
const maxFloats = 64

func floats(dst []float, l *value.Layout, off uintptr, path string) []float {
	switch {
	case len(dst) >= maxFloats || l.Handle || l.Atom:
	case l.Mem == reflect.Float64 || l.Mem == reflect.Float32:
		dst = append(dst, float{path, off, l.Mem == reflect.Float64})
	case l.Mem == reflect.Struct:
		for _, p := range l.Parts {
			dst = floats(dst, p.Layout, off+p.Offset, path+"."+p.Name)
		}
	case l.Mem == reflect.Array && l.Elem != nil:
		for i := range l.Len {
			dst = floats(dst, l.Elem, off+uintptr(i)*l.Elem.Size, fmt.Sprintf("%s[%d]", path, i))
		}
	}
	return dst
}
