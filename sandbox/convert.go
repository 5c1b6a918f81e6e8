package sandbox

import (
	"math"
	"sort"
	"strconv"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/sandbox/internal/boundlua"
)

// maxConvertDepth bounds tables that go to the world, and values that come
// from it. A cycle is as deep as it gets.
const maxConvertDepth = 16

// toGo makes a plain Go value of a Lua value: what tools take.
func toGo(L *lua.LState, v lua.LValue) any { return toGoAs(L, v, nil, 0) }

// toGoAs is toGo for a value that will be stored in f (nil: unknown): what
// value.Type.FromGo takes. The field decides what {} means.
func toGoAs(L *lua.LState, v lua.LValue, f *value.Field, depth int) any {
	r := runOf(L)
	r.Charge(L, 1)
	switch v := v.(type) {
	case *lua.LNilType:
		return nil
	case lua.LBool:
		return bool(v)
	case lua.LNumber:
		n := float64(v)
		if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return int64(n)
		}
		return n
	case lua.LString:
		r.ChargeBytes(L, len(v))
		return string(v)
	case *lua.LUserData:
		switch p := v.Value.(type) {
		case *entity:
			return entityArg(L, v).String()
		case *node:
			return p.plain(L)
		}
	case *lua.LTable:
		if depth >= maxConvertDepth {
			L.RaiseError("a table is nested deeper than %d levels (or contains itself)", maxConvertDepth)
		}
		return tableToGo(L, v, solid(f), depth)
	}
	L.RaiseError("a %s cannot be stored in the world or passed to a tool", v.Type().String())
	return nil
}

// solid follows pointers and recursion to the field that says what is inside.
func solid(f *value.Field) *value.Field {
	for f != nil && (f.Recursive || f.Kind == value.KindPointer && f.Elem != nil) {
		if f.Recursive {
			f = value.TypeOf(f.Go).Root
			if f.Recursive {
				return nil
			}
			continue
		}
		f = f.Elem
	}
	return f
}

func member(f *value.Field, name string) *value.Field {
	if f == nil {
		return nil
	}
	for _, m := range f.Fields {
		if m.Name == name {
			return m
		}
	}
	return f.Elem // of a map
}

func tableToGo(L *lua.LState, t *lua.LTable, f *value.Field, depth int) any {
	n := t.Len()
	var elem *value.Field
	if f != nil {
		elem = f.Elem
	}
	list := make([]any, 0, min(n, 64))
	for i := 1; i <= n; i++ {
		list = append(list, toGoAs(L, t.RawGetInt(i), elem, depth+1))
	}
	last := lua.LValue(lua.LNil)
	if n > 0 {
		last = lua.LNumber(n)
	}
	var m map[string]any
	for k, v := t.Next(last); k != lua.LNil; k, v = t.Next(k) {
		if m == nil {
			m = map[string]any{}
		}
		name := boundlua.ToString(L, k)
		m[name] = toGoAs(L, v, member(f, name), depth+1)
	}
	keyed := f != nil && (f.Kind == value.KindMap || f.Kind == value.KindStruct && n == 0)
	if m == nil && !keyed {
		return list
	}
	if m == nil {
		m = map[string]any{}
	}
	for i, x := range list {
		m[strconv.Itoa(i+1)] = x
	}
	return m
}

// toLua makes a Lua value of a plain Go value.
func toLua(L *lua.LState, v any, depth int) lua.LValue {
	runOf(L).Charge(L, 1)
	if depth > 50 {
		return lua.LNil
	}
	switch v := v.(type) {
	case nil:
		return lua.LNil
	case bool:
		return lua.LBool(v)
	case float64:
		return lua.LNumber(v)
	case int:
		return lua.LNumber(v)
	case int64:
		if v >= 1<<53 || v <= -1<<53 {
			return lua.LNumber(float64(v)) // Lua has no other number
		}
		return lua.LNumber(v)
	case uint64:
		return lua.LNumber(float64(v))
	case string:
		runOf(L).CheckString(L, len(v))
		return lua.LString(v)
	case ecs.Entity:
		return lua.LString(v.String())
	case []any:
		t := L.CreateTable(len(v), 0)
		for i, x := range v {
			t.RawSetInt(i+1, toLua(L, x, depth+1))
		}
		return t
	case map[string]any:
		t := L.CreateTable(0, len(v))
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys) // so that pairs has a stable order
		for _, k := range keys {
			t.RawSetString(k, toLua(L, v[k], depth+1))
		}
		return t
	}
	x, err := plain(v)
	if err != nil {
		return lua.LNil
	}
	return toLua(L, x, depth+1)
}
