package value

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

func (d *decoder) str(v reflect.Value, f *Field, n *node) error {
	switch {
	case n.kind == nodeString:
		if len(f.Enum) > 0 && !hasLabel(f.Enum, n.text) {
			return d.notLabel(f, n)
		}
		v.SetString(n.text)
		return nil
	case n.kind == nodeNumber && f.Go == layout.NumberType:
		v.SetString(n.text)
		return nil
	case n.kind == nodeObject && len(n.keys) == 1 && n.keys[0] == layout.KeyBytes && n.items[0].kind == nodeString:
		b, err := base64.StdEncoding.DecodeString(n.items[0].text)
		if err != nil {
			return d.refuse(n, "base64 in $bytes")
		}
		v.SetString(string(b))
		return nil
	}
	return d.refuse(n, "a string")
}

func hasLabel(list []EnumLabel, name string) bool {
	for _, l := range list {
		if l.Name == name {
			return true
		}
	}
	return false
}

func (d *decoder) byteString(v, old reflect.Value, n *node) error {
	if n.kind == nodeNull && v.Kind() == reflect.Slice {
		v.SetZero()
		return nil
	}
	var b []byte
	switch {
	case n.kind == nodeString:
		var err error
		if b, err = base64.StdEncoding.DecodeString(n.text); err != nil {
			return d.refuse(n, "bytes as a base64 string")
		}
	case n.kind == nodeObject && n.get(layout.KeyBytes) != nil:
		enc := n.get(layout.KeyBytes)
		var err error
		if b, err = base64.StdEncoding.DecodeString(enc.text); err != nil || enc.kind != nodeString {
			return d.refuse(n, "bytes as a base64 string")
		}
		if l := n.get(layout.KeyLen); l != nil && l.text != strconv.Itoa(len(b)) {
			// A cut value may come back only where its whole is still there.
			if old.IsValid() && strconv.Itoa(old.Len()) == l.text && old.Len() >= len(b) && string(old.Slice(0, len(b)).Bytes()) == string(b) {
				v.Set(old)
				return nil
			}
			return d.refuse(n, "all the bytes (these were cut for a bulk reading; read the one value whole)")
		}
	case n.kind == nodeArray:
		b = make([]byte, len(n.items))
		for i := range n.items {
			text, ok := numeric(&n.items[i])
			u, err := strconv.ParseUint(text, 10, 8)
			if !ok || err != nil {
				d.at = &place{up: d.at, index: i}
				return d.refuse(&n.items[i], "a byte, 0 to 255")
			}
			b[i] = byte(u)
		}
	default:
		return d.refuse(n, "bytes as a base64 string")
	}
	if v.Kind() == reflect.Slice {
		s := reflect.MakeSlice(v.Type(), len(b), len(b))
		reflect.Copy(s, reflect.ValueOf(b))
		v.Set(s)
		return nil
	}
	if len(b) != v.Len() {
		return d.refuse(n, fmt.Sprintf("%d bytes, not %d", v.Len(), len(b)))
	}
	reflect.Copy(v, reflect.ValueOf(b))
	return nil
}

// marshaled hands the text to the type's own method.
func (d *decoder) marshaled(v reflect.Value, f *Field, n *node) (err error) {
	if f.Go == layout.RawMessageType {
		raw := n.raw
		if raw == nil {
			raw = n.json(nil)
		}
		v.SetBytes(append([]byte(nil), raw...))
		return nil
	}
	temp := reflect.New(f.Go)
	call := func(g func() error) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("it panicked: %v", r)
			}
		}()
		return g()
	}
	if f.Kind == KindJSON {
		raw := n.raw
		if raw == nil {
			raw = n.json(nil)
		}
		err = call(func() error { return temp.Interface().(json.Unmarshaler).UnmarshalJSON(append([]byte(nil), raw...)) })
	} else {
		text := n.text
		switch {
		case n.kind == nodeObject && len(n.keys) == 1 && n.keys[0] == layout.KeyBytes:
			b, e := base64.StdEncoding.DecodeString(n.items[0].text)
			if e != nil {
				return d.refuse(n, "base64 in $bytes")
			}
			text = string(b)
		case n.kind != nodeString && n.kind != nodeNumber && n.kind != nodeBool:
			return d.refuse(n, "the text of a "+f.Go.String())
		}
		err = call(func() error { return temp.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)) })
	}
	if err != nil {
		var own *refusal.Error
		if errors.As(err, &own) {
			return own
		}
		return d.refuse(n, "a "+f.Go.String()+" ("+refusal.Cut(err.Error(), 120)+")")
	}
	v.Set(temp.Elem())
	return nil
}
