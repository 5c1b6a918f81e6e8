package value

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// lenient turns a string that holds a JSON object or array into that value,
// where the target can be nothing else.
func lenient(n *node) *node {
	if n.kind != nodeString {
		return n
	}
	s := strings.TrimSpace(n.text)
	if s == "" || s[0] != '{' && s[0] != '[' && s != "null" {
		return n
	}
	if inner, err := parseJSON([]byte(s)); err == nil {
		return &inner
	}
	return n
}

// vector reads "2 2 2" or "2,2,2" as a list.
func vector(n *node) *node {
	if n.kind != nodeString {
		return n
	}
	list := node{kind: nodeArray}
	for _, w := range strings.FieldsFunc(n.text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == ';' }) {
		list.items = append(list.items, node{kind: nodeString, text: w})
	}
	if len(list.items) < 2 || len(list.items) > 4 {
		return n
	}
	return &list
}

func (d *decoder) structure(v, old reflect.Value, f *Field, n *node) error {
	n = lenient(n)
	if f.Vector {
		if n = vector(n); n.kind == nodeArray {
			if len(n.items) != len(f.Fields) {
				return d.refuse(n, fmt.Sprintf("%d numbers: [%s] or \"%s\"", len(f.Fields), strings.Join(fieldNames(f), ", "),
					strings.Join(fieldNames(f), " ")))
			}
			for i, c := range f.Fields {
				if err := d.field(v, old, c, &n.items[i]); err != nil {
					return err
				}
			}
			return nil
		}
	}
	if n.kind != nodeObject {
		want := "an object with " + listNames(fieldNames(f))
		if f.Vector {
			want = fmt.Sprintf("%d numbers, as an object with %s, a list or a text such as \"%s\"", len(f.Fields), listNames(fieldNames(f)),
				strings.TrimSpace(strings.Repeat("2 ", len(f.Fields))))
		}
		return d.refuse(n, want)
	}
	for i, key := range n.keys {
		c := findField(f.Fields, key)
		if c == nil && !d.json {
			chain, several := promoted(f, key, false)
			if chain != nil {
				if err := d.promotedField(v, old, n, i, chain); err != nil {
					return err
				}
				continue
			}
			if len(several) > 0 {
				return d.ambiguous(key, several)
			}
		}
		if c == nil || c.Hidden {
			return d.unknown(f, key)
		}
		if d.json && n.items[i].kind == nodeNull && c.Optional && c.Kind != KindPointer {
			continue // "not given", as clients write it for an optional argument
		}
		if err := d.field(v, old, c, &n.items[i]); err != nil {
			return err
		}
	}
	if d.required {
		for _, c := range f.Fields {
			if !c.Optional && !c.Hidden && !c.ReadOnly && n.get(c.Name) == nil {
				want := kindWords(c)
				d.at = &place{up: d.at, name: c.Name}
				return &refusal.Error{Code: refusal.InvalidArguments, Message: d.path() + " is missing: want " + want, Want: want,
					Options: refusal.Nearest(c.Name, requiredNames(f)), Total: len(requiredNames(f)), Hint: c.Doc}
			}
		}
	}
	return nil
}

func requiredNames(f *Field) []string {
	var names []string
	for _, c := range f.Fields {
		if !c.Optional && !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

func (d *decoder) field(v, old reflect.Value, c *Field, n *node) error {
	was := reflect.Value{}
	if old.IsValid() {
		was = layout.FieldValue(old, c)
	}
	up := d.at
	d.at = &place{up: up, name: c.Name}
	err := d.assign(fieldAt(v, c), was, c, n)
	if err == nil {
		d.at = up
	}
	return err
}

func fieldNames(f *Field) []string {
	names := make([]string, 0, len(f.Fields))
	for _, c := range f.Fields {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

func listNames(names []string) string {
	switch {
	case len(names) == 0:
		return "no fields"
	case len(names) > 12:
		return strings.Join(names[:12], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// unknown refuses a name that is no field, with the real ones.
func (d *decoder) unknown(f *Field, key string) error {
	if d.at == nil {
		for _, c := range d.computed {
			if c.Name == key {
				return &refusal.Error{Code: refusal.InvalidArguments, Message: d.path() + "." + key + " cannot be written: it is computed", Got: key,
					Want: "a stored field", Options: refusal.Nearest(key, fieldNames(f)), Total: len(fieldNames(f))}
			}
		}
	}
	names := fieldNames(f)
	if !d.json {
		names = append(names, promotedNames(f, false)...)
	}
	code, what := refusal.UnknownField, "field"
	if d.json {
		code = refusal.InvalidArguments
		if d.at == nil {
			what = "argument"
		}
	}
	where := d.path()
	if where == "the value" {
		where = "this tool"
	}
	near := refusal.Nearest(key, names)
	msg := fmt.Sprintf("%s has no %s %q; it has %s", where, what, key, listNames(near))
	if len(names) == 0 {
		msg = fmt.Sprintf("%s has no %s %q; it has none", where, what, key)
	}
	return &refusal.Error{Code: code, Message: msg, Got: key, Want: "a real " + what, Options: near, Total: len(names)}
}

// ambiguous refuses a name that several embedded structs lend.
func (d *decoder) ambiguous(key string, several []string) error {
	return &refusal.Error{Code: refusal.UnknownField, Message: fmt.Sprintf("%s: %q is a field of several embedded structs; name the one that is meant", d.path(), key),
		Got: key, Want: "the path of one of them", Options: several, Total: len(several)}
}

// takesText reports whether a value of the field is written as text.
func takesText(f *Field) bool {
	switch f.Kind {
	case KindString, KindText, KindEnum, KindEntity:
		return true
	case KindJSON:
		return f.Go != layout.RawMessageType
	}
	return false
}

func (d *decoder) array(v, old reflect.Value, f *Field, n *node) error {
	n = lenient(n)
	if f.Vector {
		n = vector(n)
	}
	if n.kind != nodeArray || len(n.items) != v.Len() {
		want := fmt.Sprintf("a list of %d %s", v.Len(), plural(f.Elem))
		if f.Vector {
			want = fmt.Sprintf("%d numbers, as a list or a text such as %q", v.Len(), strings.TrimSpace(strings.Repeat("2 ", v.Len())))
		}
		return d.refuse(n, want)
	}
	for i := range n.items {
		was := reflect.Value{}
		if old.IsValid() {
			was = old.Index(i)
		}
		if err := d.enter(place{index: i}, func() error { return d.assign(v.Index(i), was, f.Elem, &n.items[i]) }); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) slice(v, old reflect.Value, f *Field, n *node) error {
	n = lenient(n)
	if n.kind == nodeNull {
		v.SetZero()
		return nil
	}
	if d.json && n.kind == nodeString && takesText(f.Elem) {
		// An argument that is one name where a list of names is wanted.
		n = &node{kind: nodeArray, items: []node{*n}}
	}
	if n.kind != nodeArray {
		return d.refuse(n, "a list of "+plural(f.Elem)+", or null for none")
	}
	before := reflect.Value{}
	if old.IsValid() {
		before = reflect.New(f.Go).Elem()
		before.Set(old)
	}
	// Built in place, so that a reference into it finds it there. Each element
	// costs what the client sent for it, at least two bytes.
	if err := d.grow(n, len(n.items), f.Go.Elem().Size()); err != nil {
		return err
	}
	s := reflect.MakeSlice(f.Go, len(n.items), len(n.items))
	v.Set(s)
	for i := range n.items {
		was := reflect.Value{}
		if before.IsValid() && i < before.Len() {
			was = before.Index(i)
		}
		d.defaults(s.Index(i), f.Elem)
		if err := d.enter(place{index: i}, func() error { return d.assign(s.Index(i), was, f.Elem, &n.items[i]) }); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) mapping(v, old reflect.Value, f *Field, n *node) error {
	n = lenient(n)
	if n.kind == nodeNull {
		v.SetZero()
		return nil
	}
	if n.kind != nodeObject {
		return d.refuse(n, "an object whose keys are "+plural(f.Key)+", or null for none")
	}
	before := reflect.Value{}
	if old.IsValid() && !old.IsNil() {
		before = reflect.New(f.Go).Elem()
		before.Set(old)
	}
	if err := d.grow(n, len(n.keys), f.Go.Key().Size()+f.Go.Elem().Size()); err != nil {
		return err
	}
	m := reflect.MakeMapWithSize(f.Go, len(n.keys))
	v.Set(m)
	for i, text := range n.keys {
		d2 := d.at
		d.at = &place{up: d2, name: text, key: true}
		key, err := d.key(f.Key, text)
		if err != nil {
			return err
		}
		if m.MapIndex(key).IsValid() {
			return d.refuse(&node{kind: nodeString, text: text}, "every key once: another spelling of it is given already")
		}
		was := reflect.Value{}
		if before.IsValid() {
			if e := before.MapIndex(key); e.IsValid() {
				was = reflect.New(e.Type()).Elem()
				was.Set(e)
			}
		}
		elem := reflect.New(f.Elem.Go).Elem()
		d.defaults(elem, f.Elem)
		refs := len(d.refs)
		if err := d.assign(elem, was, f.Elem, &n.items[i]); err != nil {
			return err
		}
		m.SetMapIndex(key, elem)
		if len(d.refs) > refs {
			d.post = append(d.post, func() { m.SetMapIndex(key, elem) })
		}
		d.at = d2
	}
	return nil
}

// key reads a map key from its text: the way back of keyText.
func (d *decoder) key(f *Field, text string) (reflect.Value, error) {
	f = d.full(f)
	k := reflect.New(f.Go).Elem()
	n := &node{kind: nodeString, text: text}
	switch f.Kind {
	case KindString, KindText, KindEnum:
		s, ok := text, true
		if !d.json {
			s, ok = layout.UnescapeKey(text)
		}
		if !ok {
			return k, d.refuse(n, "base64 after $bytes:")
		}
		n.text = s
	case KindInt, KindUint, KindFloat, KindBool, KindEntity:
		if f.Kind == KindEntity && text == "0v0" {
			return k, nil
		}
	default:
		inner, err := parseJSON([]byte(text))
		if err != nil {
			return k, d.refuse(n, "a key that is the JSON of a "+f.Go.String())
		}
		n = &inner
	}
	if err := d.assign(k, reflect.Value{}, f, n); err != nil {
		return k, err
	}
	if !k.Comparable() {
		return k, d.refuse(n, "a key that can be compared")
	}
	return k, nil
}

func (d *decoder) pointer(v, old reflect.Value, f *Field, n *node) error {
	if n.kind == nodeNull {
		v.SetZero()
		return nil
	}
	// What is there is changed in place (it is a copy already), so that fields
	// which are not named stay; a place that is new gets a new target.
	was := reflect.Value{}
	if old.IsValid() && !old.IsNil() {
		was = old.Elem()
	}
	if v.IsNil() {
		if err := d.grow(n, 1, f.Go.Elem().Size()); err != nil {
			return err
		}
		v.Set(reflect.New(f.Go.Elem()))
		d.defaults(v.Elem(), f.Elem)
	}
	return d.assign(v.Elem(), was, f.Elem, n)
}
