package value

import (
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// FromGo converts a plain Go value (nil, bool, numbers, string, []any,
// map[string]any: what a script hands over) into a leaf value, with the checks
// of [Path.Decode].
func (p *Path) FromGo(v any) (reflect.Value, error) {
	if err := p.settable(); err != nil {
		return reflect.Value{}, err
	}
	if leaf, ok := p.scalar(v); ok {
		return leaf, nil
	}
	n, err := goNode(v, 0)
	if err != nil {
		return reflect.Value{}, err
	}
	return p.taught(&n)
}

// scalar is the short way for numbers and booleans, which scripts write most.
func (p *Path) scalar(v any) (leaf reflect.Value, ok bool) {
	f := p.Field
	var x float64
	switch n := v.(type) {
	case float64:
		x = n
	case int64:
		if n > layout.MaxSafeInteger || n < -layout.MaxSafeInteger {
			return leaf, false
		}
		x = float64(n)
	case bool:
		if f.Kind != KindBool {
			return leaf, false
		}
		leaf = reflect.New(f.Go).Elem()
		leaf.SetBool(n)
		return leaf, true
	default:
		return leaf, false
	}
	if f.Min != nil && !(x >= *f.Min) || f.Max != nil && !(x <= *f.Max) {
		return leaf, false // the long way words the refusal
	}
	switch f.Kind {
	case KindFloat:
		if y := float32(x); f.Go.Kind() == reflect.Float32 && (y == 0 && x != 0 || math.IsInf(float64(y), 0) && !math.IsInf(x, 0)) {
			return leaf, false
		}
		leaf = reflect.New(f.Go).Elem()
		leaf.SetFloat(x)
		return leaf, true
	case KindInt:
		if x != math.Trunc(x) || math.Abs(x) > layout.MaxSafeInteger {
			return leaf, false
		}
		leaf = reflect.New(f.Go).Elem()
		if leaf.OverflowInt(int64(x)) {
			return leaf, false
		}
		leaf.SetInt(int64(x))
		return leaf, true
	case KindUint:
		if x != math.Trunc(x) || x < 0 || x > layout.MaxSafeInteger {
			return leaf, false
		}
		leaf = reflect.New(f.Go).Elem()
		if leaf.OverflowUint(uint64(x)) {
			return leaf, false
		}
		leaf.SetUint(uint64(x))
		return leaf, true
	}
	return leaf, false
}

// FromGo is the same for a whole value, on top of base or the default.
func (t *Type) FromGo(v any, base reflect.Value) (reflect.Value, error) {
	n, err := goNode(v, 0)
	if err != nil {
		return reflect.Value{}, t.teach(err)
	}
	return t.decode(&n, base)
}

func goNode(v any, depth int) (node, error) {
	if depth > maxJSONDepth {
		return node{}, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("the value is nested deeper than %d, or holds itself", maxJSONDepth)}
	}
	switch x := v.(type) {
	case nil:
		return node{}, nil
	case bool:
		return node{kind: nodeBool, text: strconv.FormatBool(x)}, nil
	case string:
		return stringNode(x), nil
	case float64:
		return floatNode(x, 64), nil
	case float32:
		return floatNode(float64(x), 32), nil
	case Entity:
		return node{kind: nodeString, text: x.String()}, nil
	case []byte:
		return node{kind: nodeString, text: string(x)}, nil
	case []any:
		n := node{kind: nodeArray, items: make([]node, len(x))}
		for i := range x {
			var err error
			if n.items[i], err = goNode(x[i], depth+1); err != nil {
				return n, err
			}
		}
		return n, nil
	case map[string]any:
		n := node{kind: nodeObject, keys: make([]string, 0, len(x))}
		for k := range x {
			n.keys = append(n.keys, k)
		}
		sort.Strings(n.keys)
		n.items = make([]node, len(n.keys))
		for i, k := range n.keys {
			var err error
			if n.items[i], err = goNode(x[k], depth+1); err != nil {
				return n, err
			}
		}
		return n, nil
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return node{kind: nodeNumber, text: strconv.FormatInt(r.Int(), 10)}, nil
	case r.CanUint():
		return node{kind: nodeNumber, text: strconv.FormatUint(r.Uint(), 10)}, nil
	case r.Kind() == reflect.Slice || r.Kind() == reflect.Array:
		list := make([]any, r.Len())
		for i := range list {
			list[i] = r.Index(i).Interface()
		}
		return goNode(list, depth)
	case r.Kind() == reflect.Map && r.Type().Key().Kind() == reflect.String:
		m := make(map[string]any, r.Len())
		for it := r.MapRange(); it.Next(); {
			m[it.Key().String()] = it.Value().Interface()
		}
		return goNode(m, depth)
	}
	return node{}, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("a Go value of type %T is no plain value", v),
		Want: "nil, bool, a number, string, []any or map[string]any"}
}

// stringNode keeps text that is not UTF-8 as the bytes it is.
func stringNode(s string) node { return node{kind: nodeString, text: s} }

func floatNode(x float64, bits int) node {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		b := layout.AppendFloat(nil, x, bits)
		return node{kind: nodeString, text: string(b[1 : len(b)-1])}
	}
	if x == math.Trunc(x) && math.Abs(x) < 1e15 && (x != 0 || !math.Signbit(x)) {
		return node{kind: nodeNumber, text: strconv.FormatInt(int64(x), 10)}
	}
	return node{kind: nodeNumber, text: strconv.FormatFloat(x, 'g', -1, bits)}
}

// ToGo is the way back: nil, bool, float64, int64, uint64, string, []any,
// map[string]any, cut like AppendJSON. Numbers keep their Go kind: NaN is NaN,
// a 64-bit integer has all its digits. A value that cannot be shown is a
// map[string]any{"$error": text}.
func ToGo(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	p, err := layout.AddressOf(v)
	if err != nil {
		return map[string]any{"$error": err.Error()}
	}
	return toGo(v.Type(), p, layout.Of(v.Type()).Kind, layout.Of(v.Type()).Labels, false)
}

// ToGo is [ToGo] for a value of the type: the result of an action has the names
// of its JSON tags.
func (t *Type) ToGo(v reflect.Value) any {
	p, err := layout.AddressOf(v)
	if err != nil {
		return map[string]any{"$error": err.Error()}
	}
	return toGo(t.Go, p, t.Root.Kind, t.Root.Enum, t.json)
}

// Get followed by ToGo, for a path: what a script reads. The field's own
// labels count.
func (p *Path) ToGo(root reflect.Value) (any, error) {
	v, err := p.Get(root)
	if err != nil {
		return nil, err
	}
	if p.Field != nil && p.Field.Kind == KindEnum {
		return toGo(v.Type(), unsafe.Pointer(v.UnsafeAddr()), KindEnum, p.Field.Enum, false), nil
	}
	return ToGo(v), nil
}

func toGo(t reflect.Type, p unsafe.Pointer, k Kind, labels []EnumLabel, jsonMode bool) any {
	switch k {
	case KindBool:
		return *(*bool)(p)
	case KindInt:
		return layout.ReadInt(t.Kind(), p)
	case KindUint:
		if t.Size() == 8 {
			return uint64(layout.ReadInt(t.Kind(), p))
		}
		return layout.ReadInt(t.Kind(), p)
	case KindFloat:
		if t.Kind() == reflect.Float32 {
			return float64(*(*float32)(p))
		}
		return *(*float64)(p)
	case KindEnum:
		n := layout.ReadInt(t.Kind(), p)
		if s, ok := layout.LabelName(labels, n); ok {
			return s
		}
		return n
	case KindString:
		return *(*string)(p)
	case KindEntity:
		e := layout.Of(t).LoadEntity(p)
		if e.IsZero() {
			return nil
		}
		return e.String()
	}
	b, err := layout.AppendAt(nil, t, p, EncodeOptions{JSON: jsonMode})
	if err != nil {
		return map[string]any{"$error": err.Error()}
	}
	n, err := parseJSON(b)
	if err != nil {
		return map[string]any{"$error": err.Error()}
	}
	return n.scriptValue(describeType(t, jsonMode).Root)
}

// scriptValue turns encoded JSON back into Go values, with f to tell a number
// that was written as text from a text.
func (n *node) scriptValue(f *Field) any {
	if f != nil {
		f = (&decoder{}).full(f)
	}
	for f != nil && f.Kind == KindPointer && f.Elem != nil && !placeholder(n) {
		f = (&decoder{}).full(f.Elem)
	}
	kind := Kind(0)
	if f != nil {
		kind = f.Kind
	}
	switch n.kind {
	case nodeBool:
		return n.text == "true"
	case nodeString:
		switch kind {
		case KindFloat:
			if x, ok := nonFinite(n); ok {
				return x
			}
		case KindInt, KindUint, KindEnum:
			if i, err := strconv.ParseInt(n.text, 10, 64); err == nil {
				return i
			}
			if u, err := strconv.ParseUint(n.text, 10, 64); err == nil {
				return u
			}
		}
		return n.text
	case nodeNumber:
		if kind != KindFloat {
			if i, err := strconv.ParseInt(n.text, 10, 64); err == nil {
				if kind == KindUint && f.Go.Size() == 8 {
					return uint64(i)
				}
				return i
			}
		}
		x, _ := strconv.ParseFloat(n.text, 64)
		return x
	case nodeArray:
		var elem *Field
		if f != nil {
			elem = f.Elem
		}
		list := make([]any, len(n.items))
		for i := range n.items {
			list[i] = n.items[i].scriptValue(elem)
		}
		return list
	case nodeObject:
		if kind == KindString && n.get(layout.KeyBytes) != nil {
			return string(layout.DecodeBase64(n.get(layout.KeyBytes).text))
		}
		m := make(map[string]any, len(n.keys))
		for i, k := range n.keys {
			var c *Field
			switch kind {
			case KindStruct:
				c = findField(f.Fields, k)
			case KindMap:
				c = f.Elem
				if s, ok := layout.UnescapeKey(k); ok && utf8.ValidString(s) {
					k = s
				}
			case KindInterface:
				if name := n.get(layout.KeyType); k == "value" && name != nil {
					if ts := layout.TypeByName(name.text); len(ts) == 1 {
						c = describeType(ts[0], false).Root
					}
				}
			}
			m[k] = n.items[i].scriptValue(c)
		}
		return m
	}
	return nil
}
