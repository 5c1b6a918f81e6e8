package blame_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/timeline/blame"
	"github.com/loupe-ecs/loupe/timeline/watch"
	"github.com/loupe-ecs/loupe/tools"
)

type (
	Health struct{ HP, Max int }
	Aim    struct{ X float64 }
	Mark   struct{}
	Score  struct{ Points int }
	Tick   struct{ N uint64 }
)

// game is recorded while it plays what each test plants.
type game struct {
	t           *testing.T
	ew          arche.World
	w           ecs.World
	sched       *schedule.Schedule
	app         *tools.App
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

func (c clock) Info() tools.ClockInfo         { return tools.ClockInfo{Tick: c.g.tick.N} }
func (c clock) Set(tools.ClockChange) error   { return nil }
func (c clock) Replay() (tools.Replay, error) { return again(c), nil }

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
	g.app = &tools.App{Systems: g.sched, Clock: clock{g}, Inputs: inputs{g}}
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
	s := watch.Spec{Path: path}
	if !strings.HasPrefix(path, "Score") {
		s.Entity = ecs.Entity{ID: g.player.ID(), Gen: g.player.Generation()}.String()
	}
	c, err := watch.Compile(g.w.Catalog(), s)
	if err != nil {
		g.t.Fatal(err)
	}
	before := ecstest.Hash(g.w)
	q, err := blame.Ask(context.Background(), g.rec, c, o)
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

func TestWithoutTicksOnDemandTheSamplesSpeak(t *testing.T) {
	g := newGame(t, "combat")
	g.do["combat"] = func() { g.health().HP-- }
	g.play(3)
	g.app = &tools.App{Systems: g.sched}
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
