package timeline

import "reflect"

// deepSize estimates what a value takes, with what it leads to. Beyond the depth
// and the number of references looked at there is little, or things shared.
func deepSize(v reflect.Value) int64 {
	s := sizer{left: 4096}
	return int64(v.Type().Size()) + s.behind(v, 0)
}

type sizer struct{ left int }

// behind is what the references in a value lead to.
func (s *sizer) behind(v reflect.Value, depth int) (n int64) {
	if s.left--; s.left < 0 || depth > 8 {
		return 0
	}
	switch v.Kind() {
	case reflect.String:
		return int64(v.Len())
	case reflect.Struct:
		for i := range v.NumField() {
			n += s.behind(v.Field(i), depth+1)
		}
	case reflect.Array, reflect.Slice:
		if v.Kind() == reflect.Slice {
			n = int64(v.Cap()) * int64(v.Type().Elem().Size())
		}
		for i := 0; i < v.Len() && !plain(v.Type().Elem()); i++ {
			n += s.behind(v.Index(i), depth+1)
		}
	case reflect.Map:
		n = int64(v.Len()) * int64(v.Type().Key().Size()+v.Type().Elem().Size()) * 3 / 2
		for it := v.MapRange(); !(plain(v.Type().Key()) && plain(v.Type().Elem())) && it.Next(); {
			n += s.behind(it.Key(), depth+1) + s.behind(it.Value(), depth+1)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			n = int64(v.Elem().Type().Size()) + s.behind(v.Elem(), depth+1)
		}
	}
	return n
}

func plain(t reflect.Type) bool { return t.Kind() <= reflect.Complex128 }
