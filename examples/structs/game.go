package main

import (
	"math"
	"math/rand/v2"

	"github.com/loupe-ecs/loupe/ecs/structworld"
)

// The game: a ship on autopilot shoots rocks. No ECS, just structs.

type vec struct{ X, Y float64 }

type ship struct {
	At     vec
	Angle  float64 `debug:"unit=rad"`
	Reload float64 `debug:"min=0,unit=s"`
	Target *rock   // shown as the entity that it is
}

type rock struct {
	At, Speed vec
	Radius    float64 `debug:"min=1,max=40,unit=px"`
	HP        int     `debug:"min=0,unit=hp"`
}

// spark lies in a slice of structs from which others are removed: by its ID it
// is known wherever it moves.
type spark struct {
	structworld.ID
	At, Speed vec
	TTL       float64 `debug:"min=0,unit=s"`
}

type rules struct {
	Width, Height float64
	Rocks         int `debug:"min=0,max=100" jsonschema:"how many there are at least"`
}

type score struct{ Ticks, Hits int }

type game struct {
	ship   *ship
	rocks  []*rock
	shots  []spark
	rules  rules
	score  score
	random *rand.PCG // known by its numbers: a snapshot takes it along
}

func newGame() *game {
	return &game{ship: &ship{At: vec{320, 180}}, rules: rules{640, 360, 12}, random: rand.NewPCG(1, 2)}
}

func (g *game) tick(dt float64) {
	g.score.Ticks++
	for len(g.rocks) < g.rules.Rocks {
		g.rocks = append(g.rocks, g.newRock())
	}
	for _, r := range g.rocks {
		g.move(&r.At, r.Speed, dt)
	}
	g.aim(dt)
	kept := g.shots[:0]
	for i := range g.shots {
		s := &g.shots[i]
		g.move(&s.At, s.Speed, dt)
		if s.TTL -= dt; s.TTL > 0 && !g.hit(s) {
			kept = append(kept, *s)
		}
	}
	clear(g.shots[len(kept):])
	g.shots = kept
	alive := g.rocks[:0]
	for _, r := range g.rocks {
		if r.HP > 0 {
			alive = append(alive, r)
		}
	}
	clear(g.rocks[len(alive):])
	g.rocks = alive
}

func (g *game) newRock() *rock {
	r := rand.New(g.random)
	return &rock{At: vec{r.Float64() * g.rules.Width, 0}, Speed: vec{r.NormFloat64() * 30, r.NormFloat64() * 30}, Radius: 10 + r.Float64()*20, HP: 1 + r.IntN(3)}
}

func (g *game) move(at *vec, speed vec, dt float64) {
	at.X = math.Mod(at.X+speed.X*dt+g.rules.Width, g.rules.Width)
	at.Y = math.Mod(at.Y+speed.Y*dt+g.rules.Height, g.rules.Height)
}

// aim turns the ship to the nearest rock and shoots.
func (g *game) aim(dt float64) {
	s := g.ship
	if s == nil {
		return
	}
	s.Target = nil
	near := math.Inf(1)
	for _, r := range g.rocks {
		if d := math.Hypot(r.At.X-s.At.X, r.At.Y-s.At.Y); d < near {
			near, s.Target = d, r
		}
	}
	if s.Reload -= dt; s.Target == nil || s.Reload > 0 {
		s.Reload = max(s.Reload, 0)
		return
	}
	s.Reload = 0.2
	s.Angle = math.Atan2(s.Target.At.Y-s.At.Y, s.Target.At.X-s.At.X)
	g.shots = append(g.shots, spark{At: s.At, Speed: vec{math.Cos(s.Angle) * 300, math.Sin(s.Angle) * 300}, TTL: 1.5})
}

func (g *game) hit(s *spark) bool {
	for _, r := range g.rocks {
		if math.Hypot(r.At.X-s.At.X, r.At.Y-s.At.Y) < r.Radius {
			r.HP--
			g.score.Hits++
			return true
		}
	}
	return false
}
