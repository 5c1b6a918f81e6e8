package snapshot

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/value"
)

func numeric(k kind) bool { return k == kInt || k == kUint || k == kFloat }

// number is a scalar on its way from one type to another. In is exact.
type number struct {
	kind kind
	i    int64
	u    uint64
	f    float64
}

func (x number) String() string {
	switch x.kind {
	case kInt:
		return strconv.FormatInt(x.i, 10)
	case kUint:
		return strconv.FormatUint(x.u, 10)
	}
	return strconv.FormatFloat(x.f, 'g', -1, 64)
}

func (d *decoder) number(k kind, size uint64) number {
	u := bitsOf(d.take(int(size)))
	switch {
	case k == kInt:
		shift := 64 - 8*size
		return number{kind: k, i: int64(u<<shift) >> shift}
	case k == kUint:
		return number{kind: k, u: u}
	case size == 4:
		return number{kind: k, f: float64(math.Float32frombits(uint32(u)))}
	}
	return number{kind: k, f: math.Float64frombits(u)}
}

// integer gives x as an int64 and, for values beyond it, a uint64.
func (x number) integer() (i int64, u uint64, ok bool) {
	switch x.kind {
	case kInt:
		return x.i, uint64(x.i), true
	case kUint:
		return int64(x.u), x.u, true
	}
	// Both bounds are exact as floats; NaN fails every comparison.
	if x.f != math.Trunc(x.f) || !(x.f >= -1<<63 && x.f < 1<<64) || x.f == 0 && math.Signbit(x.f) {
		return 0, 0, false
	}
	if x.f < 0 {
		return int64(x.f), uint64(int64(x.f)), true
	}
	return int64(uint64(x.f)), uint64(x.f), true
}

func (x number) negative() bool { return x.kind == kInt && x.i < 0 || x.kind == kFloat && x.f < 0 }

// store writes x as an n if no information is lost.
func (x number) store(n *node, p unsafe.Pointer) bool {
	bits := uint(8 * n.Size)
	switch n.kind {
	case kInt:
		i, u, ok := x.integer()
		if !ok || !x.negative() && u > math.MaxInt64 || i<<(64-bits)>>(64-bits) != i {
			return false
		}
		storeBits(p, n.Size, uint64(i))
	case kUint:
		_, u, ok := x.integer()
		if !ok || x.negative() || u<<(64-bits)>>(64-bits) != u {
			return false
		}
		storeBits(p, n.Size, u)
	default:
		f := x.f
		switch x.kind {
		case kInt:
			f = float64(x.i)
			if f >= 1<<63 || int64(f) != x.i {
				return false
			}
		case kUint:
			f = float64(x.u)
			if f >= 1<<64 || uint64(f) != x.u {
				return false
			}
		}
		if n.Size == 8 {
			*(*float64)(p) = f
			return true
		}
		if g := float32(f); float64(g) == f || f != f {
			*(*float32)(p) = g
			return true
		}
		return false
	}
	return true
}

// bitsOf reads a little-endian scalar of any width.
func bitsOf(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func storeBits(p unsafe.Pointer, size uintptr, u uint64) {
	switch size {
	case 1:
		*(*uint8)(p) = uint8(u)
	case 2:
		*(*uint16)(p) = uint16(u)
	case 4:
		*(*uint32)(p) = uint32(u)
	default:
		*(*uint64)(p) = u
	}
}

func (d *decoder) planNumber(o *op, w int, n *node, path string) bool {
	t := &d.types[w]
	if d.same(w, n) {
		size := int(n.Size)
		o.run = func(d *decoder, p unsafe.Pointer) { storeBits(p, n.Size, bitsOf(d.take(size))) }
		return true
	}
	if t.kind != n.kind || t.size != uint64(n.Size) || len(t.labels) > 0 && len(n.labels) > 0 {
		from, to := d.wireName(w), n.Go.String()
		if len(t.labels) > 0 && len(n.labels) > 0 {
			from, to = from+labelText(t.labels), to+labelText(n.labels)
		}
		d.report.add(Projection{Type: d.where, Field: path, Change: Converted, From: from, To: to})
	}
	labels := d.relabel(t, n)
	name, size, k := d.wireName(w), t.size, t.kind
	o.run = func(d *decoder, p unsafe.Pointer) {
		x := d.number(k, size)
		if labels != nil && x.kind != kFloat {
			if i, _, ok := x.integer(); ok {
				if to, known := labels[i]; known {
					if to == nil {
						d.fail("%s has the label %s, which %s no longer has", path, labelOf(t.labels, i), n.Go)
					}
					x = number{kind: kInt, i: *to}
				}
			}
		}
		if !x.store(n, p) {
			d.fail("%s: the value %s (%s) does not fit into %s", path, x, name, n.Go)
		}
	}
	return true
}

// relabel maps the file's numbers to today's by their labels; nil where one
// side has none. A label that is gone maps to nil, a number without a label is
// kept.
func (d *decoder) relabel(t *fileType, n *node) map[int64]*int64 {
	if len(t.labels) == 0 || len(n.labels) == 0 {
		return nil
	}
	out := make(map[int64]*int64, len(t.labels))
	for _, l := range t.labels {
		var to *int64
		for i := range n.labels {
			if n.labels[i].Name == l.Name {
				to = &n.labels[i].Value
				break
			}
		}
		if old, ok := out[l.Value]; !ok || old == nil {
			out[l.Value] = to // of several labels for a number, one that lives on
		}
	}
	return out
}

func labelOf(labels []value.EnumLabel, v int64) string {
	for _, l := range labels {
		if l.Value == v {
			return l.Name
		}
	}
	return strconv.FormatInt(v, 10)
}

// labelText shows what the numbers of a labelled type mean.
func labelText(labels []value.EnumLabel) string {
	var b []byte
	for i, l := range labels {
		if i == 8 {
			b = append(b, " and more"...)
			break
		}
		b = append(append(append(b, ' '), l.Name...), ':')
		b = strconv.AppendInt(b, l.Value, 10)
	}
	return " (" + string(b[1:]) + ")"
}

func (d *decoder) planComplex(o *op, w int, n *node, path string) {
	from := d.types[w].size / 2
	part := &node{kind: kFloat, Layout: &value.Layout{Go: n.Go, Size: n.Size / 2}}
	if from == uint64(part.Size) {
		o.run = func(d *decoder, p unsafe.Pointer) {
			for i := range uintptr(2) {
				storeBits(unsafe.Add(p, i*part.Size), part.Size, bitsOf(d.take(int(from))))
			}
		}
		return
	}
	d.converted(w, n, path)
	o.run = func(d *decoder, p unsafe.Pointer) {
		for i := range uintptr(2) {
			if x := d.number(kFloat, from); !x.store(part, unsafe.Add(p, i*part.Size)) {
				d.fail("%s: a part of the complex number, %s, does not fit into %s", path, x, n.Go)
			}
		}
	}
}

// wireName describes a file type for people.
func (d *decoder) wireName(w int) string { return d.describe(w, 0) }

func (d *decoder) describe(w, depth int) string {
	t := &d.types[w]
	if t.name != "" {
		return t.name
	}
	if depth > 8 {
		return "..."
	}
	switch t.kind {
	case kSlice:
		return "[]" + d.describe(t.elem, depth+1)
	case kPointer:
		return "*" + d.describe(t.elem, depth+1)
	case kArray:
		return fmt.Sprintf("[%d]%s", t.count, d.describe(t.elem, depth+1))
	case kMap:
		return "map[" + d.describe(t.key, depth+1) + "]" + d.describe(t.elem, depth+1)
	}
	return kindNames[t.kind]
}
