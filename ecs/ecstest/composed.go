package ecstest

import (
	"maps"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
)

// Not every engine composes entities of any components: some want one at least,
// some have kinds of entities with one component each. The cases spawn through
// these methods, so that they hold such engines to everything else.

// composed are the values of a spawn: what is given where the engine takes it;
// one of them where every kind of entity has one component; something where an
// entity needs one.
func (k *kit) composed(values []ecs.Value) []ecs.Value {
	switch {
	case k.fixed && len(values) > 1:
		return values[:1]
	case (k.fixed || k.needs) && len(values) == 0:
		return k.vals(Blob{})
	}
	return values
}

// group is what was made of several components: one entity that has them all,
// or one for each where entities are not composed.
type group map[ecs.TypeID]ecs.Entity

func (k *kit) group(vs ...any) group {
	k.Helper()
	g := group{}
	if !k.fixed {
		e := k.spawn(vs...)
		for _, v := range k.vals(vs...) {
			g[v.Type] = e
		}
		return g
	}
	for _, v := range vs {
		g[k.val(v).Type] = k.spawn(v)
	}
	return g
}

// despawn removes every entity of the group.
func (g group) despawn() (cs []ecs.Change) {
	for _, e := range slices.Compact(slices.SortedFunc(maps.Values(g), func(a, b ecs.Entity) int { return int(a.ID) - int(b.ID) })) {
		cs = append(cs, ecs.Change{Op: ecs.OpDespawn, Entity: e})
	}
	return cs
}

// composing reports whether entities can get and lose components; where not it
// has been declared, and the case ends.
func (k *kit) composing() bool {
	k.Helper()
	if k.fixed {
		k.declared(ecs.LimitComposition)
	}
	return !k.fixed
}

// emptying reports whether there may be entities without components.
func (k *kit) emptying() bool {
	k.Helper()
	if k.fixed || k.needs {
		k.declared(ecs.LimitEmpty)
		return false
	}
	return true
}
