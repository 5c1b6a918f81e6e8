package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/timeline/blame"
	"github.com/loupe-ecs/loupe/timeline/replay"
	"github.com/loupe-ecs/loupe/timeline/watch"
	"github.com/loupe-ecs/loupe/tools/host"
)

// replayed is a game of 20 systems whose ticks can be run on demand: one moves
// everybody, the others do nothing.
type replayed struct {
	*archeWorld
	sched *schedule.Schedule
	tick  *replayedTick
	rows  []ecs.Entity
	app   *host.App
}

type replayedTick struct{ N uint64 }

func (g *replayed) Info() host.ClockInfo         { return host.ClockInfo{Tick: g.tick.N, Scale: 1} }
func (g *replayed) Set(host.ClockChange) error   { return nil }
func (g *replayed) Replay() (host.Replay, error) { return replayedAgain{g}, nil }

type replayedAgain struct{ g *replayed }

func (r replayedAgain) Tick() error { r.g.sched.Run(); return nil }
func (replayedAgain) End()          {}

func newReplayed(n int) *replayed {
	g := &replayed{archeWorld: newArche(n), sched: schedule.New("update"), tick: &replayedTick{}}
	arche.AddResource(g.w, g.tick)
	for q := g.w.Query(arche.All(g.pos)); q.Next(); {
		g.rows = append(g.rows, archeworld.EntityOf(q.Entity()))
	}
	for i := range 20 {
		run := func() {}
		switch i {
		case 0:
			run = func() { g.tick.N++ }
		case 10:
			run = func() {
				for q := g.w.Query(arche.All(g.pos, g.vel)); q.Next(); {
					p, v := (*Position)(q.Get(g.pos)), (*Velocity)(q.Get(g.vel))
					p.X, p.Y = p.X+float64(v.X), p.Y+float64(v.Y)
				}
			}
		}
		g.sched.Add("update", fmt.Sprint("system", i), run)
	}
	g.app = &host.App{Systems: g.sched, Clock: g}
	return g
}

// watches is what ten watches by system add to a frame of 20 systems.
func watches(c *config) ([]line, error) {
	bare, watched := newReplayed(16), newReplayed(16)
	set := watch.NewSet(watch.Options{})
	for i := range 10 {
		what, err := watch.Compile(watched.loupe.Catalog(), watch.Spec{Entity: watched.rows[i].String(), Path: "Health.HP"})
		if err != nil {
			return nil, err
		}
		if _, err := set.Add(watched.loupe, watched.app, what); err != nil {
			return nil, err
		}
	}
	p := pair(c, func(n int) {
		for range n {
			watched.sched.Run()
			set.EndTick(watched.tick.N, watched.loupe, watched.app)
		}
	}, func(n int) {
		for range n {
			bare.sched.Run()
		}
	})
	over := make([]float64, len(p.a))
	for i := range p.a {
		over[i] = (p.a[i] - p.b[i]) / 1e3
	}
	l := figure("watch10_us", "µs", 1, over, fmt.Sprintf("a frame of 20 systems with ten watches by system, less one without (%s beside %s)", ns(medianOf(p.a)), ns(medianOf(p.b))))
	l.goal, l.limit = "≤ 2 µs", 2
	return []line{l}, nil
}

// rerunTicks is how many ticks lie between two samples that blame runs again.
const rerunTicks = 30

// blamed is what blame costs by running ticks again, beside the same ticks
// played, and what a check of determinism costs.
func blamed(c *config) ([]line, error) {
	g := newReplayed(c.size(10_000))
	rec := timeline.NewRecorder(nil)
	defer rec.Close()
	rec.Bind(g.loupe, g.app)
	if err := rec.Start(timeline.Options{Every: rerunTicks}, 0); err != nil {
		return nil, err
	}
	var ticks time.Duration
	for range 4 * rerunTicks {
		start := time.Now()
		g.sched.Run()
		ticks += time.Since(start)
		rec.EndTick(g.tick.N)
	}
	ticks /= 4
	what, err := watch.Compile(g.loupe.Catalog(), watch.Spec{Entity: g.rows[0].String(), Path: "Position.X"})
	if err != nil {
		return nil, err
	}
	var runs, rewinds []float64
	for range max(c.rounds, 3) {
		q, err := blame.Ask(context.Background(), rec, what, blame.Options{})
		if err != nil {
			return nil, err
		}
		start := time.Now()
		if _, err := q.Step(g.loupe, g.app, 0); err != nil {
			return nil, err
		}
		runs = append(runs, float64(time.Since(start)))
		if ch := q.Changes(); len(ch) != 1 || ch[0].How != blame.Reexecuted {
			return nil, fmt.Errorf("blame answers %+v", ch)
		}
		start = time.Now()
		a, err := replay.Begin(g.loupe, g.app)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(a.Load(a.Present()), a.End()); err != nil {
			return nil, err
		}
		rewinds = append(rewinds, float64(time.Since(start)))
	}
	rewind := medianOf(rewinds)
	over := make([]float64, len(runs))
	for i, r := range runs {
		over[i] = (r - rewind) / float64(ticks)
	}
	b := figure("blame_vs_ticks", "times", 1, over, fmt.Sprintf("%d ticks of %d entities run again, less one rewind (%s less %s), beside the ticks played (%s)", rerunTicks, len(g.rows), ns(medianOf(runs)), ns(rewind), ns(float64(ticks))))
	b.goal, b.limit = "≤ 3", 3

	small := newReplayed(c.size(500)) // somewhat more than the example game has
	check := replay.Check{Ticks: 120, Runs: 2}
	start := time.Now()
	if _, err := check.Step(small.loupe, small.app, 0); err != nil {
		return nil, err
	}
	d := figure("determinism_check", "ms", 1, []float64{float64(time.Since(start).Microseconds()) / 1e3}, fmt.Sprintf("120 ticks of 20 systems and %d entities, each run twice and compared after every system", len(small.rows)))
	d.goal, d.limit = "≤ 2000 ms", 2000
	if check.Diverged != nil {
		return nil, fmt.Errorf("the runs differ: %+v", check.Diverged)
	}
	return []line{b, d}, nil
}
