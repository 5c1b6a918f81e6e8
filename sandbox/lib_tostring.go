package sandbox

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

func baseToString(L *lua.LState) int {
	v := L.CheckAny(1)
	if s, ok := v.(lua.LString); ok {
		L.Push(s)
		return 1
	}
	L.Push(lua.LString(toString(L, v)))
	return 1
}

// toString is tostring: metamethods are honoured, and run under the budget.
func toString(L *lua.LState, v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return v.String()
	case *lua.LUserData:
		if p, ok := v.Value.(interface{ text(*run) string }); ok {
			return p.text(ctxOf(L).run)
		}
	case *lua.LTable:
		f, ok := L.GetMetaField(v, "__tostring").(*lua.LFunction)
		if !ok {
			break
		}
		L.Push(f)
		L.Push(v)
		switch s := callback1(L, 1).(type) {
		case lua.LString:
			return string(s)
		case lua.LNumber:
			return s.String()
		}
		L.RaiseError("'__tostring' must return a string")
	}
	return v.String()
}

func baseToNumber(L *lua.LState) int {
	base := optIntArg(L, 2, 10)
	v := L.CheckAny(1)
	if base == 10 {
		switch v := v.(type) {
		case lua.LNumber:
			L.Push(v)
			return 1
		case lua.LString:
			if f, ok := parseNumber(string(v)); ok {
				L.Push(lua.LNumber(f))
				return 1
			}
		}
		L.Push(lua.LNil)
		return 1
	}
	if base < 2 || base > 36 {
		L.ArgError(2, "base out of range")
	}
	s := strings.ToLower(strings.Trim(L.CheckString(1), " \t\n\v\f\r"))
	if base == 16 {
		s = strings.TrimPrefix(s, "0x")
	}
	if n, err := strconv.ParseUint(s, base, 64); err == nil {
		L.Push(lua.LNumber(n))
	} else {
		L.Push(lua.LNil)
	}
	return 1
}

// parseNumber reads a number as Lua 5.1 does: decimal with an exponent, or
// hexadecimal digits; none of Go's underscores, octals, "inf" or "nan".
func parseNumber(s string) (float64, bool) {
	s = strings.Trim(s, " \t\n\v\f\r")
	if len(s) > 1000 {
		return 0, false
	}
	body := strings.TrimLeft(s, "+-")
	if len(s)-len(body) > 1 {
		return 0, false
	}
	if strings.HasPrefix(body, "0x") || strings.HasPrefix(body, "0X") {
		n, err := strconv.ParseUint(body[2:], 16, 64)
		if err != nil {
			return 0, false
		}
		f := float64(n)
		if strings.HasPrefix(s, "-") {
			f = -f
		}
		return f, true
	}
	if strings.IndexFunc(body, func(c rune) bool { return !strings.ContainsRune("0123456789.eE+-", c) }) >= 0 {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}
