package ecs

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
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
		return s, numberText(s)
	}
	return "", false
}

func (d *decoder) integer(v reflect.Value, f *Field, n *node) error {
	text, ok := numeric(n)
	if !ok {
		if f.Go == durationType && n.kind == nodeString {
			if dur, err := time.ParseDuration(n.text); err == nil {
				return d.setInt(v, f, n, strconv.FormatInt(int64(dur), 10))
			}
		}
		want := "an integer"
		if f.Go == durationType {
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
	if isSigned(f.Go) {
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
	if isSigned(t) {
		return strconv.FormatInt(math.MinInt64>>(64-bits), 10), strconv.FormatInt(math.MaxInt64>>(64-bits), 10)
	}
	return "0", strconv.FormatUint(math.MaxUint64>>(64-bits), 10)
}

func (d *decoder) inRange(f *Field, n *node, x float64) error {
	if f.Min != nil && !(x >= *f.Min) || f.Max != nil && !(x <= *f.Max) {
		return d.refuse(n, rangeText(f))
	}
	return nil
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
		text, ok := numeric(n)
		if !ok {
			return d.notLabel(f, n)
		}
		return d.setInt(v, f, n, text)
	}
	if n.kind != nodeNumber {
		return d.notLabel(f, n)
	}
	return d.setInt(v, f, n, n.text)
}

func (d *decoder) notLabel(f *Field, n *node) error {
	names := labelNames(f.Enum)
	list := names
	if len(list) > maxOptions {
		list = Nearest(n.text, names)
	}
	return &Error{Code: InvalidArguments, Message: d.path() + ": got " + n.short() + ", want one of " + strings.Join(list, ", "),
		Got: n.plain(), Want: "one of the labels, or its number", Options: Nearest(n.text, names), Total: len(names)}
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

func (d *decoder) str(v reflect.Value, f *Field, n *node) error {
	switch {
	case n.kind == nodeString:
		if len(f.Enum) > 0 && !hasLabel(f.Enum, n.text) {
			return d.notLabel(f, n)
		}
		v.SetString(n.text)
		return nil
	case n.kind == nodeNumber && f.Go == numberType:
		v.SetString(n.text)
		return nil
	case n.kind == nodeObject && len(n.keys) == 1 && n.keys[0] == keyBytes && n.items[0].kind == nodeString:
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

func (d *decoder) entity(v reflect.Value, n *node) error {
	e, ok := entityNode(n)
	if !ok {
		return d.refuse(n, `an entity such as "42v3" (id v generation), or null for none`)
	}
	// An engine's entity type has the layout of Entity, but other field names:
	// Convert refuses it.
	into := reflect.New(v.Type())
	*(*Entity)(into.UnsafePointer()) = e
	v.Set(into.Elem())
	return nil
}

// entityNode reads "42v3", [42,3] and null.
func entityNode(n *node) (Entity, bool) {
	switch n.kind {
	case nodeNull:
		return Entity{}, true
	case nodeString:
		e, full, err := ParseEntity(n.text)
		return e, err == nil && full
	case nodeArray:
		if len(n.items) != 2 {
			return Entity{}, false
		}
		id, ok1 := numeric(&n.items[0])
		gen, ok2 := numeric(&n.items[1])
		i, err1 := strconv.ParseUint(id, 10, 32)
		g, err2 := strconv.ParseUint(gen, 10, 32)
		return Entity{uint32(i), uint32(g)}, ok1 && ok2 && err1 == nil && err2 == nil
	}
	return Entity{}, false
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
	case n.kind == nodeObject && n.get(keyBytes) != nil:
		enc := n.get(keyBytes)
		var err error
		if b, err = base64.StdEncoding.DecodeString(enc.text); err != nil || enc.kind != nodeString {
			return d.refuse(n, "bytes as a base64 string")
		}
		if l := n.get(keyLen); l != nil && l.text != strconv.Itoa(len(b)) {
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
	if f.Go == rawMessageType {
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
		case n.kind == nodeObject && len(n.keys) == 1 && n.keys[0] == keyBytes:
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
		var own *Error
		if errors.As(err, &own) {
			return own
		}
		return d.refuse(n, "a "+f.Go.String()+" ("+cut(err.Error(), 120)+")")
	}
	v.Set(temp.Elem())
	return nil
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}
