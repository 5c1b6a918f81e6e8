package timeline

import (
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/timeline/replay"
	"github.com/loupe-ecs/loupe/tools/host"
)

// TB is the part of testing.TB that CheckDeterminism needs.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

// CheckDeterminism fails a game's test if a tick comes out differently when it
// is run twice from the same state: it names the first tick, the system, the
// entity and the path, and both values. Each of so many ticks is run twice, and
// the worlds are compared after every system. The game must be able to run ticks
// on demand (host.Replayer). The world is put back.
//
//	func TestTheGameIsDeterministic(t *testing.T) {
//		g := newGame(seed)
//		timeline.CheckDeterminism(t, archeworld.New(&g.World), g.App(), 10_000)
//	}
func CheckDeterminism(t TB, w ecs.World, app *host.App, ticks int) {
	t.Helper()
	c := replay.Check{Ticks: ticks, Runs: 2}
	if _, err := c.Step(w, app, 0); err != nil {
		t.Fatalf("the game cannot be checked: %v", err)
		return
	}
	if d := c.Diverged; d != nil {
		t.Fatalf("not deterministic: tick %d, system %q: %s %s %s %s: %s in one run, %s in the other, and %d more differences; %s",
			d.Tick, d.System, d.Kind, d.Entity, d.Component, d.Path, d.A, d.B, d.More, d.Note)
		return
	}
	if c.Ended != "" {
		t.Logf("checked %d ticks of %d: %s", c.Ran, ticks, c.Ended)
	}
}
