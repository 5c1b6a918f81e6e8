package sandbox

import (
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
		return numberText(v)
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
		if s, ok := asText(callback1(L, 1)); ok {
			return s
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
	if f, ok := parseInteger(textArg(L, 1), base); ok {
		L.Push(lua.LNumber(f))
	} else {
		L.Push(lua.LNil)
	}
	return 1
}
