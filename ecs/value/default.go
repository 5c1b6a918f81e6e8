package value

import (
	"math"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// implyDefault gives a field whose declared range excludes zero the bound that
// is nearest to zero: a new component must not hold a value that no client
// could write.
func implyDefault(f *Field) {
	switch f.Kind {
	case KindInt, KindUint, KindFloat, KindEnum:
	default:
		return
	}
	round, x := math.Ceil, 0.0
	switch {
	case f.Default != "":
		return
	case f.Min != nil && *f.Min > 0:
		x = *f.Min
	case f.Max != nil && *f.Max < 0:
		x, round = *f.Max, math.Floor
	default:
		return
	}
	if f.Kind != KindFloat {
		x = round(x)
	}
	f.Default, f.Implied = string(layout.AppendFloat(nil, x, 64)), true
	if f.Kind == KindEnum {
		if name, ok := layout.LabelName(f.Enum, int64(x)); ok {
			f.Default = name
		}
	}
}

// defaults sets the declared defaults of the fields in a zero value.
func (d *decoder) defaults(v reflect.Value, f *Field) {
	if f.Default != "" && (!f.Implied || v.IsZero()) {
		_ = d.setDefault(v, f)
	}
	for _, c := range f.Fields {
		if len(c.Chain) == 0 && hasDefault(c) {
			d.defaults(fieldAt(v, c), c)
		}
	}
	if f.Kind == KindArray && f.Elem != nil && hasDefault(f.Elem) {
		for i := range v.Len() {
			d.defaults(v.Index(i), f.Elem)
		}
	}
}

func hasDefault(f *Field) bool {
	if f.Default != "" {
		return true
	}
	for _, c := range f.Fields {
		if hasDefault(c) {
			return true
		}
	}
	return f.Kind == KindArray && f.Elem != nil && hasDefault(f.Elem)
}

// setDefault decodes the text of a default: JSON, or a bare word for a string.
func (d *decoder) setDefault(v reflect.Value, f *Field) error {
	c := *f
	c.ReadOnly = false
	n, err := parseJSON([]byte(f.Default))
	if err != nil || f.Kind == KindString && n.kind != nodeString {
		n = node{kind: nodeString, text: f.Default}
	}
	at := d.at
	d.at = nil
	err = d.assign(v, v, &c, &n)
	d.at = at
	return err
}
