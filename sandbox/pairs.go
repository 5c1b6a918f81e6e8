package sandbox

import (
	"fmt"
	"reflect"
	"sort"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// Keys lists what pairs visits: fields in declaration order, elements from 1,
// map keys sorted.
func (n *node) Keys(L *lua.LState) []lua.LValue {
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
			runOf(L).Charge(L, 1)
			keys = append(keys, lua.LNumber(i+1))
		}
	case value.KindMap:
		m := n.target(L)
		if !m.IsValid() {
			break
		}
		for _, k := range m.MapKeys() {
			runOf(L).Charge(L, 1)
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

// Keys lists the components of an entity.
func (e *entity) Keys(L *lua.LState) (keys []lua.LValue) {
	w := &runOf(L).world
	w.locate(L, e)
	for _, name := range w.names(e) {
		keys = append(keys, lua.LString(name))
	}
	return keys
}
