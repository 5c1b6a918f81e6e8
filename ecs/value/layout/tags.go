package layout

import (
	"strconv"
	"strings"
)

// fieldTag is what the debug tag of a struct field says.
type FieldTag struct {
	Min, Max           *float64
	Unit, def          string
	enum               []EnumLabel
	readOnly, hidden   bool
	dangling           bool
	private            bool
	vector, hasDefault bool
	Faults             []string
}

// parseTag reads `debug:"min=0,max=100,unit=px,enum=Idle|Chase,readonly"`.
// Commas inside brackets or single quotes belong to the value, so that
// default=[1,2] needs no escape. A fault never stops the description: it is
// kept for [Type.Problems].
func parseTag(tag string) FieldTag {
	var ft FieldTag
	if tag == "" {
		return ft
	}
	num := func(key, val string) *float64 {
		f, err := strconv.ParseFloat(val, 64)
		if err != nil {
			ft.Faults = append(ft.Faults, "debug tag: "+key+"="+val+" is not a number")
			return nil
		}
		return &f
	}
	for _, part := range splitTag(tag) {
		key, val, _ := strings.Cut(part, "=")
		key, val = strings.TrimSpace(key), strings.TrimSpace(val)
		if len(val) >= 2 && val[0] == '\'' && val[len(val)-1] == '\'' {
			val = val[1 : len(val)-1]
		}
		switch key {
		case "min":
			ft.Min = num(key, val)
		case "max":
			ft.Max = num(key, val)
		case "unit":
			ft.Unit = val
		case "default":
			ft.def, ft.hasDefault = val, true
		case "readonly":
			ft.readOnly = true
		case "hidden":
			ft.hidden = true
		case "vector":
			ft.vector = true
		case "private":
			ft.private = true
		case "dangling":
			ft.dangling = true
		case "enum":
			next := int64(0)
			for _, l := range strings.Split(val, "|") {
				name, n, given := strings.Cut(l, ":")
				if given {
					v, err := strconv.ParseInt(n, 10, 64)
					if err != nil {
						ft.Faults = append(ft.Faults, "debug tag: enum value "+n+" is not an integer")
						continue
					}
					next = v
				}
				ft.enum = append(ft.enum, EnumLabel{Name: name, Value: next})
				next++
			}
		case "":
		default:
			ft.Faults = append(ft.Faults, "debug tag: unknown option "+strconv.Quote(key)+
				" (min, max, unit, enum, default, vector, readonly, hidden, dangling, private)")
		}
	}
	return ft
}

func splitTag(s string) []string {
	var parts []string
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{' || c == '(':
			depth++
		case c == ']' || c == '}' || c == ')':
			depth--
		case c == ',' && depth <= 0:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}
