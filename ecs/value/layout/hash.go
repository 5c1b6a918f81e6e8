package layout

import (
	"encoding/binary"
	"math/bits"
	"reflect"
	"slices"
	"unsafe"
)

// Hasher digests values so that two that [Equal] tells apart have different sums
// but for chance, in every process alike. The zero Hasher is ready. It is not
// for two goroutines at once, and not against an adversary.
type Hasher struct {
	sum   uint64
	plans map[*Layout][]span
	on    map[unsafe.Pointer]bool // pointers that are being followed
}

// span is a stretch of a flat value without padding.
type span struct{ off, size uintptr }

// Odd numbers with about as many ones as zeros, as in wyhash.
const (
	hash0 = 0xa0761d6478bd642f
	hash1 = 0xe7037ed1a0b428db
)

// Sum is the digest of all that was written.
func (h *Hasher) Sum() uint64 { return h.sum }

// Reset begins anew.
func (h *Hasher) Reset() { h.sum = 0 }

// Word adds a number.
func (h *Hasher) Word(x uint64) {
	hi, lo := bits.Mul64(h.sum^x^hash0, hash1)
	h.sum = hi ^ lo ^ x
}

// Text adds a text and its length.
func (h *Hasher) Text(s string) {
	h.Word(uint64(len(s)))
	h.bytes(unsafe.Pointer(unsafe.StringData(s)), uintptr(len(s)))
}

func (h *Hasher) bytes(p unsafe.Pointer, n uintptr) {
	b := unsafe.Slice((*byte)(p), n)
	for len(b) >= 8 {
		h.Word(binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	if len(b) > 0 {
		var last [8]byte
		copy(last[:], b)
		h.Word(binary.LittleEndian.Uint64(last[:]))
	}
}

// Value adds a value.
func (h *Hasher) Value(v reflect.Value) {
	if !v.IsValid() {
		h.Word(hash1)
		return
	}
	p, err := AddressOf(v)
	if err != nil {
		h.Text(err.Error())
		return
	}
	h.at(Of(v.Type()), p, 0)
}

// Column adds the first n values of a column of t.
func (h *Hasher) Column(t reflect.Type, c Column, n int) {
	l := Of(t)
	if !l.Flat {
		for i := range n {
			h.at(l, c.At(i), 0)
		}
		return
	}
	spans := h.plan(l)
	if len(spans) == 1 && spans[0].size == c.Stride && !c.Boxed { // no padding in it, none between
		h.bytes(c.Base, c.Stride*uintptr(n))
		return
	}
	for i := range n {
		p := c.At(i)
		for _, s := range spans {
			h.bytes(unsafe.Add(p, s.off), s.size)
		}
	}
}

// plan is where in a flat value there is something.
func (h *Hasher) plan(l *Layout) []span {
	if p, ok := h.plans[l]; ok {
		return p
	}
	if h.plans == nil {
		h.plans = map[*Layout][]span{}
	}
	p := appendSpans(nil, l, 0)
	h.plans[l] = p
	return p
}

func appendSpans(dst []span, l *Layout, off uintptr) []span {
	switch {
	case l.Size == 0 || isLock(l.Go):
	case l.Mem == reflect.Struct && !l.Handle && !l.Atom:
		for _, p := range l.Parts {
			dst = appendSpans(dst, p.Layout, off+p.Offset)
		}
	case l.Mem == reflect.Array && l.Elem != nil:
		for i := range l.Len {
			dst = appendSpans(dst, l.Elem, off+uintptr(i)*l.Elem.Size)
		}
	default:
		if n := len(dst); n > 0 && dst[n-1].off+dst[n-1].size == off {
			dst[n-1].size += l.Size
			return dst
		}
		dst = append(dst, span{off, l.Size})
	}
	return dst
}

// hashDepth bounds pointers behind pointers; what lies deeper is not told apart.
const hashDepth = 200

func (h *Hasher) at(l *Layout, p unsafe.Pointer, depth int) {
	switch {
	case depth > hashDepth || isLock(l.Go):
		return
	case l.Flat:
		for _, s := range h.plan(l) {
			h.bytes(unsafe.Add(p, s.off), s.size)
		}
		return
	}
	if l.Kind == KindEntity {
		e := l.LoadEntity(p)
		h.Word(uint64(e.ID)<<32 | uint64(e.Gen))
		return
	}
	switch l.Mem {
	case reflect.String:
		h.Text(*(*string)(p))
	case reflect.Struct:
		if l.Handle || l.Atom {
			h.opaque(l, p)
			return
		}
		for i := range l.Parts {
			h.at(l.Parts[i].Layout, unsafe.Add(p, l.Parts[i].Offset), depth)
		}
	case reflect.Array:
		for i := range l.Len {
			h.at(l.Elem, unsafe.Add(p, uintptr(i)*l.Elem.Size), depth)
		}
	case reflect.Slice:
		s := (*SliceHeader)(p)
		if s.Data == nil {
			h.Word(hash1)
			return
		}
		h.Word(uint64(s.Len))
		h.follow(s.Data, func() {
			for i := range s.Len {
				h.at(l.Elem, unsafe.Add(s.Data, uintptr(i)*l.Elem.Size), depth+1)
			}
		})
	case reflect.Pointer:
		to := *(*unsafe.Pointer)(p)
		if to == nil || l.Handle || l.Atom {
			h.opaque(l, p)
			return
		}
		h.follow(to, func() { h.at(l.Elem, to, depth+1) })
	case reflect.Map:
		h.entries(l, reflect.NewAt(l.Go, p).Elem(), depth)
	case reflect.Interface:
		v := reflect.NewAt(l.Go, p).Elem()
		if v.IsNil() {
			h.Word(hash1)
			return
		}
		box := reflect.New(v.Elem().Type())
		box.Elem().Set(v.Elem())
		h.Text(box.Type().String())
		h.at(Of(box.Elem().Type()), box.UnsafePointer(), depth+1)
	default:
		h.opaque(l, p)
	}
}

// opaque: what stands for something of the running process counts by whether it
// is there.
func (h *Hasher) opaque(l *Layout, p unsafe.Pointer) {
	v := reflect.NewAt(l.Go, p).Elem()
	there := uint64(0)
	if !v.IsZero() {
		there = 1
	}
	h.Word(there ^ hash1)
}

// follow goes behind a pointer, once on any way.
func (h *Hasher) follow(p unsafe.Pointer, f func()) {
	if h.on[p] {
		h.Word(hash0)
		return
	}
	if h.on == nil {
		h.on = map[unsafe.Pointer]bool{}
	}
	h.on[p] = true
	f()
	delete(h.on, p)
}

// entries digests a map: entries by their own sums, in order of those.
func (h *Hasher) entries(l *Layout, m reflect.Value, depth int) {
	if m.IsNil() {
		h.Word(hash1)
		return
	}
	h.Word(uint64(m.Len()))
	if m.Len() == 0 {
		return
	}
	h.follow(m.UnsafePointer(), func() {
		outer := h.sum
		sums := make([]uint64, 0, m.Len())
		k, e := reflect.New(l.Key.Go), reflect.New(l.Elem.Go)
		for it := m.MapRange(); it.Next(); {
			k.Elem().SetIterKey(it)
			e.Elem().SetIterValue(it)
			h.sum = 0
			h.at(l.Key, k.UnsafePointer(), depth+1)
			h.at(l.Elem, e.UnsafePointer(), depth+1)
			sums = append(sums, h.sum)
		}
		h.sum = outer
		slices.Sort(sums)
		for _, s := range sums {
			h.Word(s)
		}
	})
}
