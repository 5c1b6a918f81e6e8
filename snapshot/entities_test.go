package snapshot

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// A component before and after one of its fields was made wider.
type (
	oldHunter struct {
		Prey   ecs.Entity
		Pack   []ecs.Entity
		Scents map[ecs.Entity]int
		Past   []ecs.Entity
		Hunger int16
	}
	newHunter struct {
		Prey   ecs.Entity
		Pack   []ecs.Entity
		Scents map[ecs.Entity]int
		Past   []ecs.Entity `debug:"dangling"`
		Hunger int64
	}
)

// An exact load keeps what was saved; converted values keep the entities that
// live, and the dead where a tag allows them.
func TestEntitiesInConvertedValuesLive(t *testing.T) {
	never, alive := ecs.Entity{ID: 999999}, ecs.Entity{ID: 1, Gen: 0}
	o := newFake(types(typ[oldHunter]()), nil)
	o.rows(nil, []oldHunter{{Prey: never, Hunger: 1}, {Prey: alive, Hunger: 2}, {}})
	alive = o.w.img.Archetypes[0].Entities[0]
	slots := o.w.img.Pool.Slots // the last one is freed: it lived once
	last := o.w.img.Archetypes[0].Entities[2]
	dead := last
	slots[last.ID].Gen++
	o.w.img.Archetypes[0].Entities[2].Gen++
	rows := o.w.img.Archetypes[0].Columns[0].Interface().([]oldHunter)
	rows[1] = oldHunter{Prey: alive, Pack: []ecs.Entity{dead, alive, never}, Scents: map[ecs.Entity]int{alive: 1, dead: 2, never: 3},
		Past: []ecs.Entity{dead, never}, Hunger: 2}

	data := save(t, o.w, nil)
	same := newFake(types(typ[oldHunter]()), nil)
	if rep := load(t, data, same.w, nil); len(rep.Skipped) > 0 {
		t.Errorf("an exact load left something out: %+v", rep.Skipped)
	}
	if got := columnOf[oldHunter](t, same.w, 0); !reflect.DeepEqual(got, rows) {
		t.Errorf("an exact load changed %+v to %+v", rows, got)
	}

	n := newFake(types(typ[newHunter]()), nil)
	rep := load(t, data, n.w, &Options{Rename: map[string]string{value.LayoutOf(typ[oldHunter]()).Name: value.LayoutOf(typ[newHunter]()).Name}})
	got := columnOf[newHunter](t, n.w, 0)
	none := ecs.Entity{}
	if got[0].Prey != none || got[0].Hunger != 1 {
		t.Errorf("an entity that never lived was loaded: %+v", got[0])
	}
	want := newHunter{Prey: alive, Pack: []ecs.Entity{none, alive, none}, Scents: map[ecs.Entity]int{alive: 1}, Past: []ecs.Entity{dead, none}, Hunger: 2}
	if !reflect.DeepEqual(got[1], want) {
		t.Errorf("loaded %+v, want %+v", got[1], want)
	}
	if len(rep.Skipped) != 1 || rep.Skipped[0].Kind != "entity" || !strings.Contains(rep.Skipped[0].Reason, "6 entities") ||
		!strings.Contains(rep.Skipped[0].Reason, fmt.Sprint(never)) {
		t.Errorf("the report says %+v", rep.Skipped)
	}

	// Another engine's world proves nothing either, though every type is the same.
	other := newFake(types(typ[oldHunter]()), nil)
	cat := *other.w.cat
	cat.Engine.Name = "another"
	other.w.cat = ecs.NewCatalog(cat)
	load(t, data, other.w, nil)
	if got := columnOf[oldHunter](t, other.w, 0); got[0].Prey != none || got[1].Prey != alive || got[0].Hunger != 1 {
		t.Errorf("from another engine's world: %+v", got)
	}
}

// A difference shows the labels of the field's own tag.
func TestDiffShowsLabels(t *testing.T) {
	a, b := newFake(types(typ[oldLamp]()), nil), newFake(types(typ[oldLamp]()), nil)
	a.rows(nil, []oldLamp{{Color: 0}})
	b.rows(nil, []oldLamp{{Color: 2}})
	res, err := Diff(a.w.cat, &a.w.img, &b.w.img, DiffOptions{Limit: 5})
	if err != nil || len(res.Rows) != 1 || string(res.Rows[0].From) != `"Red"` || string(res.Rows[0].To) != `"Blue"` {
		t.Errorf("%+v, %v", res, err)
	}
}
