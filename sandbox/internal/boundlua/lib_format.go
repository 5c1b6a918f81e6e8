package boundlua

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// strFormat is C's printf as Lua 5.1 knows it: width and precision have at most
// two digits, so that no directive can ask for megabytes.
func strFormat(L *lua.LState) int {
	format := TextArg(L, 1)
	r := Of(L)
	r.ChargeBytes(L, len(format))
	var out []byte
	arg := 1
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			out = append(out, format[i])
			continue
		}
		i++
		if i < len(format) && format[i] == '%' {
			out = append(out, '%')
			continue
		}
		start := i
		for i < len(format) && strings.IndexByte("-+ #0", format[i]) >= 0 {
			i++
		}
		if i-start > 5 {
			L.RaiseError("invalid format (repeated flags)")
		}
		digits := func() {
			for n := 0; i < len(format) && '0' <= format[i] && format[i] <= '9'; n++ {
				if n == 2 {
					L.RaiseError("invalid format (width or precision too long)")
				}
				i++
			}
		}
		digits()
		if i < len(format) && format[i] == '.' {
			i++
			digits()
		}
		if i >= len(format) {
			L.RaiseError("%s", "invalid format (ends with '%')")
		}
		before := len(out)
		spec, verb := format[start:i], format[i]
		arg++
		switch verb {
		case 'c':
			out = append(out, pad(spec, string([]byte{byte(intArg(L, arg))}))...)
		case 'd', 'i':
			out = append(out, formatInt(spec, toInt64(L, arg))...)
		case 'u', 'o', 'x', 'X':
			out = append(out, formatUint(spec, verb, uint64(toInt64(L, arg)))...)
		case 'e', 'E', 'f', 'g', 'G':
			out = append(out, formatFloat(spec, verb, numberArg(L, arg))...)
		case 'q':
			out = appendQuoted(out, TextArg(L, arg))
		case 's':
			L.CheckAny(arg)
			s := ToString(L, L.Get(arg))
			if dot := strings.IndexByte(spec, '.'); dot >= 0 {
				n, _ := strconv.Atoi(spec[dot+1:])
				s = s[:min(n, len(s))]
				spec = spec[:dot]
			}
			out = append(out, pad(spec, s)...)
		default:
			L.RaiseError("invalid option '%%%c' to 'format'", rune(verb))
		}
		r.limitString(L, len(out))
		r.ChargeBytes(L, len(out)-before)
	}
	L.Push(lua.LString(out))
	return 1
}

func toInt64(L *lua.LState, n int) int64 {
	f := numberArg(L, n)
	switch {
	case f != f:
		return math.MinInt64
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// pad applies the width of spec to s.
func pad(spec, s string) string {
	left := strings.Contains(strings.TrimRight(spec, "0123456789."), "-")
	width, _ := strconv.Atoi(strings.TrimLeft(spec, "-+ #0"))
	if len(s) >= width {
		return s
	}
	fill := strings.Repeat(" ", width-len(s))
	if left {
		return s + fill
	}
	return fill + s
}

// formatInt is %d. Go's fmt agrees with C but for the flag 0 with a precision.
func formatInt(spec string, v int64) string {
	return fmt.Sprintf("%"+withoutZero(spec)+"d", v)
}

func formatUint(spec string, verb byte, v uint64) string {
	if verb == 'u' {
		verb = 'd'
	}
	spec = strings.NewReplacer("+", "", " ", "").Replace(spec)
	if v == 0 && (verb == 'x' || verb == 'X') {
		spec = strings.ReplaceAll(spec, "#", "") // C writes no 0x before zero
	}
	return fmt.Sprintf("%"+withoutZero(spec)+string(verb), v)
}

// withoutZero drops the flag 0 where C ignores it: beside a precision or "-".
func withoutZero(spec string) string {
	n := 0
	for n < len(spec) && strings.IndexByte("-+ #0", spec[n]) >= 0 {
		n++
	}
	flags, rest := spec[:n], spec[n:]
	if strings.Contains(rest, ".") || strings.Contains(flags, "-") {
		flags = strings.ReplaceAll(flags, "0", "")
	}
	if strings.HasSuffix(rest, ".") {
		rest += "0"
	}
	return flags + rest
}

func formatFloat(spec string, verb byte, v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		s := "inf"
		switch {
		case math.IsNaN(v):
			s = "nan"
		case v < 0:
			s = "-inf"
		case strings.Contains(spec, "+"):
			s = "+inf"
		}
		if verb < 'a' {
			s = strings.ToUpper(s)
		}
		width, _, _ := strings.Cut(spec, ".")
		return pad(width, s)
	}
	n := 0
	for n < len(spec) && strings.IndexByte("-+ #0", spec[n]) >= 0 {
		n++
	}
	if strings.Contains(spec[:n], "-") {
		spec = strings.ReplaceAll(spec[:n], "0", "") + spec[n:]
	}
	if strings.HasSuffix(spec, ".") {
		spec += "0"
	} else if !strings.Contains(spec, ".") {
		spec += ".6" // Go's %g without a precision is the shortest form, C's has 6 digits
	}
	return fmt.Sprintf("%"+spec+string(verb), v)
}

func appendQuoted(out []byte, s string) []byte {
	out = append(out, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\', '\n':
			out = append(out, '\\', c)
		case '\r':
			out = append(out, `\r`...)
		case 0:
			out = append(out, `\000`...)
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
