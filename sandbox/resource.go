package sandbox

import (
	lua "github.com/yuin/gopher-lua"
)

// worldResource is world.resource(name): nil if it is registered but absent.
func worldResource(L *lua.LState) int {
	r := ctxOf(L).run
	world := r.ecs(L)
	res, err := r.world.catalog().Resource(textArg(L, 1))
	if err != nil {
		r.raiseRefusal(L, err)
	}
	if _, ok := world.Resource(res.ID); !ok {
		L.Push(lua.LNil)
		return 1
	}
	c := &component{id: res.ID, name: res.Name, t: res.Type, ta: accessOf(res.Type), resource: true}
	L.Push(newNode(&node{comp: c, field: res.Type.Root}))
	return 1
}
