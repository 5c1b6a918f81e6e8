package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

// game is a small game of 2,000 entities: they chase, move, keep apart by a
// grid, fight, and some die and come back every frame.
type game struct {
	*archeWorld
	schedule *schedule.Schedule
	frame    uint64
	grid     map[[2]int32][]arche.Entity
	dead     []arche.Entity
	fill     filler
}

const gameEntities = 2000

func newGame() *game {
	w := arche.NewWorld(1024)
	g := &game{archeWorld: registerArche(&w), grid: map[[2]int32][]arche.Entity{}, fill: newFiller()}
	g.loupe = archeworld.New(&w)
	for range gameEntities {
		g.spawn()
	}
	s := schedule.New("ai", "movement", "combat", "cleanup")
	s.Add("ai", "steer", g.steer)
	s.Add("movement", "movement", g.move)
	s.Add("movement", "grid", g.sort)
	s.Add("combat", "contacts", g.contacts)
	s.Add("combat", "combat", g.combat)
	s.Add("cleanup", "cleanup", g.cleanup)
	g.schedule = s
	return g
}

func (g *game) spawn() {
	w := g.w
	e := w.NewEntity(g.pos, g.vel, g.health, g.team, g.box)
	g.fill.fill((*Position)(w.Get(e, g.pos)), (*Velocity)(w.Get(e, g.vel)), (*Health)(w.Get(e, g.health)), (*Team)(w.Get(e, g.team)), (*Box)(w.Get(e, g.box)))
}

func (g *game) steer() {
	for q := g.w.Query(arche.All(g.pos, g.vel)); q.Next(); {
		p, v := (*Position)(q.Get(g.pos)), (*Velocity)(q.Get(g.vel))
		dx, dy := 500-p.X, 500-p.Y
		d := math.Max(1, math.Hypot(dx, dy))
		v.X += float32(0.02 * (dx/d + math.Sin(p.Y/40)))
		v.Y += float32(0.02 * (dy/d + math.Cos(p.X/40)))
	}
}

func (g *game) move() {
	for q := g.w.Query(arche.All(g.pos, g.vel)); q.Next(); {
		p, v := (*Position)(q.Get(g.pos)), (*Velocity)(q.Get(g.vel))
		p.X, p.Y = p.X+float64(v.X), p.Y+float64(v.Y)
	}
}

func cellOf(p *Position) [2]int32 { return [2]int32{int32(p.X / 20), int32(p.Y / 20)} }

func (g *game) sort() {
	for k, cell := range g.grid {
		if len(cell) == 0 {
			delete(g.grid, k)
			continue
		}
		g.grid[k] = cell[:0]
	}
	for q := g.w.Query(arche.All(g.pos)); q.Next(); {
		k := cellOf((*Position)(q.Get(g.pos)))
		g.grid[k] = append(g.grid[k], q.Entity())
	}
}

func (g *game) contacts() {
	for _, cell := range g.grid {
		for i, a := range cell {
			pa := (*Position)(g.w.Get(a, g.pos))
			for _, b := range cell[i+1:] {
				pb := (*Position)(g.w.Get(b, g.pos))
				dx, dy := pb.X-pa.X, pb.Y-pa.Y
				if d := dx*dx + dy*dy; d < 16 {
					pa.X, pa.Y, pb.X, pb.Y = pa.X-dx/8, pa.Y-dy/8, pb.X+dx/8, pb.Y+dy/8
				}
			}
		}
	}
}

func (g *game) combat() {
	for q := g.w.Query(arche.All(g.health, g.team)); q.Next(); {
		h, t := (*Health)(q.Get(g.health)), (*Team)(q.Get(g.team))
		t.Score++
		if (t.Score+int64(g.frame))%64 == 0 {
			h.HP--
		}
		if h.HP < 0 {
			g.dead = append(g.dead, q.Entity())
		}
	}
}

func (g *game) cleanup() {
	for _, e := range g.dead {
		g.w.RemoveEntity(e)
		g.spawn()
	}
	g.dead = g.dead[:0]
}

// step is one frame: the debug server's turn and the game's.
func (g *game) step(poll func() bool) (inPoll, whole time.Duration) {
	start := time.Now()
	poll()
	inPoll = time.Since(start)
	g.frame++
	g.schedule.Frame(g.frame)
	g.schedule.Run()
	return inPoll, time.Since(start)
}

// frameP99 compares the game's frames while a client calls as fast as it can
// with those while nobody does, in blocks in turn. The client is a process of
// its own, as an agent is. Beside it stands the same with the bare handler,
// which shows what any server would do to the game on this machine.
func frameP99(c *config) ([]line, error) {
	g := newGame()
	s, err := mcpdebug.Listen("127.0.0.1:0", nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	s.Bind(g.loupe, &host.App{Name: "benchmark", Systems: g.schedule})
	loupe, err := g.disturbed(c.blocks(), s.Poll, s.URL(), "agent")
	if err != nil {
		return nil, err
	}
	bare, err := bareTarget()
	if err != nil {
		return nil, err
	}
	defer bare.close()
	control, err := g.disturbed(c.blocks(), bare.poll, bare.client.url, "echo")
	if err != nil {
		return nil, err
	}
	without := quantile(loupe.off, 0.99)
	limit := max(1.05, float64(without+200*time.Microsecond)/float64(without))
	poll := figure("frame_p99_poll_us", "µs", 1, []float64{micros(quantile(loupe.polls, 0.99))}, "p99 of the Poll alone in the frames with calls: Loupe's share of them")
	return []line{
		{kind: "ratio", name: "frame_p99", value: loupe.ratio(), goal: fmt.Sprintf("≤ max(1.05, +0.2 ms): %.3g", limit), limit: limit, detail: loupe.detail()},
		{kind: "ratio", name: "frame_p99_bare", value: control.ratio(), detail: "the bare handler in place of Loupe: " + control.detail()},
		poll,
	}, nil
}

// disturbance is the frames with and without calls, sorted.
type disturbance struct {
	on, off, polls []time.Duration
	calls          int
	pace           blocks
}

func (d *disturbance) ratio() float64 {
	return float64(quantile(d.on, 0.99)) / float64(quantile(d.off, 0.99))
}

func (d *disturbance) detail() string {
	return fmt.Sprintf("%v beside %v; p50 %v beside %v; %d frames of %d entities%s, %d calls",
		quantile(d.on, 0.99), quantile(d.off, 0.99), quantile(d.on, 0.5), quantile(d.off, 0.5), len(d.on)+len(d.off), gameEntities, d.pace, d.calls)
}

// blocks is how the frames with and without calls lie: so many blocks in turn of
// so many frames, at a pace (0: without a pause between).
type blocks struct {
	count, frames int
	pace          time.Duration
}

func (b blocks) String() string {
	if b.pace == 0 {
		return " without a pause between"
	}
	return fmt.Sprintf(" at %d Hz", time.Second/b.pace)
}

func (c *config) blocks() blocks {
	switch {
	case c.smoke:
		return blocks{2, 100, 0}
	case c.quick:
		return blocks{40, 200, 0}
	}
	return blocks{60, 400, 0}
}

// paced is blocks of a second.
func (c *config) paced() blocks {
	switch {
	case c.smoke:
		return blocks{2, 6, time.Second / 60}
	case c.quick:
		return blocks{10, 60, time.Second / 60}
	}
	return blocks{40, 60, time.Second / 60}
}

func (g *game) disturbed(b blocks, poll func() bool, url, calls string) (*disturbance, error) {
	poll()
	stop := loop(poll)
	caller, err := startCaller(url, calls)
	stop()
	if err != nil {
		return nil, err
	}
	defer caller.close()
	d := &disturbance{pace: b}
	for range b.frames {
		g.step(poll)
	}
	for i := range b.count {
		calling := i%2 == 1
		if calling {
			if err := caller.start(); err != nil {
				return nil, err
			}
		}
		next := time.Now()
		for range b.frames {
			next = next.Add(b.pace)
			time.Sleep(time.Until(next))
			inPoll, whole := g.step(poll)
			if calling {
				d.on, d.polls = append(d.on, whole), append(d.polls, inPoll)
			} else {
				d.off = append(d.off, whole)
			}
		}
		if !calling {
			continue
		}
		stop := loop(poll) // the last call wants its answer
		n, err := caller.stop()
		stop()
		if err != nil {
			return nil, err
		}
		d.calls += n
	}
	slices.Sort(d.on)
	slices.Sort(d.off)
	slices.Sort(d.polls)
	return d, nil
}

// frameP99Paced is the same at 60 frames a second, as games run: with an agent
// that calls without a pause, and with one that asks a recording.
func frameP99Paced(c *config) ([]line, error) {
	agent, err := paced(c, nil, "agent")
	if err != nil {
		return nil, err
	}
	asking, err := paced(c, &mcpdebug.RecordOptions{MemoryMB: 64}, "past")
	if err != nil {
		return nil, err
	}
	return []line{
		{kind: "ratio", name: "frame_p99_paced", value: agent.ratio(), goal: "≤ 1.05", limit: 1.05, detail: agent.detail()},
		{kind: "ratio", name: "frame_p99_asking", value: asking.ratio(), goal: "≤ 1.05", limit: 1.05, detail: "`history` and `find_tick` without a pause, of a game that records: " + asking.detail()},
	}, nil
}

func paced(c *config, record *mcpdebug.RecordOptions, calls string) (*disturbance, error) {
	g := newGame()
	s, err := mcpdebug.Listen("127.0.0.1:0", &mcpdebug.Options{Record: record})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	s.Bind(g.loupe, &host.App{Name: "benchmark", Systems: g.schedule})
	return g.disturbed(c.paced(), s.Poll, s.URL(), calls)
}

// profileCost is the game's speed with a CPU profile running, beside without.
func profileCost(c *config) ([]line, error) {
	dir, err := os.MkdirTemp("", "loupe-benchmark")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	g := newGame()
	s := mcpdebug.New(&mcpdebug.Options{DataDir: dir})
	defer s.Close()
	s.Bind(g.loupe, &host.App{Name: "benchmark", Systems: g.schedule})
	frames := 1000
	if c.quick {
		frames = 300
	}
	var p sides
	one := func(profiled bool) error {
		if profiled {
			if err := succeeded(s.Dispatch(callBody("profile_start", struct{}{}))); err != nil {
				return err
			}
		}
		start := time.Now()
		for range frames {
			g.step(s.Poll)
		}
		took := float64(time.Since(start).Nanoseconds()) / float64(frames)
		if !profiled {
			p.b = append(p.b, took)
			return nil
		}
		p.a = append(p.a, took)
		return succeeded(s.Dispatch(callBody("profile_stop", struct{}{})))
	}
	for i := range c.rounds {
		for _, profiled := range []bool{i%2 == 0, i%2 == 1} {
			if err := one(profiled); err != nil {
				return nil, err
			}
		}
	}
	return []line{p.line("profile_game", "", 0)}, nil
}
