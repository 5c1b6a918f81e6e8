package boundlua

import lua "github.com/yuin/gopher-lua"

var baseFuncs = map[string]lua.LGFunction{
	"assert": baseAssert, "error": baseError, "getmetatable": baseGetMetatable,
	"ipairs": baseIpairs, "pairs": basePairs, "pcall": basePcall,
	"print": basePrint, "rawequal": baseRawEqual, "rawget": baseRawGet, "rawset": baseRawSet,
	"select": baseSelect, "setmetatable": baseSetMetatable, "tonumber": baseToNumber,
	"tostring": baseToString, "type": baseType, "unpack": baseUnpack, "xpcall": baseXpcall,
}

func ctxOf(L *lua.LState) *threadCtx { return L.Context().(*threadCtx) }

// callback1 calls the function that lies below the n values on top, for one
// result. A coroutine cannot yield inside it.
func callback1(L *lua.LState, n int) lua.LValue {
	c := ctxOf(L)
	c.nest++
	L.Call(n, 1)
	c.nest--
	v := L.Get(-1)
	L.Pop(1)
	return v
}

// protect calls the function that lies below the n values on top under a
// recover. The trampoline swaps the panic handler: gopher-lua's would build a
// traceback with one entry for each tail call ever made.
func protect(L *lua.LState, n int) error {
	c := ctxOf(L)
	nest := c.nest
	c.nest++
	L.Insert(fn.trampoline, L.GetTop()-n)
	err := L.PCall(n+1, lua.MultRet, nil)
	c.nest = nest
	return err
}

func trampoline(L *lua.LState) int {
	L.Panic = raise
	L.Call(L.GetTop()-1, lua.MultRet)
	return L.GetTop()
}

// raise is the panic handler of protected calls.
func raise(L *lua.LState) {
	Of(L).noteLine(L)
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: L.Get(-1), StackTrace: "-"})
}

// errorValue is what pcall gives for err.
func errorValue(err error) lua.LValue {
	if e, ok := err.(*lua.ApiError); ok {
		if e.Type == lua.ApiErrorPanic {
			return lua.LString("internal fault: " + e.Object.String())
		}
		if e.Object != nil {
			return e.Object
		}
		return lua.LNil
	}
	return lua.LString(err.Error())
}

func basePcall(L *lua.LState) int {
	L.CheckAny(1)
	err := protect(L, L.GetTop()-1)
	r := Of(L)
	if r.budget.stop != nil {
		r.fail(L)
	}
	if err != nil {
		L.Push(lua.LFalse)
		L.Push(errorValue(err))
		return 2
	}
	L.Insert(lua.LTrue, 1)
	return L.GetTop()
}

// baseXpcall calls the handler after the stack is unwound, which a script
// without the debug library cannot tell from Lua's own.
func baseXpcall(L *lua.LState) int {
	f, handler := L.CheckAny(1), L.CheckAny(2)
	L.SetTop(0)
	L.Push(f)
	err := protect(L, 0)
	r := Of(L)
	if r.budget.stop != nil {
		r.fail(L)
	}
	if err == nil {
		L.Insert(lua.LTrue, 1)
		return L.GetTop()
	}
	L.SetTop(0)
	L.Push(handler)
	L.Push(errorValue(err))
	if err = protect(L, 1); r.budget.stop != nil {
		r.fail(L)
	}
	if err != nil {
		L.SetTop(0)
		L.Push(errorValue(err))
	}
	L.Insert(lua.LFalse, 1)
	return L.GetTop()
}

func baseAssert(L *lua.LState) int {
	L.CheckAny(1)
	if lua.LVAsBool(L.Get(1)) {
		return L.GetTop()
	}
	if v := L.Get(2); v != lua.LNil {
		L.Error(v, 1)
	}
	L.RaiseError("assertion failed!")
	return 0
}

func baseError(L *lua.LState) int {
	L.Error(L.Get(1), optIntArg(L, 2, 1))
	return 0
}

func baseGetMetatable(L *lua.LState) int {
	L.Push(L.GetMetatable(L.CheckAny(1)))
	return 1
}

func baseSetMetatable(L *lua.LState) int {
	t := L.CheckTable(1)
	mt := L.Get(2)
	if mt != lua.LNil && mt.Type() != lua.LTTable {
		L.ArgError(2, "nil or table expected")
	}
	if old, ok := t.Metatable.(*lua.LTable); ok && old.RawGetString("__metatable") != lua.LNil {
		L.RaiseError("cannot change a protected metatable")
	}
	t.Metatable = mt
	L.SetTop(1)
	return 1
}

func baseNext(L *lua.LState) int {
	k, v := L.CheckTable(1).Next(L.Get(2))
	if k == lua.LNil {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(k)
	L.Push(v)
	return 2
}

func basePairs(L *lua.LState) int {
	if ud, ok := L.Get(1).(*lua.LUserData); ok {
		return proxyPairs(L, ud)
	}
	t := L.CheckTable(1)
	L.Push(fn.next)
	L.Push(t)
	L.Push(lua.LNil)
	return 3
}

func ipairsStep(L *lua.LState) int {
	i := intArg(L, 2) + 1
	var v lua.LValue
	if t, ok := L.Get(1).(*lua.LTable); ok {
		v = t.RawGet(lua.LNumber(i))
	} else {
		v = L.GetTable(L.Get(1), lua.LNumber(i))
	}
	if v == lua.LNil {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(lua.LNumber(i))
	L.Push(v)
	return 2
}

func baseIpairs(L *lua.LState) int {
	v := L.Get(1)
	if _, ok := v.(*lua.LUserData); !ok {
		L.CheckTable(1)
	}
	L.Push(fn.ipairsStep)
	L.Push(v)
	L.Push(lua.LNumber(0))
	return 3
}

func baseRawEqual(L *lua.LState) int {
	L.Push(lua.LBool(L.RawEqual(L.CheckAny(1), L.CheckAny(2))))
	return 1
}

func baseRawGet(L *lua.LState) int {
	L.Push(L.CheckTable(1).RawGet(L.CheckAny(2)))
	return 1
}

func baseRawSet(L *lua.LState) int {
	L.RawSet(L.CheckTable(1), L.CheckAny(2), L.CheckAny(3))
	L.SetTop(1)
	return 1
}

func baseSelect(L *lua.LState) int {
	n := L.GetTop()
	if s, ok := L.Get(1).(lua.LString); ok && s == "#" {
		L.Push(lua.LNumber(n - 1))
		return 1
	}
	i := intArg(L, 1)
	if i < 0 {
		i = n + i
	} else if i > n {
		i = n
	}
	if i < 1 {
		L.ArgError(1, "index out of range")
	}
	Of(L).Charge(L, 1+(n-i)>>3)
	return n - i
}

func baseType(L *lua.LState) int {
	L.Push(typeNames[L.CheckAny(1).Type()])
	return 1
}

var typeNames = func() (names [lua.LTChannel + 1]lua.LString) {
	for t := range names {
		names[t] = lua.LString(lua.LValueType(t).String())
	}
	return
}()

func baseUnpack(L *lua.LState) int {
	t := L.CheckTable(1)
	i := optIntArg(L, 2, 1)
	j := 0
	if L.Get(3) == lua.LNil {
		j = t.Len()
	} else {
		j = intArg(L, 3)
	}
	if i > j {
		return 0
	}
	n := j - i + 1
	if n > maxUnpack {
		L.RaiseError("too many results to unpack (%d, at most %d)", n, maxUnpack)
	}
	Of(L).Charge(L, 1+n>>2)
	for k := i; k <= j; k++ {
		L.Push(t.RawGet(lua.LNumber(k)))
	}
	return n
}

func basePrint(L *lua.LState) int {
	r := Of(L)
	for i := 1; i <= L.GetTop(); i++ {
		if i > 1 {
			r.print("\t")
		}
		s := ToString(L, L.Get(i))
		r.ChargeBytes(L, min(len(s), r.limits.PrintBytes))
		r.print(s)
	}
	r.print("\n")
	return 0
}

// print keeps what fits.
func (r *Run) print(s string) {
	if room := r.limits.PrintBytes - len(r.printed); len(s) > room {
		s = s[:max(room, 0)]
		r.printCut = true
	}
	r.printed = append(r.printed, s...)
}
