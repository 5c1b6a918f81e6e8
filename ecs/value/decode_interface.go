package value

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

func (d *decoder) iface(v, old reflect.Value, f *Field, n *node) error {
	if n.kind == nodeNull {
		v.SetZero()
		return nil
	}
	if d.json {
		if f.Go.NumMethod() > 0 {
			return d.refuse(n, "null: there is no way to choose a type for "+f.Go.String())
		}
		v.Set(reflect.ValueOf(n.goValue()))
		return nil
	}
	n = lenient(n)
	name := n.get(layout.KeyType)
	if n.kind != nodeObject || name == nil {
		if f.Go.NumMethod() == 0 {
			// An empty interface takes plain JSON as Go's own types for it.
			v.Set(reflect.ValueOf(n.goValue()))
			return nil
		}
		return d.needType(f, n, `{"$type":"<a type>","value":...}`)
	}
	if name.kind != nodeString {
		return d.needType(f, name, "the name of a type")
	}
	val := n.get("value")
	for _, k := range n.keys {
		if k != layout.KeyType && k != "value" {
			return d.refuse(n, `an object of "$type" and "value" alone`)
		}
	}
	types := layout.TypeByName(name.text)
	if len(types) == 0 && old.IsValid() && !old.IsNil() && layout.DynName(old.Elem().Type()) == name.text {
		types = []reflect.Type{old.Elem().Type()}
	}
	if len(types) > 1 {
		full := make([]string, len(types))
		for i, t := range types {
			full[i] = layout.FullName(t)
		}
		return &refusal.Error{Code: refusal.InvalidArguments, Message: d.path() + ": the type name " + strconv.Quote(name.text) + " is ambiguous; write one of " +
			strings.Join(full, ", "), Got: name.text, Want: "a full type name", Options: full, Total: len(full)}
	}
	if len(types) == 0 || !types[0].AssignableTo(f.Go) || types[0].Kind() == reflect.Interface {
		return d.needType(f, name, "a known type that "+f.Go.String()+" can hold")
	}
	if err := d.grow(n, 1, types[0].Size()); err != nil {
		return err
	}
	t := describeType(types[0], false)
	elem := t.New()
	was := reflect.Value{}
	if old.IsValid() && !old.IsNil() && old.Elem().Type() == t.Go {
		was = reflect.New(t.Go).Elem()
		was.Set(old.Elem())
	}
	if val != nil {
		refs := len(d.refs)
		if err := d.assign(elem, was, t.Root, val); err != nil {
			return err
		}
		if len(d.refs) > refs {
			d.post = append(d.post, func() { v.Set(elem) })
		}
	}
	v.Set(elem)
	return nil
}

func (d *decoder) needType(f *Field, n *node, want string) error {
	options := layout.Implementers(f.Go)
	got := ""
	if n.kind == nodeString {
		got = n.text
	}
	near := refusal.Nearest(got, options)
	e := d.refuse(n, want).(*refusal.Error)
	e.Options, e.Total = near, len(options)
	e.Hint = "types become known by being described, seen in the world, or value.RegisterType"
	return e
}

// goValue is the node as encoding/json would decode it into an empty
// interface, except that integers a float64 cannot hold stay exact.
func (n *node) goValue() any {
	switch n.kind {
	case nodeBool:
		return n.text == "true"
	case nodeNumber:
		f, err := strconv.ParseFloat(n.text, 64)
		if !strings.ContainsAny(n.text, ".eE") && (f > layout.MaxSafeInteger || f < -layout.MaxSafeInteger) {
			if i, err := strconv.ParseInt(n.text, 10, 64); err == nil {
				return i
			}
			if u, err := strconv.ParseUint(n.text, 10, 64); err == nil {
				return u
			}
		}
		if err != nil {
			return n.text
		}
		return f
	case nodeString:
		return n.text
	case nodeArray:
		list := make([]any, len(n.items))
		for i := range n.items {
			list[i] = n.items[i].goValue()
		}
		return list
	case nodeObject:
		m := make(map[string]any, len(n.keys))
		for i, k := range n.keys {
			m[k] = n.items[i].goValue()
		}
		return m
	}
	return nil
}
