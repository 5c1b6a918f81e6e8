package sandbox

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/sandbox/internal/boundlua"
)

// worldResource is world.resource(name): nil if it is registered but absent.
func worldResource(L *lua.LState) int {
	r := runOf(L)
	world := r.ecs(L)
	res, err := r.world.catalog().Resource(boundlua.TextArg(L, 1))
	if err != nil {
		r.Refuse(L, err)
	}
	if _, ok := world.Resource(res.ID); !ok {
		L.Push(lua.LNil)
		return 1
	}
	c := &component{id: res.ID, name: res.Name, t: res.Type, ta: accessOf(res.Type), resource: true}
	L.Push(newNode(&node{comp: c, field: res.Type.Root}))
	return 1
}
