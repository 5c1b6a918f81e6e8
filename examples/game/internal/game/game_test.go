package game

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Stopping movement freezes what moves, and nothing else.
func TestMovementAloneMoves(t *testing.T) {
	t.Parallel()
	g := play(t, Options{Seed: 2, Enemies: 40}, 120)
	if err := g.Schedule.SetEnabled("movement", false); err != nil {
		t.Fatal(err)
	}
	before, score, rng := positions(g), *g.score, *g.rng
	run(g, 90)
	stayed := 0
	for e, p := range positions(g) {
		if was, ok := before[e]; ok {
			stayed++
			if was != p {
				t.Errorf("entity %v moved from %v to %v", e, was, p)
			}
		}
	}
	if stayed < 40 {
		t.Errorf("only %d entities are there before and after", stayed)
	}
	if g.tick.N != 210 || g.score.Elapsed == score.Elapsed || g.score.Shots == score.Shots || *g.rng == rng {
		t.Errorf("the rest stood still too: tick %d, score %+v", g.tick.N, *g.score)
	}
	g.Schedule.SetEnabled("movement", true)
	before = positions(g)
	run(g, 1)
	moved := 0
	for e, p := range positions(g) {
		if was, ok := before[e]; ok && was != p {
			moved++
		}
	}
	if moved < 20 {
		t.Errorf("%d entities move again, want most", moved)
	}
}

func TestOnlyPlayingAdvances(t *testing.T) {
	t.Parallel()
	for _, state := range []string{Paused, Menu, GameOver} {
		g := play(t, Options{Seed: 2, Enemies: 40}, 60)
		if err := g.States.Push(state); err != nil {
			t.Fatal(err)
		}
		before := g.Hash()
		run(g, 60)
		if g.Hash() != before || g.tick.N != 60 {
			t.Errorf("%s: the world changed, tick %d", state, g.tick.N)
		}
		if g.frame != 120 || len(g.Schedule.History(1).Frames) != 1 {
			t.Errorf("%s: frames stopped", state)
		}
		g.States.Pop()
		run(g, 1)
		if g.Hash() == before {
			t.Errorf("%s: nothing happens after it is left", state)
		}
	}
}

func TestStatesRefuse(t *testing.T) {
	g := play(t, Options{Seed: 1}, 0)
	if err := g.States.Push("pausd"); err == nil || err.(*refusal.Error).Options[0] != Paused {
		t.Errorf("unknown state: %v", err)
	}
	for g.States.Pop() == nil {
	}
	if got := g.States.Stack(); !slices.Equal(got, []string{Menu}) {
		t.Errorf("stack after popping all: %v", got)
	}
	for range maxStates + 5 {
		g.States.Push(Playing)
	}
	if len(g.States.Stack()) != maxStates {
		t.Errorf("stack is %d deep", len(g.States.Stack()))
	}
}

// The waves, the fighting and the dying go on for long without the player
// vanishing or the world filling up.
func TestALongGame(t *testing.T) {
	t.Parallel()
	g := play(t, Options{Seed: 4, Enemies: 60}, 0)
	e := playerOf(t, g)
	most := 0
	for range 2000 {
		run(g, 1)
		most = max(most, countFoes(g))
	}
	if !g.World.Alive(e) || playerOf(t, g) != e {
		t.Error("the player vanished")
	}
	if g.score.Wave < 2 || g.score.Kills < 40 || g.score.Coins == 0 || g.score.Hits == 0 {
		t.Errorf("little happened: %+v", *g.score)
	}
	if n := g.World.Stats().Entities.Used; n > 1000 || most > 120 {
		t.Errorf("%d entities, at most %d enemies at once", n, most)
	}
	if g.level.Walls < 8 {
		t.Errorf("%d walls", g.level.Walls)
	}
}

// All kinds of enemy do what they are for.
func TestKindsBehave(t *testing.T) {
	t.Parallel()
	g := play(t, Options{Seed: 6, Enemies: 80}, 0)
	seen := map[Mood]int{}
	foreign := 0
	moods := []Mood{Chase, Flank, Windup, Charge, Retreat}
	missing := func(m Mood) bool { return seen[m] == 0 }
	for range 900 {
		if foreign > 0 && !slices.ContainsFunc(moods, missing) {
			break
		}
		run(g, 1)
		q := generic.NewFilter1[Brain]().Query(&g.World)
		for q.Next() {
			seen[q.Get().Mood]++
		}
		b := g.boltAge.Query(&g.World)
		for b.Next() {
			if b.Get().Owner != g.player.entity {
				foreign++
			}
		}
	}
	for _, m := range moods {
		if seen[m] == 0 {
			t.Errorf("nobody was ever in the mood %v: %v", m, seen)
		}
	}
	if foreign == 0 {
		t.Error("no sniper shot")
	}
}

func TestAPlayerThatIsDownIsHelpedUpByTheNextWave(t *testing.T) {
	t.Parallel()
	g := play(t, Options{Seed: 2, Enemies: 40}, 60)
	e := playerOf(t, g)
	g.health.Get(e).HP = 0
	run(g, 2)
	if !g.pilot.Get(e).Down {
		t.Fatal("at 0 HP the player stands")
	}
	at := *g.position.Get(e)
	run(g, 30)
	if moved := *g.position.Get(e); math.Hypot(moved.X-at.X, moved.Y-at.Y) > 40 {
		t.Errorf("down, but went from %v to %v", at, moved)
	}
	wave := g.score.Wave
	g.rules.WaveSeconds = 6
	for range 60 * 7 {
		run(g, 1)
		if g.score.Wave > wave {
			break
		}
		if g.health.Get(e).HP != 0 {
			t.Fatal("up before the next wave")
		}
	}
	if h := g.health.Get(e); h.HP != h.Max || g.pilot.Get(e).Down {
		t.Errorf("after the wave: %+v", *h)
	}
}

func TestLivesEndTheGame(t *testing.T) {
	g := play(t, Options{Seed: 2, Enemies: 40}, 60)
	g.rules.Lives, g.rules.EnemyDamage, g.rules.Autopilot = 1, 100, false
	for range 1200 {
		run(g, 1)
	}
	if g.States.Top() != GameOver || g.score.Deaths != 1 {
		t.Fatalf("top state %s, %d deaths", g.States.Top(), g.score.Deaths)
	}
	g.App().Events.Push("key", KeyEvent{Key: "enter", Down: true})
	if g.States.Top() != Playing || !slices.Equal(g.States.Stack(), []string{Menu, Playing}) {
		t.Errorf("Enter leads to %v", g.States.Stack())
	}
	if h := g.health.Get(playerOf(t, g)); h.HP != h.Max || g.score.Deaths != 0 {
		t.Errorf("the new game begins with %+v, %d deaths", *h, g.score.Deaths)
	}
}

// Somebody who edits the world may write any number anywhere. It must neither
// panic nor spread to entities that were sound.
func TestOddNumbersDoNotSpread(t *testing.T) {
	t.Parallel()
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, math.MaxFloat64, 5e-324, -1, 0}
	g := play(t, Options{Seed: 8, Enemies: 80}, 60)
	rng := rand.New(rand.NewPCG(1, 1))
	spoilt := map[ecs.Entity]bool{}
	for range 250 {
		run(g, 1)
		q := generic.NewFilter5[Position, Velocity, Brain, Body, Enemy]().Query(&g.World)
		for q.Next() {
			if rng.IntN(400) > 0 {
				continue
			}
			spoilt[q.Entity()] = true
			p, v, b, body, e := q.Get()
			x := odd[rng.IntN(len(odd))]
			targets := []*float64{&p.X, &p.Y, &v.X, &v.Y, &b.Timer, &b.HeadingX, &b.Cooldown, &b.Flash, &body.Radius, &body.PushX, &e.Aggro}
			*targets[rng.IntN(len(targets))] = x
			e.Kind, body.Group, b.Mood = EnemyKind(rng.IntN(256)), Group(rng.IntN(256)), Mood(rng.IntN(256))
		}
		if g.frame%50 == 0 {
			g.Draw()
			g.App().Physics.Info()
		}
	}
	if len(spoilt) < 25 {
		t.Fatalf("only %d entities were spoilt", len(spoilt))
	}
	q := generic.NewFilter2[Position, Velocity]().Query(&g.World)
	for q.Next() {
		if p, v := q.Get(); !spoilt[q.Entity()] && !finite(p.X, p.Y, v.X, v.Y) {
			t.Errorf("entity %v caught it: %v %v", q.Entity(), *p, *v)
		}
	}
	// The player itself, and what all depend on.
	for _, x := range odd {
		p := g.position.Get(playerOf(t, g))
		kept := *p
		p.X = x
		g.rules.PlayerSpeed, g.rules.EnemySpeed, g.rules.EnemyDamage, g.rules.WaveSeconds, g.rules.PlayerReload = x, x, x, x, x
		g.camera.X, g.camera.Zoom, g.camera.Rotation = x, x, x
		run(g, 3)
		g.Draw()
		*g.position.Get(playerOf(t, g)) = kept
	}
}

// Entities of any composition: systems take what is complete and leave the rest.
func TestAnyCompositionOfComponents(t *testing.T) {
	t.Parallel()
	g := play(t, Options{Seed: 8, Enemies: 20}, 30)
	w := &g.World
	ids := []ecs.ID{ecs.ComponentID[Position](w), ecs.ComponentID[Velocity](w), ecs.ComponentID[Health](w), ecs.ComponentID[Enemy](w), ecs.ComponentID[Brain](w),
		ecs.ComponentID[Body](w), ecs.ComponentID[Sprite](w), ecs.ComponentID[Projectile](w), ecs.ComponentID[Pickup](w), ecs.ComponentID[Particle](w),
		ecs.ComponentID[Player](w), ecs.ComponentID[Pilot](w), ecs.ComponentID[Wall](w), ecs.ComponentID[Inventory](w), ecs.ComponentID[Offset](w), ecs.ComponentID[ChildOf](w)}
	w.NewEntity()
	for _, id := range ids {
		w.NewEntity(id)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for range 300 {
		var some []ecs.ID
		for _, id := range ids {
			if rng.IntN(2) == 0 {
				some = append(some, id)
			}
		}
		w.NewEntity(some...)
	}
	for range 10 {
		run(g, 15)
		g.Draw()
	}
	app := g.App()
	app.Layers.List()
	app.Materials.List()
	app.Summary()
}

// A Position alone just stands there; Health without an Enemy is nobody's business.
func TestIncompleteEntitiesAreLeftAlone(t *testing.T) {
	t.Parallel()
	g := play(t, Options{Seed: 3, Enemies: 40}, 10)
	m := generic.NewMap2[Position, Health](&g.World)
	e := m.NewWith(&Position{11, 12}, &Health{HP: 0, Max: 9})
	stray := generic.NewMap1[Enemy](&g.World)
	en := stray.NewWith(&Enemy{Kind: Brute, Target: e, Aggro: 0.5})
	run(g, 300)
	p, h := m.Get(e)
	if *p != (Position{11, 12}) || *h != (Health{0, 9}) {
		t.Errorf("changed to %v %v", *p, *h)
	}
	if got := stray.Get(en); got.Target != e || got.Aggro != 0.5 {
		t.Errorf("the stray enemy became %+v", *got)
	}
}

// An enemy without a Brain walks straight at the player.
func TestAnEnemyNeedsNoBrain(t *testing.T) {
	g := play(t, Options{Seed: 3}, 1)
	m := generic.NewMap3[Enemy, Position, Velocity](&g.World)
	at := g.position.Get(playerOf(t, g))
	e := m.NewWith(&Enemy{Kind: Grunt}, &Position{at.X + 300, at.Y}, &Velocity{})
	g.rules.Autopilot = false
	run(g, 60)
	_, p, _ := m.Get(e)
	if d := p.X - g.position.Get(playerOf(t, g)).X; d > 250 {
		t.Errorf("it is still %v away", d)
	}
}

// The engine moves rows behind the collector's back: entities with an Inventory
// are neither removed nor changed in composition, whatever happens to them.
func TestInventoriesStayWhereTheyAre(t *testing.T) {
	g := play(t, Options{Seed: 3, Enemies: 40}, 10)
	m := generic.NewMap4[Enemy, Health, Position, Inventory](&g.World)
	note := strings.Repeat("x", 100)
	e := m.NewWith(&Enemy{}, &Health{HP: 0, Max: 5}, &Position{100, 100}, &Inventory{Note: note})
	wall := generic.NewMap3[Wall, Position, Inventory](&g.World)
	we := wall.NewWith(&Wall{10, 10}, &Position{200, 200}, &Inventory{Note: note})
	run(g, 120)
	for l := g.LoadLevel(2); l.Step(3); {
	}
	runtime.GC()
	run(g, 60)
	if !g.World.Alive(e) || !g.World.Alive(we) {
		t.Fatal("an entity with an Inventory was removed")
	}
	if _, _, _, inv := m.Get(e); inv.Note != note {
		t.Errorf("its note became %q", inv.Note)
	}
	pointers := reflect.TypeFor[Inventory]()
	q := g.all.Query(&g.World)
	n := 0
	for q.Next() {
		for _, id := range q.Ids() {
			if info, _ := ecs.ComponentInfo(&g.World, id); info.Type == pointers {
				n++
			}
		}
	}
	if n != 1+len(loot)+2 {
		t.Errorf("%d inventories, want the player's, the chests' and two more", n)
	}
}

func TestTheGameGoesOnWithoutAPlayer(t *testing.T) {
	g := play(t, Options{Seed: 3, Enemies: 40}, 60)
	g.World.RemoveEntity(playerOf(t, g))
	run(g, 300)
	g.Draw()
	if g.tick.N != 360 {
		t.Errorf("tick %d", g.tick.N)
	}
	if q := g.children.Query(&g.World); q.Count() == 0 {
		t.Error("the drones vanished: nobody removed them")
	} else {
		q.Close()
	}
}

// A captain's banner goes with the captain.
func TestChildrenGoWithTheirParents(t *testing.T) {
	g := play(t, Options{Seed: 3, Enemies: 60}, 2)
	var banner, captain ecs.Entity
	q := g.children.Query(&g.World)
	for q.Next() {
		if p := q.Relation(); g.enemyKind.Has(p) {
			banner, captain = q.Entity(), p
		}
	}
	if banner.IsZero() {
		t.Fatal("no captain has a banner")
	}
	p, b := g.position.Get(captain), g.position.Get(banner)
	if b.X != p.X || b.Y != p.Y-15 {
		t.Errorf("banner at %v, captain at %v", *b, *p)
	}
	g.health.Get(captain).HP = 0
	run(g, 1)
	if g.World.Alive(captain) || g.World.Alive(banner) {
		t.Error("captain or banner is still there")
	}
}

func TestLoadingALevelBuildsItsWallsBitByBit(t *testing.T) {
	g := play(t, Options{Seed: 3, Enemies: 40}, 60)
	count := func() int { q := g.walls.Query(&g.World); defer q.Close(); return q.Count() }
	old := positions(g)
	l := g.LoadLevel(2)
	if g.level.Ready || count() != 0 {
		t.Errorf("at the start: ready %v, %d walls", g.level.Ready, count())
	}
	for built := 2; l.Step(2); built += 2 {
		if count() != built || g.level.Ready {
			t.Fatalf("%d walls stand, want %d", count(), built)
		}
	}
	if count() != l.Len() || !g.level.Ready || g.level.Number != 2 || l.Len() < 8 {
		t.Errorf("at the end: %d of %d walls, %+v", count(), l.Len(), *g.level)
	}
	for e, p := range positions(g) {
		if was, ok := old[e]; ok && was != p {
			t.Errorf("loading moved %v", e)
		}
	}
	// What stood where a wall is now is pushed out of it.
	run(g, 120)
	q := g.bodies.Query(&g.World)
	g.fillSpace()
	for q.Next() {
		if b, p := q.Get(); b.Group == GroupEnemy && !g.isFree(p.X, p.Y, b.Radius/2) {
			t.Errorf("enemy %v is inside a wall at %v", q.Entity(), *p)
		}
	}
}

func TestTheCrashIsInCombatWithAQueryOpenAndOnlyOnce(t *testing.T) {
	g := play(t, Options{Seed: 3, Enemies: 40, CrashAt: 30}, 29)
	msg := func() (msg any) {
		defer func() { msg = recover() }()
		run(g, 1)
		return nil
	}()
	if err, ok := msg.(runtime.Error); !ok || !strings.Contains(err.Error(), "index out of range") {
		t.Fatalf("frame 30 ended with %v", msg)
	}
	if name, _ := g.Schedule.Running(); name != "combat" || !g.World.IsLocked() {
		t.Errorf("running %q, locked %v", name, g.World.IsLocked())
	}
	if err := archeworld.New(&g.World).Unlock(); err != nil {
		t.Fatal(err)
	}
	run(g, 60)
	if g.tick.N != 90 {
		t.Errorf("the resumed game is at tick %d", g.tick.N)
	}
}

func TestTheHangShowsItsNameAndEndsWhenTold(t *testing.T) {
	stop := make(chan struct{})
	g := play(t, Options{Seed: 3, Enemies: 40, HangAt: 10, HangFor: time.Hour, Stop: stop}, 9)
	done := make(chan struct{})
	go func() { run(g, 1); close(done) }()
	for deadline := time.Now().Add(10 * time.Second); ; {
		buf := make([]byte, 1<<20)
		if strings.Contains(string(buf[:runtime.Stack(buf, true)]), "hangingPathfinder") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no stack shows hangingPathfinder")
		}
		runtime.Gosched()
	}
	if name, _ := g.Schedule.Running(); name != "enemy_ai" {
		t.Errorf("running %q while it hangs, want enemy_ai", name)
	}
	close(stop)
	<-done
	run(g, 10)
	if g.tick.N != 20 {
		t.Errorf("tick %d after the hang", g.tick.N)
	}
}
