package ecstest

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/loupe-ecs/loupe/ecs"
)

var stressCases = []kase{
	{"Stress/Model", "after any sequence of changes the world holds exactly what a model of it holds", stressModel},
	{"Stress/Collector", "components that hold pointers survive every change, swap and batch while the garbage collector runs without pause", stressCollector},
}

func stressModel(k *kit) {
	rng := rand.New(rand.NewPCG(5, 6))
	m := model{}
	var es []ecs.Entity
	add := func(e ecs.Entity, vs []ecs.Value) {
		for _, v := range vs {
			m[e][v.Type] = v.Value.Interface()
		}
	}
	s := k.script(9)
	for step := range 600 {
		var changes []ecs.Change
		touched := map[ecs.Entity]bool{}
		var pending []func(spawned *[]ecs.Entity)
		for range 1 + rng.IntN(4) {
			vs := s.values()
			if len(es) == 0 || rng.IntN(3) == 0 {
				n := 1 + rng.IntN(3)
				vs = k.composed(vs)
				changes = append(changes, ecs.Change{Op: ecs.OpSpawn, Count: n, Values: vs})
				pending = append(pending, func(spawned *[]ecs.Entity) {
					for _, e := range (*spawned)[:n] {
						m[e] = map[ecs.TypeID]any{}
						add(e, vs)
						es = append(es, e)
					}
					*spawned = (*spawned)[n:]
				})
				continue
			}
			e := es[rng.IntN(len(es))]
			if touched[e] {
				continue
			}
			touched[e] = true
			what := rng.IntN(4)
			if k.fixed && what%2 == 1 {
				what-- // components neither come nor go
			}
			switch what {
			case 0:
				changes = append(changes, ecs.Change{Op: ecs.OpDespawn, Entity: e})
				pending = append(pending, func(*[]ecs.Entity) {
					delete(m, e)
					es = slices.DeleteFunc(es, func(x ecs.Entity) bool { return x == e })
				})
			case 1:
				vs = slices.DeleteFunc(vs, func(v ecs.Value) bool { _, has := m[e][v.Type]; return has })
				if len(vs) > 0 {
					changes = append(changes, ecs.Change{Op: ecs.OpAdd, Entity: e, Values: vs})
					pending = append(pending, func(*[]ecs.Entity) { add(e, vs) })
				}
			case 2:
				vs = slices.DeleteFunc(vs, func(v ecs.Value) bool { _, has := m[e][v.Type]; return !has })
				if len(vs) > 0 {
					changes = append(changes, ecs.Change{Op: ecs.OpSet, Entity: e, Values: vs})
					pending = append(pending, func(*[]ecs.Entity) { add(e, vs) })
				}
			case 3:
				var ids []ecs.TypeID
				for id := range m[e] {
					ids = append(ids, id)
				}
				slices.Sort(ids)
				if len(ids) > 1 || len(ids) == 1 && !k.needs {
					id := ids[rng.IntN(len(ids))]
					changes = append(changes, ecs.Change{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{id}})
					pending = append(pending, func(*[]ecs.Entity) { delete(m[e], id) })
				}
			}
		}
		spawned := k.must(changes...)
		for _, f := range pending {
			f(&spawned)
		}
		if step%20 == 0 {
			m.compare(k)
		}
	}
	m.compare(k)
}

// collect runs the garbage collector without pause until stop is called.
func collect() (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

func stressCollector(k *kit) {
	ops := 2500
	if raceEnabled {
		ops = 1000
	}
	defer collect()()
	rng := rand.New(rand.NewPCG(1, 2))
	type entry struct {
		e ecs.Entity
		n int
	}
	var live []entry
	for i := range ops {
		switch {
		case len(live) < 50 || rng.IntN(5) == 0:
			c := ecs.Change{Op: ecs.OpSpawn, Count: 1 + rng.IntN(6), Values: k.composed(k.vals(newBag(i), Name(newBag(i).Note)))}
			if len(k.rels) > 0 && len(live) > 0 && rng.IntN(2) == 0 {
				c.Values = append(c.Values, k.relValue(0))
				c.Targets = []ecs.Target{{Relation: k.rels[0], Entity: live[rng.IntN(len(live))].e}}
			}
			for _, e := range k.must(c) {
				live = append(live, entry{e, i})
			}
		case rng.IntN(3) == 0 || len(live) > 400:
			j := rng.IntN(len(live))
			k.must(ecs.Change{Op: ecs.OpDespawn, Entity: live[j].e})
			live[j] = live[len(live)-1]
			live = live[:len(live)-1]
		case k.fixed:
			x := rng.IntN(len(live))
			live[x].n = i
			k.must(ecs.Change{Op: ecs.OpSet, Entity: live[x].e, Values: k.vals(newBag(i))})
		default:
			x := live[rng.IntN(len(live))]
			c := ecs.Change{Op: ecs.OpAdd, Entity: x.e, Values: k.vals(Position{1, 1})}
			if _, has := get[Position](k, x.e, k.pos); has {
				c = ecs.Change{Op: ecs.OpRemove, Entity: x.e, Types: []ecs.TypeID{k.pos}}
			}
			if len(k.rels) > 0 && rng.IntN(2) == 0 {
				if ch, _, _ := k.World.Row(x.e); len(ch.Targets()) > 0 {
					c = ecs.Change{Op: ecs.OpRetarget, Entity: x.e, Targets: []ecs.Target{{Relation: k.rels[0], Entity: live[rng.IntN(len(live))].e}}}
				}
			}
			k.must(c)
		}
	}
	for _, x := range live {
		b := ptr[Bag](k, x.e, k.bag)
		if b == nil {
			k.fatal("%v lost its bag", x.e)
		}
		if harm := b.check(x.n); harm != "" {
			k.fatal("%v: %s: %+v", x.e, harm, *b)
		}
		if !k.fixed {
			want(k, x.e, k.name, Name(newBag(x.n).Note))
		}
	}
}
