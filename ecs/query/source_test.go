package query_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/ecs/imageworld"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

type Score struct {
	Points int
	Names  []string
}
type Grunt struct{ N int } // also a label of Kind

// then is a world and what it was a moment before.
type then struct {
	*mapworld.World
	es     []ecs.Entity
	before ecs.World
}

func newThen(t *testing.T) *then {
	w := mapworld.New(reflect.TypeFor[Health](), reflect.TypeFor[Enemy](), reflect.TypeFor[Inventory](), reflect.TypeFor[Grunt]())
	w.AddResource(&Score{Points: 7, Names: []string{"a"}})
	w.RegisterResource(reflect.TypeFor[Title]())
	th := &then{World: w}
	for i := range 6 {
		th.spawn(t, Health{HP: 10 * i, Max: 100}, Enemy{Kind: Kind(i % 3)}, Inventory{Note: strings.Repeat("x", i), Slots: make([]Slot, i), Open: i%2 == 0})
	}
	return th
}

func (th *then) spawn(t *testing.T, h Health, more ...any) {
	c := ecs.Change{Op: ecs.OpSpawn, Values: []ecs.Value{{Type: 0, Value: reflect.ValueOf(h)}}}
	for _, v := range more {
		c.Values = append(c.Values, ecs.Value{Type: map[reflect.Type]ecs.TypeID{reflect.TypeFor[Enemy](): 1, reflect.TypeFor[Inventory](): 2}[reflect.TypeOf(v)], Value: reflect.ValueOf(v)})
	}
	th.must(t, c)
}

func (th *then) must(t *testing.T, cs ...ecs.Change) {
	t.Helper()
	es, err := th.Apply(cs)
	if err != nil {
		t.Fatal(err)
	}
	th.es = append(th.es, es...)
}

func (th *then) tick(t *testing.T) {
	var img ecs.Image
	if err := th.Capture(&img); err != nil {
		t.Fatal(err)
	}
	th.before = imageworld.New(th.Catalog(), &img)
}

func (th *then) finds(t *testing.T, where string, want ...int) {
	t.Helper()
	p, err := query.Compile(th.Catalog(), query.Query{Where: where, LookBack: true})
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	var got []ecs.Entity
	n, err := p.RowsSince(th.World, th.before, func(c ecs.Chunk, rows []int32) bool {
		for _, r := range rows {
			got = append(got, c.Entity(int(r)))
		}
		return true
	})
	wanted := map[ecs.Entity]bool{}
	for _, i := range want {
		wanted[th.es[i]] = true
	}
	for _, e := range got {
		if !wanted[e] {
			t.Errorf("%s: finds %v", where, e)
		}
		delete(wanted, e)
	}
	if err != nil || len(wanted) > 0 || n != len(want) {
		t.Errorf("%s: %d found, %v missing, %v", where, n, wanted, err)
	}
}

func TestWhereSeesResources(t *testing.T) {
	th := newThen(t)
	th.finds(t, "Health.HP > Score.Points*3", 3, 4, 5)
	th.finds(t, `len(Score.Names) == 1 && Health.HP == 0`, 0)
	th.finds(t, `Score.Points == 8 || Health.HP == 10`, 1)
	th.finds(t, `Title.Text == "" || Health.HP == 10`, 1) // an absent resource compares with nothing
	for where, want := range map[string]bool{"Score.Points > 6": true, "Score.Points > 7": false, "len(Score.Names) == 1": true, `Score.Names[0] == "a"`: true,
		"Score.Points > 6 && Health.HP > 0": false, "Score.Points > 6 && alive(entity)": false, "1 < 2": true} {
		p, err := query.Compile(th.Catalog(), query.Query{Where: where})
		if err != nil {
			t.Fatal(err)
		}
		global := !strings.Contains(where, "Health") && !strings.Contains(where, "entity")
		if p.Global() != global || p.Holds(th.World, nil) != want {
			t.Errorf("%s: global %v, holds %v, want %v", where, p.Global(), p.Holds(th.World, nil), want)
		}
	}
	for where, want := range map[string]string{"Score.Point > 1": "Point", "Score > 1": "is a resource, not a value"} {
		if _, err := query.Compile(th.Catalog(), query.Query{Where: where}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", where, err)
		}
	}
}

// Entities that died, moved to another archetype or came since are no reason to
// compare one entity's value with another's.
func TestPrev(t *testing.T) {
	th := newThen(t)
	th.finds(t, "Health.HP != prev(Health.HP)") // no moment before is known
	th.tick(t)
	th.finds(t, "Health.HP != prev(Health.HP)")
	th.finds(t, "Health.HP == prev(Health.HP)", 0, 1, 2, 3, 4, 5)
	set := func(i, hp int) ecs.Change {
		return ecs.Change{Op: ecs.OpSet, Entity: th.es[i], Values: []ecs.Value{{Type: 0, Value: reflect.ValueOf(Health{HP: hp, Max: 100})}}}
	}
	th.must(t, set(1, 5), set(4, 90))
	th.finds(t, "Health.HP < prev(Health.HP)", 1)
	th.finds(t, "Health.HP - prev(Health.HP) > 20", 4)
	th.must(t, ecs.Change{Op: ecs.OpDespawn, Entity: th.es[0]}, ecs.Change{Op: ecs.OpRemove, Entity: th.es[2], Types: []ecs.TypeID{1}},
		ecs.Change{Op: ecs.OpSpawn, Values: []ecs.Value{{Type: 0, Value: reflect.ValueOf(Health{HP: 1})}}})
	th.finds(t, "Health.HP < prev(Health.HP)", 1)
	th.finds(t, "Health.HP == prev(Health.HP)", 2, 3, 5)
	th.finds(t, "prev(has(Enemy)) && !has(Enemy)", 2)
	th.finds(t, "!prev(has(Health)) && has(Health)", 6)
	th.finds(t, "prev(Inventory.Note) == \"xxx\" && prev(len(Inventory.Slots)) == 3 && len(prev(Inventory.Slots)) == 3 && !prev(Inventory.Open)", 3)
	th.finds(t, "prev(Enemy.Kind) == Sniper", 2, 5)
	v, _ := th.Resource(0)
	v.Addr().Interface().(*Score).Points = 3
	th.finds(t, "Score.Points < prev(Score.Points) && Health.HP == 1", 6)
	for where, want := range map[string]string{"prev(prev(Health.HP)) > 1": "only the sample before", "prev(1) == 1": "is the same at every moment"} {
		if _, err := query.Compile(th.Catalog(), query.Query{Where: where, LookBack: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", where, err)
		}
	}
	if _, err := query.Compile(th.Catalog(), query.Query{Where: "Health.HP < prev(Health.HP)"}); err == nil || !strings.Contains(err.(*refusal.Error).Hint, "find_tick") {
		t.Errorf("prev in a query of one moment: %v", err)
	}
}

func TestLabelsWithoutQuotes(t *testing.T) {
	th := newThen(t)
	th.finds(t, "Enemy.Kind == Brute", 1, 4)
	th.finds(t, "Sniper != Enemy.Kind", 0, 1, 3, 4)
	th.finds(t, "Enemy.Kind == Grunt", 0, 3) // a component has the name too
	_, err := query.Compile(th.Catalog(), query.Query{Where: "Enemy.Kind == Brut"})
	if err == nil || !strings.Contains(err.Error(), `has no label "Brut"`) {
		t.Error(err)
	}
}
