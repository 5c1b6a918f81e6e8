package layout

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// labelsOf finds the labels of an integer type: the declared ones, else what
// its String method says for 0 to 63 (and a few negatives for signed types). If
// it still knows the last of them, it may know others: the labels are open.
func labelsOf(t reflect.Type) (list []EnumLabel, open bool) {
	reg.mu.RLock()
	list, ok := reg.labels[t]
	reg.mu.RUnlock()
	if ok {
		f := foreignOf(t)
		return list, f != nil && f.OpenLabels
	}
	if !isInteger(t) || t.Name() == "" || t.PkgPath() == "" || t == DurationType {
		return nil, false
	}
	list = probeLabels(t)
	return list, len(list) > 0 && list[len(list)-1].Value == probeLimit-1
}

const probeLimit = 64

func probeLabels(t reflect.Type) []EnumLabel {
	stringer := reflect.TypeFor[fmt.Stringer]()
	if !reflect.PointerTo(t).Implements(stringer) {
		return nil
	}
	text := reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextMarshaler]())
	from := int64(0)
	signed := IsSigned(t)
	if signed {
		from = -8
	}
	type probe struct {
		v int64
		s string
	}
	var probes []probe
	numbered := 0
	for v := from; v < probeLimit; v++ {
		s, ok := callString(t, v)
		if !ok || !labelLike(s, v) {
			continue
		}
		if text && !sameText(t, v, s) {
			return nil
		}
		if strings.Contains(s, strconv.FormatInt(v, 10)) {
			numbered++
		}
		probes = append(probes, probe{v, s})
	}
	// "Level 0" … "Level 63" is a way to print a number, not a set of labels.
	if numbered >= probeLimit {
		return nil
	}
	// A default branch ("unknown") answers for every value out of range: it is
	// a label only where it comes before the end of the real ones.
	count := map[string]int{}
	for _, p := range probes {
		count[p.s]++
	}
	rest := ""
	if n := len(probes); n > 1 && probes[n-1].v == probeLimit-1 && count[probes[n-1].s] > 1 {
		rest = probes[n-1].s
	}
	last := int64(-1 << 62)
	for _, p := range probes {
		if p.s != rest {
			last = p.v
		}
	}
	seen := map[string]bool{}
	var list []EnumLabel
	for _, p := range probes {
		if seen[p.s] || p.s == rest && (p.v > last || p.v < 0) {
			continue
		}
		seen[p.s] = true
		list = append(list, EnumLabel{Name: p.s, Value: p.v})
	}
	return list
}

// labelLike rejects what is no label: the form stringer gives unknown values,
// "Kind(7)", and texts that start like a number, a unit or a bit pattern.
func labelLike(s string, v int64) bool {
	r, _ := utf8.DecodeRuneInString(s)
	if s == "" || len(s) > 64 || !utf8.ValidString(s) || !(unicode.IsLetter(r) || r == '_') {
		return false
	}
	return !strings.HasSuffix(s, "("+strconv.FormatInt(v, 10)+")")
}

func callString(t reflect.Type, v int64) (s string, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	p, fits := intOf(t, v)
	if !fits {
		return "", false
	}
	return p.Interface().(fmt.Stringer).String(), true
}

func sameText(t reflect.Type, v int64, s string) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_- ", r) {
			return false
		}
	}
	p, _ := intOf(t, v)
	b, err := p.Interface().(encoding.TextMarshaler).MarshalText()
	return err == nil && string(b) == s
}

// intOf gives a pointer to v in the integer type t.
func intOf(t reflect.Type, v int64) (p reflect.Value, fits bool) {
	p = reflect.New(t)
	e := p.Elem()
	if IsSigned(t) {
		if e.OverflowInt(v) {
			return p, false
		}
		e.SetInt(v)
		return p, true
	}
	if v < 0 || e.OverflowUint(uint64(v)) {
		return p, false
	}
	e.SetUint(uint64(v))
	return p, true
}

func IsSigned(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64 }

func isInteger(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr }

// labelName finds the label of a value.
func LabelName(list []EnumLabel, v int64) (string, bool) {
	if v >= 0 && v < int64(len(list)) && list[v].Value == v {
		return list[v].Name, true
	}
	for _, l := range list {
		if l.Value == v {
			return l.Name, true
		}
	}
	return "", false
}

func LabelNames(list []EnumLabel) []string {
	names := make([]string, len(list))
	for i, l := range list {
		names[i] = l.Name
	}
	return names
}
