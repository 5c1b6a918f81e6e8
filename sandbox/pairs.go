package sandbox

import (
	"fmt"
	"reflect"
	"sort"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// keys lists what pairs visits: fields in declaration order, elements from 1,
// map keys sorted.
func (n *node) keys(L *lua.LState) []lua.LValue {
	kind, f := n.kind()
	var keys []lua.LValue
	switch kind {
	case value.KindStruct:
		for _, c := range f.Fields {
			if !c.Hidden {
				keys = append(keys, lua.LString(c.Name))
			}
		}
		if n.sel == "" {
			for _, c := range n.comp.t.Computed {
				keys = append(keys, lua.LString(c.Name))
			}
		}
	case value.KindArray, value.KindSlice:
		for i := range n.length(L) {
			ctxOf(L).run.charge(L, 1)
			keys = append(keys, lua.LNumber(i+1))
		}
	case value.KindMap:
		m := n.target(L)
		if !m.IsValid() {
			break
		}
		for _, k := range m.MapKeys() {
			ctxOf(L).run.charge(L, 1)
			keys = append(keys, mapKey(k))
		}
		sort.Slice(keys, func(i, j int) bool {
			a, ok1 := keys[i].(lua.LNumber)
			b, ok2 := keys[j].(lua.LNumber)
			if ok1 && ok2 {
				return a < b
			}
			return keys[i].String() < keys[j].String()
		})
	}
	return keys
}

func mapKey(k reflect.Value) lua.LValue {
	switch k.Kind() {
	case reflect.String:
		return lua.LString(k.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if _, labelled := k.Interface().(fmt.Stringer); !labelled {
			return lua.LNumber(k.Int())
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if _, labelled := k.Interface().(fmt.Stringer); !labelled {
			return lua.LNumber(k.Uint())
		}
	}
	return lua.LString(fmt.Sprint(value.ToGo(k)))
}

// proxyPairs is pairs(proxy).
func proxyPairs(L *lua.LState, ud *lua.LUserData) int {
	var keys []lua.LValue
	switch p := ud.Value.(type) {
	case *node:
		keys = p.keys(L)
	case *entity:
		r := ctxOf(L).run
		r.world.locate(L, p)
		for _, name := range r.world.names(p) {
			keys = append(keys, lua.LString(name))
		}
	default:
		L.ArgError(1, "table expected, got userdata")
	}
	i := 0
	L.Push(L.NewFunction(func(L *lua.LState) int {
		if i >= len(keys) {
			L.Push(lua.LNil)
			return 1
		}
		k := keys[i]
		i++
		L.Push(k)
		L.Push(L.GetTable(ud, k))
		return 2
	}))
	L.Push(ud)
	L.Push(lua.LNil)
	return 3
}
