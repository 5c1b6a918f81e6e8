package sandbox

import (
	"fmt"
	"reflect"
	"strconv"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/sandbox/internal/boundlua"
)

// node is what a script holds of a component, a resource, or a struct, array,
// slice or map inside one. It refers, it does not copy: reads and writes go to
// the world. Elements count from 1, as everywhere in Lua.
type node struct {
	owner *entity // nil for a resource
	comp  *component
	sel   string       // from the component on: "", "Slots", "Slots[0]"
	field *value.Field // of the value itself
}

func newNode(n *node) *lua.LUserData { return &lua.LUserData{Value: n, Metatable: meta.node} }

func asNode(L *lua.LState) *node { return L.Get(1).(*lua.LUserData).Value.(*node) }

func (n *node) String() string {
	s := n.comp.name
	if n.sel != "" {
		if n.sel[0] != '[' {
			s += "."
		}
		s += n.sel
	}
	if n.owner != nil {
		s += " of " + n.owner.String()
	}
	return s
}

// Export gives the value itself, for results. It must not raise.
func (n *node) Export(b *boundlua.Run) any {
	r := b.Host.(*run)
	var root reflect.Value
	var ok bool
	if n.comp.resource {
		root, ok = r.env.World.Resource(n.comp.id)
	} else if r.world.find(r.L, n.owner) == nil {
		root, _, ok = r.world.value(r.L, n.owner, n.comp)
	}
	if !ok {
		return nil
	}
	a, err := n.comp.ta.find(n.sel)
	if err != nil {
		return nil
	}
	v, err := a.path.ToGo(root)
	if err != nil {
		return nil
	}
	return v
}

// plain is Export for a script that passes the value on.
func (n *node) plain(L *lua.LState) any {
	r := runOf(L)
	root, _ := n.root(L)
	a, err := n.comp.ta.find(n.sel)
	if err != nil {
		r.Refuse(L, err)
	}
	v, err := a.path.ToGo(root)
	if err != nil {
		r.Refuse(L, err)
	}
	return v
}

// root gives the addressable component or resource.
func (n *node) root(L *lua.LState) (v reflect.Value, pending bool) {
	r := runOf(L)
	if n.comp.resource {
		v, ok := r.ecs(L).Resource(n.comp.id)
		if !ok {
			r.Refuse(L, &refusal.Error{Code: refusal.NotFound, Message: "resource " + n.comp.name + " is registered but absent"})
		}
		if !v.CanAddr() {
			return value.Addressable(v), false
		}
		return v, false
	}
	v, pending, ok := r.world.value(L, n.owner, n.comp)
	if !ok {
		r.Refuse(L, r.world.missing(n.owner, n.comp))
	}
	return v, pending
}

// kind is the kind of the value, pointers followed.
func (n *node) kind() (value.Kind, *value.Field) {
	f := n.field
	for f.Kind == value.KindPointer && f.Elem != nil {
		f = f.Elem
	}
	return f.Kind, f
}

// child is the selector of n[key]; an element out of range has none.
func (n *node) child(L *lua.LState, key lua.LValue) (sel string, ok bool) {
	kind, f := n.kind()
	switch kind {
	case value.KindArray, value.KindSlice:
		i, isNumber := key.(lua.LNumber)
		if !isNumber {
			runOf(L).Refuse(L, &refusal.Error{Code: refusal.UnknownField, Message: n.String() + " is a list: index it with a number from 1",
				Got: key.String(), Want: fmt.Sprintf("1 to %d", n.length(L))})
		}
		if i < 1 || i != lua.LNumber(int(i)) || int(i) > n.length(L) {
			return "", false
		}
		return n.sel + "[" + strconv.Itoa(int(i)-1) + "]", true
	case value.KindMap:
		if f.Key != nil && f.Key.Kind == value.KindString {
			return n.sel + "[" + strconv.Quote(boundlua.ToString(L, key)) + "]", true
		}
		if i, ok := key.(lua.LNumber); ok {
			return n.sel + "[" + boundlua.NumberText(i) + "]", true
		}
		return n.sel + "[" + strconv.Quote(boundlua.ToString(L, key)) + "]", true
	}
	name := boundlua.ToString(L, key)
	if n.sel == "" {
		return name, true
	}
	return n.sel + "." + name, true
}

// target gives the value that n refers to; invalid for nil pointers.
func (n *node) target(L *lua.LState) reflect.Value {
	root, _ := n.root(L)
	a, err := n.comp.ta.find(n.sel)
	if err != nil {
		runOf(L).Refuse(L, err)
	}
	v, err := a.path.Get(root)
	if err != nil {
		runOf(L).Refuse(L, err)
	}
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return reflect.Value{}
		}
		v = v.Elem()
	}
	return v
}

func (n *node) length(L *lua.LState) int {
	kind, f := n.kind()
	switch kind {
	case value.KindArray, value.KindSlice, value.KindMap:
		if v := n.target(L); v.IsValid() {
			return v.Len()
		}
		return 0
	}
	return len(f.Fields)
}

// nodeIndex is n.key.
func nodeIndex(L *lua.LState) int {
	n := asNode(L)
	r := runOf(L)
	key := L.Get(2)
	if n.sel == "" {
		if name, ok := key.(lua.LString); ok {
			if act := n.comp.ta.actions[string(name)]; act != nil && n.owner != nil {
				L.Push(actionFunc(L, n, act))
				return 1
			}
			if name == "value" && !composite(n.field.Kind) {
				key = lua.LString("")
			}
		}
	}
	var sel string
	ok := true
	if key != lua.LString("") {
		sel, ok = n.child(L, key)
	}
	if !ok {
		L.Push(lua.LNil)
		return 1
	}
	a, err := n.comp.ta.find(sel)
	if err != nil {
		r.Refuse(L, within(err, n.comp.name))
	}
	root, _ := n.root(L)
	pushValue(L, n, a, sel, root)
	return 1
}

func composite(k value.Kind) bool {
	switch k {
	case value.KindStruct, value.KindArray, value.KindSlice, value.KindMap, value.KindPointer:
		return true
	}
	return false
}

// pushValue pushes what a leads to in root: a plain value, an entity, or a
// node that refers on.
func pushValue(L *lua.LState, n *node, a *access, sel string, root reflect.Value) {
	if a.scalar != reflect.Invalid {
		a.push(L, root.Addr().UnsafePointer())
		return
	}
	r := runOf(L)
	v, err := a.path.Get(root)
	if err != nil {
		if parent, _ := n.kind(); parent == value.KindMap {
			L.Push(lua.LNil) // no such entry
			return
		}
		r.Refuse(L, within(err, n.comp.name))
	}
	if a.field == nil {
		x, err := a.path.ToGo(root)
		if err != nil {
			r.Refuse(L, err)
		}
		L.Push(toLua(L, x, 0))
		return
	}
	switch a.field.Kind {
	case value.KindPointer:
		if v.IsNil() {
			L.Push(lua.LNil)
			return
		}
		if a.field.Elem != nil && !composite(a.field.Elem.Kind) {
			break
		}
		L.Push(newNode(&node{owner: n.owner, comp: n.comp, sel: sel, field: a.field}))
		return
	case value.KindStruct, value.KindArray, value.KindSlice, value.KindMap:
		L.Push(newNode(&node{owner: n.owner, comp: n.comp, sel: sel, field: a.field}))
		return
	case value.KindEntity:
		if s, ok := value.ToGo(v).(string); ok {
			if e, _, err := ecs.ParseEntity(s); err == nil && !e.IsZero() {
				L.Push(newEntity(&entity{ent: e}))
				return
			}
		}
		L.Push(lua.LNil)
		return
	}
	x, err := a.path.ToGo(root)
	if err != nil {
		r.Refuse(L, err)
	}
	L.Push(toLua(L, x, 0))
}

// nodeNewIndex is n.key = value.
func nodeNewIndex(L *lua.LState) int {
	n := asNode(L)
	key := L.Get(2)
	sel, ok := "", true
	if key != lua.LString("value") || n.sel != "" || composite(n.field.Kind) {
		sel, ok = n.child(L, key)
	}
	if !ok {
		runOf(L).Refuse(L, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%s has elements 1 to %d, not %s", n.String(), n.length(L), key.String()),
			Got: key.String(), Want: fmt.Sprintf("1 to %d", n.length(L)), Hint: "assign the whole list to change its length"})
	}
	a, err := n.comp.ta.find(sel)
	if err != nil {
		runOf(L).Refuse(L, within(err, n.comp.name))
	}
	n.write(L, a, L.Get(3))
	return 0
}

// write checks and stores a value, at once.
func (n *node) write(L *lua.LState, a *access, v lua.LValue) {
	r := runOf(L)
	w := &r.world
	root, pending := n.root(L)
	if n.comp.resource {
		if real, ok := r.env.World.Resource(n.comp.id); !ok || !real.CanAddr() {
			r.Refuse(L, &refusal.Error{Code: refusal.ReadOnly, Message: "resource " + n.comp.name + " is kept as a copy and cannot be written"})
		}
	}
	if a.write {
		if u, ok := a.store(root.Addr().UnsafePointer(), v); ok {
			if !pending {
				w.log(u)
				w.count(L, &w.pending.Fields)
			}
			return
		}
	}
	var leaf reflect.Value
	set := func() error { return a.path.Set(root, leaf) }
	if v == lua.LNil && a.path.Entry() { // as in a table of Lua's own
		set = func() error { return a.path.Remove(root) }
	} else {
		var err error
		if leaf, err = a.path.FromGo(toGoAs(L, v, a.field, 0)); err != nil {
			r.Refuse(L, within(err, n.comp.name))
		}
		w.mustLive(L, ecs.CheckWrite(r.env.World, n.comp.name, a.path, leaf))
	}
	if !pending {
		w.note(a, root)
	}
	if err := set(); err != nil {
		r.Refuse(L, within(err, n.comp.name))
	}
	if !pending {
		w.count(L, &w.pending.Fields)
	}
}

func nodeLen(L *lua.LState) int {
	n := asNode(L)
	L.Push(lua.LNumber(n.length(L)))
	return 1
}
