package archeworld

import (
	"slices"
	"testing"

	"github.com/mlange-42/arche/ecs"

	loupe "github.com/loupe-ecs/loupe/ecs"
)

// What came up after the capture is gone after the restore, from the order of
// iteration, from cached filters and from memory.
func TestRestoreTakesCompositionsBack(t *testing.T) {
	w := ecs.NewWorld(8)
	posID, velID, childID := ecs.ComponentID[pos](&w), ecs.ComponentID[vel](&w), ecs.ComponentID[childOf](&w)
	cached := w.Cache().Register(ecs.All(posID))
	lw := New(&w)
	w.NewEntity(posID)
	var img loupe.Image
	if err := lw.Capture(&img); err != nil {
		t.Fatal(err)
	}
	nodes, archetypes, memory := len(w.Stats().Nodes), len(lw.Catalog().Archetypes), w.Stats().Memory
	order := func(f ecs.Filter) (es []ecs.Entity) {
		q := w.Query(f)
		for q.Next() {
			es = append(es, q.Entity())
		}
		return es
	}
	for round := range 80 { // more than two of arche's pages
		ids := []ecs.ID{posID, velID, childID}
		if round%2 == 0 {
			slices.Reverse(ids) // compositions come about in another order
		}
		for i := range ids {
			e := w.NewEntity(ids[:i+1]...)
			if w.Has(e, childID) {
				w.Relations().Set(e, childID, e)
			}
		}
		if err := lw.Restore(&img); err != nil {
			t.Fatal(err)
		}
		if s := w.Stats(); len(s.Nodes) != nodes || s.Memory > memory+1000 {
			t.Fatalf("round %d: %d nodes with %d bytes, want %d with %d", round, len(s.Nodes), s.Memory, nodes, memory)
		}
		if got := lw.Catalog().Archetypes; len(got) != archetypes {
			t.Fatalf("round %d: %d archetypes, want %d", round, len(got), archetypes)
		}
		a, b := w.NewEntity(velID, posID), w.NewEntity(posID, childID)
		want := []ecs.Entity{engineEntity(loupe.Entity{ID: 1}), a, b}
		if got, all := order(&cached), order(ecs.All(posID)); !slices.Equal(got, want) || !slices.Equal(all, want) {
			t.Fatalf("round %d: a new archetype comes at the wrong place: %v and %v, want %v", round, got, all, want)
		}
	}
}
