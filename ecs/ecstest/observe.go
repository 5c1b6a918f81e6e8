package ecstest

import (
	"math"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

var observeCases = []kase{
	{"Catalog/Types", "the catalog lists every registered type by its number, with its Go type, and names that are unique", catalogTypes},
	{"Catalog/Counts", "the catalog's counts are those of the chunks", catalogCounts},
	{"Catalog/Stable", "the catalog is the same pointer until something changed, another one after that, and never changes itself", catalogStable},
	{"Observe/ChangesNothing", "observing changes nothing: no type is registered, no filter kept, no count moved", observeNothing},
	{"Liveness/Forged", "forged, zero, dead and future entities are not alive, have no row and are refused", forged},
	{"Liveness/Recycled", "a slot's earlier occupant stays dead when the slot is used again", recycled},
}

func catalogTypes(k *kit) {
	cat := k.World.Catalog()
	if cat.Engine.Name == "" {
		k.fail("the engine has no name")
	}
	names := map[string]bool{}
	for i, c := range cat.Components {
		if c.ID != ecs.TypeID(i) || c.Type == nil || c.Type.Go == nil {
			k.fatal("component %d is %+v", i, c)
		}
		if c.Name == "" || names[c.Name] {
			k.fail("component %d has the name %q, which is empty or taken", i, c.Name)
		}
		names[c.Name] = true
		if c.Tag != (c.Type.Go.Size() == 0) {
			k.fail("component %v: Tag is %v and its size %d", c.Type.Go, c.Tag, c.Type.Go.Size())
		}
		if c.Relation && !contains(k.rels, c.ID) {
			k.fail("component %v is a relation that appeared late", c.Type.Go)
		}
	}
	found := map[reflect.Type]bool{}
	for i, r := range cat.Resources {
		if r.ID != ecs.TypeID(i) || r.Type == nil {
			k.fatal("resource %d is %+v", i, r)
		}
		found[r.Type.Go] = r.Present
	}
	if present, ok := found[reflect.TypeFor[Score]()]; !ok || !present {
		k.fail("the resource Score is listed: %v, present: %v", ok, present)
	}
	if present, ok := found[reflect.TypeFor[Absent]()]; !ok || present {
		k.fail("the resource Absent is listed: %v, present: %v", ok, present)
	}
}

func catalogCounts(k *kit) {
	k.populate(40)
	cat := k.World.Catalog()
	rows := map[ecs.TypeID]int{}
	total := 0
	for c := range k.World.Chunks(ecs.Filter{}) {
		total += c.Len()
		if c.Archetype() < 0 || c.Archetype() >= len(cat.Archetypes) {
			k.fatal("chunk number %d, the catalog has %d archetypes", c.Archetype(), len(cat.Archetypes))
		}
		a := cat.Archetypes[c.Archetype()]
		if a.ID != c.Archetype() || a.Entities != c.Len() || !reflect.DeepEqual(a.Components, c.Components()) && len(c.Components()) > 0 {
			k.fail("archetype %+v, its chunk has %d rows of %v", a, c.Len(), c.Components())
		}
		if !reflect.DeepEqual(targetMap(a.Targets), targetMap(c.Targets())) {
			k.fail("archetype targets %v, chunk targets %v", a.Targets, c.Targets())
		}
		if a.Capacity < a.Entities || a.Bytes < 0 {
			k.fail("archetype %+v holds more than it can", a)
		}
		for _, id := range c.Components() {
			rows[id] += c.Len()
		}
	}
	if cat.Entities.Alive != total {
		k.fail("%d entities are counted, %d have rows", cat.Entities.Alive, total)
	}
	if cat.Entities.Total != cat.Entities.Alive+cat.Entities.Recycled {
		k.fail("counts do not add up: %+v", cat.Entities)
	}
	for id := range uint32(3) {
		if _, held := k.World.Holder(id); held && !cat.Entities.Used(id) {
			k.fail("slot %d holds an entity and counts as never used", id)
		}
	}
	for _, e := range entities(k.World, ecs.Filter{}) {
		if !cat.Entities.Used(e.ID) {
			k.fail("%v lives in a slot that counts as never used: %+v", e, cat.Entities)
		}
	}
	for _, c := range cat.Components {
		if c.Entities != rows[c.ID] {
			k.fail("%s: %d entities are counted, %d have it", c.Name, c.Entities, rows[c.ID])
		}
	}
}

func targetMap(ts []ecs.Target) map[ecs.TypeID]ecs.Entity {
	m := map[ecs.TypeID]ecs.Entity{}
	for _, t := range ts {
		m[t.Relation] = t.Entity
	}
	return m
}

func catalogStable(k *kit) {
	k.populate(10)
	first := k.World.Catalog()
	if k.World.Catalog() != first {
		k.fail("two catalogs of an unchanged world are two pointers")
	}
	entities, archetypes := first.Entities, len(first.Archetypes)
	counts := make([]int, len(first.Archetypes))
	for i, a := range first.Archetypes {
		counts[i] = a.Entities
	}
	e := k.spawn(Position{}, Health{}, Name("n"))
	second := k.World.Catalog()
	if second == first {
		k.fail("a spawn did not bring a new catalog")
	}
	if second.Entities.Alive != entities.Alive+1 {
		k.fail("%d entities after a spawn, %d before", second.Entities.Alive, entities.Alive)
	}
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: e})
	if k.World.Catalog() == second {
		k.fail("a despawn did not bring a new catalog")
	}
	if first.Entities != entities || len(first.Archetypes) != archetypes {
		k.fail("the old catalog changed: %+v", first.Entities)
	}
	for i, a := range first.Archetypes {
		if a.Entities != counts[i] {
			k.fail("archetype %d of the old catalog changed from %d to %d entities", i, counts[i], a.Entities)
		}
	}
	if k.Lock != nil {
		open := k.World.Catalog()
		release := k.Lock()
		if k.World.Catalog() == open || !k.World.Catalog().Locked {
			k.fail("the catalog does not show the lock")
		}
		release()
	}
}

func observeNothing(k *kit) {
	k.populate(30)
	state := func() string {
		if k.State == nil {
			return ""
		}
		return k.State()
	}
	w := k.World
	es := entities(w, ecs.Filter{})
	before, hash, cat := state(), Hash(w), w.Catalog()
	junk := []ecs.TypeID{-1, math.MinInt32, math.MaxInt32, ecs.TypeID(len(cat.Components)), 255, 256, 1000}
	for _, id := range junk {
		w.Resource(id)
		for range w.Chunks(ecs.Filter{With: []ecs.TypeID{id}}) {
			k.fail("type number %d, which does not exist, matched", id)
		}
		n := 0
		for c := range w.Chunks(ecs.Filter{Without: []ecs.TypeID{id}}) {
			n += c.Len()
			if _, ok := c.Column(id); ok {
				k.fail("type number %d, which does not exist, has a column", id)
			}
		}
		if n != len(es) {
			k.fail("leaving out the unknown type %d found %d of %d entities", id, n, len(es))
		}
	}
	for _, e := range append(es, forgeries(es)...) {
		w.Alive(e)
		w.Row(e)
		w.Holder(e.ID)
		for range w.Chunks(ecs.Filter{Target: &e}) {
			continue
		}
	}
	if k.rels != nil {
		for c := range w.Chunks(ecs.Filter{With: k.rels}) {
			c.Targets()
		}
	}
	for i := range cat.Resources {
		w.Resource(ecs.TypeID(i))
	}
	w.Locked()
	if r, ok := w.(ecs.Restorer); ok {
		var img ecs.Image
		if err := r.Capture(&img); err == nil {
			if err := r.Check(&img); err != nil {
				k.fail("a capture does not pass Check: %v", err)
			}
		}
	}
	if after := state(); after != before {
		k.fail("the engine's state changed from\n%s\nto\n%s", before, after)
	}
	if Hash(w) != hash {
		k.fail("the world's hash changed")
	}
	if w.Catalog() != cat {
		k.fail("the catalog changed")
	}
	if w.Locked() {
		k.fail("the world is locked")
	}
}

// forgeries are handles that never lived, made from some that do.
func forgeries(es []ecs.Entity) []ecs.Entity {
	f := []ecs.Entity{
		{}, {Gen: 1}, {Gen: math.MaxUint32}, {ID: 1, Gen: math.MaxUint32}, {ID: math.MaxUint32}, {ID: math.MaxUint32, Gen: math.MaxUint32},
		{ID: 1 << 20}, {ID: 1 << 30, Gen: 7}, {ID: 1<<31 + 1},
	}
	for _, e := range es {
		f = append(f, ecs.Entity{ID: e.ID, Gen: e.Gen + 1}, ecs.Entity{ID: e.ID, Gen: e.Gen - 1}, ecs.Entity{ID: e.ID, Gen: e.Gen ^ 1<<31},
			ecs.Entity{ID: e.ID + 100_000, Gen: e.Gen})
	}
	return f
}

func forged(k *kit) {
	k.populate(20)
	live := entities(k.World, ecs.Filter{})
	dead := k.spawn(Position{})
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: dead})
	// The handle the free slot will give out next has not lived yet.
	future := ecs.Entity{ID: dead.ID, Gen: dead.Gen + 1}
	for _, e := range append(forgeries(live), dead, future) {
		if k.World.Alive(e) {
			k.fail("%v is said to be alive", e)
		}
		if _, _, ok := k.World.Row(e); ok {
			k.fail("%v has a row", e)
		}
		for _, c := range []ecs.Change{
			{Op: ecs.OpDespawn, Entity: e},
			{Op: ecs.OpSet, Entity: e, Values: k.vals(Position{})},
			{Op: ecs.OpAdd, Entity: e, Values: k.vals(Unused{})},
			{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{k.pos}},
		} {
			if _, err := k.World.Apply([]ecs.Change{c}); !isCode(err, refusal.EntityDead, refusal.UnknownEntity) {
				k.fail("%s of %v gave %v, entity_dead or unknown_entity was expected", c.Op, e, err)
			}
		}
	}
	if _, ok := k.World.Holder(dead.ID); ok {
		k.fail("a free slot has a holder")
	}
	for _, e := range live {
		if h, ok := k.World.Holder(e.ID); !ok || h != e || !k.World.Alive(e) {
			k.fail("%v lives, its slot's holder is %v, %v", e, h, ok)
		}
	}
	k.refused(refusal.EntityDead, ecs.Change{Op: ecs.OpDespawn, Entity: dead})
	k.refused(refusal.UnknownEntity, ecs.Change{Op: ecs.OpDespawn, Entity: ecs.Entity{}})
}

func recycled(k *kit) {
	a := k.spawn(Health{HP: 1})
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: a})
	b := k.spawn(Health{HP: 2})
	if a == b {
		k.fatal("the dead %v was given out again", a)
	}
	if k.World.Alive(a) || !k.World.Alive(b) {
		k.fail("%v alive: %v, %v alive: %v", a, k.World.Alive(a), b, k.World.Alive(b))
	}
	if a.ID == b.ID {
		if h, ok := k.World.Holder(a.ID); !ok || h != b {
			k.fail("slot %d is held by %v, want %v", a.ID, h, b)
		}
	}
	k.refused(refusal.EntityDead, ecs.Change{Op: ecs.OpSet, Entity: a, Values: k.vals(Health{HP: 9})})
	want(k, b, k.hp, Health{HP: 2})
}

func isCode(err error, codes ...refusal.Code) bool {
	for _, c := range codes {
		if e, ok := err.(*refusal.Error); ok && e.Code == c {
			return true
		}
	}
	return false
}

func contains[T comparable](s []T, v T) bool {
	for _, x := range s {
		if x == v {
			return true
		}
	}
	return false
}

// populate spawns n groups of mixed entities and despawns some, so that slots
// are free and rows have moved.
func (k *kit) populate(n int) {
	k.Helper()
	var all []ecs.Entity
	for i := range n {
		f := float64(i)
		all = append(all,
			k.spawn(Position{f, -f}, Velocity{float32(i), 1}),
			k.spawn(newBag(i), Position{f, f}, Health{HP: i, Max: 10}, Flag{}),
			k.spawn(Name("e"), Blob{byte(i)}),
			k.spawn())
		if k.rels != nil {
			all = append(all, k.must(ecs.Change{Op: ecs.OpSpawn, Values: append(k.vals(Position{Y: f}), k.relValue(0)),
				Targets: []ecs.Target{{Relation: k.rels[0], Entity: all[i]}}})...)
		}
	}
	for i := 0; i < len(all); i += 3 {
		k.must(ecs.Change{Op: ecs.OpDespawn, Entity: all[i]})
	}
}
