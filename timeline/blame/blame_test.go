package blame_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/timeline/blame"
	"github.com/loupe-ecs/loupe/timeline/watch"
	"github.com/loupe-ecs/loupe/tools/host"
)

type (
	Health struct{ HP, Max int }
	Aim    struct{ X float64 }
	Mark   struct{}
	Score  struct{ Points int }
	Tick   struct{ N uint64 }
	Gold   struct{ N int }
	Bag    struct{ Gold *Gold }
)

// game is recorded while it plays what each test plants.
type game struct {
	t           *testing.T
	ew          arche.World
	w           ecs.World
	sched       *schedule.Schedule
	app         *host.App
	rec         *timeline.Recorder
	tick        *Tick
	score       *Score
	hp, aim, mk arche.ID
	player      arche.Entity
	do          map[string]func()
	key         string // an input, applied by the system input
	keys        []byte
}

type clock struct{ g *game }

func (c clock) Info() host.ClockInfo         { return host.ClockInfo{Tick: c.g.tick.N} }
func (c clock) Set(host.ClockChange) error   { return nil }
func (c clock) Replay() (host.Replay, error) { return again(c), nil }

type again struct{ g *game }

func (a again) Tick() error { a.g.sched.Run(); return nil }
func (a again) End()        {}

type inputs struct{ g *game }

func (i inputs) TickInputs() []byte { b := i.g.keys; i.g.keys = nil; return b }
func (i inputs) PlayInputs(b []byte) error {
	i.g.key = string(b)
	return nil
}

func newGame(t *testing.T, systems ...string) *game {
	g := &game{t: t, ew: arche.NewWorld(), tick: &Tick{}, score: &Score{}, do: map[string]func(){}}
	g.w = archeworld.New(&g.ew)
	g.hp, g.aim, g.mk = arche.ComponentID[Health](&g.ew), arche.ComponentID[Aim](&g.ew), arche.ComponentID[Mark](&g.ew)
	arche.AddResource(&g.ew, g.tick)
	arche.AddResource(&g.ew, g.score)
	g.player = g.ew.NewEntity(g.hp, g.aim)
	*g.health() = Health{100, 100}
	g.sched = schedule.New("update")
	g.sched.Add("update", "clock", func() { g.tick.N++ })
	for _, name := range systems {
		g.sched.Add("update", name, func() {
			if f := g.do[name]; f != nil {
				f()
			}
		})
	}
	g.app = &host.App{Systems: g.sched, Clock: clock{g}, Inputs: inputs{g}}
	g.rec = timeline.NewRecorder(nil)
	t.Cleanup(func() { g.rec.Stop(true) })
	g.rec.Bind(g.w, g.app)
	if err := g.rec.Start(timeline.Options{}, 0); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *game) health() *Health { return (*Health)(g.ew.Get(g.player, g.hp)) }

func (g *game) play(ticks int) {
	for range ticks {
		g.sched.Run()
		g.rec.EndTick(g.tick.N)
		g.rec.Flush(context.Background()) // no sample is left out
	}
}

func (g *game) write(tool string, f func()) {
	f()
	g.rec.Touched(g.tick.N, "call "+tool)
	g.rec.Flush(context.Background())
}

// ask blames, and checks that the present is what it was.
func (g *game) ask(path string, o blame.Options) []blame.Change {
	g.t.Helper()
	entity := ""
	if !strings.HasPrefix(path, "Score") {
		entity = ecs.Entity{ID: g.player.ID(), Gen: g.player.Generation()}.String()
	}
	return g.askOf(entity, path, o)
}

func (g *game) inquire(entity, path string, o blame.Options) (*blame.Inquiry, error) {
	g.t.Helper()
	c, err := watch.Compile(g.w.Catalog(), watch.Spec{Entity: entity, Path: path})
	if err != nil {
		g.t.Fatal(err)
	}
	return blame.Ask(context.Background(), g.rec, c, o)
}

func (g *game) askOf(entity, path string, o blame.Options) []blame.Change {
	g.t.Helper()
	before := ecstest.Hash(g.w)
	q, err := g.inquire(entity, path, o)
	if err != nil {
		g.t.Fatal(err)
	}
	for done := false; !done; {
		if done, err = q.Step(g.w, g.app, 1); err != nil {
			g.t.Fatal(err)
		}
		if ecstest.Hash(g.w) != before {
			g.t.Fatal("the present was not put back")
		}
	}
	return q.Changes()
}

func text(v reflect.Value) string {
	if !v.IsValid() {
		return "none"
	}
	return fmt.Sprint(v)
}

func lines(changes []blame.Change) (out []string) {
	for _, c := range changes {
		who := c.System
		if c.Call != "" {
			who = "call " + c.Call
		}
		out = append(out, fmt.Sprintf("%d %s: %s > %s, %s", c.Tick, who, text(c.From), text(c.To), c.How))
	}
	return out
}

func (g *game) expect(changes []blame.Change, want ...string) {
	g.t.Helper()
	if got := lines(changes); !reflect.DeepEqual(got, want) {
		g.t.Errorf("blamed\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestTheSystemIsFoundByRunningTheTickAgain(t *testing.T) {
	g := newGame(t, "combat", "camera")
	g.do["combat"] = func() {
		if g.tick.N == 5 {
			g.health().HP -= 30
			(*Aim)(g.ew.Get(g.player, g.aim)).X = 7
		}
	}
	g.do["camera"] = func() {
		if g.tick.N == 9 {
			g.health().HP = 0
		}
	}
	g.play(20)
	changes := g.ask("Health.HP", blame.Options{Count: 5})
	g.expect(changes, "9 camera: 70 > 0, re-executed", "5 combat: 100 > 70, re-executed")
	if a := changes[1].Also; len(a) != 2 || text(a[0].From)+text(a[1].From) != "1000" && text(a[1].From)+text(a[0].From) != "1000" {
		t.Errorf("also changed: %+v, want Health.HP and Aim.X", a)
	}
	g.expect(g.ask("Health.HP", blame.Options{Before: new(int64(8))}), "5 combat: 100 > 70, re-executed")
	g.expect(g.ask("Health.Max", blame.Options{}))
}

func TestOscillationsWithinATickComeOutWithIt(t *testing.T) {
	g := newGame(t, "ai", "physics")
	g.do["ai"] = func() {
		if g.tick.N == 3 {
			g.health().HP = 1
		}
	}
	g.do["physics"] = func() {
		if g.tick.N == 3 {
			g.health().HP = 50
		}
	}
	g.play(6)
	g.expect(g.ask("Health.HP", blame.Options{Count: 2}), "3 physics: 1 > 50, re-executed", "3 ai: 100 > 1, re-executed")
}

func TestAClientsWriteIsTheCalls(t *testing.T) {
	g := newGame(t, "combat")
	g.do["combat"] = func() {
		if g.tick.N == 4 {
			g.health().HP++ // from what the client wrote
		}
	}
	g.play(3)
	g.write("modify", func() { g.health().HP = 7 })
	g.play(5)
	g.expect(g.ask("Health.HP", blame.Options{Count: 2}), "4 combat: 7 > 8, re-executed", "3 call modify: 100 > 7, sampled")
}

func TestSpawnDeathAndComponents(t *testing.T) {
	g := newGame(t, "fire", "combat")
	g.do["fire"] = func() {
		if g.tick.N == 2 {
			g.ew.Add(g.player, g.mk)
		}
	}
	g.do["combat"] = func() {
		if g.tick.N == 6 {
			g.ew.RemoveEntity(g.player)
		}
	}
	g.play(9)
	g.expect(g.ask("Mark", blame.Options{Count: 3}), "6 combat: {} > none, re-executed", "2 fire: none > {}, re-executed")
	g.expect(g.ask("", blame.Options{}), "6 combat: true > false, re-executed")
}

func TestAResourceAndInputs(t *testing.T) {
	g := newGame(t, "input")
	g.do["input"] = func() {
		if g.key != "" {
			g.score.Points += len(g.key)
			g.key = ""
		}
	}
	g.play(3)
	g.key, g.keys = "fire", []byte("fire")
	g.play(4)
	g.expect(g.ask("Score.Points", blame.Options{}), "4 input: 0 > 4, re-executed")
}

func TestAGameThatDiffersIsSaidToDiffer(t *testing.T) {
	g := newGame(t, "dice")
	calls := 0
	g.do["dice"] = func() {
		calls++
		if g.tick.N == 4 {
			g.health().HP = calls
		}
	}
	g.play(8)
	changes := g.ask("Health.HP", blame.Options{})
	g.expect(changes, "4 : 100 > 4, sampled")
	if !strings.Contains(changes[0].Note, "not deterministic") || !strings.Contains(changes[0].Note, "dice") {
		t.Errorf("note %q", changes[0].Note)
	}
}

// A tick that panics as it is run again, and did not then, proves nothing: what
// it changed before is a hint, no answer.
func TestATickThatPanicsAsItIsRunAgainIsNoProof(t *testing.T) {
	g := newGame(t, "combat", "cache")
	calls := 0
	g.do["combat"] = func() {
		if g.tick.N == 4 {
			g.health().HP = 1
		}
	}
	g.do["cache"] = func() {
		if calls++; calls > 8 {
			panic("the cache is cold")
		}
	}
	g.play(8)
	changes := g.ask("Health.HP", blame.Options{})
	g.expect(changes, "4 : 100 > 1, sampled")
	if n := changes[0].Note; !strings.Contains(n, "the cache is cold") || !strings.Contains(n, "in that run it was combat") {
		t.Errorf("note %q", n)
	}
}

// A component that comes and goes changes each time, and none beside none is no
// change.
func TestComingAndGoingIsAChangeEachTime(t *testing.T) {
	g := newGame(t, "fire")
	g.do["fire"] = func() {
		switch g.tick.N {
		case 2, 6:
			g.ew.Add(g.player, g.mk)
		case 4:
			g.ew.Remove(g.player, g.mk)
		}
	}
	g.play(9)
	g.expect(g.ask("Mark", blame.Options{Count: 9}), "6 fire: none > {}, re-executed", "4 fire: {} > none, re-executed", "2 fire: none > {}, re-executed")
	g.app = &host.App{Systems: g.sched}
	g.expect(g.ask("Mark", blame.Options{Count: 9}), "6 : none > {}, sampled", "4 : {} > none, sampled", "2 : none > {}, sampled")
}

func TestWithoutTicksOnDemandTheSamplesSpeak(t *testing.T) {
	g := newGame(t, "combat")
	g.do["combat"] = func() { g.health().HP-- }
	g.play(3)
	g.app = &host.App{Systems: g.sched}
	changes := g.ask("Health.HP", blame.Options{})
	g.expect(changes, "3 : 98 > 97, sampled")
	if !strings.Contains(changes[0].Note, "on demand") {
		t.Errorf("note %q", changes[0].Note)
	}
	c, err := watch.Compile(g.w.Catalog(), watch.Spec{Path: "Score.Points"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blame.Ask(context.Background(), nil, c, blame.Options{}); err == nil || !strings.Contains(err.Error(), "nothing is recorded") {
		t.Errorf("without a recording: %v", err)
	}
}

func TestANaNBorn(t *testing.T) {
	g := newGame(t, "physics")
	zero := 0.0
	g.do["physics"] = func() {
		if g.tick.N == 3 {
			(*Aim)(g.ew.Get(g.player, g.aim)).X = zero / zero
		}
	}
	g.play(5)
	g.expect(g.ask("Aim.X", blame.Options{}), "3 physics: 0 > NaN, re-executed")
}

func TestAResourceResetAndAChangeDuringALevelLoad(t *testing.T) {
	g := newGame(t, "waves")
	g.score.Points = 40
	g.do["waves"] = func() {
		if g.tick.N == 2 {
			*g.score = Score{}
		}
	}
	g.play(3)
	g.score.Points = 9
	g.rec.Touched(g.tick.N, "parked load_level")
	g.rec.Flush(context.Background())
	g.play(2)
	changes := g.ask("Score.Points", blame.Options{Count: 2})
	g.expect(changes, "3 outside systems: 0 > 9, sampled", "2 waves: 40 > 0, re-executed")
	if changes[0].Note != "parked load_level" {
		t.Errorf("note %q, want the level load", changes[0].Note)
	}
}

func TestAValueBehindAPointer(t *testing.T) {
	g := newGame(t, "loot")
	bag := arche.ComponentID[Bag](&g.ew)
	g.ew.Add(g.player, bag)
	(*Bag)(g.ew.Get(g.player, bag)).Gold = &Gold{5}
	g.do["loot"] = func() {
		if g.tick.N == 4 {
			(*Bag)(g.ew.Get(g.player, bag)).Gold.N = 6
		}
	}
	g.play(6)
	g.expect(g.ask("Bag.Gold.N", blame.Options{}), "4 loot: 5 > 6, re-executed")
}

// A slot's number means who lives there, or lived there last; the one before is
// asked for by its whole id, and none of its past is taken for the other's.
func TestASlotThatWasRecycled(t *testing.T) {
	g := newGame(t, "combat", "spawner")
	first := g.player
	g.do["combat"] = func() {
		switch g.tick.N {
		case 2:
			(*Health)(g.ew.Get(first, g.hp)).HP = 60
		case 3:
			g.ew.RemoveEntity(first)
		}
	}
	g.do["spawner"] = func() {
		if g.tick.N == 5 {
			g.player = g.ew.NewEntity(g.hp, g.aim)
			g.health().HP = 30
		}
	}
	g.play(8)
	if g.player.ID() != first.ID() || g.player == first {
		t.Fatalf("%v does not take the slot of %v", g.player, first)
	}
	second := g.player
	bare := fmt.Sprint(first.ID())
	changes := g.askOf(bare, "Health.HP", blame.Options{Count: 5})
	g.expect(changes, "5 spawner: none > 30, re-executed")
	g.expect(g.askOf(ecs.Entity{ID: first.ID(), Gen: first.Generation()}.String(), "Health.HP", blame.Options{Count: 5}),
		"3 combat: 60 > none, re-executed", "2 combat: 100 > 60, re-executed")
	g.ew.RemoveEntity(second)
	g.play(1)
	g.expect(g.askOf(bare, "", blame.Options{Before: new(int64(4))}), "3 combat: true > false, re-executed")
	if _, err := g.inquire("4000", "Health.HP", blame.Options{}); !errors.Is(err, refusal.UnknownEntity) {
		t.Errorf("a slot that nobody lived in: %v", err)
	}
	if _, err := g.inquire(fmt.Sprint(first.ID(), "v77"), "Health.HP", blame.Options{}); !errors.Is(err, refusal.NotFound) {
		t.Errorf("a generation that never was: %v", err)
	}
}

// The re-run panics where the tick that was played did not: the present is as it
// was (ask looks), and the answer says no more than the samples.
func TestAPanicInTheReRunLeavesThePresent(t *testing.T) {
	g := newGame(t, "combat")
	again := false
	g.do["combat"] = func() {
		if g.tick.N != 4 {
			return
		}
		g.health().HP = 1
		if again {
			g.score.Points = 99
			_ = g.ew.Query(arche.All(g.hp)) // open: the world is locked
			panic("boom")
		}
	}
	g.play(6)
	again = true
	changes := g.ask("Health.HP", blame.Options{})
	g.expect(changes, "4 : 100 > 1, sampled")
	if !strings.Contains(changes[0].Note, "combat panicked: boom") {
		t.Errorf("note %q", changes[0].Note)
	}
	if g.w.Locked() || g.score.Points != 0 {
		t.Errorf("locked %v, points %d", g.w.Locked(), g.score.Points)
	}
}

// Where no sample lies between ticks and the call that followed them, the ticks
// are run to tell the two apart; the call is not blamed for what systems did.
func TestACallAfterTicksThatWereNotSampled(t *testing.T) {
	g := newGame(t, "combat")
	g.do["combat"] = func() { g.health().HP-- }
	g.play(2)
	for range 3 {
		g.sched.Run() // a loop that the recorder did not keep up with
	}
	g.write("modify", func() { (*Aim)(g.ew.Get(g.player, g.aim)).X = 4 })
	changes := g.ask("Health.HP", blame.Options{})
	g.expect(changes, "5 combat: 96 > 95, sampled")
	if !strings.Contains(changes[0].Note, "call modify") {
		t.Errorf("note %q", changes[0].Note)
	}
	g.expect(g.ask("Aim.X", blame.Options{}), "5 call modify: 0 > 4, sampled")
}
