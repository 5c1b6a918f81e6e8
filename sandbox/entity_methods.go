package sandbox

import (
	"reflect"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox/internal/boundlua"
)

// entityMethods are called as e:name(...).
var entityMethods = map[string]lua.LGFunction{
	"has": entityHas, "get": entityGet, "add": entityAdd, "remove": entityRemove,
	"despawn": entityDespawn, "alive": entityAlive, "target": entityTarget, "retarget": entityRetarget,
}

// self checks the receiver: e.despawn() for e:despawn() is a common slip.
func self(L *lua.LState) (*run, *entity) {
	e := asEntity(L.Get(1))
	if e == nil {
		L.RaiseError("call an entity's methods with a colon: e:method(...)")
	}
	return runOf(L), e
}

func (r *run) componentArg(L *lua.LState, n int) *component {
	if ud, ok := L.Get(n).(*lua.LUserData); ok {
		if p, ok := ud.Value.(*node); ok && !p.comp.resource && p.sel == "" {
			return p.comp
		}
	}
	r.ecs(L)
	return r.world.component(L, boundlua.TextArg(L, n))
}

func entityHas(L *lua.LState) int {
	r, e := self(L)
	L.Push(lua.LBool(r.world.has(L, e, r.componentArg(L, 2))))
	return 1
}

func entityGet(L *lua.LState) int {
	r, e := self(L)
	c := r.componentArg(L, 2)
	if !r.world.has(L, e, c) {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(newNode(&node{owner: e, comp: c, field: c.t.Root}))
	return 1
}

func entityAlive(L *lua.LState) int {
	r, e := self(L)
	L.Push(lua.LBool(r.world.find(L, e) == nil))
	return 1
}

// entityAdd is e:add(C, fields, target).
func entityAdd(L *lua.LState) int {
	r, e := self(L)
	w := &r.world
	c := r.componentArg(L, 2)
	if w.has(L, e, c) {
		r.Refuse(L, &refusal.Error{Code: refusal.InvalidArguments, Message: "entity " + e.String() + " has " + c.name + " already",
			Got: c.name, Hint: "write its fields, or assign the whole: e." + c.name + " = {...}"})
	}
	v := newValue(L, c, L.Get(3))
	var targets []ecs.Target
	if t := L.Get(4); t != lua.LNil {
		targets = w.targetsFor(L, []ecs.TypeID{c.id}, entityArg(L, t))
	}
	w.add(L, e, c, v, targets)
	L.Push(newNode(&node{owner: e, comp: c, field: c.t.Root}))
	return 1
}

func (w *worldState) add(L *lua.LState, e *entity, c *component, v reflect.Value, targets []ecs.Target) {
	if e.sp != nil && e.sp.pending() {
		if _, ok := e.sp.values[c.id]; !ok && !slices.Contains(e.sp.order, c.id) {
			e.sp.order = append(e.sp.order, c.id)
		}
		e.sp.values[c.id] = v
		e.sp.targets = append(e.sp.targets, targets...)
		w.r.Charge(L, 20)
		return
	}
	w.push(L, op{kind: ecs.OpAdd, entity: e.id(), id: c.id, value: v, targets: targets})
	w.set(cell{e.id(), c.id}, v)
	w.count(L, &w.pending.Added)
	w.r.Charge(L, 20)
}

func (w *worldState) set(at cell, v reflect.Value) {
	if w.overlay == nil {
		w.overlay = map[cell]reflect.Value{}
	}
	w.overlay[at] = v
}

func entityRemove(L *lua.LState) int {
	r, e := self(L)
	c := r.componentArg(L, 2)
	had := r.world.has(L, e, c)
	if had {
		r.world.remove(L, e, c)
	}
	L.Push(lua.LBool(had))
	return 1
}

func (w *worldState) remove(L *lua.LState, e *entity, c *component) {
	if e.sp != nil && e.sp.pending() {
		delete(e.sp.values, c.id)
		e.sp.order = slices.DeleteFunc(e.sp.order, func(id ecs.TypeID) bool { return id == c.id })
		e.sp.targets = slices.DeleteFunc(e.sp.targets, func(t ecs.Target) bool { return t.Relation == c.id })
		return
	}
	w.push(L, op{kind: ecs.OpRemove, entity: e.id(), id: c.id})
	w.set(cell{e.id(), c.id}, reflect.Value{})
	w.count(L, &w.pending.Removed)
	w.r.Charge(L, 20)
}

func entityDespawn(L *lua.LState) int {
	r, e := self(L)
	w := &r.world
	w.locate(L, e)
	if e.sp != nil && e.sp.pending() {
		e.sp.dead = true
		w.pending.Spawned--
		return 0
	}
	w.push(L, op{kind: ecs.OpDespawn, entity: e.id()})
	if w.dead == nil {
		w.dead = map[ecs.Entity]bool{}
	}
	w.dead[e.id()] = true
	w.count(L, &w.pending.Despawned)
	r.Charge(L, 20)
	return 0
}

// entityTarget is e:target(C): what the relation points at, or nil.
func entityTarget(L *lua.LState) int {
	r, e := self(L)
	c := r.componentArg(L, 2)
	if !r.world.has(L, e, c) {
		r.Refuse(L, r.world.missing(e, c))
	}
	id := e.id()
	targets := []ecs.Target(nil)
	if e.sp != nil && e.sp.pending() {
		targets = e.sp.targets
	} else {
		targets = e.rows.chunk.Targets()
		for _, o := range r.world.ops { // the latest wins
			if o.entity == id && len(o.targets) > 0 && o.targets[0].Relation == c.id {
				targets = o.targets
			}
		}
	}
	for _, t := range targets {
		if t.Relation == c.id && !t.Entity.IsZero() {
			L.Push(newEntity(&entity{ent: t.Entity}))
			return 1
		}
	}
	L.Push(lua.LNil)
	return 1
}

// entityRetarget is e:retarget(C, target).
func entityRetarget(L *lua.LState) int {
	r, e := self(L)
	w := &r.world
	c := r.componentArg(L, 2)
	if !w.has(L, e, c) {
		r.Refuse(L, w.missing(e, c))
	}
	var target ecs.Entity
	if L.Get(3) != lua.LNil {
		target = entityArg(L, L.Get(3))
	}
	targets := w.targetsFor(L, []ecs.TypeID{c.id}, target)
	if e.sp != nil && e.sp.pending() {
		e.sp.targets = targets
		return 0
	}
	w.push(L, op{kind: ecs.OpRetarget, entity: e.id(), targets: targets})
	w.count(L, &w.pending.Fields)
	return 0
}
