package game

import (
	"testing"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/timeline"
)

// TestEveryTickComesOutTheSameAgain: every tick comes out the same when it is run
// again, through waves, deaths and pickups.
func TestEveryTickComesOutTheSameAgain(t *testing.T) {
	ticks := 10_000
	if testing.Short() {
		ticks = 600
	}
	g, err := New(Options{Seed: 7, Enemies: 12})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	before := g.Hash()
	timeline.CheckDeterminism(t, archeworld.New(&g.World), g.App(), ticks)
	if g.Hash() != before || g.Ticks() != 0 {
		t.Errorf("the check has left tick %d behind, state %x; want 0, %x", g.Ticks(), g.Hash(), before)
	}
}
