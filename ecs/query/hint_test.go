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
)

type Fuse struct {
	Left time.Duration
	Kind string
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
