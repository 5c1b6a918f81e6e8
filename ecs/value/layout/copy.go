package layout

import (
	"reflect"
	"strings"
	"unsafe"
)

const (
	// copyNodes and copyBytes bound a deep copy. References are followed breadth
	// first, so what lies beyond the bound is what lies deepest; it stays shared
	// with the original.
	copyNodes = 1 << 23
	copyBytes = 4 << 30
	// copyBoxes bounds the nesting of values in interfaces in values.
	copyBoxes = 200
)

// Copy makes a deep copy: what the frame goroutine takes out for later
// encoding. Cycles and sharing of pointers, maps and slices are kept; strings,
// funcs, chans and handles of the process (files, contexts, opaque types) are
// shared; locks come out unlocked. Slices keep their length, not their spare
// capacity; slices that overlap without being equal, and pointers into the
// middle of another value, get copies of their own. Typed, safe for the
// collector. The result is addressable.
func Copy(v reflect.Value) reflect.Value {
	if !v.IsValid() {
		return v
	}
	t := v.Type()
	dst := reflect.New(t)
	src, err := AddressOf(v)
	if err != nil {
		return dst.Elem()
	}
	assignAt(t, dst.UnsafePointer(), src)
	if l := Of(t); l.scatter {
		s := &copying{}
		if v.CanAddr() {
			s.note(src, t, dst.UnsafePointer())
		}
		s.detach(l, dst.UnsafePointer())
		s.drain()
	}
	return dst.Elem()
}

// CopyColumn copies n rows of a column into a new slice []T: memcpy for
// pointer-free types, deep otherwise. Sharing between the rows is kept.
func CopyColumn(t reflect.Type, c Column, n int) reflect.Value {
	out := reflect.MakeSlice(reflect.SliceOf(t), n, n)
	size := t.Size()
	if n == 0 || size == 0 {
		return out
	}
	dst := out.UnsafePointer()
	if c.Stride == size && !c.Boxed {
		reflect.Copy(out, reflect.SliceAt(t, c.Base, n))
	} else {
		for i := range n {
			assignAt(t, unsafe.Add(dst, uintptr(i)*size), c.At(i))
		}
	}
	l := Of(t)
	if !l.scatter {
		return out
	}
	s := &copying{}
	if l.Deep { // only then can a row be pointed at from inside
		for i := range n {
			s.note(c.At(i), t, unsafe.Add(dst, uintptr(i)*size))
		}
	}
	for i := range n {
		s.detach(l, unsafe.Add(dst, uintptr(i)*size))
	}
	s.drain()
	return out
}

// assignAt is *dst = *src for a type known at run time, with write barriers.
func assignAt(t reflect.Type, dst, src unsafe.Pointer) {
	reflect.NewAt(t, dst).Elem().Set(reflect.NewAt(t, src).Elem())
}

type copyKey struct {
	p unsafe.Pointer
	t reflect.Type
	n int
}

// copying is one deep copy under way. Targets are filled from a queue, never
// by recursion: a list of a million nodes must not need a million stack frames.
type copying struct {
	seen  map[copyKey]unsafe.Pointer
	queue []func()
	nodes int
	bytes uint64
	boxes int
}

func (s *copying) note(src unsafe.Pointer, t reflect.Type, dst unsafe.Pointer) {
	if s.seen == nil {
		s.seen = make(map[copyKey]unsafe.Pointer)
	}
	s.seen[copyKey{src, t, 0}] = dst
}

// take asks whether one more reference of the given size may be copied.
func (s *copying) take(size uintptr) bool {
	s.nodes++
	s.bytes += uint64(size)
	return s.nodes <= copyNodes && s.bytes <= copyBytes
}

func (s *copying) drain() {
	for i := 0; i < len(s.queue); i++ {
		s.queue[i]()
		s.queue[i] = nil
		if i >= 1024 && i*2 > len(s.queue) {
			s.queue = append(s.queue[:0], s.queue[i+1:]...)
			i = -1
		}
	}
}

// detach makes a shallow copy in place a deep one: every reference in the
// value at p is replaced by one to a copy, and locks are opened.
func (s *copying) detach(l *Layout, p unsafe.Pointer) {
	if !l.scatter {
		return
	}
	switch l.Mem {
	case reflect.Struct:
		switch {
		case isLock(l.Go):
			reflect.NewAt(l.Go, p).Elem().SetZero()
			return
		case l.Go == builderType:
			// It holds its own address and panics when it finds itself elsewhere:
			// a new one starts with the text.
			text := strings.Clone((*strings.Builder)(p).String())
			*(*strings.Builder)(p) = strings.Builder{}
			(*strings.Builder)(p).WriteString(text)
			return
		}
		for i := range l.Parts {
			s.detach(l.Parts[i].Layout, unsafe.Add(p, l.Parts[i].Offset))
		}
	case reflect.Array:
		for i := range l.Len {
			s.detach(l.Elem, unsafe.Add(p, uintptr(i)*l.Elem.Size))
		}
	case reflect.Pointer:
		copyPointer(s, l.Elem, p)
	case reflect.Slice:
		copySlice(s, l, p)
	case reflect.Map:
		copyMap(s, l, p)
	case reflect.Interface:
		copyInterface(s, l.Go, p)
	}
}

var builderType = reflect.TypeFor[strings.Builder]()

func copyPointer(s *copying, elem *Layout, p unsafe.Pointer) {
	src := *(*unsafe.Pointer)(p)
	if src == nil {
		return
	}
	key := copyKey{src, elem.Go, 0}
	if dst, ok := s.seen[key]; ok {
		*(*unsafe.Pointer)(p) = dst
		return
	}
	if !s.take(elem.Size) {
		return
	}
	dst := reflect.New(elem.Go).UnsafePointer()
	s.note(src, elem.Go, dst)
	*(*unsafe.Pointer)(p) = dst
	assignAt(elem.Go, dst, src)
	if elem.scatter {
		s.queue = append(s.queue, func() { s.detach(elem, dst) })
	}
}

func copySlice(s *copying, l *Layout, p unsafe.Pointer) {
	t, elem := l.Go, l.Elem
	h := (*SliceHeader)(p)
	if h.Data == nil {
		return
	}
	key := copyKey{h.Data, t, h.Len}
	if dst, ok := s.seen[key]; ok && h.Len > 0 {
		*h = SliceHeader{dst, h.Len, h.Len}
		return
	}
	if !s.take(elem.Size * uintptr(h.Len)) {
		return
	}
	src := reflect.NewAt(t, p).Elem()
	out := reflect.MakeSlice(t, h.Len, h.Len)
	reflect.Copy(out, src)
	dst, n := out.UnsafePointer(), h.Len
	if n > 0 {
		if s.seen == nil {
			s.seen = make(map[copyKey]unsafe.Pointer)
		}
		s.seen[key] = dst
	}
	src.Set(out)
	if elem.scatter && n > 0 {
		s.queue = append(s.queue, func() {
			for i := range n {
				s.detach(elem, unsafe.Add(dst, uintptr(i)*elem.Size))
			}
		})
	}
}

func copyMap(s *copying, l *Layout, p unsafe.Pointer) {
	t := l.Go
	m := reflect.NewAt(t, p).Elem()
	if m.IsNil() {
		return
	}
	src := m.UnsafePointer()
	key := copyKey{src, t, 0}
	if dst, ok := s.seen[key]; ok {
		*(*unsafe.Pointer)(p) = dst
		return
	}
	n := m.Len()
	if !s.take((t.Key().Size() + t.Elem().Size()) * uintptr(n)) {
		return
	}
	old := reflect.New(t).Elem()
	old.Set(m)
	out := reflect.MakeMapWithSize(t, n)
	s.note(src, t, out.UnsafePointer())
	m.Set(out)
	s.queue = append(s.queue, func() {
		k, e := reflect.New(t.Key()), reflect.New(t.Elem())
		for it := old.MapRange(); it.Next(); {
			k.Elem().SetIterKey(it)
			e.Elem().SetIterValue(it)
			s.detach(l.Key, k.UnsafePointer())
			s.detach(l.Elem, e.UnsafePointer())
			out.SetMapIndex(k.Elem(), e.Elem())
		}
	})
}

func copyInterface(s *copying, t reflect.Type, p unsafe.Pointer) {
	v := reflect.NewAt(t, p).Elem()
	if v.IsNil() {
		return
	}
	d := v.Elem()
	dt := d.Type()
	l := Of(dt)
	if !l.scatter || s.boxes > copyBoxes || !s.take(dt.Size()) {
		return
	}
	box := reflect.New(dt)
	box.Elem().Set(d)
	s.boxes++
	s.detach(l, box.UnsafePointer())
	s.boxes--
	v.Set(box.Elem())
}
