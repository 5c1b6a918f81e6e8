package replay_test

import (
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/timeline/replay"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Two moments are the same if nothing differs, and the first thing that does is
// named.
func TestSame(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*game)
		where  string
	}{
		"nothing":                {func(*game) {}, ""},
		"a value":                {func(g *game) { g.at(g.entities[4]).X++ }, "values of Position"},
		"a resource":             {func(g *game) { g.score.Sum++ }, "the resource Score"},
		"a resource more":        {func(g *game) { arche.AddResource(&g.ew, &Note{}) }, "which resources there are"},
		"a state of the host":    {func(g *game) { g.state.n++ }, "the host's state counter"},
		"an entity more":         {func(g *game) { g.ew.NewEntity(g.pos) }, "the table of entities"},
		"an entity less":         {func(g *game) { g.ew.RemoveEntity(g.entities[19]) }, "the table of entities"},
		"a component more":       {func(g *game) { g.ew.Add(g.entities[4], g.note) }, "the archetypes"},
		"another order of rows":  {func(g *game) { g.ew.Add(g.entities[4], g.note); g.ew.Remove(g.entities[4], g.note) }, "the order of rows"},
		"the same, put together": {func(g *game) { g.ew.Add(g.entities[19], g.note); g.ew.Remove(g.entities[19], g.note) }, ""},
	} {
		g := newGame(func(*game) []system { return nil })
		before := moment(t, g)
		c.change(g)
		after := moment(t, g)
		for _, pair := range [][2]*replay.State{{before, after}, {after, before}} {
			same, where := replay.Same(g.w.Catalog(), pair[0], pair[1])
			if same != (c.where == "") || where != c.where {
				t.Errorf("%s: same %v, %q; want %q", name, same, where, c.where)
			}
		}
	}
}

// States of a host that come or go, or change places, are a difference.
func TestSameComparesTheHostsStates(t *testing.T) {
	g := newGame(func(*game) []system { return nil })
	one := moment(t, g)
	g.app.Snapshots.States = append(g.app.Snapshots.States, quiet{})
	two := moment(t, g)
	g.app.Snapshots.States = []host.SnapshotState{quiet{}, &g.state}
	turned := moment(t, g)
	cat := g.w.Catalog()
	for _, c := range []struct {
		a, b  *replay.State
		same  bool
		where string
	}{
		{two, one, false, "the host's state quiet"},
		{one, two, false, "the host's state quiet"},
		{two, turned, false, "the host's state counter"},
		{two, two, true, ""},
	} {
		if same, where := replay.Same(cat, c.a, c.b); same != c.same || where != c.where {
			t.Errorf("%d states beside %d: same %v, %q; want %q", len(c.a.States), len(c.b.States), same, where, c.where)
		}
	}
}

func moment(t *testing.T, g *game) *replay.State {
	t.Helper()
	a, err := replay.Begin(g.w, g.app)
	if err != nil {
		t.Fatal(err)
	}
	s := new(replay.State)
	if err := a.Save(s); err != nil {
		t.Fatal(err)
	}
	if err := a.End(); err != nil {
		t.Fatal(err)
	}
	return s
}

// quiet is a state that says nothing.
type quiet struct{}

func (quiet) Name() string                     { return "quiet" }
func (quiet) Version() int                     { return 1 }
func (quiet) Save() ([]byte, error)            { return nil, nil }
func (quiet) Load(int, []byte) (func(), error) { return nil, nil }
