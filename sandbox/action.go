package sandbox

import (
	"encoding/json"
	"reflect"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// actionFunc binds an action to a component: e.Health:Damage{amount=5}.
func actionFunc(L *lua.LState, n *node, act *value.ActionInfo) *lua.LFunction {
	return L.NewFunction(func(L *lua.LState) int {
		r := runOf(L)
		arg := 1
		if ud, ok := L.Get(1).(*lua.LUserData); ok {
			if _, ok := ud.Value.(*node); ok {
				arg = 2
			}
		}
		if r.dry {
			r.Refuse(L, &refusal.Error{Code: refusal.NotSupported, Message: "action " + act.Name + " cannot be undone: not in a dry run", Got: act.Name})
		}
		root, pending := n.root(L)
		if pending {
			r.Refuse(L, &refusal.Error{Code: refusal.NotSupported, Message: "action " + act.Name + " needs a component that is in the world", Hint: "call world.flush() first"})
		}
		x := any(map[string]any{})
		if v := L.Get(arg); v != lua.LNil {
			x = toGoAs(L, v, act.In.Root, 0)
		}
		in, err := act.In.FromGo(x, reflect.Value{})
		if err != nil {
			r.Refuse(L, within(err, act.Name))
		}
		r.world.mustLive(L, ecs.CheckEntities(r.env.World, in, act.Name))
		// It may do anything with the component, and with more.
		r.world.note(nil, root)
		r.world.count(L, &r.world.pending.Fields)
		out, err := act.Call(ecs.ActionContext{World: r.env.World, Entity: n.owner.id()}, root.Addr().UnsafePointer(), in)
		if err != nil {
			r.Refuse(L, err)
		}
		if !out.IsValid() {
			return 0
		}
		// With the names that the tool's answer has.
		b, err := value.AppendJSON(nil, out, value.EncodeOptions{JSON: true})
		var plain any
		if err == nil {
			err = json.Unmarshal(b, &plain)
		}
		if err != nil {
			r.Refuse(L, err)
		}
		L.Push(toLua(L, plain, 0))
		return 1
	})
}
