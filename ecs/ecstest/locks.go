package ecstest

import (
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

var lockCases = []kase{
	{"Lock/Refuses", "a locked world refuses structural changes, and lets itself be read and its values be set", lockRefuses},
	{"Lock/Unlock", "Unlock frees the world of the lock that an interrupted query left behind", unlock},
	{"Listener/Panics", "a listener that panics becomes an error with code panic, and the world stays usable", listenerPanics},
}

var resourceCases = []kase{
	{"Resource/Access", "a resource the engine stores by pointer is addressable; one that is registered without a value is absent; any other number is false", resourceAccess},
}

func lockRefuses(k *kit) {
	if k.Lock == nil {
		k.declared(ecs.LimitLocks)
		return
	}
	k.populate(5)
	g := k.group(Position{}, newBag(1))
	e := g[k.pos]
	all := entities(k.World, ecs.Filter{})
	release := k.Lock()
	if !k.World.Locked() || !k.World.Catalog().Locked {
		k.fail("the world has an open query: Locked is %v, the catalog says %v", k.World.Locked(), k.World.Catalog().Locked)
	}
	structural := []ecs.Change{
		{Op: ecs.OpSpawn, Values: k.vals(Position{})},
		{Op: ecs.OpDespawn, Entity: e},
		{Op: ecs.OpAdd, Entity: e, Values: k.vals(Flag{})},
		{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{k.pos}},
	}
	set := ecs.Change{Op: ecs.OpSet, Entity: e, Values: k.vals(Position{4, 4})}
	if !k.fixed {
		set.Values = k.vals(Position{4, 4}, newBag(2))
	}
	for _, c := range structural {
		k.refused(refusal.WorldLocked, c)
		k.refused(refusal.WorldLocked, set, c)
	}
	k.must(set)
	want(k, e, k.pos, Position{4, 4})
	if !k.fixed {
		want(k, e, k.bag, newBag(2))
	}
	if got := entities(k.World, ecs.Filter{}); !reflect.DeepEqual(got, all) {
		k.fail("a locked world shows %d entities of %d", len(got), len(all))
	}
	if r, ok := k.World.(ecs.Restorer); ok {
		var img ecs.Image
		if err := r.Capture(&img); err == nil {
			hash := Hash(k.World)
			for _, err := range []error{r.Check(&img), r.Restore(&img)} {
				if !isCode(err, refusal.WorldLocked) {
					k.fail("restoring a locked world gave %v, world_locked was expected", err)
				}
			}
			if Hash(k.World) != hash {
				k.fail("a refused restore changed the world")
			}
		}
	}
	release()
	if k.World.Locked() {
		k.fatal("the query is closed and the world locked")
	}
	for _, c := range structural[1:2] {
		k.must(c)
	}
}

func unlock(k *kit) {
	u, ok := k.World.(ecs.Unlocker)
	if !ok || k.Lock == nil {
		k.declared(ecs.LimitUnlock)
		return
	}
	k.populate(3)
	e := k.spawn(Position{1, 1})
	for range 3 {
		k.Lock() // never released: the system that held it has panicked
	}
	hash := Hash(k.World)
	if err := u.Unlock(); err != nil {
		if !isCode(err, refusal.CrashLayout) {
			k.fail("Unlock gave %v", err)
		}
		k.declared(ecs.LimitUnlock)
		return
	}
	if k.World.Locked() {
		k.fatal("Unlock left the world locked")
	}
	if Hash(k.World) != hash {
		k.fail("Unlock changed more than the lock")
	}
	k.must(ecs.Change{Op: ecs.OpDespawn, Entity: e}, ecs.Change{Op: ecs.OpSpawn, Values: k.vals(Position{})})
	// Locks work as before, more of them than were ever open.
	for range 300 {
		release := k.Lock()
		if !k.World.Locked() {
			k.fatal("a query does not lock any more")
		}
		release()
	}
	if k.World.Locked() {
		k.fail("queries do not unlock any more")
	}
	if err := u.Unlock(); err != nil || k.World.Locked() {
		k.fail("Unlock of an unlocked world: %v", err)
	}
}

func listenerPanics(k *kit) {
	if k.PanicOnSpawn == nil && k.PanicOnDespawn == nil {
		k.declared(ecs.LimitEvents)
		return
	}
	e := k.spawn(Position{})
	usable := true
	try := func(arm func() func(), c ecs.Change) {
		k.Helper()
		if arm == nil {
			return
		}
		stop := arm()
		first := ecs.Change{Op: ecs.OpSet, Entity: e, Values: k.vals(Position{8, 8})}
		_, err := k.World.Apply([]ecs.Change{first, c})
		stop()
		if !isCode(err, refusal.Panicked) {
			k.fail("a listener panicked on %s: %v, code panic was expected", c.Op, err)
		}
		if k.World.Locked() {
			if u, ok := k.World.(ecs.Unlocker); ok && isCode(u.Unlock(), refusal.CrashLayout) {
				k.declared(ecs.LimitUnlock)
				usable = false
				return
			}
			k.fail("a listener's panic left the world locked")
		}
		want(k, e, k.pos, Position{8, 8})
	}
	try(k.PanicOnSpawn, ecs.Change{Op: ecs.OpSpawn, Values: k.composed(k.vals(Name("n"), newBag(1)))})
	if !usable {
		return
	}
	victim := k.spawn(Name("victim"), newBag(2))
	try(k.PanicOnDespawn, ecs.Change{Op: ecs.OpDespawn, Entity: victim})
	if !usable {
		return
	}
	n := k.spawn(newBag(3))
	want(k, n, k.bag, newBag(3))
	for _, e := range entities(k.World, ecs.Filter{}) {
		k.must(ecs.Change{Op: ecs.OpDespawn, Entity: e})
	}
}

func resourceAccess(k *kit) {
	var score, absent ecs.TypeID = -1, -1
	for _, r := range k.World.Catalog().Resources {
		switch r.Type.Go {
		case reflect.TypeFor[Score]():
			score = r.ID
		case reflect.TypeFor[Absent]():
			absent = r.ID
		}
	}
	v, ok := k.World.Resource(score)
	if !ok || !v.CanSet() || v.Type() != reflect.TypeFor[Score]() {
		k.fatal("the resource Score: present %v, value %v", ok, v)
	}
	v.FieldByName("Points").SetInt(123)
	again, _ := k.World.Resource(score)
	if got := again.Interface().(Score).Points; got != 123 {
		k.fail("what was written to the resource reads back as %d", got)
	}
	if _, ok := k.World.Resource(absent); ok {
		k.fail("the resource Absent is present")
	}
	for _, id := range []ecs.TypeID{-1, 100, 255, 256, 1 << 20, ecs.TypeID(len(k.World.Catalog().Resources))} {
		if _, ok := k.World.Resource(id); ok {
			k.fail("resource number %d, which does not exist, is present", id)
		}
	}
}
