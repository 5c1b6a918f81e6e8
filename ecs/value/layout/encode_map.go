package layout

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

type mapEntry struct {
	text string
	num  int64
	elem unsafe.Pointer
}

func mapEnc(t reflect.Type, jsonMode bool) encFunc {
	deep := Of(t.Elem()).Deep
	fn := elemEnc(t.Elem(), jsonMode)
	key := KeyText(t.Key(), jsonMode)
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
			dst = AppendString(dst, entries[i].text)
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
func KeyText(t reflect.Type, jsonMode bool) func(p unsafe.Pointer) (string, int64, error) {
	kind := t.Kind()
	switch Of(t).Kind {
	case KindString:
		if jsonMode {
			return func(p unsafe.Pointer) (string, int64, error) {
				return strings.ToValidUTF8(*(*string)(p), "\uFFFD"), 0, nil
			}
		}
		return func(p unsafe.Pointer) (string, int64, error) { return escapeKey(*(*string)(p)), 0, nil }
	case KindInt:
		return func(p unsafe.Pointer) (string, int64, error) {
			v := ReadInt(kind, p)
			return strconv.FormatInt(v, 10), v, nil
		}
	case KindUint:
		return func(p unsafe.Pointer) (string, int64, error) {
			v := uint64(ReadInt(kind, p))
			return strconv.FormatUint(v, 10), int64(v ^ 1<<63), nil
		}
	case KindEnum:
		labels := Of(t).Labels
		return func(p unsafe.Pointer) (string, int64, error) {
			v := ReadInt(kind, p)
			if s, ok := LabelName(labels, v); ok {
				return escapeKey(s), v, nil
			}
			if IsSigned(t) {
				return strconv.FormatInt(v, 10), v, nil
			}
			return strconv.FormatUint(uint64(v), 10), v, nil
		}
	case KindEntity:
		l := Of(t)
		return func(p unsafe.Pointer) (string, int64, error) {
			en := l.LoadEntity(p)
			return en.String(), int64(en.ID)<<31 | int64(en.Gen>>1), nil
		}
	case KindText:
		f := &Field{Go: t}
		ApplyKind(f, FieldTag{})
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
