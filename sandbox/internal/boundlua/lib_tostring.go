package boundlua

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/sandbox/internal/source"
)

func baseToString(L *lua.LState) int {
	v := L.CheckAny(1)
	if s, ok := v.(lua.LString); ok {
		L.Push(s)
		return 1
	}
	L.Push(lua.LString(ToString(L, v)))
	return 1
}

// ToString is tostring: metamethods are honoured, and run under the budget.
func ToString(L *lua.LState, v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return NumberText(v)
	case *lua.LUserData:
		if p, ok := v.Value.(fmt.Stringer); ok {
			return p.String()
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
			if f, ok := source.ParseNumber(string(v)); ok {
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
	if f, ok := source.ParseInteger(TextArg(L, 1), base); ok {
		L.Push(lua.LNumber(f))
	} else {
		L.Push(lua.LNil)
	}
	return 1
}
