package layout

import (
	"reflect"
	"unsafe"
)

type encField struct {
	key  []byte // `"X":`
	next []byte // `,"X":`
	off  uintptr
	fn   encFunc
	name string
	deep bool
	omit func(p unsafe.Pointer) bool
	f    *Field // of fields behind embedded pointers
}

func structEnc(t reflect.Type, jsonMode bool) encFunc {
	var fields []encField
	plain := true
	for _, sf := range Of(t).Described(jsonMode) {
		f := *sf.Field
		if f.Hidden {
			continue
		}
		ApplyKind(&f, sf.Tag)
		ef := encField{off: f.Offset, name: f.Name, deep: Of(f.Go).Deep}
		ef.key = append(AppendString(nil, f.Name), ':')
		ef.next = append([]byte{','}, ef.key...)
		switch {
		case f.Kind == KindEnum && len(sf.Tag.enum) > 0:
			ef.fn = enumEnc(f.Go, f.Enum)
		default:
			ef.fn = elemEnc(f.Go, jsonMode)
		}
		if jsonMode && f.opts.quoted {
			ef.fn = quotedEnc(f.Kind, ef.fn)
		}
		if jsonMode && (f.opts.omitEmpty || f.opts.omitZero) {
			ef.omit = omitFunc(f.Go, f.opts)
		}
		if len(f.Chain) > 0 {
			ef.f = &f
		}
		if ef.omit != nil || ef.deep || ef.f != nil {
			plain = false
		}
		fields = append(fields, ef)
	}
	if len(fields) == 0 {
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return append(dst, '{', '}') }
	}
	if plain {
		first, rest := fields[0], fields[1:]
		open := append([]byte{'{'}, first.key...)
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
			dst = append(dst, open...)
			dst = first.fn(e, dst, unsafe.Add(p, first.off))
			for i := range rest {
				f := &rest[i]
				dst = append(dst, f.next...)
				dst = f.fn(e, dst, unsafe.Add(p, f.off))
			}
			return append(dst, '}')
		}
	}
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		dst = append(dst, '{')
		some := false
		for i := range fields {
			f := &fields[i]
			var at unsafe.Pointer
			if f.f == nil {
				at = unsafe.Add(p, f.off)
			} else {
				v, err := reflect.NewAt(t, p).Elem().FieldByIndexErr(f.f.Chain)
				if err != nil {
					continue
				}
				at = unsafe.Pointer(v.UnsafeAddr())
			}
			if f.omit != nil && f.omit(at) {
				continue
			}
			if some {
				dst = append(dst, f.next...)
			} else {
				dst = append(dst, f.key...)
			}
			some = true
			if !f.deep {
				dst = f.fn(e, dst, at)
				continue
			}
			e.path = append(e.path, segment{name: f.name})
			dst = f.fn(e, dst, at)
			if e.err != nil {
				return dst
			}
			e.path = e.path[:len(e.path)-1]
		}
		return append(dst, '}')
	}
}

// quotedEnc is the ",string" option of a JSON tag.
func quotedEnc(k Kind, fn encFunc) encFunc {
	if k != KindInt && k != KindUint && k != KindFloat && k != KindBool {
		return fn
	}
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		n := len(dst)
		dst = fn(e, append(dst, '"'), p)
		if len(dst) > n+1 && dst[n+1] == '"' { // NaN and large integers are quoted already
			return append(dst[:n], dst[n+1:]...)
		}
		return append(dst, '"')
	}
}

func omitFunc(t reflect.Type, o jsonOpts) func(p unsafe.Pointer) bool {
	isZeroer := t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ IsZero() bool }]())
	return func(p unsafe.Pointer) bool {
		v := reflect.NewAt(t, p).Elem()
		if o.omitEmpty {
			switch v.Kind() {
			case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
				if v.Len() == 0 {
					return true
				}
			case reflect.Struct:
			default:
				if v.IsZero() {
					return true
				}
			}
		}
		if o.omitZero {
			if isZeroer && !(v.Kind() == reflect.Pointer && v.IsNil()) {
				return v.Addr().Interface().(interface{ IsZero() bool }).IsZero()
			}
			return v.IsZero()
		}
		return false
	}
}

func arrayEnc(t reflect.Type, jsonMode bool) encFunc {
	n, size := t.Len(), t.Elem().Size()
	fn, deep := elemEnc(t.Elem(), jsonMode), Of(t.Elem()).Deep
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return e.list(dst, p, n, size, fn, deep) }
}

func (e *encoder) list(dst []byte, p unsafe.Pointer, n int, size uintptr, fn encFunc, deep bool) []byte {
	dst = append(dst, '[')
	if deep {
		e.path = append(e.path, segment{})
	}
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if deep {
			e.path[len(e.path)-1] = segment{index: i}
		}
		dst = fn(e, dst, unsafe.Add(p, uintptr(i)*size))
		if e.err != nil {
			return dst
		}
	}
	if deep {
		e.path = e.path[:len(e.path)-1]
	}
	return append(dst, ']')
}

// SliceHeader is the layout of every slice.
type SliceHeader struct {
	Data     unsafe.Pointer
	Len, Cap int
}

func sliceEnc(t reflect.Type, jsonMode bool) encFunc {
	size, deep := t.Elem().Size(), Of(t.Elem()).Deep
	fn := elemEnc(t.Elem(), jsonMode)
	empty := "null"
	if jsonMode {
		empty = "[]" // a result's schema says array
	}
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		h := (*SliceHeader)(p)
		if h.Data == nil {
			return append(dst, empty...)
		}
		if !deep || h.Len == 0 {
			return e.list(dst, h.Data, h.Len, size, fn, false)
		}
		dst, done := e.enter(dst, t, h.Data, h.Len)
		if !done {
			dst = e.list(dst, h.Data, h.Len, size, fn, true)
			e.leave()
		}
		return dst
	}
}

func pointerEnc(t reflect.Type, jsonMode bool) encFunc {
	elem := t.Elem()
	fn := elemEnc(elem, jsonMode)
	if jsonMode && !Of(elem).Deep {
		// Nothing below can lead on: a result's number is never cut.
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
			target := *(*unsafe.Pointer)(p)
			if target == nil {
				return append(dst, "null"...)
			}
			return fn(e, dst, target)
		}
	}
	size := 1
	if elem.Kind() == reflect.Struct {
		size = elem.NumField()
	}
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		target := *(*unsafe.Pointer)(p)
		if target == nil {
			return append(dst, "null"...)
		}
		e.depth++
		dst, done := e.enter(dst, elem, target, size)
		if !done {
			dst = fn(e, dst, target)
			e.leave()
		}
		e.depth--
		return dst
	}
}
