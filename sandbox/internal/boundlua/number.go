package boundlua

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/sandbox/internal/source"
)

// NumberText writes a number as Lua 5.1 does, with 14 digits, or with as many
// as it takes to read the same number back. Where C would write -0 there is 0:
// the VM makes it of -6 % 3, which is 0 in Lua.
func NumberText(n lua.LNumber) string {
	f := float64(n)
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case f != f:
		return "nan"
	case f == math.Trunc(f) && math.Abs(f) < 1e14:
		return strconv.FormatInt(int64(f), 10)
	}
	s := formatFloat(".14", 'g', f)
	if back, err := strconv.ParseFloat(s, 64); err == nil && back == f {
		return s
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.FormatInt(int64(f), 10)
	}
	short := strconv.FormatFloat(math.Abs(f), 'e', -1, 64) // d.ddde+xx
	return formatFloat("."+strconv.Itoa(strings.IndexByte(short, 'e')-1), 'g', f)
}

// stringArithmetic makes "10" + 1 what Lua makes of it: the VM reads strings as
// Go's strconv does, 010 as 8.
var stringArithmetic = map[string]func(a, b float64) float64{
	"__add": func(a, b float64) float64 { return a + b },
	"__sub": func(a, b float64) float64 { return a - b },
	"__mul": func(a, b float64) float64 { return a * b },
	"__div": func(a, b float64) float64 { return a / b },
	"__pow": math.Pow,
	"__mod": func(a, b float64) float64 { return a - math.Floor(a/b)*b },
	"__unm": func(a, _ float64) float64 { return -a },
}

// onStrings is the metamethod event of strings. The other operand's own comes
// first if it has one.
func onStrings(event string, op func(a, b float64) float64) lua.LGFunction {
	return func(L *lua.LState) int {
		operands := [2]lua.LValue{L.Get(1), L.Get(2)}
		if event == "__unm" {
			operands[1] = operands[0]
		}
		for _, v := range operands {
			if f, ok := L.GetMetaField(v, event).(*lua.LFunction); ok && v.Type() != lua.LTString {
				L.Push(f)
				L.Push(operands[0])
				L.Push(operands[1])
				L.Push(callback1(L, 2))
				return 1
			}
		}
		var n [2]float64
		for i, v := range operands {
			ok := false
			switch v := v.(type) {
			case lua.LNumber:
				n[i], ok = float64(v), true
			case lua.LString:
				Of(L).ChargeBytes(L, len(v))
				n[i], ok = source.ParseNumber(string(v))
			}
			if !ok {
				L.RaiseError("attempt to perform arithmetic (%s) on a %s value", strings.TrimLeft(event, "_"), v.Type().String())
			}
		}
		L.Push(lua.LNumber(op(n[0], n[1])))
		return 1
	}
}

// numberArg is the number at n, or what a string there reads as.
func numberArg(L *lua.LState, n int) float64 {
	switch v := L.Get(n).(type) {
	case lua.LNumber:
		return float64(v)
	case lua.LString:
		if f, ok := source.ParseNumber(string(v)); ok {
			return f
		}
	}
	L.TypeError(n, lua.LTNumber)
	return 0
}

// TextArg is the string at n, or the text of a number there.
func TextArg(L *lua.LState, n int) string {
	v := L.Get(n)
	if s, ok := asText(v); ok {
		return s
	}
	L.TypeError(n, lua.LTString)
	return ""
}

// asText gives strings, and numbers as text.
func asText(v lua.LValue) (string, bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return NumberText(v), true
	}
	return "", false
}
