package sandbox

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/sandbox/internal/boundlua"
)

// meta holds the metatables of the proxies. A script cannot reach them
// (__metatable), so all runs share them.
var meta struct {
	entity, node, result *lua.LTable
}

// methods are those of entities.
var methods = map[string]*lua.LFunction{}

func init() {
	make := func(name string, events boundlua.Functions) *lua.LTable {
		t := &lua.LTable{Metatable: lua.LNil}
		for event, f := range events {
			t.RawSetString(event, boundlua.Function(f))
		}
		t.RawSetString("__metatable", lua.LString(name))
		return t
	}
	meta.entity = make("entity", boundlua.Functions{
		"__index": entityIndex, "__newindex": entityNewIndex, "__eq": entityEq, "__concat": proxyConcat})
	meta.node = make("component", boundlua.Functions{
		"__index": nodeIndex, "__newindex": nodeNewIndex, "__len": nodeLen, "__concat": proxyConcat})
	meta.result = make("query", boundlua.Functions{
		"__index": resultIndex, "__call": resultCall, "__len": resultLen})
	for name, f := range entityMethods {
		methods[name] = boundlua.Function(f)
	}
}

func entityEq(L *lua.LState) int {
	a, b := asEntity(L.Get(1)), asEntity(L.Get(2))
	L.Push(lua.LBool(a != nil && b != nil && a.id() == b.id() && (!a.id().IsZero() || a.sp == b.sp)))
	return 1
}

// proxyConcat is "id: " .. e.
func proxyConcat(L *lua.LState) int {
	a, b := boundlua.ToString(L, L.Get(1)), boundlua.ToString(L, L.Get(2))
	runOf(L).CheckString(L, len(a)+len(b))
	L.Push(lua.LString(a + b))
	return 1
}
