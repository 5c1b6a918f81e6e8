package ecstest

import (
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
)

var chunkCases = []kase{
	{"Chunks/Complete", "chunks show every living entity once, in the same order every time, each where Row finds it", chunksComplete},
	{"Chunks/Columns", "a column's base and stride reach every row's value, also for tags; a type the chunk lacks has none", chunkColumns},
	{"Chunks/Filters", "With, Without and Exclusive select by composition", chunkFilters},
	{"Chunks/Reentrant", "no query is open in the body: it may look at the world again, set values, and stop early", chunksReentrant},
	{"Chunks/Empty", "entities without components are there like all others; archetypes without rows are not visited", chunksEmpty},
}

func chunksComplete(k *kit) {
	k.populate(30)
	seen := map[ecs.Entity]bool{}
	numbers := map[int]bool{}
	for c := range k.World.Chunks(ecs.Filter{}) {
		if c.Len() <= 0 {
			k.fail("a chunk with %d rows", c.Len())
		}
		if numbers[c.Archetype()] {
			k.fail("archetype %d was visited twice", c.Archetype())
		}
		numbers[c.Archetype()] = true
		es := c.AppendEntities(nil, 0, c.Len())
		for row, e := range es {
			if c.Entity(row) != e {
				k.fail("row %d is %v by Entity, %v by AppendEntities", row, c.Entity(row), e)
			}
			if seen[e] || !k.World.Alive(e) {
				k.fail("%v: shown before: %v, alive: %v", e, seen[e], k.World.Alive(e))
			}
			seen[e] = true
		}
		if part := c.AppendEntities(es[:1:1], c.Len()-1, c.Len()); len(part) != 2 || part[1] != es[c.Len()-1] {
			k.fail("AppendEntities of the last row gave %v", part)
		}
		if !slices.IsSorted(c.Components()) {
			k.Logf("note: components are not in order: %v", c.Components())
		}
	}
	if n := k.World.Catalog().Entities.Alive; n != len(seen) {
		k.fail("%d entities live, %d were shown", n, len(seen))
	}
	for c := range k.World.Chunks(ecs.Filter{}) {
		for row, e := range c.AppendEntities(nil, 0, c.Len()) {
			rc, rrow, ok := k.World.Row(e)
			if !ok || rc.Archetype() != c.Archetype() || rrow != row {
				k.fatal("%v is row %d of archetype %d, Row says %v", e, row, c.Archetype(), ok)
			}
		}
	}
	if first := entities(k.World, ecs.Filter{}); !slices.Equal(first, entities(k.World, ecs.Filter{})) {
		k.fail("two visits of an unchanged world differ in order")
	}
}

func chunkColumns(k *kit) {
	var es []group
	for i := range 10 {
		es = append(es, k.group(Position{float64(i), 1}, Flag{}, newBag(i), Name("x")))
	}
	// The last row fills a gap in the middle.
	k.must(es[3].despawn()...)
	for i, g := range es {
		if i == 3 {
			continue
		}
		e := g[k.pos]
		want(k, e, k.pos, Position{float64(i), 1})
		if b, _ := get[Bag](k, g[k.bag], k.bag); b.check(i) != "" {
			k.fail("%v: %s: %+v", g[k.bag], b.check(i), b)
		}
		if c, _, _ := k.World.Row(g[k.flag]); c == nil {
			k.fail("the tag's entity has no row")
		} else if _, ok := c.Column(k.flag); !ok {
			k.fail("the tag has no column")
		}
		c, row, _ := k.World.Row(e)
		if _, ok := c.Column(k.hp); ok {
			k.fail("a column of a component the chunk lacks")
		}
		col, ok := c.Column(k.pos)
		if direct, boxed := !col.Boxed && col.Stride >= 16, col.Boxed && col.Stride >= unsafe.Sizeof(uintptr(0)); !ok || col.Base == nil || !direct && !boxed {
			k.fail("the column of Position: %v %+v in row %d", ok, col, row)
		}
	}
	p := ptr[Position](k, es[5][k.pos], k.pos)
	p.X = 77
	want(k, es[5][k.pos], k.pos, Position{77, 1})
}

func chunkFilters(k *kit) {
	k.populate(12)
	all := entities(k.World, ecs.Filter{})
	has := func(e ecs.Entity, id ecs.TypeID) bool {
		c, _, _ := k.World.Row(e)
		return slices.Contains(c.Components(), id)
	}
	for _, f := range []ecs.Filter{
		{With: []ecs.TypeID{k.pos}},
		{With: []ecs.TypeID{k.pos, k.vel}},
		{With: []ecs.TypeID{k.pos}, Without: []ecs.TypeID{k.vel}},
		{Without: []ecs.TypeID{k.pos, k.name}},
		{With: []ecs.TypeID{k.pos, k.vel}, Exclusive: true},
		{With: []ecs.TypeID{k.pos}, Exclusive: true},
		{Exclusive: true},
		{With: []ecs.TypeID{k.unused}},
		{With: []ecs.TypeID{k.pos, k.pos}},
		{With: []ecs.TypeID{k.pos}, Without: []ecs.TypeID{k.pos}},
	} {
		var expect []ecs.Entity
		for _, e := range all {
			ok := true
			for _, id := range f.With {
				ok = ok && has(e, id)
			}
			for _, id := range f.Without {
				ok = ok && !has(e, id)
			}
			if f.Exclusive {
				c, _, _ := k.World.Row(e)
				for _, id := range c.Components() {
					ok = ok && slices.Contains(f.With, id)
				}
			}
			if ok {
				expect = append(expect, e)
			}
		}
		if got := entities(k.World, f); !slices.Equal(got, expect) {
			k.fail("filter %+v found %v, want %v", f, got, expect)
		}
	}
}

func chunksReentrant(k *kit) {
	k.populate(5)
	all := entities(k.World, ecs.Filter{})
	n := 0
	for c := range k.World.Chunks(ecs.Filter{}) {
		if k.World.Locked() {
			k.fail("the world is locked while the body runs")
		}
		inner := entities(k.World, ecs.Filter{})
		if !slices.Equal(inner, all) {
			k.fail("a visit inside a visit shows %v", inner)
		}
		k.World.Catalog()
		e := c.Entity(0)
		if _, ok := c.Column(k.pos); ok {
			k.must(ecs.Change{Op: ecs.OpSet, Entity: e, Values: k.vals(Position{9, 9})})
			want(k, e, k.pos, Position{9, 9})
		}
		if c.Entity(0) != e {
			k.fail("a chunk changed under its own visit")
		}
		n += c.Len()
	}
	if n != len(all) {
		k.fail("%d rows were visited, %d live", n, len(all))
	}
	for range k.World.Chunks(ecs.Filter{}) {
		break
	}
	if k.World.Locked() {
		k.fail("a visit that ended early left the world locked")
	}
	k.spawn(Position{})
}

func chunksEmpty(k *kit) {
	for range k.World.Chunks(ecs.Filter{}) {
		k.fail("an empty world has a chunk")
	}
	if !k.emptying() {
		return
	}
	a, b := k.spawn(), k.spawn()
	if got := entities(k.World, ecs.Filter{Exclusive: true}); !slices.Equal(got, []ecs.Entity{a, b}) {
		k.fail("the entities without components are %v, want %v %v", got, a, b)
	}
	c, row, ok := k.World.Row(b)
	if !ok || row != 1 || len(c.Components()) != 0 {
		k.fail("Row of an entity without components: %v %d", ok, row)
	}
	e := k.spawn(Position{})
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: e})
	for c := range k.World.Chunks(ecs.Filter{}) {
		if c.Len() == 0 {
			k.fail("an archetype without rows was visited")
		}
	}
}
