package boundlua

import lua "github.com/yuin/gopher-lua"

// What a host gives scripts to hold is userdata. Its text is that of fmt.Stringer;
// what else it can do is asked of its value.

// Exporter is a value that results can have. Export must not raise.
type Exporter interface{ Export(*Run) any }

// Keyed is a value that pairs visits.
type Keyed interface {
	Keys(*lua.LState) []lua.LValue
}

// proxyPairs is pairs(proxy).
func proxyPairs(L *lua.LState, ud *lua.LUserData) int {
	keyed, ok := ud.Value.(Keyed)
	if !ok {
		L.ArgError(1, "table expected, got userdata")
	}
	keys := keyed.Keys(L)
	L.Push(L.NewFunction(func(L *lua.LState) int {
		if len(keys) == 0 {
			L.Push(lua.LNil)
			return 1
		}
		k := keys[0]
		keys = keys[1:]
		L.Push(k)
		L.Push(L.GetTable(ud, k))
		return 2
	}))
	L.Push(ud)
	L.Push(lua.LNil)
	return 3
}
