package ecs

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
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
	for _, sf := range structFields(t, jsonMode, t) {
		f := *sf.field
		if f.Hidden {
			continue
		}
		applyKind(&f, sf.tag)
		ef := encField{off: f.Offset, name: f.Name, deep: isDeep(f.Go)}
		ef.key = append(appendString(nil, f.Name), ':')
		ef.next = append([]byte{','}, ef.key...)
		switch {
		case f.Kind == KindEnum && len(sf.tag.enum) > 0:
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
		if len(f.chain) > 0 {
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
			at := unsafe.Add(p, f.off)
			if f.f != nil {
				v, err := reflect.NewAt(t, p).Elem().FieldByIndexErr(f.f.chain)
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

func arrayEnc(t reflect.Type, _ []EnumLabel, jsonMode bool) encFunc {
	n, size := t.Len(), t.Elem().Size()
	fn, deep := elemEnc(t.Elem(), jsonMode), isDeep(t.Elem())
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

// sliceHeader is the layout of every slice.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

func sliceEnc(t reflect.Type, jsonMode bool) encFunc {
	size, deep := t.Elem().Size(), isDeep(t.Elem())
	fn := elemEnc(t.Elem(), jsonMode)
	empty := "null"
	if jsonMode {
		empty = "[]" // a result's schema says array
	}
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		h := (*sliceHeader)(p)
		if h.data == nil {
			return append(dst, empty...)
		}
		if !deep || h.len == 0 {
			return e.list(dst, h.data, h.len, size, fn, false)
		}
		dst, done := e.enter(dst, t, h.data, h.len)
		if !done {
			dst = e.list(dst, h.data, h.len, size, fn, true)
			e.leave()
		}
		return dst
	}
}

func pointerEnc(t reflect.Type, jsonMode bool) encFunc {
	elem := t.Elem()
	fn := elemEnc(elem, jsonMode)
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

type mapEntry struct {
	text string
	num  int64
	elem unsafe.Pointer
}

func mapEnc(t reflect.Type, jsonMode bool) encFunc {
	deep := isDeep(t.Elem())
	fn := elemEnc(t.Elem(), jsonMode)
	key := keyText(t.Key(), jsonMode)
	empty := "null"
	if jsonMode {
		empty = "{}"
	}
	size := t.Elem().Size()
	elems := reflect.SliceOf(t.Elem())
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		m := reflect.NewAt(t, p).Elem()
		if m.IsNil() {
			return append(dst, empty...)
		}
		n := m.Len()
		if n == 0 {
			return append(dst, '{', '}')
		}
		if deep {
			var done bool
			if dst, done = e.enter(dst, t, m.UnsafePointer(), n); done {
				return dst
			}
			defer e.leave()
			e.path = append(e.path, segment{})
		}
		entries := make([]mapEntry, 0, n)
		values := reflect.MakeSlice(elems, n, n)
		base := values.UnsafePointer()
		k := reflect.New(t.Key())
		for it := m.MapRange(); it.Next() && len(entries) < n; {
			k.Elem().SetIterKey(it)
			i := len(entries)
			values.Index(i).SetIterValue(it)
			text, num, err := key(k.UnsafePointer())
			if err != nil {
				e.fail(err)
				return dst
			}
			entries = append(entries, mapEntry{text, num, unsafe.Add(base, uintptr(i)*size)})
		}
		slices.SortFunc(entries, func(a, b mapEntry) int {
			if a.num != b.num {
				if a.num < b.num {
					return -1
				}
				return 1
			}
			return strings.Compare(a.text, b.text)
		})
		dst = append(dst, '{')
		for i := range entries {
			if i > 0 {
				if entries[i].text == entries[i-1].text {
					continue // two NaN keys: there is no way to tell them apart in text
				}
				dst = append(dst, ',')
			}
			dst = appendString(dst, entries[i].text)
			dst = append(dst, ':')
			if deep {
				e.path[len(e.path)-1] = segment{name: entries[i].text, key: true}
			}
			dst = fn(e, dst, entries[i].elem)
			if e.err != nil {
				return dst
			}
		}
		if deep {
			e.path = e.path[:len(e.path)-1]
		}
		return append(dst, '}')
	}
}

// keyText gives the function that turns a map key into an object's key, and a
// number that sorts numeric keys as numbers.
func keyText(t reflect.Type, jsonMode bool) func(p unsafe.Pointer) (string, int64, error) {
	kind := t.Kind()
	switch kindOf(t).kind {
	case KindString:
		return func(p unsafe.Pointer) (string, int64, error) { return escapeKey(*(*string)(p)), 0, nil }
	case KindInt:
		return func(p unsafe.Pointer) (string, int64, error) {
			v := readInt(kind, p)
			return strconv.FormatInt(v, 10), v, nil
		}
	case KindUint:
		return func(p unsafe.Pointer) (string, int64, error) {
			v := uint64(readInt(kind, p))
			return strconv.FormatUint(v, 10), int64(v ^ 1<<63), nil
		}
	case KindEnum:
		labels := labelsOf(t)
		return func(p unsafe.Pointer) (string, int64, error) {
			v := readInt(kind, p)
			if s, ok := labelName(labels, v); ok {
				return escapeKey(s), v, nil
			}
			if isSigned(t) {
				return strconv.FormatInt(v, 10), v, nil
			}
			return strconv.FormatUint(uint64(v), 10), v, nil
		}
	case KindEntity:
		return func(p unsafe.Pointer) (string, int64, error) {
			en := *(*Entity)(p)
			return en.String(), int64(en.ID)<<31 | int64(en.Gen>>1), nil
		}
	case KindText:
		f := &Field{Go: t}
		applyKind(f, fieldTag{})
		return func(p unsafe.Pointer) (string, int64, error) {
			b, err := marshalText(t, p)
			return escapeKey(string(b)), 0, err
		}
	}
	// Booleans, floats, complex numbers, arrays, structs, interfaces: their JSON
	// as the text of the key.
	fn := elemEnc(t, jsonMode)
	return func(p unsafe.Pointer) (string, int64, error) {
		var e encoder
		b := fn(&e, nil, p)
		if len(b) > 1 && b[0] == '"' {
			b = b[1 : len(b)-1] // "NaN"
		}
		return string(b), 0, e.err
	}
}

func interfaceEnc(t reflect.Type, jsonMode bool) encFunc {
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		v := reflect.NewAt(t, p).Elem()
		if v.IsNil() {
			return append(dst, "null"...)
		}
		d := v.Elem()
		dt := d.Type()
		var at unsafe.Pointer
		if dt.Kind() == reflect.Pointer || dt.Kind() == reflect.Map {
			ref := d.UnsafePointer()
			at = unsafe.Pointer(&ref)
		} else {
			box := reflect.New(dt)
			box.Elem().Set(d)
			at = box.UnsafePointer()
		}
		c := codecOf(dt, jsonMode)
		// A value may hold itself in a box: the pointers in between are caught
		// by enter, boxes of boxes only by their number.
		if len(e.visits) > nestDepth {
			return append(dst, `{"$more":1}`...)
		}
		e.visits = append(e.visits, visit{})
		if jsonMode {
			dst = c.encode(e, dst, at)
		} else {
			learnType(dt)
			dst = append(dst, `{"$type":`...)
			dst = appendString(dst, dynName(dt))
			dst = append(dst, `,"value":`...)
			dst = c.encode(e, dst, at)
			dst = append(dst, '}')
		}
		e.leave()
		return dst
	}
}

func opaqueEnc(t reflect.Type) encFunc {
	text := appendString([]byte(`{"$opaque":`), t.String())
	text = append(text, '}')
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
			if *(*unsafe.Pointer)(p) == nil {
				return append(dst, "null"...)
			}
			return append(dst, text...)
		}
	}
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return append(dst, text...) }
}

func marshalEnc(f *Field) encFunc {
	t := f.Go
	if t == rawMessageType {
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
			raw := *(*[]byte)(p)
			switch {
			case len(raw) == 0:
				return append(dst, "null"...)
			case !json.Valid(raw):
				e.fail(fmt.Errorf("the raw message is not valid JSON"))
				return dst
			}
			return append(dst, raw...)
		}
	}
	if f.Kind == KindText {
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
			b, err := marshalText(t, p)
			if err != nil {
				e.fail(err)
				return dst
			}
			return appendString(dst, string(b))
		}
	}
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		b, err := marshalJSON(t, p)
		if err != nil {
			e.fail(err)
			return dst
		}
		return append(dst, b...)
	}
}

func marshalText(t reflect.Type, p unsafe.Pointer) (b []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("MarshalText of %s panicked: %v", t, r)
		}
	}()
	b, err = reflect.NewAt(t, p).Interface().(encoding.TextMarshaler).MarshalText()
	if err != nil {
		return nil, fmt.Errorf("MarshalText of %s: %w", t, err)
	}
	return b, nil
}

func marshalJSON(t reflect.Type, p unsafe.Pointer) (b []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("MarshalJSON of %s panicked: %v", t, r)
		}
	}()
	b, err = reflect.NewAt(t, p).Interface().(json.Marshaler).MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("MarshalJSON of %s: %w", t, err)
	}
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		return nil, fmt.Errorf("MarshalJSON of %s gave invalid JSON: %w", t, err)
	}
	return out.Bytes(), nil
}
