package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools/host"
)

// tenth changes one row in ten, drawn anew each tick, in all five components.
type tenth struct {
	*archeWorld
	r    *rand.Rand
	rows []arche.Entity
}

func newTenth(n int) *tenth {
	t := &tenth{archeWorld: newArche(n), r: rand.New(rand.NewPCG(3, 3))}
	for q := t.w.Query(arche.All(t.pos)); q.Next(); {
		t.rows = append(t.rows, q.Entity())
	}
	return t
}

// changedBytes is what tick changes in a row: the fields that it writes to.
const changedBytes = int(unsafe.Sizeof(Position{})+unsafe.Sizeof(Velocity{})) + 4 + 8 + 4

// tick changes rows, and tells how many.
func (t *tenth) tick() int {
	n := len(t.rows) / 10
	for range n {
		e := t.rows[t.r.IntN(len(t.rows))]
		p, v := (*Position)(t.w.Get(e, t.pos)), (*Velocity)(t.w.Get(e, t.vel))
		v.X, v.Y = v.X+t.r.Float32()-0.5, v.Y+t.r.Float32()-0.5
		p.X, p.Y = p.X+float64(v.X), p.Y+float64(v.Y)
		h := (*Health)(t.w.Get(e, t.health))
		if h.HP--; h.HP < 0 {
			h.HP = h.Max
		}
		(*Team)(t.w.Get(e, t.team)).Score += int64(t.r.IntN(100))
		(*Box)(t.w.Get(e, t.box)).Angle = t.r.Float32()
	}
	return n
}

func median(d []time.Duration) time.Duration { return quantile(slices.Sorted(slices.Values(d)), 0.5) }

// recording is what a recorder costs while it records every tick.
func recording(c *config) ([]line, error) {
	t := newTenth(c.size(100_000))
	rec := timeline.NewRecorder(nil)
	rec.Bind(t.loupe, nil)
	if err := rec.Start(timeline.Options{Memory: 2 << 30}, 0); err != nil {
		return nil, err
	}
	defer rec.Stop(true)
	rec.Flush(context.Background())
	first := rec.Info().Bytes
	ticks := 300
	if c.quick {
		ticks = 100
	}
	var by ecs.Image
	var frames, captures, packs []time.Duration
	var spent time.Duration
	changed := 0
	for tick := range uint64(ticks) {
		changed += t.tick() * changedBytes
		alone := func() error {
			start := time.Now()
			err := t.loupe.Capture(&by)
			captures = append(captures, time.Since(start))
			return err
		}
		if tick%2 == 0 { // who is second finds warm caches
			if err := alone(); err != nil {
				return nil, err
			}
		}
		start := time.Now()
		rec.EndTick(tick + 1)
		frames = append(frames, time.Since(start))
		start = time.Now()
		rec.Flush(context.Background())
		packs = append(packs, time.Since(start))
		spent += packs[len(packs)-1]
		if tick%2 == 1 {
			if err := alone(); err != nil {
				return nil, err
			}
		}
	}
	info := rec.Info()
	if info.Dropped > 0 || info.Samples != ticks+1 {
		return nil, fmt.Errorf("%d samples of %d ticks, %d left out", info.Samples, ticks, info.Dropped)
	}
	frame, capture := median(frames), median(captures)
	const at60 = time.Second / 60
	return []line{
		{kind: "figure", name: "record_frame_ms", value: float64(frame) / 1e6, unit: "ms", goal: "≤ 0.6 ms", limit: 0.6,
			detail: fmt.Sprintf("p50 of the frame's part, 100,000 entities × 5 components, one row in ten changed; p99 %v", quantile(slices.Sorted(slices.Values(frames)), 0.99))},
		{kind: "ratio", name: "record_vs_capture", value: float64(frame) / float64(capture), goal: "≤ 2", limit: 2, detail: fmt.Sprintf("%v beside %v of a capture alone", frame, capture)},
		{kind: "ratio", name: "record_core_share", value: float64(spent) / float64(ticks) / float64(at60), goal: "≤ 0.25", limit: 0.25, detail: fmt.Sprintf("packing a sample takes %v (p50), of a core at 60 Hz", median(packs))},
		{kind: "ratio", name: "record_bytes_vs_changed", value: float64(info.Bytes-first) / float64(changed), goal: "≤ 1.3", limit: 1.3,
			detail: fmt.Sprintf("%d bytes after the first sample, for %d bytes that were written to", info.Bytes-first, changed)},
	}, nil
}

// asked is a server with a recorded past of 3,600 samples of 10,000 entities.
type asked struct {
	s    *mcpdebug.Server
	a    *tenth
	tick uint64
}

// newAsked records samples ticks; frames are its ticks.
func newAsked(c *config, n, samples int) (*asked, error) {
	a := &asked{a: newTenth(n)}
	a.s = mcpdebug.New(&mcpdebug.Options{Record: &mcpdebug.RecordOptions{MemoryMB: 2048}})
	a.s.Bind(a.a.loupe, &host.App{Name: "benchmark"})
	a.s.Poll()
	for range samples {
		a.a.tick()
		a.s.Poll()
		// Asked after each, so that none is left out.
		if _, err := a.ask("record_info", struct{}{}); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// ask calls a tool and returns its structured answer.
func (a *asked) ask(tool string, arguments any) (map[string]any, error) {
	text := a.s.Dispatch(callBody(tool, arguments))
	if err := succeeded(text); err != nil {
		return nil, err
	}
	var r struct {
		Result struct{ StructuredContent map[string]any }
	}
	err := json.Unmarshal([]byte(text), &r)
	return r.Result.StructuredContent, err
}

// timed is the median time of a call, off the frame and whole.
func (a *asked) timed(n int, tool string, arguments func(i int) any) (time.Duration, error) {
	var took []time.Duration
	for i := range n {
		body := callBody(tool, arguments(i))
		start := time.Now()
		answer := a.s.Dispatch(body)
		took = append(took, time.Since(start))
		if err := succeeded(answer); err != nil {
			return 0, err
		}
	}
	return median(took), nil
}

type object = map[string]any

// past is what asking for it costs, and going back.
func past(c *config) ([]line, error) {
	samples := c.size(3600)
	a, err := newAsked(c, c.size(10_000), samples)
	if err != nil {
		return nil, err
	}
	defer a.s.Close()
	info, err := a.ask("record_info", struct{}{})
	if err != nil {
		return nil, err
	}
	if got, _ := info["samples"].(float64); int(got) < samples {
		return nil, fmt.Errorf("%v samples, %d expected", got, samples)
	}
	n := c.rounds
	of := func(i int) string { return fmt.Sprintf("%dv0", 2+i*7%len(a.a.rows)) }
	var lines []line
	add := func(name, goal string, limit float64, detail, tool string, n int, arguments func(i int) any) (time.Duration, error) {
		took, err := a.timed(n, tool, arguments)
		lines = append(lines, line{kind: "figure", name: name, unit: "ms", value: float64(took) / 1e6, goal: goal, limit: limit, detail: detail})
		return took, err
	}
	if _, err := add("history_ms", "≤ 20 ms", 20, "one value over 3,600 samples of 10,000 entities", "history", n,
		func(i int) any { return object{"entity": of(i), "paths": []string{"Position.X"}} }); err != nil {
		return nil, err
	}
	if _, err := add("find_tick_ms", "≤ 300 ms", 300, "a condition that began last at none of 3,600 samples × 10,000 entities", "find_tick", min(n, 3),
		func(i int) any { return object{"where": fmt.Sprintf("Health.HP < %d && Position.X > 500", 3+i)} }); err != nil {
		return nil, err
	}
	back := func(i int) int { return -(17 + i*samples/(3*n+1)) % samples }
	if _, err := add("info_at_ms", "≤ 2 ms", 2, "the first look at a moment", "info", 3*n,
		func(i int) any { return object{"entity": of(i), "at": back(i)} }); err != nil {
		return nil, err
	}
	search := object{"where": whereTwo, "limit": 20}
	then := object{"where": whereTwo, "limit": 20, "at": -samples / 2}
	now, err := a.timed(20, "query", func(int) any { return search })
	if err != nil {
		return nil, err
	}
	at, err := a.timed(20, "query", func(int) any { return then })
	if err != nil {
		return nil, err
	}
	lines = append(lines, line{kind: "ratio", name: "query_at_vs_live", value: float64(at) / float64(now), goal: "≤ 3", limit: 3, detail: fmt.Sprintf("%v beside %v, 10,000 entities, a moment that was asked for before", at, now)})
	frame, err := rewindFrame(c)
	return append(lines, frame), err
}

// rewindFrame is what the frame waits for while the world goes back.
func rewindFrame(c *config) (line, error) {
	a, err := newAsked(c, c.size(100_000), 30)
	if err != nil {
		return line{}, err
	}
	defer a.s.Close()
	var took []float64
	for i := range 2 * c.rounds {
		r, err := a.ask("rewind", object{"tick": int(20 + i%5)})
		if err != nil {
			return line{}, err
		}
		took = append(took, r["frameMs"].(float64))
	}
	return line{kind: "figure", name: "rewind_frame_ms", value: medianOf(took), unit: "ms", goal: "≤ 5 ms", limit: 5, detail: "the frame's part of `rewind`, 100,000 entities × 5 components"}, nil
}
