package query_test

import (
	"encoding/json"
	"testing"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/query"
)

// Every number of an explanation, worked out by hand: 4 entities with Position
// and Health (HP 0 to 3), 3 enemies (HP 10 to 12), 2 that only stand there.
func TestExplainCounts(t *testing.T) {
	aw := arche.NewWorld()
	plain := generic.NewMap2[Position, Health](&aw)
	enemies := generic.NewMap3[Position, Health, Enemy](&aw)
	still := generic.NewMap1[Position](&aw)
	for i := range 4 {
		plain.NewWith(&Position{}, &Health{HP: i, Max: 5})
	}
	for i := range 3 {
		enemies.NewWith(&Position{}, &Health{HP: 10 + i, Max: 5}, &Enemy{})
	}
	still.New()
	still.New()
	w := archeworld.New(&aw)
	for _, c := range []struct {
		q          query.Query
		matched    int
		filters    string
		conditions string
		why        bool
	}{
		{query.Query{With: []string{"Position", "Health"}, Without: []string{"Enemy"}, Where: "Health.HP > 0 && Health.HP < 3"}, 2,
			`[{"filter":"with Position","archetypes":3,"entities":9,"alone":9},{"filter":"with Health","archetypes":2,"entities":7,"alone":7},{"filter":"without Enemy","archetypes":1,"entities":4,"alone":6}]`,
			`[{"condition":"Health.HP \u003e 0","rows":4,"passed":3,"alone":3},{"condition":"Health.HP \u003c 3","rows":3,"passed":2,"alone":3}]`, false},
		{query.Query{With: []string{"Enemy"}, Where: "Health.HP < 10 || Health.HP > 12"}, 0,
			`[{"filter":"with Enemy","archetypes":1,"entities":3,"alone":3},{"filter":"with Health (named in where)","archetypes":1,"entities":3,"alone":7}]`,
			`[{"condition":"Health.HP \u003c 10 || Health.HP \u003e 12","rows":3,"passed":0,"alone":0}]`, true},
		{query.Query{With: []string{"Position"}, Exclusive: true}, 2, `[{"filter":"with Position","archetypes":3,"entities":9,"alone":9},{"filter":"exclusive","archetypes":1,"entities":2,"alone":2}]`, `null`, false},
	} {
		p, err := query.Compile(w.Catalog(), c.q)
		if err != nil {
			t.Fatal(err)
		}
		ex, err := p.Explain(w)
		if err != nil {
			t.Fatal(err)
		}
		text := func(v any) string { b, _ := json.Marshal(v); return string(b) }
		if ex.Matched != c.matched || (ex.Why != "") != c.why {
			t.Errorf("%+v: matched %d, why %q", c.q, ex.Matched, ex.Why)
		}
		if got := text(ex.Filters); got != c.filters {
			t.Errorf("%+v: filters\n got %s\nwant %s", c.q, got, c.filters)
		}
		if got := text(ex.Conditions); got != c.conditions {
			t.Errorf("%+v: conditions\n got %s\nwant %s", c.q, got, c.conditions)
		}
	}
}
