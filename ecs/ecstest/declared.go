package ecstest

import (
	"errors"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

var declaredCases = []kase{
	{"Chunks/InPlace", "chunks show the engine's own values, not copies: what either side writes the other reads, and setting a value does not move it", chunksInPlace},
	{"Declared/Real", "every entry of Engine.Cannot begins with a subject that is known (ecs.Limits) and names what is really missing", declaredReal},
}

// declared ends, or cuts short, a case that the engine cannot do: it must have
// said so.
func (k *kit) declared(what ecs.Limit) {
	k.Helper()
	engine := k.World.Catalog().Engine
	entry := engine.Declares(what)
	if entry == "" {
		k.fatal("%s: it is missing, and no entry of Engine.Cannot begins with %q: %q", what, what, engine.Cannot)
	}
	k.Logf("exempted, as Engine.Cannot declares: %s", entry)
}

// declaredReal tries what an adapter says it cannot do.
func declaredReal(k *kit) {
	cat := k.World.Catalog()
	_, restores := k.World.(ecs.Restorer)
	_, unlocks := k.World.(ecs.Unlocker)
	if restores {
		var img ecs.Image
		restores = k.World.(ecs.Restorer).Capture(&img) == nil
	}
	if unlocks {
		unlocks = k.World.(ecs.Unlocker).Unlock() == nil
	}
	for _, entry := range cat.Engine.Cannot {
		has := false
		switch limit := ecs.LimitOf(entry); limit {
		case "":
			k.fail("the entry %q begins with none of %q", entry, ecs.Limits)
		case ecs.LimitRelations:
			has = len(k.rels) > 0
		case ecs.LimitSeveralRelations:
			has = len(k.rels) > 1 && cat.Engine.RelationsPerEntity != 1
		case ecs.LimitDeadTargets:
			has = cat.Engine.DanglingTargets
		case ecs.LimitLocks:
			has = k.Lock != nil
		case ecs.LimitUnlock:
			has = unlocks && k.Lock != nil
		case ecs.LimitEvents:
			has = entry == string(limit) && (k.PanicOnSpawn != nil || k.PanicOnDespawn != nil)
		case ecs.LimitRestore:
			has = restores
		case ecs.LimitEmpty:
			_, err := k.World.Apply([]ecs.Change{{Op: ecs.OpSpawn}})
			has = !errors.Is(err, refusal.NotSupported)
		case ecs.LimitComposition:
			e := k.spawn(Position{})
			_, err := k.World.Apply([]ecs.Change{{Op: ecs.OpAdd, Entity: e, Values: k.vals(Velocity{})}})
			has = !errors.Is(err, refusal.NotSupported)
		case ecs.LimitOrder, ecs.LimitValues, ecs.LimitIdentity:
			if entry == string(limit) {
				k.fail("the entry %q does not say what is meant", entry)
			}
		}
		if has {
			k.fail("Engine.Cannot declares %q, and the world can", entry)
		}
	}
}

// chunksInPlace holds what chunks show against what the engine gives the game.
func chunksInPlace(k *kit) {
	if k.Value == nil {
		k.fatal("Fixture.Value is nil: without the engine's own view of a value nothing proves that chunks are no copies")
	}
	g := k.group(Position{1, 2}, newBag(3), Name("n"))
	k.group(Position{5, 5}, newBag(4), Name("m"))
	own := func(id ecs.TypeID) reflect.Value {
		k.Helper()
		t := k.World.Catalog().Components[id].Type.Go
		v := reflect.ValueOf(k.Value(g[id], t))
		if !v.IsValid() || v.Type() != reflect.PointerTo(t) || v.IsNil() {
			k.fatal("Fixture.Value gave no *%v for %v", t, g[id])
		}
		return v
	}
	pos := own(k.pos).Interface().(*Position)
	if pos.X != 1 {
		k.fail("the engine has %+v, the spawn gave it 1", *pos)
	}
	pos.X = 10
	want(k, g[k.pos], k.pos, Position{10, 2})
	if shown := ptr[Position](k, g[k.pos], k.pos); shown != pos {
		k.fail("the chunk shows another Position than the engine's: %p and %p", shown, pos)
	} else {
		shown.Y = 20
	}
	if pos.Y != 20 {
		k.fail("what was written to the chunk's value does not reach the engine's: %+v", *pos)
	}
	bag := own(k.bag).Interface().(*Bag)
	if ptr[Bag](k, g[k.bag], k.bag) != bag {
		k.fail("the chunk shows another Bag than the engine's")
	}
	for _, id := range []ecs.TypeID{k.pos, k.bag} {
		var v any = Position{7, 8}
		if id == k.bag {
			v = newBag(9)
		}
		k.must(ecs.Change{Op: ecs.OpSet, Entity: g[id], Values: k.vals(v)})
	}
	if own(k.pos).Interface().(*Position) != pos || own(k.bag).Interface().(*Bag) != bag {
		k.fail("setting a value moved it: the game may hold a pointer to it")
	}
	if *pos != (Position{7, 8}) || bag.check(9) != "" {
		k.fail("the values that were set do not reach the engine: %+v %+v", *pos, *bag)
	}
}
