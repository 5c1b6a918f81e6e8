package replay_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/timeline/replay"
	"github.com/loupe-ecs/loupe/tools/host"
)

type (
	Position struct{ X, Y float64 }
	Score    struct{ Sum float64 }
	Tick     struct{ N uint64 }
	Note     struct{ Text string }
)

// game is a world whose ticks can be run on demand.
type game struct {
	ew       arche.World
	w        ecs.World
	sched    *schedule.Schedule
	app      *host.App
	tick     *Tick
	score    *Score
	state    counter
	pos      arche.ID
	note     arche.ID
	entities []arche.Entity
	ended    int
	paused   bool
}

// counter is state of the host outside the world.
type counter struct{ n int }

func (c *counter) Name() string          { return "counter" }
func (c *counter) Version() int          { return 1 }
func (c *counter) Save() ([]byte, error) { return fmt.Append(nil, c.n), nil }
func (c *counter) Load(_ int, data []byte) (func(), error) {
	var n int
	_, err := fmt.Sscan(string(data), &n)
	return func() { c.n = n }, err
}

type clock struct{ g *game }

func (c clock) Info() host.ClockInfo         { return host.ClockInfo{Tick: c.g.tick.N, Paused: c.g.paused} }
func (c clock) Set(host.ClockChange) error   { return nil }
func (c clock) Replay() (host.Replay, error) { return again(c), nil }

type again struct{ g *game }

func (a again) Tick() error { a.g.sched.Run(); return nil }
func (a again) End()        { a.g.ended++ }

type system struct {
	name string
	run  func()
}

func newGame(systems func(*game) []system) *game {
	g := &game{ew: arche.NewWorld(), tick: &Tick{}, score: &Score{}}
	g.w = archeworld.New(&g.ew)
	g.pos, g.note = arche.ComponentID[Position](&g.ew), arche.ComponentID[Note](&g.ew)
	arche.ResourceID[Note](&g.ew) // known, and absent
	arche.AddResource(&g.ew, g.tick)
	arche.AddResource(&g.ew, g.score)
	for i := range 20 {
		e := g.ew.NewEntity(g.pos)
		*g.at(e) = Position{float64(i), 1}
		g.entities = append(g.entities, e)
	}
	g.sched = schedule.New("update")
	g.sched.Add("update", "clock", func() { g.tick.N++ })
	for _, s := range systems(g) {
		g.sched.Add("update", s.name, s.run)
	}
	g.app = &host.App{Systems: g.sched, Clock: clock{g}, Snapshots: &host.Snapshots{States: []host.SnapshotState{&g.state}}}
	return g
}

func (g *game) at(e arche.Entity) *Position { return (*Position)(g.ew.Get(e, g.pos)) }

func move(g *game) system {
	return system{"movement", func() {
		for _, e := range g.entities {
			if g.ew.Alive(e) {
				g.at(e).X += 0.25
			}
		}
	}}
}

// present is all that must come back.
func (g *game) present() string {
	return fmt.Sprintf("%x tick %d counter %d on %v hook %v", ecstest.Hash(g.w), g.tick.N, g.state.n, g.sched.List()[1].Enabled, g.sched.List()[1].Runs)
}

func check(t *testing.T, g *game, ticks int, budget time.Duration) *replay.Check {
	t.Helper()
	before := g.present()
	c := &replay.Check{Ticks: ticks}
	for {
		done, err := c.Step(g.w, g.app, budget)
		if err != nil {
			t.Fatal(err)
		}
		if after := g.present(); after != before {
			t.Fatalf("the present was\n%s and is\n%s", before, after)
		}
		if done {
			return c
		}
	}
}

// Each mistake is found at the first tick in which it shows, and its system.
func TestPlantedNonDeterminismIsFoundWhereItArises(t *testing.T) {
	const from = 7 // the tick from which on the game is wrong
	wrong := func(g *game) bool { return g.tick.N >= from }
	for name, plant := range map[string]func(*game) system{
		"map iteration": func(g *game) system {
			weights := map[int]float64{}
			for i := range 200 {
				weights[i] = 1 / float64(i+1)
			}
			return system{"weigh", func() {
				if !wrong(g) {
					return
				}
				for range 4 {
					for _, w := range weights {
						g.score.Sum = g.score.Sum*0.99 + w
					}
				}
			}}
		},
		"time.Now": func(g *game) system {
			return system{"timer", func() {
				if wrong(g) {
					g.at(g.entities[3]).Y = float64(time.Now().UnixNano())
				}
			}}
		},
		"an unseeded generator": func(g *game) system {
			return system{"dice", func() {
				if wrong(g) {
					g.at(g.entities[5]).Y = rand.Float64()
				}
			}}
		},
		"a goroutine": func(g *game) system {
			return system{"workers", func() {
				if !wrong(g) {
					return
				}
				// The results of workers, taken as they come.
				one, two := make(chan float64, 40), make(chan float64, 40)
				var wg sync.WaitGroup
				for n, ch := range []chan float64{one, two} {
					wg.Go(func() {
						for range cap(ch) {
							ch <- float64(n)
						}
					})
				}
				wg.Wait()
				for range cap(one) {
					select {
					case v := <-one:
						g.score.Sum = g.score.Sum*0.99 + v
					case v := <-two:
						g.score.Sum = g.score.Sum*0.99 + v
					}
				}
			}}
		},
		"a sort that is not stable": func(g *game) system {
			// Equal keys in the order of a map: what comes first is chance.
			return system{"order", func() {
				if !wrong(g) {
					return
				}
				set := map[arche.Entity]int{}
				for i, e := range g.entities {
					set[e] = i / 10
				}
				for range 4 {
					var list []arche.Entity
					for e := range set {
						list = append(list, e)
					}
					sort.Slice(list, func(i, j int) bool { return set[list[i]] < set[list[j]] })
					for i, e := range list {
						g.at(e).Y = g.at(e).Y*0.5 + float64(i)
					}
				}
			}}
		},
		"a state that nobody saves": func(g *game) system {
			calls := 0
			return system{"cache", func() {
				if wrong(g) {
					calls++
					g.at(g.entities[0]).Y = float64(calls)
				}
			}}
		},
		"entities made in another order": func(g *game) system {
			return system{"spawner", func() {
				if wrong(g) {
					// Eight orders are likely to be the same once, not eight times.
					for range 8 {
						for n := range map[float64]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8} {
							*g.at(g.ew.NewEntity(g.pos)) = Position{n, 0}
						}
					}
				}
			}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want string
			g := newGame(func(g *game) []system {
				s := plant(g)
				want = s.name
				return []system{move(g), s, {"after", func() { g.score.Sum += g.at(g.entities[3]).Y }}}
			})
			d := check(t, g, 50, 0).Diverged
			if d == nil {
				t.Fatal("nothing was found")
			}
			if d.Tick != from || d.System != want || d.Component == "" || string(d.A) == string(d.B) {
				t.Errorf("found %+v, want tick %d, system %s and two values", d, from, want)
			}
		})
	}
}

func TestADeterministicGameHasOneHash(t *testing.T) {
	systems := func(g *game) []system { return []system{move(g)} }
	a, b := newGame(systems), newGame(systems)
	whole, sliced := check(t, a, 40, 0), check(t, b, 40, time.Nanosecond)
	if whole.Diverged != nil || sliced.Diverged != nil {
		t.Fatalf("diverged: %+v, %+v", whole.Diverged, sliced.Diverged)
	}
	if whole.Ran != 40 || sliced.Ran != 40 || whole.Hash != sliced.Hash || whole.Hash == 0 {
		t.Errorf("40 ticks at once: %x, in slices: %x", whole.Hash, sliced.Hash)
	}
	for range 40 {
		a.sched.Run()
	}
	if again := check(t, a, 1, 0); again.Hash == whole.Hash {
		t.Error("another tick has the same hash")
	}
}

func TestAPanicLeavesThePresentAsItWas(t *testing.T) {
	g := newGame(func(g *game) []system {
		return []system{move(g), {"combat", func() {
			if g.tick.N == 5 {
				g.state.n = 99
				g.at(g.entities[0]).X = 99
				_ = g.ew.Query(arche.All(g.pos)) // open: the world stays locked
				panic("boom")
			}
		}}}
	})
	c := check(t, g, 50, 0)
	if c.Diverged != nil || c.Ran != 4 || !strings.Contains(c.Ended, "combat panicked: boom") {
		t.Errorf("%d ticks, ended %q, diverged %+v; want 4 and the panic of combat", c.Ran, c.Ended, c.Diverged)
	}
	if g.w.Locked() || g.ended == 0 {
		t.Errorf("locked %v, the host was told of the end %d times", g.w.Locked(), g.ended)
	}
	if name, _ := g.sched.Running(); name != "" {
		t.Errorf("%s still counts as running", name)
	}
	g.tick.N = 4
	before := g.present()
	a, err := replay.Begin(g.w, g.app)
	if err != nil {
		t.Fatal(err)
	}
	var p *replay.Panic
	if err := a.Tick(nil, nil); !errors.As(err, &p) || p.System != "combat" {
		t.Errorf("the tick gives %v, want the panic of combat", err)
	}
	if err := a.End(); err != nil || g.present() != before {
		t.Errorf("after the panic: %v\n%s\n%s", err, before, g.present())
	}
}

// What the run switches, spawns, removes and adds to resources is undone, and a
// hook that was there before is there again.
func TestThePresentComesBackWhole(t *testing.T) {
	g := newGame(func(g *game) []system {
		return []system{move(g), {"chaos", func() {
			g.state.n++
			g.ew.RemoveEntity(g.ew.NewEntity(g.pos, g.note))
			e := g.ew.NewEntity(g.pos, g.note)
			(*Note)(g.ew.Get(e, g.note)).Text = "made aside"
			g.ew.RemoveEntity(g.entities[g.tick.N])
			if err := g.sched.SetEnabled("movement", false); err != nil {
				panic(err)
			}
			arche.AddResource(&g.ew, &Note{"resource"})
			if g.tick.N > 1 {
				g.ew.Resources().Remove(arche.ResourceID[Note](&g.ew))
			}
		}}}
	})
	looks := 0
	g.sched.Observe(func(string, string) bool { looks++; return false })
	before, e := g.present(), g.entities[2]
	a, err := replay.Begin(g.w, g.app)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Tick(nil, nil); err != nil {
		t.Fatal(err)
	}
	if g.present() == before || looks > 0 {
		t.Errorf("the tick changed nothing, or the hook of the present looked %d times", looks)
	}
	if err := a.End(); err != nil {
		t.Fatal(err)
	}
	if after := g.present(); after != before {
		t.Errorf("the present was\n%s and is\n%s", before, after)
	}
	if g.at(e).X != 2 {
		t.Errorf("the game's own entity reads %v", g.at(e).X)
	}
	if g.sched.Observe(nil) == nil {
		t.Error("the hook of the present is gone")
	}
}

// A host that keeps something beside its states that changes the world as it
// comes back is told so.
func TestAPresentThatDoesNotComeBackIsSaid(t *testing.T) {
	g := newGame(func(g *game) []system { return []system{move(g)} })
	g.app.Snapshots.States = append(g.app.Snapshots.States, &meddler{g: g})
	a, err := replay.Begin(g.w, g.app)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Tick(nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := a.End(); err == nil || !strings.Contains(err.Error(), "the resource Score") {
		t.Errorf("End says %v, want that the resource Score differs", err)
	}
}

type meddler struct{ g *game }

func (m *meddler) Name() string                     { return "meddler" }
func (m *meddler) Version() int                     { return 1 }
func (m *meddler) Save() ([]byte, error)            { return nil, nil }
func (m *meddler) Load(int, []byte) (func(), error) { return func() { m.g.score.Sum = 5 }, nil }

func TestObservationSeesWhatASystemReallyWrites(t *testing.T) {
	g := newGame(func(g *game) []system {
		return []system{move(g), {"tidy", func() {
			g.at(g.entities[1]).Y++
			g.at(g.entities[2]).X = g.at(g.entities[2]).X // written, and equal
			g.score.Sum++
			if g.tick.N == 2 {
				g.ew.RemoveEntity(g.entities[19])
				g.ew.Add(g.entities[1], g.note)
				g.ew.NewEntity(g.pos)
				g.ew.NewEntity(g.pos)
			}
		}}}
	})
	before := g.present()
	o := &replay.Observation{System: "tidy", Ticks: 10}
	for done := false; !done; {
		var err error
		if done, err = o.Step(g.w, g.app, time.Nanosecond); err != nil {
			t.Fatal(err)
		}
		if after := g.present(); after != before {
			t.Fatalf("the present was\n%s and is\n%s", before, after)
		}
	}
	want := []replay.Written{{Name: "Position", Entities: 1, Values: 10}, {Name: "Score", Resource: true, Values: 10}, {Name: "Note", Added: 1}}
	if got := o.Written(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("tidy wrote %+v, want %+v", got, want)
	}
	if o.Ran != 10 || o.Runs != 10 || o.Spawned != 2 || o.Despawn != 1 {
		t.Errorf("%d ticks, %d runs, %d spawned, %d despawned; want 10, 10, 2, 1", o.Ran, o.Runs, o.Spawned, o.Despawn)
	}
}

func TestWhatCannotBeRunIsRefused(t *testing.T) {
	g := newGame(func(g *game) []system { return nil })
	for name, c := range map[string]struct {
		w    ecs.World
		app  *host.App
		want string
	}{
		"no world":    {nil, g.app, "no world is bound"},
		"no app":      {g.w, nil, "cannot run ticks on demand"},
		"no replayer": {g.w, &host.App{}, "cannot run ticks on demand"},
		"no restorer": {struct{ ecs.World }{g.w}, g.app, "cannot be captured"},
	} {
		if _, err := replay.Begin(c.w, c.app); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	q := g.ew.Query(arche.All(g.pos))
	if _, err := replay.Begin(g.w, g.app); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("a locked world: %v", err)
	}
	q.Close()
}
