package ecstest

import (
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

var relationCases = []kase{
	{"Relations/Targets", "a relation's target is what spawn, add and retarget said; other values survive the move; filters find it", relationTargets},
	{"Relations/Refused", "a target must live when it is set, belong to a relation the entity has, and relations keep to the engine's limit", relationRefused},
	{"Relations/Death", "when a target dies the relation dangles or is reset, as the engine declares", relationDeath},
	{"Relations/Self", "entities may target themselves and each other, and still be despawned", relationSelf},
	{"Relations/Several", "an engine with several relations per entity keeps their targets apart", relationSeveral},
}

func (k *kit) noRelations() bool {
	k.Helper()
	if len(k.rels) > 0 {
		return false
	}
	k.declared(ecs.LimitRelations)
	return true
}

// related is a spawn of an entity whose first relation points at target.
func (k *kit) related(target ecs.Entity, vs ...any) ecs.Change {
	return ecs.Change{Op: ecs.OpSpawn, Values: append(k.vals(vs...), k.relValue(0)), Targets: []ecs.Target{{Relation: k.rels[0], Entity: target}}}
}

func (k *kit) targetOf(e ecs.Entity, relation ecs.TypeID) ecs.Entity {
	k.Helper()
	c, _, ok := k.World.Row(e)
	if !ok {
		k.fatal("%v has no row", e)
	}
	for _, t := range c.Targets() {
		if t.Relation == relation {
			return t.Entity
		}
	}
	k.fatal("%v has no target for relation %d: %v", e, relation, c.Targets())
	return ecs.Entity{}
}

func relationTargets(k *kit) {
	if k.noRelations() {
		return
	}
	rel := k.rels[0]
	p1, p2 := k.spawn(Name("p1")), k.spawn(Name("p2"))
	es := k.must(k.related(p1, newBag(1)), k.related(p2, newBag(2)), k.related(ecs.Entity{}, newBag(3)),
		ecs.Change{Op: ecs.OpSpawn, Values: append(k.vals(newBag(4)), k.relValue(0))},
		ecs.Change{Op: ecs.OpSpawn, Count: 3, Values: append(k.vals(newBag(5)), k.relValue(0)), Targets: []ecs.Target{{Relation: rel, Entity: p1}}})
	for i, target := range []ecs.Entity{p1, p2, {}, {}, p1, p1, p1} {
		if got := k.targetOf(es[i], rel); got != target {
			k.fail("entity %d targets %v, want %v", i, got, target)
		}
		want(k, es[i], k.bag, newBag(min(i, 4)+1))
	}
	find := func(target ecs.Entity) []ecs.Entity {
		got := entities(k.World, ecs.Filter{Target: &target})
		if of := entities(k.World, ecs.Filter{Target: &target, Relation: &rel}); !slices.Equal(of, got) {
			k.fail("the only relation points at %v, and the filter by it found %v", target, of)
		}
		if not := entities(k.World, ecs.Filter{Target: &target, Relation: &k.pos}); len(not) != 0 {
			k.fail("a component that is no relation points at %v in %v", target, not)
		}
		slices.SortFunc(got, func(a, b ecs.Entity) int { return int(a.ID) - int(b.ID) })
		return got
	}
	if got := find(p1); !slices.Equal(got, []ecs.Entity{es[0], es[4], es[5], es[6]}) {
		k.fail("the filter by target %v found %v", p1, got)
	}
	if got := find(ecs.Entity{}); !slices.Equal(got, []ecs.Entity{es[2], es[3]}) {
		k.fail("the filter by no target found %v", got)
	}
	if got := find(es[0]); len(got) != 0 {
		k.fail("the filter by an entity nobody targets found %v", got)
	}
	k.must(ecs.Change{Op: ecs.OpRetarget, Entity: es[0], Targets: []ecs.Target{{Relation: rel, Entity: p2}}},
		ecs.Change{Op: ecs.OpRetarget, Entity: es[5], Targets: []ecs.Target{{Relation: rel}}},
		ecs.Change{Op: ecs.OpRetarget, Entity: es[1], Targets: []ecs.Target{{Relation: rel, Entity: p2}}})
	if got := find(p2); !slices.Equal(got, []ecs.Entity{es[0], es[1]}) {
		k.fail("after the retarget the filter by %v found %v", p2, got)
	}
	for i := range es {
		want(k, es[i], k.bag, newBag(min(i, 4)+1))
	}
	plain := k.spawn(Position{}, newBag(9))
	k.must(ecs.Change{Op: ecs.OpAdd, Entity: plain, Values: []ecs.Value{k.relValue(0)}, Targets: []ecs.Target{{Relation: rel, Entity: p1}}})
	if got := k.targetOf(plain, rel); got != p1 {
		k.fail("the added relation targets %v, want %v", got, p1)
	}
	k.must(ecs.Change{Op: ecs.OpAdd, Entity: plain, Values: k.vals(Flag{})}, ecs.Change{Op: ecs.OpRemove, Entity: plain, Types: []ecs.TypeID{k.pos}})
	if got := k.targetOf(plain, rel); got != p1 {
		k.fail("other components came and went, the target became %v", got)
	}
	want(k, plain, k.bag, newBag(9))
	k.must(ecs.Change{Op: ecs.OpRemove, Entity: plain, Types: []ecs.TypeID{rel}})
	if c, _, _ := k.World.Row(plain); len(c.Targets()) != 0 {
		k.fail("an entity without relation has targets %v", c.Targets())
	}
	k.must(ecs.Change{Op: ecs.OpAdd, Entity: plain, Values: []ecs.Value{k.relValue(0)}})
	if got := k.targetOf(plain, rel); !got.IsZero() {
		k.fail("a relation added without target has %v", got)
	}
}

func relationRefused(k *kit) {
	if k.noRelations() {
		return
	}
	rel := k.rels[0]
	p, dead, plain := k.spawn(), k.spawn(), k.spawn(Position{})
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: dead})
	child := k.must(k.related(p))[0]
	k.refused(refusal.EntityDead, k.related(dead))
	k.refused(refusal.UnknownEntity, k.related(ecs.Entity{ID: 1 << 30}))
	k.refused(refusal.EntityDead, ecs.Change{Op: ecs.OpRetarget, Entity: child, Targets: []ecs.Target{{Relation: rel, Entity: dead}}})
	k.refused(refusal.EntityDead, ecs.Change{Op: ecs.OpDespawn, Entity: p}, k.related(p))
	k.refused(refusal.ComponentMissing, ecs.Change{Op: ecs.OpRetarget, Entity: plain, Targets: []ecs.Target{{Relation: rel, Entity: p}}})
	k.refused(refusal.ComponentMissing, ecs.Change{Op: ecs.OpAdd, Entity: plain, Values: k.vals(Flag{}), Targets: []ecs.Target{{Relation: rel, Entity: p}}})
	k.refused(refusal.InvalidArguments, ecs.Change{Op: ecs.OpRetarget, Entity: child, Targets: []ecs.Target{{Relation: rel, Entity: p}, {Relation: rel}}})
	limit := k.World.Catalog().Engine.RelationsPerEntity
	if limit > 0 && len(k.rels) > limit {
		values := make([]ecs.Value, limit+1)
		for i := range values {
			values[i] = k.relValue(i)
		}
		k.refused(refusal.NotSupported, ecs.Change{Op: ecs.OpSpawn, Values: values})
		if limit == 1 {
			k.refused(refusal.NotSupported, ecs.Change{Op: ecs.OpAdd, Entity: child, Values: values[1:]})
		}
	}
}

func relationDeath(k *kit) {
	if k.noRelations() {
		return
	}
	rel := k.rels[0]
	p := k.spawn()
	es := k.must(k.related(p, newBag(1)), k.related(p, newBag(1)))
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: p})
	expect := ecs.Entity{}
	if k.World.Catalog().Engine.DanglingTargets {
		expect = p
	} else {
		k.declared(ecs.LimitDeadTargets)
	}
	for _, e := range es {
		if got := k.targetOf(e, rel); got != expect {
			k.fail("the target %v died: the relation has %v, want %v", p, got, expect)
		}
		want(k, e, k.bag, newBag(1))
	}
	if got := entities(k.World, ecs.Filter{Target: &expect}); len(got) != 2 {
		k.fail("the filter by target %v found %v", expect, got)
	}
	// The slot is used again: the new occupant is nobody's target.
	q := k.spawn()
	if got := entities(k.World, ecs.Filter{Target: &q}); len(got) != 0 {
		k.fail("%v is new and yet the target of %v", q, got)
	}
	k.must(ecs.Change{Op: ecs.OpAdd, Entity: es[0], Values: k.vals(Position{1, 1})})
	if got := k.targetOf(es[0], rel); got != expect {
		k.fail("a component was added: the relation has %v, want %v", got, expect)
	}
	k.must(ecs.Change{Op: ecs.OpRetarget, Entity: es[0], Targets: []ecs.Target{{Relation: rel, Entity: q}}},
		ecs.Change{Op: ecs.OpDespawn, Entity: es[1]}, ecs.Change{Op: ecs.OpDespawn, Entity: es[0]}, ecs.Change{Op: ecs.OpDespawn, Entity: q})
}

func relationSelf(k *kit) {
	if k.noRelations() {
		return
	}
	rel := k.rels[0]
	es := k.must(k.related(ecs.Entity{}, newBag(1)), k.related(ecs.Entity{}, newBag(2)), k.related(ecs.Entity{}, newBag(3)))
	point := func(from, to ecs.Entity) ecs.Change {
		return ecs.Change{Op: ecs.OpRetarget, Entity: from, Targets: []ecs.Target{{Relation: rel, Entity: to}}}
	}
	k.must(point(es[0], es[0]), point(es[1], es[2]), point(es[2], es[1]))
	for i, to := range []ecs.Entity{es[0], es[2], es[1]} {
		if got := k.targetOf(es[i], rel); got != to {
			k.fail("%v targets %v, want %v", es[i], got, to)
		}
		want(k, es[i], k.bag, newBag(i+1))
	}
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: es[0]})
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: es[1]})
	want(k, es[2], k.bag, newBag(3))
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: es[2]})
	// The engine's tables are sound: relations are made and freed again.
	for range 3 {
		p := k.spawn()
		c := k.must(k.related(p), k.related(p))
		k.must(point(c[0], c[0]), point(c[1], c[0]))
		k.must(ecs.Change{Op: ecs.OpDespawn, Entity: p}, ecs.Change{Op: ecs.OpDespawn, Entity: c[1]}, ecs.Change{Op: ecs.OpDespawn, Entity: c[0]})
	}
	if got := entities(k.World, ecs.Filter{}); len(got) != 0 {
		k.fail("everything was despawned, there is %v", got)
	}
}

func relationSeveral(k *kit) {
	if k.noRelations() {
		return
	}
	limit := k.World.Catalog().Engine.RelationsPerEntity
	if limit == 1 {
		k.declared(ecs.LimitSeveralRelations)
		return
	}
	if len(k.rels) < 2 {
		k.fatal("the engine allows several relations and the fixture registers one: register a second relation type")
	}
	a, b := k.spawn(Name("a")), k.spawn(Name("b"))
	r0, r1 := k.rels[0], k.rels[1]
	spawn := func(t0, t1 ecs.Entity) ecs.Change {
		return ecs.Change{Op: ecs.OpSpawn, Values: append(k.vals(newBag(1)), k.relValue(0), k.relValue(1)),
			Targets: []ecs.Target{{Relation: r1, Entity: t1}, {Relation: r0, Entity: t0}}}
	}
	check := func(e, t0, t1 ecs.Entity) {
		k.Helper()
		if g0, g1 := k.targetOf(e, r0), k.targetOf(e, r1); g0 != t0 || g1 != t1 {
			k.fail("%v targets %v and %v, want %v and %v", e, g0, g1, t0, t1)
		}
		want(k, e, k.bag, newBag(1))
	}
	es := k.must(spawn(a, b), spawn(b, a), spawn(a, a))
	check(es[0], a, b)
	check(es[1], b, a)
	check(es[2], a, a)
	if got := entities(k.World, ecs.Filter{Target: &a}); len(got) != 3 {
		k.fail("the filter by target %v found %v", a, got)
	}
	if got := entities(k.World, ecs.Filter{Target: &a, Relation: &r0}); len(got) != 2 || !slices.Contains(got, es[0]) || !slices.Contains(got, es[2]) {
		k.fail("the filter by target %v of relation %d found %v, want %v and %v", a, r0, got, es[0], es[2])
	}
	k.must(ecs.Change{Op: ecs.OpRetarget, Entity: es[0], Targets: []ecs.Target{{Relation: r1, Entity: a}}})
	check(es[0], a, a)
	k.must(ecs.Change{Op: ecs.OpRetarget, Entity: es[0], Targets: []ecs.Target{{Relation: r0, Entity: b}, {Relation: r1, Entity: b}}})
	check(es[0], b, b)
	one := k.must(k.related(a, newBag(1)))[0]
	k.must(ecs.Change{Op: ecs.OpAdd, Entity: one, Values: []ecs.Value{k.relValue(1)}, Targets: []ecs.Target{{Relation: r1, Entity: b}}})
	check(one, a, b)
	k.must(ecs.Change{Op: ecs.OpRemove, Entity: one, Types: []ecs.TypeID{r0}})
	if got := k.targetOf(one, r1); got != b {
		k.fail("the other relation was removed, the target became %v", got)
	}
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: a}, ecs.Change{Op: ecs.OpDespawn, Entity: b})
	if !k.World.Catalog().Engine.DanglingTargets {
		check(es[0], ecs.Entity{}, ecs.Entity{})
		check(es[2], ecs.Entity{}, ecs.Entity{})
	}
}
