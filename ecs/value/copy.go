package value

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
	src, err := addressOf(v)
	if err != nil {
		return dst.Elem()
	}
	assignAt(t, dst.UnsafePointer(), src)
	c := copierOf(t)
	if c.fix != nil {
		s := &copying{}
		if v.CanAddr() {
			s.note(src, t, dst.UnsafePointer())
		}
		c.fix(s, dst.UnsafePointer())
		s.drain()
	}
	return dst.Elem()
}

// CopyColumn copies n rows at base/stride into a new slice []T: memcpy for
// pointer-free types, deep otherwise. Sharing between the rows is kept.
func CopyColumn(t *Type, base unsafe.Pointer, stride uintptr, n int) reflect.Value {
	out := reflect.MakeSlice(reflect.SliceOf(t.Go), n, n)
	size := t.Go.Size()
	if n == 0 || size == 0 {
		return out
	}
	dst := out.UnsafePointer()
	if stride == size {
		reflect.Copy(out, reflect.SliceAt(t.Go, base, n))
	} else {
		for i := range n {
			assignAt(t.Go, unsafe.Add(dst, uintptr(i)*size), unsafe.Add(base, uintptr(i)*stride))
		}
	}
	c := copierOf(t.Go)
	if c.fix == nil {
		return out
	}
	s := &copying{}
	if isDeep(t.Go) { // only then can a row be pointed at from inside
		for i := range n {
			s.note(unsafe.Add(base, uintptr(i)*stride), t.Go, unsafe.Add(dst, uintptr(i)*size))
		}
	}
	for i := range n {
		c.fix(s, unsafe.Add(dst, uintptr(i)*size))
	}
	s.drain()
	return out
}

// assignAt is *dst = *src for a type known at run time, with write barriers.
func assignAt(t reflect.Type, dst, src unsafe.Pointer) {
	reflect.NewAt(t, dst).Elem().Set(reflect.NewAt(t, src).Elem())
}

// copier makes a shallow copy in place deep: fix replaces every reference in
// the value at p by one to a copy. nil means a shallow copy is a deep one.
type copier struct {
	fix func(s *copying, p unsafe.Pointer)
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
	bytes uintptr
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
	s.bytes += size
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

func copierOf(t reflect.Type) *copier {
	c := cachePtr.Load()
	if v, ok := c.copiers.Load(t); ok {
		return v.(*copier)
	}
	// Recursive types find the entry while it is being filled; nobody calls it
	// before it is whole, because other goroutines compile their own.
	k := compileCopier(t, map[reflect.Type]*copier{})
	v, _ := c.copiers.LoadOrStore(t, k)
	return v.(*copier)
}

// sharedTarget: what a pointer to t points at belongs to the process, or never
// changes and is known by its address (locations, sentinel errors).
func sharedTarget(t reflect.Type) bool {
	switch t.PkgPath() {
	case "time", "errors", "fmt":
		return true
	}
	return machinePackages[t.PkgPath()] || declared(reg.opaque, t)
}

// fixBuilder copies a strings.Builder, which holds its own address and panics
// when it finds itself elsewhere: without the address it starts anew.
func fixBuilder() func(s *copying, p unsafe.Pointer) {
	t := reflect.TypeFor[strings.Builder]()
	addr, ok1 := t.FieldByName("addr")
	buf, ok2 := t.FieldByName("buf")
	if !ok1 || !ok2 || addr.Type.Kind() != reflect.Pointer || buf.Type.Kind() != reflect.Slice {
		return nil
	}
	return func(s *copying, p unsafe.Pointer) {
		*(*unsafe.Pointer)(unsafe.Add(p, addr.Offset)) = nil
		copySlice(s, buf.Type, buf.Type.Elem(), unsafe.Add(p, buf.Offset))
	}
}

func compileCopier(t reflect.Type, on map[reflect.Type]*copier) *copier {
	if c, ok := on[t]; ok {
		return c
	}
	c := new(copier)
	on[t] = c
	if t.Kind() == reflect.Struct && t.PkgPath() == "sync" {
		zero := reflect.Zero(t)
		c.fix = func(_ *copying, p unsafe.Pointer) { reflect.NewAt(t, p).Elem().Set(zero) }
		return c
	}
	if t == reflect.TypeFor[strings.Builder]() {
		c.fix = fixBuilder()
		return c
	}
	if pointerFree(t) && !holdsLock(t) || t.Kind() == reflect.Struct && (sharedTarget(t) || t.PkgPath() == "sync/atomic" && pointerFree(t)) {
		return c
	}
	switch t.Kind() {
	case reflect.Struct:
		type part struct {
			off uintptr
			c   *copier
		}
		var parts []part
		for i := range t.NumField() {
			sf := t.Field(i)
			if fc := compileCopier(sf.Type, on); fc.fix != nil {
				parts = append(parts, part{sf.Offset, fc})
			}
		}
		if len(parts) > 0 {
			c.fix = func(s *copying, p unsafe.Pointer) {
				for i := range parts {
					parts[i].c.fix(s, unsafe.Add(p, parts[i].off))
				}
			}
		}
	case reflect.Array:
		n, size, ec := t.Len(), t.Elem().Size(), compileCopier(t.Elem(), on)
		if n > 0 && ec.fix != nil {
			c.fix = func(s *copying, p unsafe.Pointer) {
				for i := range n {
					ec.fix(s, unsafe.Add(p, uintptr(i)*size))
				}
			}
		}
	case reflect.Pointer:
		elem := t.Elem()
		if sharedTarget(elem) || leadsNowhere(t) {
			return c
		}
		c.fix = func(s *copying, p unsafe.Pointer) { copyPointer(s, elem, p) }
	case reflect.Slice:
		elem := t.Elem()
		c.fix = func(s *copying, p unsafe.Pointer) { copySlice(s, t, elem, p) }
	case reflect.Map:
		c.fix = func(s *copying, p unsafe.Pointer) { copyMap(s, t, p) }
	case reflect.Interface:
		if t.NumMethod() > 0 && machinePackages[t.PkgPath()] {
			return c
		}
		c.fix = func(s *copying, p unsafe.Pointer) { copyInterface(s, t, p) }
	}
	return c
}

// holdsLock: a pointer-free struct may still contain a mutex by value.
func holdsLock(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return holdsLock(t.Elem())
	case reflect.Struct:
		if t.PkgPath() == "sync" {
			return true
		}
		for i := range t.NumField() {
			if holdsLock(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

func copyPointer(s *copying, elem reflect.Type, p unsafe.Pointer) {
	src := *(*unsafe.Pointer)(p)
	if src == nil {
		return
	}
	key := copyKey{src, elem, 0}
	if dst, ok := s.seen[key]; ok {
		*(*unsafe.Pointer)(p) = dst
		return
	}
	if !s.take(elem.Size()) {
		return
	}
	dst := reflect.New(elem).UnsafePointer()
	s.note(src, elem, dst)
	*(*unsafe.Pointer)(p) = dst
	assignAt(elem, dst, src)
	if c := copierOf(elem); c.fix != nil {
		s.queue = append(s.queue, func() { c.fix(s, dst) })
	}
}

func copySlice(s *copying, t, elem reflect.Type, p unsafe.Pointer) {
	h := (*sliceHeader)(p)
	if h.data == nil {
		return
	}
	key := copyKey{h.data, t, h.len}
	if dst, ok := s.seen[key]; ok && h.len > 0 {
		*h = sliceHeader{dst, h.len, h.len}
		return
	}
	if !s.take(elem.Size() * uintptr(h.len)) {
		return
	}
	src := reflect.NewAt(t, p).Elem()
	out := reflect.MakeSlice(t, h.len, h.len)
	reflect.Copy(out, src)
	dst, n := out.UnsafePointer(), h.len
	if n > 0 {
		if s.seen == nil {
			s.seen = make(map[copyKey]unsafe.Pointer)
		}
		s.seen[key] = dst
	}
	src.Set(out)
	if c := copierOf(elem); c.fix != nil && n > 0 {
		size := elem.Size()
		s.queue = append(s.queue, func() {
			for i := range n {
				c.fix(s, unsafe.Add(dst, uintptr(i)*size))
			}
		})
	}
}

func copyMap(s *copying, t reflect.Type, p unsafe.Pointer) {
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
	kc, ec := copierOf(t.Key()), copierOf(t.Elem())
	s.queue = append(s.queue, func() {
		k, e := reflect.New(t.Key()), reflect.New(t.Elem())
		for it := old.MapRange(); it.Next(); {
			k.Elem().SetIterKey(it)
			e.Elem().SetIterValue(it)
			if kc.fix != nil {
				kc.fix(s, k.UnsafePointer())
			}
			if ec.fix != nil {
				ec.fix(s, e.UnsafePointer())
			}
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
	c := copierOf(dt)
	if c.fix == nil || s.boxes > copyBoxes || !s.take(dt.Size()) {
		return
	}
	box := reflect.New(dt)
	box.Elem().Set(d)
	s.boxes++
	c.fix(s, box.UnsafePointer())
	s.boxes--
	v.Set(box.Elem())
}
