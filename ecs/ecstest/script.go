package ecstest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// script makes the same changes to equal worlds: every choice comes from the
// seed and from what the world shows.
type script struct {
	k   *kit
	rng *rand.Rand
	// byID picks among entities in order of slot, not of iteration.
	byID bool
}

func (k *kit) script(seed uint64) *script {
	return &script{k: k, rng: rand.New(rand.NewPCG(seed, 77))}
}

func (s *script) pick(es []ecs.Entity) ecs.Entity {
	if len(es) == 0 {
		return ecs.Entity{}
	}
	return es[s.rng.IntN(len(es))]
}

func (s *script) values() []ecs.Value {
	n := s.rng.IntN(50)
	all := []any{Position{float64(n), 1}, Velocity{float32(n), 2}, Health{n, 50}, Flag{}, Blob{byte(n)}, Name(fmt.Sprint("name", n)), newBag(n)}
	s.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return s.k.vals(all[:s.rng.IntN(5)]...)
}

// step makes one change and reports what came of it.
func (s *script) step() string {
	k := s.k
	es := entities(k.World, ecs.Filter{})
	if s.byID {
		slices.SortFunc(es, func(a, b ecs.Entity) int { return int(a.ID) - int(b.ID) })
	}
	e := s.pick(es)
	var c ecs.Change
	switch s.rng.IntN(12) {
	case 0, 1, 2:
		c = ecs.Change{Op: ecs.OpSpawn, Count: s.rng.IntN(4), Values: k.composed(s.values())}
	case 3, 4:
		c = ecs.Change{Op: ecs.OpSpawn, Values: k.composed(s.values())}
		if len(k.rels) > 0 {
			r := s.rng.IntN(len(k.rels))
			c.Values = append(c.Values, k.relValue(r))
			c.Targets = []ecs.Target{{Relation: k.rels[r], Entity: e}}
		}
	case 5, 6:
		c = ecs.Change{Op: ecs.OpDespawn, Entity: e}
	case 7:
		c = ecs.Change{Op: ecs.OpAdd, Entity: e, Values: s.values()}
	case 8:
		c = ecs.Change{Op: ecs.OpRemove, Entity: e}
		if ch, _, ok := k.World.Row(e); ok {
			ids := slices.Clone(ch.Components())
			slices.Sort(ids)
			if len(ids) > 0 {
				c.Types = ids[s.rng.IntN(len(ids)):][:1]
			}
		}
	case 9, 10:
		c = ecs.Change{Op: ecs.OpRetarget, Entity: e}
		if len(k.rels) > 0 {
			related := entities(k.World, ecs.Filter{With: k.rels[:1]})
			if s.byID {
				slices.SortFunc(related, func(a, b ecs.Entity) int { return int(a.ID) - int(b.ID) })
			}
			c.Entity = s.pick(related)
			c.Targets = []ecs.Target{{Relation: k.rels[0], Entity: s.pick(es)}}
			if s.rng.IntN(6) == 0 {
				c.Targets[0].Entity = c.Entity
			}
		}
	case 11:
		c = ecs.Change{Op: ecs.OpSet, Entity: e, Values: s.values()}
	}
	spawned, err := k.World.Apply([]ecs.Change{c})
	var le *refusal.Error
	if err != nil && !errors.As(err, &le) {
		k.fatal("%s gave an untyped error: %v", c.Op, err)
	}
	if errors.Is(err, refusal.Panicked) {
		k.fatal("%+v panicked: %v", c, err)
	}
	return fmt.Sprint(c.Op, c.Entity, spawned, err)
}

// run makes n steps and records each one's outcome with the world's hash.
func (s *script) run(n int) (log []string) {
	for range n {
		out := s.step()
		if s.byID {
			log = append(log, out)
			continue
		}
		log = append(log, fmt.Sprint(out, " ", Hash(s.k.World)))
	}
	return log
}

// model is what the world should hold, kept apart from it.
type model map[ecs.Entity]map[ecs.TypeID]any

// compare reports where world and model differ.
func (m model) compare(k *kit) {
	k.Helper()
	n := 0
	cat := k.World.Catalog()
	for c := range k.World.Chunks(ecs.Filter{}) {
		for row := range c.Len() {
			n++
			e := c.Entity(row)
			have, ok := m[e]
			if !ok || len(have) != len(c.Components()) {
				k.fatal("%v has components %v, want %v", e, c.Components(), have)
			}
			for _, id := range c.Components() {
				t := cat.Components[id].Type.Go
				if t.Size() == 0 {
					continue
				}
				col, _ := c.Column(id)
				if got := col.Value(t, row).Interface(); !reflect.DeepEqual(got, have[id]) {
					k.fatal("%v: %s is %+v, want %+v", e, cat.Components[id].Name, got, have[id])
				}
			}
		}
	}
	if n != len(m) {
		k.fatal("the world has %d entities, %d were made", n, len(m))
	}
}

// Churn makes n random changes to a world with the kit's types: spawns, deaths,
// components that come and go, relations, values. Equal worlds are changed
// alike by equal seeds. The changes that the world refuses are part of it.
func Churn(t *testing.T, w ecs.World, seed uint64, n int) {
	t.Helper()
	k := &kit{T: t, Fixture: Fixture{World: w}, rule: "random changes are made or refused"}
	k.setup()
	s := k.script(seed)
	for range n {
		s.step()
	}
}
