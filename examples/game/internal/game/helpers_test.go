package game

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
)

// play makes a game and lets it run for some frames, a tick each.
func play(t testing.TB, opts Options, frames int) *Game {
	t.Helper()
	g, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	run(g, frames)
	return g
}

func run(g *Game, frames int) {
	for range frames {
		g.Update(g.frame+1, Step)
	}
}

// the one entity with a Player.
func playerOf(t testing.TB, g *Game) ecs.Entity {
	t.Helper()
	var e ecs.Entity
	n := 0
	q := generic.NewFilter1[Player]().Query(&g.World)
	for q.Next() {
		e = q.Entity()
		n++
	}
	if n != 1 {
		t.Fatalf("%d players", n)
	}
	return e
}

func countFoes(g *Game) int {
	q := g.foes.Query(&g.World)
	defer q.Close()
	return q.Count()
}

func positions(g *Game) map[ecs.Entity]Position {
	m := map[ecs.Entity]Position{}
	q := generic.NewFilter1[Position]().Query(&g.World)
	for q.Next() {
		m[q.Entity()] = *q.Get()
	}
	return m
}
