package ecstest

import (
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

var applyCases = []kase{
	{"Apply/Spawn", "a spawn returns its entities in order, with exactly the given components and values", applySpawn},
	{"Apply/Owned", "every spawned entity has its own deep copy; what the caller passed is not shared with the world", applyOwned},
	{"Apply/Structure", "add, remove, set and despawn change what they name and leave every other value alone", applyStructure},
	{"Apply/InOrder", "changes take effect in turn: each is judged by the world the ones before it would leave", applyInOrder},
	{"Apply/WholeOrNothing", "a batch with one illegal change is refused with the right code and nothing of it happens", applyWholeOrNothing},
}

func applySpawn(k *kit) {
	if es := k.must(); len(es) != 0 {
		k.fail("no changes spawned %v", es)
	}
	first, many, last := k.composed(k.vals(Position{1, 2}, Flag{})), k.composed(k.vals(Health{HP: 3}, Name("n"))), k.composed(nil)
	es := k.must(
		ecs.Change{Op: ecs.OpSpawn, Values: first},
		ecs.Change{Op: ecs.OpSpawn, Count: 100, Values: many},
		ecs.Change{Op: ecs.OpSpawn, Values: last})
	if len(es) != 102 {
		k.fatal("102 entities were asked for, %d came", len(es))
	}
	seen := map[ecs.Entity]bool{}
	for _, e := range es {
		if seen[e] || !k.World.Alive(e) || e.IsZero() {
			k.fatal("%v: returned before: %v, alive: %v", e, seen[e], k.World.Alive(e))
		}
		seen[e] = true
	}
	comps := func(e ecs.Entity) []ecs.TypeID {
		c, _, _ := k.World.Row(e)
		ids := slices.Clone(c.Components())
		slices.Sort(ids)
		return ids
	}
	types := func(values []ecs.Value) (ids []ecs.TypeID) {
		for _, v := range values {
			ids = append(ids, v.Type)
		}
		slices.Sort(ids)
		return ids
	}
	if got := comps(es[0]); !slices.Equal(got, types(first)) {
		k.fail("the first entity has components %v", got)
	}
	want(k, es[0], k.pos, Position{1, 2})
	for _, e := range es[1:101] {
		if got := comps(e); !slices.Equal(got, types(many)) {
			k.fatal("entity %v has components %v", e, got)
		}
		want(k, e, k.hp, Health{HP: 3})
		if len(many) > 1 {
			want(k, e, k.name, Name("n"))
		}
	}
	if got := comps(es[101]); !slices.Equal(got, types(last)) {
		k.fail("the last entity has components %v", got)
	}
	// Slots are used again.
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: es[50]}, ecs.Change{Op: ecs.OpDespawn, Entity: es[0]})
	for _, e := range k.must(ecs.Change{Op: ecs.OpSpawn, Count: 5, Values: k.vals(newBag(1))}) {
		if seen[e] || !k.World.Alive(e) {
			k.fail("%v is no new entity", e)
		}
	}
}

func applyOwned(k *kit) {
	bag := newBag(3)
	es := k.must(ecs.Change{Op: ecs.OpSpawn, Count: 3, Values: k.composed(k.vals(bag, Position{}))})
	if !k.fixed {
		more := k.spawn(Position{1, 1})
		k.must(ecs.Change{Op: ecs.OpAdd, Entity: more, Values: k.vals(bag)})
		es = append(es, more)
	}
	single := k.spawn(newBag(9))
	k.must(ecs.Change{Op: ecs.OpSet, Entity: single, Values: k.vals(bag)})
	es = append(es, single)
	spoil := func(b *Bag) {
		b.Items[0].Count = -99
		b.Counts["spoiled"] = 1
		b.Next.Note = "spoiled"
		b.hidden[0] = -99
	}
	spoil(&bag)
	for i, e := range es {
		b := ptr[Bag](k, e, k.bag)
		if b == nil || b.check(3) != "" {
			k.fatal("entity %d shares memory with the caller's value or with another entity: %+v", i, b)
		}
		spoil(b)
	}
}

func applyStructure(k *kit) {
	if !k.composing() {
		return
	}
	var es []ecs.Entity
	for i := range 6 {
		es = append(es, k.spawn(Position{float64(i), 0}, newBag(i)))
	}
	e := es[2]
	k.must(ecs.Change{Op: ecs.OpAdd, Entity: e, Values: k.vals(Health{HP: 5, Max: 6}, Flag{}, Name("added"))})
	want(k, e, k.hp, Health{5, 6})
	want(k, e, k.name, Name("added"))
	want(k, e, k.pos, Position{2, 0})
	want(k, e, k.bag, newBag(2))
	k.must(ecs.Change{Op: ecs.OpSet, Entity: e, Values: k.vals(Position{7, 8}, newBag(42))})
	want(k, e, k.pos, Position{7, 8})
	want(k, e, k.bag, newBag(42))
	want(k, e, k.hp, Health{5, 6})
	k.must(ecs.Change{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{k.pos, k.flag}})
	if _, ok := get[Position](k, e, k.pos); ok {
		k.fail("the removed component is still there")
	}
	want(k, e, k.bag, newBag(42))
	want(k, e, k.name, Name("added"))
	if k.needs {
		k.must(ecs.Change{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{k.hp, k.name}})
		k.refused(refusal.NotSupported, ecs.Change{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{k.bag}})
		want(k, e, k.bag, newBag(42))
	} else {
		k.removeAll(e)
	}
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: e})
	for i, o := range es {
		if i == 2 {
			continue
		}
		want(k, o, k.pos, Position{float64(i), 0})
		want(k, o, k.bag, newBag(i))
	}
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: es[0]}, ecs.Change{Op: ecs.OpDespawn, Entity: es[5]})
	for _, i := range []int{1, 3, 4} {
		want(k, es[i], k.bag, newBag(i))
	}
}

func applyInOrder(k *kit) {
	if !k.composing() {
		return
	}
	e := k.spawn(Position{1, 1}, Blob{1})
	k.must(
		ecs.Change{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{k.pos}},
		ecs.Change{Op: ecs.OpAdd, Entity: e, Values: k.vals(Position{2, 2})},
		ecs.Change{Op: ecs.OpAdd, Entity: e, Values: k.vals(Health{HP: 1})},
		ecs.Change{Op: ecs.OpSet, Entity: e, Values: k.vals(Health{HP: 2})},
		ecs.Change{Op: ecs.OpSet, Entity: e, Values: k.vals(Position{3, 3})})
	want(k, e, k.pos, Position{3, 3})
	want(k, e, k.hp, Health{HP: 2})
	add := ecs.Change{Op: ecs.OpAdd, Entity: e, Values: k.vals(Flag{})}
	k.refused(refusal.InvalidArguments, add, add)
	remove := ecs.Change{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{k.pos}}
	k.refused(refusal.ComponentMissing, remove, remove)
	k.refused(refusal.ComponentMissing, remove, ecs.Change{Op: ecs.OpSet, Entity: e, Values: k.vals(Position{})})
	despawn := ecs.Change{Op: ecs.OpDespawn, Entity: e}
	k.refused(refusal.EntityDead, despawn, despawn)
	k.refused(refusal.EntityDead, despawn, ecs.Change{Op: ecs.OpSet, Entity: e, Values: k.vals(Position{})})
	if !k.World.Alive(e) {
		k.fail("a refused batch despawned the entity")
	}
}

func applyWholeOrNothing(k *kit) {
	k.populate(6)
	e := k.spawn(Position{}, Health{}, Blob{})
	victim := k.spawn(newBag(1))
	dead := k.spawn()
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: dead})
	unknown := ecs.TypeID(len(k.World.Catalog().Components))
	one := []ecs.Change{
		{Op: ecs.OpSpawn, Count: 3, Values: k.composed(k.vals(Position{}, newBag(2)))},
		{Op: ecs.OpSet, Entity: e, Values: k.vals(Position{5, 5})},
		{Op: ecs.OpAdd, Entity: e, Values: k.vals(Name("n"))},
		{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{k.hp}},
		{Op: ecs.OpDespawn, Entity: victim},
	}
	if k.fixed {
		one = slices.DeleteFunc(one, composes)
	}
	value := func(id ecs.TypeID, v any) []ecs.Value { return []ecs.Value{{Type: id, Value: reflect.ValueOf(v)}} }
	for _, bad := range []struct {
		code   refusal.Code
		change ecs.Change
	}{
		{refusal.InvalidArguments, ecs.Change{}},
		{refusal.InvalidArguments, ecs.Change{Op: 99, Entity: e}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpSpawn, Count: -1}},
		{refusal.TooLarge, ecs.Change{Op: ecs.OpSpawn, Count: ecs.MaxSpawn + 1}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpSpawn, Entity: e}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpSpawn, Values: k.vals(Position{}, Position{})}},
		{refusal.UnknownComponent, ecs.Change{Op: ecs.OpSpawn, Values: value(unknown, Position{})}},
		{refusal.UnknownComponent, ecs.Change{Op: ecs.OpSpawn, Values: value(-1, Position{})}},
		{refusal.UnknownComponent, ecs.Change{Op: ecs.OpSpawn, Values: value(100_000, Position{})}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpSpawn, Values: value(k.pos, Velocity{})}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpSpawn, Values: value(k.pos, &Position{})}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpSpawn, Values: value(k.hp, nil)}},
		{refusal.EntityDead, ecs.Change{Op: ecs.OpSet, Entity: dead, Values: k.vals(Position{})}},
		{refusal.EntityDead, ecs.Change{Op: ecs.OpDespawn, Entity: dead}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpSet, Entity: e}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpAdd, Entity: e}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpRemove, Entity: e}},
		{refusal.ComponentMissing, ecs.Change{Op: ecs.OpSet, Entity: e, Values: k.vals(Velocity{})}},
		{refusal.ComponentMissing, ecs.Change{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{k.vel}}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{k.pos, k.pos}}},
		{refusal.UnknownComponent, ecs.Change{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{unknown}}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpAdd, Entity: e, Values: k.vals(Position{})}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpAdd, Entity: e, Values: value(k.vel, "fast")}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpRetarget, Entity: e}},
		{refusal.UnknownComponent, ecs.Change{Op: ecs.OpRetarget, Entity: e, Targets: []ecs.Target{{Relation: unknown}}}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpRetarget, Entity: e, Targets: []ecs.Target{{Relation: k.pos}}}},
		{refusal.InvalidArguments, ecs.Change{Op: ecs.OpSpawn, Values: k.vals(Position{}), Targets: []ecs.Target{{Relation: k.pos, Entity: e}}}},
	} {
		if k.fixed && composes(bad.change) {
			if bad.change.Op == ecs.OpAdd && len(bad.change.Values) == 1 && bad.change.Values[0].Type == k.pos {
				bad.code = refusal.NotSupported
			} else if bad.code == refusal.ComponentMissing {
				continue
			}
		}
		k.refused(bad.code, bad.change)
		k.refused(bad.code, append(slices.Clone(one), bad.change)...)
	}
	if _, err := k.World.Apply(one); err != nil {
		k.fail("the legal changes alone are refused: %v", err)
	}
}

// removeAll takes an entity's last components.
func (k *kit) removeAll(e ecs.Entity) {
	k.must(ecs.Change{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{k.bag, k.hp, k.name}})
	if c, _, ok := k.World.Row(e); !ok || len(c.Components()) != 0 {
		k.fail("an entity that lost its last component: alive %v", ok)
	}
}

// composes: the change is about what an entity consists of.
func composes(c ecs.Change) bool { return c.Op == ecs.OpAdd || c.Op == ecs.OpRemove }
