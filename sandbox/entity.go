package sandbox

import (
	"reflect"
	"slices"
	"sync/atomic"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox/internal/boundlua"
	"github.com/loupe-ecs/loupe/sandbox/internal/source"
)

// entity is what a script holds of an entity. It stays good across calls: the
// row it remembers counts only in the epoch in which it was found.
type entity struct {
	ent   ecs.Entity
	sp    *spawned // if the script spawned it
	rows  *rows
	row   int
	epoch uint64
}

// rows is one chunk as this epoch sees it. Column lookups are remembered.
type rows struct {
	chunk ecs.Chunk
	cols  []column
}

type column struct {
	id ecs.TypeID
	ecs.Column
	ok bool
}

var epochs atomic.Uint64

func nextEpoch() uint64 { return epochs.Add(1) }

func (r *rows) column(id ecs.TypeID) *column {
	for i := range r.cols {
		if r.cols[i].id == id {
			return &r.cols[i]
		}
	}
	col, ok := r.chunk.Column(id)
	r.cols = append(r.cols, column{id, col, ok})
	return &r.cols[len(r.cols)-1]
}

// id is the entity's id, zero while it is pending.
func (e *entity) id() ecs.Entity {
	if e.sp != nil {
		return e.sp.entity
	}
	return e.ent
}

func (e *entity) String() string {
	if e.sp != nil && e.sp.pending() {
		return e.sp.placeholder()
	}
	return e.id().String()
}

// Export is what results have of it.
func (e *entity) Export(*boundlua.Run) any { return e.String() }

func asEntity(v lua.LValue) *entity {
	if ud, ok := v.(*lua.LUserData); ok {
		e, _ := ud.Value.(*entity)
		return e
	}
	return nil
}

func newEntity(e *entity) *lua.LUserData {
	return &lua.LUserData{Value: e, Metatable: meta.entity}
}

// locate makes sure that e's row is known, and refuses an entity that is gone.
func (w *worldState) locate(L *lua.LState, e *entity) {
	if err := w.find(L, e); err != nil {
		w.r.Refuse(L, err)
	}
}

func (w *worldState) find(L *lua.LState, e *entity) error {
	world := w.r.ecs(L)
	if e.sp != nil && e.sp.dead {
		return despawnedHere(e.sp.placeholder())
	}
	id := e.id()
	if e.sp != nil && e.sp.pending() {
		if e.sp.n > len(w.spawned) || w.spawned[e.sp.n-1] != e.sp {
			return &refusal.Error{Code: refusal.UnknownEntity, Message: "this entity was spawned by a call whose changes were undone"}
		}
		return nil
	}
	if len(w.dead) > 0 && w.dead[id] {
		return despawnedHere(id.String())
	}
	if e.epoch == w.epoch {
		return nil
	}
	chunk, row, ok := world.Row(id)
	if !ok {
		err := &refusal.Error{Code: refusal.EntityDead, Message: "entity " + id.String() + " is not alive", Got: id.String(),
			Hint: "e:alive() tells; world.entity(id) is nil for a dead entity"}
		if now, ok := world.Holder(id.ID); ok {
			err.Message += "; its slot belongs to " + now.String() + " now"
		}
		return err
	}
	e.rows, e.row, e.epoch = &rows{chunk: chunk}, row, w.epoch
	return nil
}

func despawnedHere(name string) error {
	return &refusal.Error{Code: refusal.EntityDead, Message: "entity " + name + " was despawned by this script", Got: name}
}

// value gives the addressable value of a component of e, pending changes
// included; false: e has no such component.
func (w *worldState) value(L *lua.LState, e *entity, c *component) (v reflect.Value, pending, ok bool) {
	w.locate(L, e)
	if e.sp != nil && e.sp.pending() {
		v, ok = e.sp.values[c.id]
		return v, true, ok
	}
	if len(w.overlay) > 0 {
		if v, changed := w.overlay[cell{e.id(), c.id}]; changed {
			return v, true, v.IsValid()
		}
	}
	col := e.rows.column(c.id)
	if !col.ok {
		return v, false, false
	}
	if c.t.Size == 0 || col.Base == nil {
		return reflect.New(c.t.Go).Elem(), false, true
	}
	return col.Value(c.t.Go, e.row), false, true
}

func (w *worldState) has(L *lua.LState, e *entity, c *component) bool {
	_, _, ok := w.value(L, e, c)
	return ok
}

// missing is the refusal for a component that e does not have.
func (w *worldState) missing(e *entity, c *component) *refusal.Error {
	return &refusal.Error{Code: refusal.ComponentMissing, Message: "entity " + e.String() + " has no component " + c.name,
		Got: c.name, Options: w.names(e), Hint: "e:has(C) tells; e:add(C, {fields}) adds one"}
}

// names lists the components of e, for refusals and e.components.
func (w *worldState) names(e *entity) []string {
	cat := w.catalog()
	var ids []ecs.TypeID
	if e.sp != nil && e.sp.pending() {
		for _, id := range e.sp.order {
			if _, ok := e.sp.values[id]; ok {
				ids = append(ids, id)
			}
		}
	} else {
		for _, id := range e.rows.chunk.Components() {
			if v, changed := w.overlay[cell{e.id(), id}]; !changed || v.IsValid() {
				ids = append(ids, id)
			}
		}
		for at, v := range w.overlay {
			if at.entity == e.id() && v.IsValid() && !slices.Contains(ids, at.id) {
				ids = append(ids, at.id)
			}
		}
	}
	slices.Sort(ids)
	var names []string
	for _, id := range ids {
		names = append(names, cat.Components[id].Name)
	}
	return names
}

// entityIndex is e.key: id, name, components, a method, or a component (nil if
// the entity does not have it).
func entityIndex(L *lua.LState) int {
	e := asEntity(L.Get(1))
	r := runOf(L)
	key, ok := L.Get(2).(lua.LString)
	if !ok {
		L.RaiseError("an entity has components and methods, no element %s", source.Shorten(L.Get(2).String(), 40))
	}
	switch key {
	case "id":
		L.Push(lua.LString(e.String()))
		return 1
	case "name":
		r.world.locate(L, e)
		name := ""
		if e.rows != nil && (e.sp == nil || !e.sp.pending()) {
			name = ecs.LabelOf(r.world.catalog(), e.rows.chunk, e.row)
		}
		if name == "" {
			L.Push(lua.LNil)
		} else {
			L.Push(lua.LString(name))
		}
		return 1
	case "components":
		r.world.locate(L, e)
		t := L.NewTable()
		for i, name := range r.world.names(e) {
			t.RawSetInt(i+1, lua.LString(name))
		}
		L.Push(t)
		return 1
	}
	if m := methods[string(key)]; m != nil {
		L.Push(m)
		return 1
	}
	r.ecs(L)
	c := r.world.component(L, string(key))
	if !r.world.has(L, e, c) {
		r.Lacking = "entity " + e.String() + " has no component " + c.name + "; test it with e:has(\"" + c.name + "\")"
		L.Push(lua.LNil)
		return 1
	}
	L.Push(newNode(&node{owner: e, comp: c, field: c.t.Root}))
	return 1
}

// entityNewIndex is e.Component = value: replaces the whole, adds it where it
// is absent, removes it for nil.
func entityNewIndex(L *lua.LState) int {
	e := asEntity(L.Get(1))
	r := runOf(L)
	w := &r.world
	r.ecs(L)
	key := boundlua.TextArg(L, 2)
	if key == "id" || key == "name" || key == "components" || methods[key] != nil {
		r.Refuse(L, &refusal.Error{Code: refusal.ReadOnly, Message: "e." + key + " cannot be assigned", Got: key})
	}
	c := w.component(L, key)
	v := L.Get(3)
	root, pending, ok := w.value(L, e, c)
	switch {
	case v == lua.LNil:
		if ok {
			w.remove(L, e, c)
		}
	case !ok:
		w.add(L, e, c, newValue(L, c, v), nil)
	default:
		val := newValue(L, c, v)
		if !pending {
			a, err := c.ta.find("")
			if err != nil {
				r.Refuse(L, err)
			}
			w.note(a, root)
			w.count(L, &w.pending.Fields)
		}
		root.Set(val)
	}
	return 0
}
