package watch_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/timeline/watch"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

type (
	Position struct{ X, Y float64 }
	Health   struct{ HP, Max int }
	Burning  struct{}
	Bag      struct {
		Tags  map[string]int
		Owner *Health
	}
	Padded struct {
		A byte
		B int64
	}
	Score struct{ Points int }
)

// game is a world, its systems and a clock that counts at the end of a tick.
type game struct {
	t     *testing.T
	ew    arche.World
	w     ecs.World
	sched *schedule.Schedule
	clock clock
	app   *host.App
	set   *watch.Set
	frame uint64
	score *Score

	pos, hp, burn, bag, pad arche.ID
	player                  arche.Entity
	do                      map[string]func() // what a system does besides, once set
}

type clock struct {
	tick   uint64
	paused bool
}

func (c *clock) Info() host.ClockInfo { return host.ClockInfo{Tick: c.tick, Paused: c.paused} }
func (c *clock) Set(ch host.ClockChange) error {
	if ch.Paused != nil {
		c.paused = *ch.Paused
	}
	return nil
}

func newGame(t *testing.T, systems ...string) *game {
	g := &game{t: t, ew: arche.NewWorld(), do: map[string]func(){}, score: &Score{}}
	g.w = archeworld.New(&g.ew)
	g.pos, g.hp = arche.ComponentID[Position](&g.ew), arche.ComponentID[Health](&g.ew)
	g.burn, g.bag, g.pad = arche.ComponentID[Burning](&g.ew), arche.ComponentID[Bag](&g.ew), arche.ComponentID[Padded](&g.ew)
	arche.AddResource(&g.ew, g.score)
	g.player = g.ew.NewEntity(g.pos, g.hp, g.burn, g.bag, g.pad)
	*g.health() = Health{100, 100}
	g.sched = schedule.New("update")
	for _, name := range systems {
		g.sched.Add("update", name, func() {
			if f := g.do[name]; f != nil {
				f()
			}
		})
	}
	g.app = &host.App{Systems: g.sched, Clock: &g.clock}
	g.set = watch.NewSet(watch.Options{})
	return g
}

func (g *game) health() *Health { return (*Health)(g.ew.Get(g.player, g.hp)) }
func (g *game) id() string {
	return ecs.Entity{ID: g.player.ID(), Gen: g.player.Generation()}.String()
}

func (g *game) tick() {
	if !g.clock.paused {
		g.sched.Run()
		g.clock.tick++
	}
	g.poll("")
}

func (g *game) poll(operation string) {
	g.frame++
	g.set.AtPoll(g.frame, g.w, g.app, operation)
}

func (g *game) call(tool string, f func()) {
	r, spec := &tools.Request{Name: tool, Client: "test"}, &tools.Spec{Name: tool}
	g.set.BeforeCall(spec, r)
	f()
	g.set.AfterCall(spec, r, nil)
}

func (g *game) watch(s watch.Spec) string {
	g.t.Helper()
	c, err := watch.Compile(g.w.Catalog(), s)
	if err != nil {
		g.t.Fatal(err)
	}
	info, err := g.set.Add(g.w, g.app, c)
	if err != nil {
		g.t.Fatal(err)
	}
	return info.ID
}

func text(v reflect.Value) string {
	if !v.IsValid() {
		return "none"
	}
	if v.Kind() == reflect.Float64 {
		return fmt.Sprintf("%g", v.Float())
	}
	return fmt.Sprint(v)
}

// expect compares all hits with lines of "tick who: old > new".
func (g *game) expect(id string, want ...string) {
	g.t.Helper()
	hits, _, _ := g.set.Hits(id, 0, 1000)
	var got []string
	for _, h := range hits {
		who := h.System
		if h.Call != "" {
			who = "call " + h.Call
		}
		if h.During != "" {
			who += " during " + h.During
		}
		line := fmt.Sprintf("%d %s: %s > %s", h.Tick, who, text(h.Old), text(h.New))
		if h.Note != "" {
			line += " (" + h.Note + ")"
		}
		got = append(got, line)
	}
	if !reflect.DeepEqual(got, want) {
		g.t.Errorf("hits\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// The bugs that a watch is for, each written as one: the hit names who did it.

func TestAFieldOverwrittenByTheWrongSystem(t *testing.T) {
	g := newGame(t, "combat", "camera", "cleanup")
	w := g.watch(watch.Spec{Entity: g.id(), Path: "Health.HP"})
	g.do["combat"] = func() { g.health().HP -= 5 }
	g.tick()
	g.do["camera"] = func() { g.health().HP = 0 }
	g.tick()
	g.expect(w, "1 combat: 100 > 95", "2 combat: 95 > 90", "2 camera: 90 > 0")
	// The list says what it is now, of each watch.
	max := g.watch(watch.Spec{Entity: g.id(), Path: "Health.Max"})
	g.do["camera"] = func() { g.health().Max = 70 }
	g.tick()
	for id, want := range map[string]string{w: "-5", max: "70"} {
		if l, err := g.set.List(id); err != nil || len(l) != 1 || text(l[0].Value) != want {
			t.Errorf("the list says %v, %v; want %s", l, err, want)
		}
	}
}

func TestAComponentRemovedAndAdded(t *testing.T) {
	g := newGame(t, "fire", "rain")
	tag := g.watch(watch.Spec{Entity: g.id(), Path: "Burning"})
	hp := g.watch(watch.Spec{Entity: g.id(), Path: "Health.HP"})
	g.tick()
	g.do["rain"] = func() { g.ew.Remove(g.player, g.burn, g.hp); delete(g.do, "rain") }
	g.tick()
	g.do["fire"] = func() { g.ew.Add(g.player, g.burn); delete(g.do, "fire") }
	g.tick()
	g.expect(tag, "2 rain: {} > none (the component was removed)", "3 fire: none > {}")
	g.expect(hp, "2 rain: 100 > none (the component was removed)")
}

func TestAnEntityDespawnedAndItsSlotTaken(t *testing.T) {
	g := newGame(t, "combat", "spawner")
	life := g.watch(watch.Spec{Entity: g.id()})
	hp := g.watch(watch.Spec{Entity: g.id(), Path: "Health.HP"})
	g.do["combat"] = func() {
		g.ew.RemoveEntity(g.player)
		other := g.ew.NewEntity(g.hp)
		(*Health)(g.ew.Get(other, g.hp)).HP = 100 // the same value in the same slot
		delete(g.do, "combat")
	}
	g.tick()
	g.tick()
	old := g.id()
	var id uint32
	fmt.Sscanf(old, "%dv", &id)
	now, _ := g.w.Holder(id)
	note := fmt.Sprintf("despawned; %s has its slot now", now)
	g.expect(life, "1 combat: true > false ("+note+")")
	g.expect(hp, "1 combat: 100 > none ("+note+")")
	infos, _ := g.set.List(hp)
	if !strings.Contains(infos[0].Ended, "gone") {
		t.Errorf("the watch goes on: %+v", infos[0])
	}
}

func TestAResourceReset(t *testing.T) {
	g := newGame(t, "score", "menu")
	w := g.watch(watch.Spec{Path: "Score.Points", When: "new < old"})
	g.do["score"] = func() { g.score.Points += 10 }
	g.tick()
	g.tick()
	g.do["menu"] = func() { *g.score = Score{} }
	g.tick()
	g.expect(w, "3 menu: 30 > 0")
}

func TestAResourceReplacedByAnotherObject(t *testing.T) {
	g := newGame(t, "menu")
	w := g.watch(watch.Spec{Path: "Score.Points"})
	g.do["menu"] = func() {
		g.ew.Resources().Remove(arche.ResourceID[Score](&g.ew))
		arche.AddResource(&g.ew, &Score{Points: 7})
		delete(g.do, "menu")
	}
	g.tick()
	g.do["menu"] = func() { g.ew.Resources().Remove(arche.ResourceID[Score](&g.ew)); delete(g.do, "menu") }
	g.tick()
	g.expect(w, "1 menu: 0 > 7", "2 menu: 7 > none (the resource was removed)")
}

func TestANaNBorn(t *testing.T) {
	g := newGame(t, "steer", "movement")
	w := g.watch(watch.Spec{Entity: g.id(), Path: "Position.X", When: "isnan(new) && !isnan(old)"})
	g.do["movement"] = func() { (*Position)(g.ew.Get(g.player, g.pos)).X++ }
	g.tick()
	g.do["steer"] = func() { (*Position)(g.ew.Get(g.player, g.pos)).X = math.NaN() }
	g.tick()
	g.tick()
	g.expect(w, "2 steer: 1 > NaN")
}

func TestAValueThatOscillatesWithinATick(t *testing.T) {
	g := newGame(t, "ai", "movement", "physics")
	w := g.watch(watch.Spec{Entity: g.id(), Path: "Health.Max"})
	byTick := g.watch(watch.Spec{Entity: g.id(), Path: "Health.Max", ByTick: true})
	g.do["ai"] = func() { g.health().Max = 50 }
	g.do["physics"] = func() { g.health().Max = 100 }
	g.tick()
	g.tick()
	g.expect(w, "1 ai: 100 > 50", "1 physics: 50 > 100", "2 ai: 100 > 50", "2 physics: 50 > 100")
	g.expect(byTick) // its ends are equal: nothing to see
}

func TestAWriteByAClientsScript(t *testing.T) {
	g := newGame(t, "combat")
	w := g.watch(watch.Spec{Entity: g.id(), Path: "Health.HP"})
	g.tick()
	g.call("run_lua", func() {
		g.health().HP = 77
		g.call("modify", func() { g.health().HP = 78 })
		g.health().HP = 79
	})
	g.tick()
	g.expect(w, "1 call run_lua: 100 > 77", "1 call run_lua > modify: 77 > 78", "1 call run_lua: 78 > 79")
}

func TestAChangeDuringALevelLoadAndOutsideSystems(t *testing.T) {
	g := newGame(t, "combat")
	w := g.watch(watch.Spec{Entity: g.id(), Path: "Health.HP"})
	g.tick()
	g.health().HP = 99 // the loop, between systems and Poll
	g.poll("")
	g.health().HP = 50
	g.poll("load_level")
	g.health().HP = 40
	g.poll("")
	g.do["combat"] = func() { g.health().HP = 30 }
	g.tick()
	g.health().HP = 20
	g.tick()
	g.expect(w, "1 outside systems: 100 > 99", "1 outside systems during load_level: 99 > 50", "1 outside systems during load_level: 50 > 40",
		"2 combat: 40 > 30", "3 outside systems: 30 > 20", "3 combat: 20 > 30")
}

func TestAValueBehindAPointer(t *testing.T) {
	g := newGame(t, "trade", "combat")
	bag := (*Bag)(g.ew.Get(g.player, g.bag))
	bag.Tags, bag.Owner = map[string]int{"coins": 1}, &Health{HP: 1}
	tags := g.watch(watch.Spec{Entity: g.id(), Path: "Bag.Tags"})
	coins := g.watch(watch.Spec{Entity: g.id(), Path: `Bag.Tags["coins"]`})
	owner := g.watch(watch.Spec{Entity: g.id(), Path: "Bag.Owner.HP"})
	shared := bag.Owner
	g.do["trade"] = func() { bag := (*Bag)(g.ew.Get(g.player, g.bag)); bag.Tags["coins"] = 2; delete(g.do, "trade") }
	g.do["combat"] = func() { shared.HP = 9 }
	g.tick()
	g.do["trade"] = func() { (*Bag)(g.ew.Get(g.player, g.bag)).Owner = nil }
	g.tick()
	g.expect(tags, "1 trade: map[coins:1] > map[coins:2]")
	g.expect(coins, "1 trade: 1 > 2")
	hits, _, _ := g.set.Hits(owner, 0, 10)
	if len(hits) != 2 || hits[0].System != "combat" || hits[1].System != "trade" || hits[1].New.IsValid() || !strings.Contains(hits[1].Note, "nil pointer") {
		t.Errorf("hits behind the pointer: %+v", hits)
	}
}

func TestAMoveBetweenArchetypesIsNoChange(t *testing.T) {
	g := newGame(t, "a")
	w := g.watch(watch.Spec{Entity: g.id(), Path: "Health.HP"})
	for range 200 { // the tables grow and move under the watch
		g.ew.NewEntity(g.pos, g.hp)
	}
	g.do["a"] = func() { g.ew.Remove(g.player, g.burn) }
	g.tick()
	delete(g.do, "a")
	for range 200 {
		g.ew.NewEntity(g.pos, g.hp, g.bag, g.pad)
	}
	g.tick()
	g.expect(w)
	g.health().HP = 1
	g.tick()
	g.expect(w, "3 outside systems: 100 > 1")
}

func TestPaddingIsNoValue(t *testing.T) {
	g := newGame(t, "a")
	w := g.watch(watch.Spec{Entity: g.id(), Path: "Padded"})
	g.do["a"] = func() {
		p := (*[16]byte)(g.ew.Get(g.player, g.pad))
		p[3]++ // between A and B
	}
	g.tick()
	g.expect(w)
	g.do["a"] = func() { (*Padded)(g.ew.Get(g.player, g.pad)).A = 3 }
	g.tick()
	g.expect(w, "2 a: {0 0} > {3 0}")
}

func TestTheCountOfAWhere(t *testing.T) {
	g := newGame(t, "spawner", "combat")
	w := g.watch(watch.Spec{Where: "Health.HP > 50"})
	g.do["spawner"] = func() {
		(*Health)(g.ew.Get(g.ew.NewEntity(g.hp), g.hp)).HP = 60
		delete(g.do, "spawner")
	}
	g.do["combat"] = func() { g.health().HP = 10 }
	g.tick()
	g.expect(w, "1 spawner: 1 > 2", "1 combat: 2 > 1")
}

func TestPauseHoldsAtTheEndOfTheTick(t *testing.T) {
	g := newGame(t, "a", "b")
	held := ""
	g.set = watch.NewSet(watch.Options{Held: func(id string, tick uint64) { held = fmt.Sprint(id, " at ", tick) }})
	w := g.watch(watch.Spec{Entity: g.id(), Path: "Health.HP", When: "new == 98", Pause: true})
	ran := 0
	g.do["a"], g.do["b"] = func() { g.health().HP-- }, func() { ran++ }
	for range 5 {
		g.tick()
	}
	g.expect(w, "2 a: 99 > 98")
	if ran != 2 || held != w+" at 2" {
		t.Errorf("%d ticks ran, held: %q; want 2 whole ones, held by %s at 2", ran, held, w)
	}
}

func TestTheSystemThatPanickedIsNamed(t *testing.T) {
	g := newGame(t, "a", "b")
	w := g.watch(watch.Spec{Entity: g.id(), Path: "Health.HP"})
	g.do["b"] = func() { g.health().HP = 1; panic("boom") }
	func() {
		defer func() { _ = recover() }()
		g.sched.Run()
	}()
	g.poll("")
	g.expect(w, "0 b: 100 > 1")
}

func TestLimitsAndOtherWorldsEndAWatch(t *testing.T) {
	g := newGame(t, "a")
	busy := []bool{}
	g.set = watch.NewSet(watch.Options{Busy: func(on bool) { busy = append(busy, on) }})
	w := g.watch(watch.Spec{Entity: g.id(), Path: "Health.HP", Limit: 2})
	g.do["a"] = func() { g.health().HP-- }
	for range 5 {
		g.tick()
	}
	g.expect(w, "1 a: 100 > 99", "2 a: 99 > 98")
	other := g.watch(watch.Spec{Entity: g.id(), Path: "Health.HP"})
	g.set.AtPoll(9, archeworld.New(&g.ew), g.app, "")
	infos, _ := g.set.List("")
	if len(infos) != 2 || !strings.Contains(infos[0].Ended, "limit") || !strings.Contains(infos[1].Ended, "another world") || infos[1].ID != other {
		t.Errorf("watches %+v, want one ended by its limit and one by the binding", infos)
	}
	if want := []bool{true, false, true, false}; !reflect.DeepEqual(busy, want) {
		t.Errorf("busy %v, want %v", busy, want)
	}
	if g.sched.Observe(nil) != nil {
		t.Error("nobody looks, and the schedule still has a hook")
	}
}

func TestHitsAreToldInOrderElsewhere(t *testing.T) {
	g := newGame(t, "a")
	got := make(chan []watch.Hit, 100)
	g.set = watch.NewSet(watch.Options{Tell: func(hs []watch.Hit) { got <- hs }})
	g.watch(watch.Spec{Entity: g.id(), Path: "Health.HP"})
	g.do["a"] = func() { g.health().HP-- }
	for range 50 {
		g.tick()
	}
	for n := uint64(1); n <= 50; {
		for _, h := range <-got {
			if h.N != n {
				t.Fatalf("told hit %d, want %d", h.N, n)
			}
			n++
		}
	}
}

func TestRefusalsTeach(t *testing.T) {
	g := newGame(t, "a")
	cat := g.w.Catalog()
	for _, c := range []struct {
		spec watch.Spec
		want string
	}{
		{watch.Spec{}, "nothing to watch"},
		{watch.Spec{Path: "Health.HP"}, "name the entity too"},
		{watch.Spec{Path: "Scor.Points"}, `no resource "Scor"`},
		{watch.Spec{Path: "Score.Pionts"}, "Pionts"},
		{watch.Spec{Entity: "x", Path: "Health.HP"}, "not an entity"},
		{watch.Spec{Entity: g.id(), Path: "Helth.HP"}, "Helth"},
		{watch.Spec{Entity: g.id(), Path: "Health.HP", When: "new <"}, "when, "},
		{watch.Spec{Entity: g.id(), Path: "Health.HP", When: "now < old"}, "it knows old and new"},
		{watch.Spec{Entity: g.id(), Path: "Health.HP", When: `new == "x"`}, "when, "},
		{watch.Spec{Entity: g.id(), Where: "Health.HP > 1"}, "name one of them"},
		{watch.Spec{Where: "Health.HP >"}, "where"},
	} {
		_, err := watch.Compile(cat, c.spec)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.spec, err, c.want)
		}
	}
	for spec, want := range map[watch.Spec]string{
		{Entity: "7000v0", Path: "Health.HP"}:                        "not alive",
		{Entity: "7000", Path: "Health.HP"}:                          "no entity lives in slot 7000",
		{Entity: g.id(), Path: "Health.HP", Limit: 1_000_000}:        "too large",
		{Entity: g.id(), Path: "Health.HP", Pause: true, Limit: 100}: "no clock",
	} {
		c, err := watch.Compile(cat, spec)
		if err == nil {
			_, err = g.set.Add(g.w, &host.App{Systems: g.sched}, c)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", spec, err, want)
		}
	}
	if err := g.set.Remove("w9"); err == nil {
		t.Error("removed a watch that is not there")
	}
}

func TestLookingAllocatesNothing(t *testing.T) {
	g := newGame(t, "a", "b")
	for _, path := range []string{"Health.HP", "Position.X", "Padded", "Burning"} {
		g.watch(watch.Spec{Entity: g.id(), Path: path})
	}
	g.watch(watch.Spec{Path: "Score.Points"})
	g.watch(watch.Spec{Entity: g.id()})
	if n := testing.AllocsPerRun(100, g.tick); n != 0 {
		t.Errorf("looking at what does not change allocates %v times a tick", n)
	}
}

// BenchmarkFrame is what ten watches by system add to a frame of 20 systems.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{0, 10} {
		b.Run(fmt.Sprintf("watches=%d", n), func(b *testing.B) {
			var names []string
			for i := range 20 {
				names = append(names, fmt.Sprint("system", i))
			}
			g := newGame(nil, names...)
			for range n {
				e := g.ew.NewEntity(g.pos, g.hp)
				g.player = e
				c, err := watch.Compile(g.w.Catalog(), watch.Spec{Entity: g.id(), Path: "Position.X"})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := g.set.Add(g.w, g.app, c); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				g.tick()
			}
		})
	}
}
