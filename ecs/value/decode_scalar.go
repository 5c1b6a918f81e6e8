package value

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

func (d *decoder) boolean(v reflect.Value, n *node) error {
	if n.kind == nodeBool || n.kind == nodeString && (n.text == "true" || n.text == "false") {
		v.SetBool(n.text == "true")
		return nil
	}
	return d.refuse(n, "true or false")
}

// numeric gives the text of a number that came as a number or as a string.
func numeric(n *node) (string, bool) {
	switch n.kind {
	case nodeNumber:
		return n.text, true
	case nodeString:
		s := strings.TrimSpace(n.text)
		s = strings.TrimPrefix(s, "+")
		return s, layout.NumberText(s)
	}
	return "", false
}

func (d *decoder) integer(v reflect.Value, f *Field, n *node) error {
	text, ok := numeric(n)
	if !ok {
		if f.Go == layout.DurationType && n.kind == nodeString {
			if dur, err := time.ParseDuration(n.text); err == nil {
				return d.setInt(v, f, n, strconv.FormatInt(int64(dur), 10))
			}
		}
		want := "an integer"
		if f.Go == layout.DurationType {
			want = `an integer of nanoseconds or a duration such as "1.5s"`
		} else if r := rangeText(f); r != "" {
			want += " " + r
		}
		return d.refuse(n, want)
	}
	return d.setInt(v, f, n, text)
}

// setInt stores a decimal number into an integer: whole numbers alone, in any
// notation, within the width and the range.
func (d *decoder) setInt(v reflect.Value, f *Field, n *node, text string) error {
	if strings.ContainsAny(text, ".eE") {
		whole, ok := wholeNumber(text)
		if !ok {
			return d.refuse(n, "a whole number")
		}
		text = whole
	}
	lo, hi := intLimits(f.Go)
	if layout.IsSigned(f.Go) {
		i, err := strconv.ParseInt(text, 10, f.Go.Bits())
		if err != nil {
			return d.refuse(n, "an integer from "+lo+" to "+hi)
		}
		if err := d.inRange(f, n, float64(i)); err != nil {
			return err
		}
		v.SetInt(i)
		return nil
	}
	u, err := strconv.ParseUint(strings.TrimPrefix(text, "-0"), 10, f.Go.Bits())
	if text == "-0" {
		u, err = 0, nil
	}
	if err != nil {
		return d.refuse(n, "an integer from "+lo+" to "+hi)
	}
	if err := d.inRange(f, n, float64(u)); err != nil {
		return err
	}
	v.SetUint(u)
	return nil
}

// wholeNumber turns 4.0 or 1e3 into 4 or 1000, exactly; false if there is a
// fraction or no integer type could hold it.
func wholeNumber(text string) (string, bool) {
	if _, exp, ok := strings.Cut(strings.ToLower(text), "e"); ok {
		if e, err := strconv.Atoi(exp); err != nil || e > 40 || e < -40 {
			return "", false
		}
	}
	if len(text) > 100 {
		return "", false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() {
		return "", false
	}
	return r.Num().String(), true
}

func intLimits(t reflect.Type) (lo, hi string) {
	bits := t.Bits()
	if layout.IsSigned(t) {
		return strconv.FormatInt(math.MinInt64>>(64-bits), 10), strconv.FormatInt(math.MaxInt64>>(64-bits), 10)
	}
	return "0", strconv.FormatUint(math.MaxUint64>>(64-bits), 10)
}

func (d *decoder) inRange(f *Field, n *node, x float64) error {
	least, most := f.Min, f.Max
	if f.Go.Kind() == reflect.Float32 {
		// 0.7 is in the range of min=0.7, whichever way the bound is rounded.
		least, most = rounded32(least), rounded32(most)
	}
	if least != nil && !(x >= *least) || most != nil && !(x <= *most) {
		return d.refuse(n, rangeText(f))
	}
	return nil
}

func rounded32(bound *float64) *float64 {
	if bound == nil {
		return nil
	}
	x := float64(float32(*bound))
	return &x
}

// rangeText words the range of a number: "at least 0", "from 0 to 100".
func rangeText(f *Field) string {
	num := func(p *float64) string { return strconv.FormatFloat(*p, 'f', -1, 64) }
	unit := ""
	if f.Unit != "" {
		unit = " " + f.Unit
	}
	switch {
	case f.Min != nil && f.Max != nil:
		return "from " + num(f.Min) + " to " + num(f.Max) + unit
	case f.Min != nil:
		return "at least " + num(f.Min) + unit
	case f.Max != nil:
		return "at most " + num(f.Max) + unit
	}
	return ""
}

func (d *decoder) enum(v reflect.Value, f *Field, n *node) error {
	if n.kind == nodeString {
		for _, l := range f.Enum {
			if l.Name == n.text {
				return d.setInt(v, f, n, strconv.FormatInt(l.Value, 10))
			}
		}
	}
	text, ok := numeric(n)
	if !ok {
		return d.notLabel(f, n)
	}
	number := reflect.New(f.Go).Elem()
	if err := d.setInt(number, f, n, text); err != nil {
		return err
	}
	if !f.Labelled(layout.ReadInt(f.Go.Kind(), number.Addr().UnsafePointer())) {
		return d.notLabel(f, n)
	}
	v.Set(number)
	return nil
}

func (d *decoder) notLabel(f *Field, n *node) error {
	names := layout.LabelNames(f.Enum)
	list := names
	if len(list) > refusal.MaxOptions {
		list = refusal.Nearest(n.text, names)
	}
	want := "one of the labels"
	if f.Kind == KindEnum {
		want += ", or its number"
	}
	return &refusal.Error{Code: refusal.InvalidArguments, Message: d.path() + ": got " + n.short() + ", want one of " + strings.Join(list, ", "),
		Got: n.plain(), Want: want, Options: refusal.Nearest(n.text, names), Total: len(names)}
}

func (d *decoder) float(v reflect.Value, f *Field, n *node) error {
	bits := f.Go.Bits()
	text, ok := numeric(n)
	if !ok {
		if x, ok := nonFinite(n); ok {
			if err := d.inRange(f, n, x); err != nil {
				return err
			}
			v.SetFloat(x)
			return nil
		}
		want := "a number"
		if r := rangeText(f); r != "" {
			want += " " + r
		}
		return d.refuse(n, want+` (also "NaN", "Infinity", "-Infinity")`)
	}
	x, err := strconv.ParseFloat(text, bits)
	if err != nil {
		return d.refuse(n, fmt.Sprintf(`a number that float%d can hold (it is beyond the range; "Infinity" is written as that)`, bits))
	}
	if x == 0 && strings.ContainsAny(strings.SplitN(strings.ToLower(text), "e", 2)[0], "123456789") {
		return d.refuse(n, fmt.Sprintf("a number that float%d can hold (it is too small and would become 0)", bits))
	}
	if err := d.inRange(f, n, x); err != nil {
		return err
	}
	v.SetFloat(x)
	return nil
}

func nonFinite(n *node) (float64, bool) {
	if n.kind != nodeString {
		return 0, false
	}
	switch strings.ToLower(strings.TrimPrefix(n.text, "+")) {
	case "nan":
		return math.NaN(), true
	case "infinity", "inf":
		return math.Inf(1), true
	case "-infinity", "-inf":
		return math.Inf(-1), true
	}
	return 0, false
}

func (d *decoder) complex(v reflect.Value, n *node) error {
	if n.kind == nodeString {
		if c, err := strconv.ParseComplex(strings.ReplaceAll(n.text, " ", ""), v.Type().Bits()); err == nil {
			v.SetComplex(c)
			return nil
		}
	}
	if n.kind != nodeArray || len(n.items) != 2 {
		return d.refuse(n, "a complex number as [real, imaginary]")
	}
	ft := reflect.TypeFor[float64]()
	if v.Type().Bits() == 64 {
		ft = reflect.TypeFor[float32]()
	}
	parts := [2]reflect.Value{reflect.New(ft).Elem(), reflect.New(ft).Elem()}
	for i := range parts {
		if err := d.enter(place{index: i}, func() error { return d.float(parts[i], &Field{Go: ft}, &n.items[i]) }); err != nil {
			return err
		}
	}
	v.SetComplex(complex(parts[0].Float(), parts[1].Float()))
	return nil
}

func (d *decoder) entity(v reflect.Value, n *node) error {
	e, ok := entityNode(n)
	if !ok {
		return d.refuse(n, `an entity such as "42v3" (id v generation), or null for none`)
	}
	// An engine's entity type has the layout of Entity, but other field names:
	// Convert refuses it.
	into := reflect.New(v.Type())
	if !layout.Of(v.Type()).StoreEntity(into.UnsafePointer(), e) {
		return d.refuse(n, "nothing: values of type "+v.Type().String()+" are made by the engine only")
	}
	v.Set(into.Elem())
	return nil
}

// entityNode reads "42v3", [42,3] and null.
func entityNode(n *node) (Entity, bool) {
	switch n.kind {
	case nodeNull:
		return Entity{}, true
	case nodeString:
		e, full, err := layout.ParseEntity(n.text)
		return e, err == nil && full
	case nodeArray:
		if len(n.items) != 2 {
			return Entity{}, false
		}
		id, ok1 := numeric(&n.items[0])
		gen, ok2 := numeric(&n.items[1])
		i, err1 := strconv.ParseUint(id, 10, 32)
		g, err2 := strconv.ParseUint(gen, 10, 32)
		return Entity{ID: uint32(i), Gen: uint32(g)}, ok1 && ok2 && err1 == nil && err2 == nil
	}
	return Entity{}, false
}
