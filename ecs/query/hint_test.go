package query_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

type Fuse struct {
	Left time.Duration
	Kind string
}

type ammo uint8

// Shot has a kind, and Fired is a resource.
type (
	Shot  struct{ Kind ammo }
	Fired struct{ N int }
)

// Who takes a label for a component is told whose label it is, in a condition
// that compiles; who misses a resource's field is told its fields.
func TestHintsForLabelsAndResources(t *testing.T) {
	value.EnumLabels(map[ammo]string{0: "Bolt", 1: "Flame"})
	w := arche.NewWorld()
	w.NewEntity(arche.ComponentID[Shot](&w))
	w.NewEntity(arche.ComponentID[Fuse](&w))
	arche.AddResource(&w, &Fired{})
	cat := archeworld.New(&w).Catalog()
	const condition = "Shot.Kind == Bolt"
	for _, q := range []query.Query{{With: []string{"Bolt"}}, {Without: []string{"bolt"}}, {Where: "has(Bolt)"}, {Where: "Bolt"}} {
		_, err := query.Compile(cat, q)
		var e *refusal.Error
		if !errors.As(err, &e) || e.Code != refusal.UnknownComponent || !strings.HasSuffix(e.Hint, condition) || e.Options[0] != "Shot" {
			t.Errorf("%+v: %+v", q, e)
		}
	}
	if _, err := query.Compile(cat, query.Query{Where: condition}); err != nil {
		t.Errorf("what the hint says: %v", err)
	}
	for _, where := range []string{"Fired.value > 1", "Fired.n > 1"} {
		_, err := query.Compile(cat, query.Query{Where: where})
		var e *refusal.Error
		if !errors.As(err, &e) || e.Code != refusal.UnknownField || !slices.Equal(e.Options, []string{"N"}) || e.Hint != "write Fired.N" {
			t.Errorf("%s: %+v", where, e)
		}
	}
}

// Whoever writes Go where where has something else is told what to write.
func TestHintsForGoHabits(t *testing.T) {
	w := arche.NewWorld()
	w.NewEntity(arche.ComponentID[Fuse](&w))
	cat := archeworld.New(&w).Catalog()
	for where, want := range map[string]string{
		`Fuse.Left > "1.5s"`:                    "1500000000",
		`Fuse.Kind == Slow`:                     `"Slow"`,
		`strings.Contains(Fuse.Kind, "s") && 1`: "contains",
	} {
		_, err := query.Compile(cat, query.Query{Where: where})
		var e *refusal.Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, want) && !slices.Contains(e.Options, want) {
			t.Errorf("%s: %+v, want a hint or option %q", where, e, want)
		}
	}
	if _, err := query.Compile(cat, query.Query{Where: "Fuse.Left > 1500000000"}); err != nil {
		t.Errorf("what the hint says: %v", err)
	}
}
