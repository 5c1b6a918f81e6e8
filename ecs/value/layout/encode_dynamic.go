package layout

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"unsafe"
)

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
			dst = append(dst, typePrefix(dt)...)
			dst = c.encode(e, dst, at)
			dst = append(dst, '}')
		}
		e.leave()
		return dst
	}
}

func opaqueEnc(t reflect.Type) encFunc {
	text := AppendString([]byte(`{"$opaque":`), goName(t))
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

func marshalEnc(f *Field, jsonMode bool) encFunc {
	t := f.Go
	if t == RawMessageType {
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
			if jsonMode {
				return appendText(dst, string(b))
			}
			return AppendString(dst, string(b))
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
