package boundlua

import lua "github.com/yuin/gopher-lua"

// concat is the .. operator: (concat)(a, b, c) is a .. b .. c.
func concat(L *lua.LState) int {
	r := Of(L)
	top := L.GetTop()
	if top == 2 { // the common case, without a buffer
		a, ok1 := L.Get(1).(lua.LString)
		b, ok2 := L.Get(2).(lua.LString)
		if ok1 && ok2 {
			r.CheckString(L, len(a)+len(b))
			L.Push(a + b)
			return 1
		}
	}
	rhs := L.Get(top)
	for i := top - 1; i > 0; {
		lhs := L.Get(i)
		if !lua.LVCanConvToString(lhs) || !lua.LVCanConvToString(rhs) {
			rhs = concatMeta(L, lhs, rhs)
			i--
			continue
		}
		last, _ := asText(rhs)
		parts := []string{last}
		n := len(last)
		for ; i > 0; i-- {
			s, ok := asText(L.Get(i))
			if !ok {
				break
			}
			parts = append(parts, s)
			n += len(s)
		}
		r.CheckString(L, n)
		buf := make([]byte, 0, n)
		for k := len(parts) - 1; k >= 0; k-- {
			buf = append(buf, parts[k]...)
		}
		rhs = lua.LString(buf)
	}
	L.Push(rhs)
	return 1
}

func concatMeta(L *lua.LState, lhs, rhs lua.LValue) lua.LValue {
	for _, v := range []lua.LValue{lhs, rhs} {
		if f, ok := L.GetMetaField(v, "__concat").(*lua.LFunction); ok {
			L.Push(f)
			L.Push(lhs)
			L.Push(rhs)
			return callback1(L, 2)
		}
	}
	bad := lhs
	if lua.LVCanConvToString(lhs) {
		bad = rhs
	}
	L.RaiseError("attempt to concatenate a %s value", bad.Type().String())
	return lua.LNil
}
