package ecstest

import (
	"math"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

var restoreCases = []kase{
	{"Restore/Equal", "a restored world equals the captured one in entities, generations, order, targets, values and resources", restoreEqual},
	{"Restore/GoesOn", "a restored world goes on as the captured one would have: the next hundred changes have the same outcome", restoreGoesOn},
	{"Restore/Fresh", "an image can be restored into a fresh world with the same types", restoreFresh},
	{"Restore/Owned", "an image shares no memory with the world, is not changed by a restore, and can be restored again", restoreOwned},
	{"Restore/InPlace", "resource objects of the game are the same objects after a restore, with the image's contents", restoreInPlace},
	{"Restore/Refused", "an unsound image is refused and changes nothing", restoreRefused},
	{"Restore/Collector", "capturing and restoring components that hold pointers is safe while the garbage collector runs", restoreCollector},
}

// seeds is how many seeds a case without concurrency tries: fewer under the
// race detector, which has nothing to find there.
func seeds(n uint64) uint64 {
	if raceEnabled {
		return (n + 3) / 4
	}
	return n
}

func (k *kit) restorer() ecs.Restorer {
	k.Helper()
	r, ok := k.World.(ecs.Restorer)
	if !ok {
		k.declared(ecs.LimitRestore)
		return nil
	}
	var img ecs.Image
	if err := r.Capture(&img); isCode(err, refusal.CrashLayout, refusal.NotSupported) {
		k.Logf("Capture: %v", err)
		k.declared(ecs.LimitRestore)
		return nil
	} else if err != nil {
		k.fatal("Capture: %v", err)
	}
	return r
}

func (k *kit) capture(r ecs.Restorer, img *ecs.Image) uint64 {
	k.Helper()
	hash := Hash(k.World)
	if err := r.Capture(img); err != nil {
		k.fatal("Capture: %v", err)
	}
	if Hash(k.World) != hash {
		k.fail("Capture changed the world")
	}
	return hash
}

func (k *kit) restore(r ecs.Restorer, img *ecs.Image) {
	k.Helper()
	if err := r.Check(img); err != nil {
		k.fatal("Check of a captured image: %v", err)
	}
	if err := r.Restore(img); err != nil {
		k.fatal("Restore of a captured image: %v", err)
	}
}

func restoreEqual(k *kit) {
	r := k.restorer()
	if r == nil {
		return
	}
	var img ecs.Image
	for seed := range seeds(8) {
		k.script(seed).run(80)
		hash := k.capture(r, &img)
		all := entities(k.World, ecs.Filter{})
		k.script(seed + 100).run(int(seed) * 15)
		k.restore(r, &img)
		if Hash(k.World) != hash {
			k.fail("seed %d: the restored world's hash differs", seed)
		}
		if got := entities(k.World, ecs.Filter{}); !slices.Equal(got, all) {
			k.fatal("seed %d: entities or their order differ:\n%v\n%v", seed, got, all)
		}
		for _, e := range all {
			if h, ok := k.World.Holder(e.ID); !ok || h != e || !k.World.Alive(e) {
				k.fail("%v is in the restored world but its slot's holder is %v", e, h)
			}
		}
		var again ecs.Image
		if k.capture(r, &again) != hash || !reflect.DeepEqual(img.Pool, again.Pool) {
			k.fail("seed %d: a capture of the restored world differs:\n%+v\n%+v", seed, img.Pool, again.Pool)
		}
	}
	// An empty world, and back.
	var empty ecs.Image
	k.must(despawnAll(k.World)...)
	hash := k.capture(r, &empty)
	k.restore(r, &img)
	k.restore(r, &empty)
	if Hash(k.World) != hash {
		k.fail("a restored empty world differs")
	}
}

func despawnAll(w ecs.World) (cs []ecs.Change) {
	for _, e := range entities(w, ecs.Filter{}) {
		cs = append(cs, ecs.Change{Op: ecs.OpDespawn, Entity: e})
	}
	return cs
}

func restoreGoesOn(k *kit) {
	r := k.restorer()
	if r == nil {
		return
	}
	for seed := range seeds(4) {
		k.script(seed + 10).run(120)
		var img ecs.Image
		k.capture(r, &img)
		first := k.script(seed + 20).run(100)
		k.restore(r, &img)
		second := k.script(seed + 20).run(100)
		for i := range first {
			if first[i] != second[i] {
				k.fatal("seed %d: change %d after the restore differs:\n%s\n%s", seed, i, first[i], second[i])
			}
		}
		// The world has gone through other things in between.
		k.script(seed + 30).run(150)
		k.restore(r, &img)
		third := k.script(seed + 20).run(100)
		for i := range first {
			if first[i] != third[i] {
				k.fatal("seed %d: change %d after the second restore differs:\n%s\n%s", seed, i, first[i], third[i])
			}
		}
	}
}

func restoreFresh(k *kit) {
	r := k.restorer()
	if r == nil {
		return
	}
	for seed := range seeds(5) {
		k.script(seed + 40).run(120)
		var img ecs.Image
		hash := k.capture(r, &img)
		f := k.new(k)
		other := &kit{T: k.T, Fixture: f, new: k.new, rule: k.rule}
		other.setup()
		other.restore(f.World.(ecs.Restorer), &img)
		if Hash(f.World) != hash {
			k.fail("seed %d: the world restored into a fresh one differs", seed)
		}
		s, o := k.script(seed+50), other.script(seed+50)
		s.byID, o.byID = true, true
		if a, b := s.run(60), o.run(60); !slices.Equal(a, b) {
			k.fail("seed %d: the fresh world goes on otherwise:\n%q\n%q", seed, a, b)
		}
		if f.Close != nil {
			f.Close()
		}
	}
}

func restoreOwned(k *kit) {
	r := k.restorer()
	if r == nil {
		return
	}
	g := k.group(newBag(1), Position{1, 1})
	var img ecs.Image
	hash := k.capture(r, &img)
	for range 3 {
		b := ptr[Bag](k, g[k.bag], k.bag)
		b.Items[0].Count = 99
		b.Counts["x"] = 99
		b.Next.Note = "x"
		ptr[Position](k, g[k.pos], k.pos).X = 99
		k.restore(r, &img)
		if Hash(k.World) != hash {
			k.fail("what was written to the world reached the image, or the world reached by a restore shares memory with it")
		}
		want(k, g[k.bag], k.bag, newBag(1))
	}
}

func restoreInPlace(k *kit) {
	r := k.restorer()
	if r == nil {
		return
	}
	var id, absent ecs.TypeID
	for _, res := range k.World.Catalog().Resources {
		if res.Type.Go == reflect.TypeFor[Score]() {
			id = res.ID
		} else if res.Type.Go == reflect.TypeFor[Absent]() {
			absent = res.ID
		}
	}
	v, _ := k.World.Resource(id)
	score := v.Addr().Interface().(*Score)
	*score = Score{Points: 5, Names: []string{"a", "b"}}
	var img ecs.Image
	k.capture(r, &img)
	score.Points, score.Names[0] = 6, "changed"
	k.restore(r, &img)
	after, ok := k.World.Resource(id)
	if !ok || after.Addr().Interface().(*Score) != score {
		k.fatal("the game's resource object was replaced")
	}
	if !reflect.DeepEqual(*score, Score{Points: 5, Names: []string{"a", "b"}}) {
		k.fail("the resource holds %+v", *score)
	}
	if _, ok := k.World.Resource(absent); ok {
		k.fail("a resource that was absent is present")
	}
	img.Resources = nil
	score.Points = 77
	k.restore(r, &img)
	if after, ok := k.World.Resource(id); !ok || after.Addr().Interface().(*Score) != score || score.Points != 77 {
		k.fail("a resource that the image does not list was touched")
	}
}

func restoreRefused(k *kit) {
	r := k.restorer()
	if r == nil {
		return
	}
	k.script(3).run(120)
	for _, e := range k.must(ecs.Change{Op: ecs.OpSpawn, Count: 6, Values: k.composed(k.vals(Position{}, Unused{}))})[:4] {
		k.must(ecs.Change{Op: ecs.OpDespawn, Entity: e})
	}
	hash := Hash(k.World)
	spoil := map[string]func(img *ecs.Image){
		"no slots":             func(img *ecs.Image) { img.Pool.Slots = nil },
		"no reserved slots":    func(img *ecs.Image) { img.Pool.Reserved = 0 },
		"too many reserved":    func(img *ecs.Image) { img.Pool.Reserved = math.MaxUint32 },
		"free list too long":   func(img *ecs.Image) { img.Pool.Available++ },
		"free list too short":  func(img *ecs.Image) { img.Pool.Available-- },
		"free list absurd":     func(img *ecs.Image) { img.Pool.Available = math.MaxUint32 },
		"free list to nowhere": func(img *ecs.Image) { img.Pool.Next = math.MaxUint32 },
		"free list in a circle": func(img *ecs.Image) {
			img.Pool.Slots[img.Pool.Next].ID = img.Pool.Next
		},
		"a slot too many":    func(img *ecs.Image) { img.Pool.Slots = append(img.Pool.Slots, ecs.Entity{}) },
		"other generation":   func(img *ecs.Image) { rows(img).Entities[0].Gen++ },
		"a row of nobody":    func(img *ecs.Image) { rows(img).Entities[0].ID = math.MaxUint32 },
		"a row of slot zero": func(img *ecs.Image) { rows(img).Entities[0] = ecs.Entity{} },
		"a row twice":        func(img *ecs.Image) { a := rows(img); a.Entities[0] = a.Entities[1] },
		"an archetype twice": func(img *ecs.Image) { img.Archetypes = append(img.Archetypes, *rows(img)) },
		"a column short":     func(img *ecs.Image) { a := rows(img); a.Columns[0] = a.Columns[0].Slice(1, a.Columns[0].Len()) },
		"a column missing":   func(img *ecs.Image) { a := rows(img); a.Columns = a.Columns[1:] },
		"no column": func(img *ecs.Image) {
			a := rows(img)
			a.Columns = append([]reflect.Value{{}}, a.Columns[1:]...)
		},
		"a column of another type": func(img *ecs.Image) {
			a := rows(img)
			a.Columns = append([]reflect.Value{reflect.ValueOf(make([]Unused, len(a.Entities)))}, a.Columns[1:]...)
		},
		"an unknown type":       func(img *ecs.Image) { rows(img).Components[0] = 1 << 20 },
		"a negative type":       func(img *ecs.Image) { rows(img).Components[0] = -1 },
		"a target of no one":    func(img *ecs.Image) { a := rows(img); a.Targets = []ecs.Target{{Relation: a.Components[0]}} },
		"an unknown resource":   func(img *ecs.Image) { img.Resources = append(img.Resources, ecs.ImageResource{ID: 1 << 20}) },
		"a resource twice":      func(img *ecs.Image) { img.Resources = append(img.Resources, img.Resources[0]) },
		"a resource's type":     func(img *ecs.Image) { img.Resources[0].Value = reflect.ValueOf(3) },
		"a target beyond slots": func(img *ecs.Image) { k.targetBeyond(img) },
	}
	for what, f := range spoil {
		var img ecs.Image
		k.capture(r, &img)
		if img.Pool.Available < 2 {
			k.fatal("the script left no free slots")
		}
		f(&img)
		for _, err := range []error{r.Check(&img), r.Restore(&img)} {
			if !isCode(err, refusal.BadSnapshot, refusal.UnknownComponent, refusal.NotSupported) {
				k.fail("%s: %v, bad_snapshot was expected", what, err)
			}
		}
		if Hash(k.World) != hash {
			k.fatal("%s: the refused image changed the world", what)
		}
	}
	for _, err := range []error{r.Check(nil), r.Restore(nil)} {
		if !isCode(err, refusal.BadSnapshot) {
			k.fail("no image: %v, bad_snapshot was expected", err)
		}
	}
	// Notes that make no sense are no reason to refuse, or to panic.
	for _, hints := range [][]uint32{{1}, {9, 9, 9, 9}, {math.MaxUint32}, {1, 0, 2, 2, 0, 0, 0}, {1, 0, math.MaxUint32, 0, math.MaxUint32}, slices.Repeat([]uint32{1}, 50)} {
		var img ecs.Image
		k.capture(r, &img)
		img.Hints = hints
		k.restore(r, &img)
		if Hash(k.World) != hash {
			k.fail("an image with the hints %v restores another world", hints)
		}
	}
}

// rows is an archetype of the image with components and at least two rows.
func rows(img *ecs.Image) *ecs.ImageArchetype {
	for i := range img.Archetypes {
		if a := &img.Archetypes[i]; len(a.Entities) > 1 && len(a.Components) > 0 && len(a.Targets) == 0 {
			return a
		}
	}
	panic("ecstest: the script made no archetype with two rows")
}

func (k *kit) targetBeyond(img *ecs.Image) {
	for i := range img.Archetypes {
		if a := &img.Archetypes[i]; len(a.Targets) > 0 {
			a.Targets[0].Entity = ecs.Entity{ID: math.MaxUint32}
			return
		}
	}
	img.Pool.Slots = nil // no relations: spoil something else
}

func restoreCollector(k *kit) {
	r := k.restorer()
	if r == nil {
		return
	}
	rounds := 60
	if raceEnabled {
		rounds = 15
	}
	defer collect()()
	for i := range 300 {
		k.spawn(newBag(i), Name(newBag(i).Note))
		if i%3 == 0 {
			k.spawn(newBag(i), Position{})
		}
	}
	var img ecs.Image
	hash := k.capture(r, &img)
	for i := range rounds {
		k.script(uint64(i)).run(5)
		k.restore(r, &img)
		if Hash(k.World) != hash {
			k.fatal("round %d: the restored world differs", i)
		}
		if i%5 == 0 {
			img = ecs.Image{}
			k.capture(r, &img)
		}
	}
}
