package game

import (
	"math"
	"time"

	"github.com/mlange-42/arche/ecs"
)

// shot is a projectile that combat fires.
type shot struct {
	owner        ecs.Entity
	x, y, dx, dy float64
	speed        float64
	damage       int
	ttl          float64
	material     MaterialID
	tint         [4]uint8
}

// enemySystem decides where each enemy goes and whether it shoots.
func (g *Game) enemySystem() {
	g.fillSpace()
	g.shots = g.shots[:0]
	hang := g.opts.HangAt != 0 && g.frame >= g.opts.HangAt && !g.hung
	n := 0
	q := g.brains.Query(&g.World)
	if hang && q.Count() == 0 {
		g.hang()
	}
	for q.Next() {
		e, p, v, brain, _ := q.Get()
		g.at(q.Entity())
		if hang && !g.hung {
			g.hang()
		}
		if !finite(p.X, p.Y) {
			continue
		}
		n++
		g.think(q.Entity(), e, p, v, brain)
	}
	g.counts.ai = n
}

func (g *Game) hang() {
	g.hung = true
	hangingPathfinder(g.opts.HangFor, g.opts.Stop)
}

// hangingPathfinder is a search that finds no end: what a hang looks like from
// outside. It gives up after limit or when stop is closed.
func hangingPathfinder(limit time.Duration, stop <-chan struct{}) {
	visited := 0
	for start := time.Now(); time.Since(start) < limit; {
		for range 1 << 16 {
			visited++
		}
		select {
		case <-stop:
			return
		default:
		}
	}
}

func (g *Game) think(self ecs.Entity, e *Enemy, p *Position, v *Velocity, brain *Brain) {
	t := e.Kind.traits()
	speed := t.speed * g.rules.EnemySpeed
	if !g.player.found || !g.player.sound || g.player.down {
		if brain == nil {
			steer(v, 0, 0, 0.1)
			return
		}
		g.rest(brain)
		brain.Mood = Wander
		if brain.Timer <= 0 {
			a := g.rng.Float64() * 2 * math.Pi
			brain.HeadingX, brain.HeadingY, brain.Timer = math.Cos(a), math.Sin(a), 1+g.rng.Float64()
		}
		steer(v, brain.HeadingX*speed*0.4, brain.HeadingY*speed*0.4, 0.1)
		return
	}
	e.Target = g.player.entity
	dx, dy, dist := unit(g.player.x-p.X, g.player.y-p.Y)
	if brain == nil {
		steer(v, dx*speed, dy*speed, 0.15)
		return
	}
	g.rest(brain)
	aggro := e.Aggro
	if !finite(aggro) || aggro < 0 {
		aggro = 0
	}
	if brain.Timer <= 0 {
		g.decide(e, p, brain, dx, dy, dist)
		// Thinking is spread over the ticks; far enemies think less often.
		brain.Timer = 0.12 + 0.1*g.rng.Float64() + min(0.3, dist/2000)
		if brain.Mood == Windup {
			brain.Timer = 0.35
		} else if brain.Mood == Charge {
			brain.Timer = 0.55
		}
	}
	factor, grip := min(aggro, 3), 0.15
	switch brain.Mood {
	case Windup:
		factor, grip = 0, 0.3
	case Charge:
		factor, grip = 5.2, 0.25
	}
	steer(v, brain.HeadingX*speed*factor, brain.HeadingY*speed*factor, grip)
	if e.Kind == Sniper && brain.Cooldown <= 0 && dist > 0 && dist < 330 && g.sees(p.X, p.Y, g.player.x, g.player.y) {
		brain.Cooldown = t.reload * (0.8 + 0.4*g.rng.Float64())
		// Lead the target by the time that the bolt takes.
		lead := dist / 190 * 0.6
		ax, ay, _ := unit(g.player.x+g.player.vx*lead-p.X, g.player.y+g.player.vy*lead-p.Y)
		g.shots = append(g.shots, shot{owner: self, x: p.X + ax*9, y: p.Y + ay*9, dx: ax, dy: ay, speed: 190,
			damage: g.enemyDamage(t.damage), ttl: 2.2, material: MatBolt, tint: [4]uint8{255, 96, 200, 255}})
	}
}

// rest lets an enemy's clocks run. They cannot be trusted to be finite.
func (g *Game) rest(b *Brain) {
	down := func(v float64) float64 {
		if !(v > 0) || math.IsInf(v, 0) {
			return 0
		}
		return max(0, v-TickSeconds)
	}
	b.Timer, b.Cooldown, b.Flash = down(b.Timer), down(b.Cooldown), down(b.Flash)
	if !finite(b.HeadingX, b.HeadingY) {
		b.HeadingX, b.HeadingY = 0, 0
	}
}

func (g *Game) enemyDamage(n int) int {
	f := float64(n) * g.rules.EnemyDamage
	if !(f > 0) {
		return 0
	}
	return int(min(f+0.5, 1e6))
}

// decide picks a mood and a heading. dx, dy is the direction of the player.
func (g *Game) decide(e *Enemy, p *Position, b *Brain, dx, dy, dist float64) {
	seen := dist < 500 && g.sees(p.X, p.Y, g.player.x, g.player.y)
	if seen {
		e.Aggro = min(1, max(e.Aggro, 0.6)+0.05)
	}
	before := b.Mood
	b.Mood, b.HeadingX, b.HeadingY = Chase, dx, dy
	switch e.Kind {
	case Brute:
		switch {
		case before == Windup && seen:
			b.Mood = Charge
			return
		case seen && dist < 150 && b.Cooldown <= 0 && g.rng.IntN(3) == 0:
			b.Mood, b.Cooldown = Windup, 2.4
			return
		}
	case Sniper:
		switch {
		case seen && dist < 150:
			b.Mood, b.HeadingX, b.HeadingY = Retreat, -dx, -dy
		case seen && dist < 240: // circles
			side := 1.0
			if g.rng.IntN(4) == 0 {
				side = -1
			}
			b.Mood, b.HeadingX, b.HeadingY = Flank, -dy*side, dx*side
		}
	}
	g.avoidWalls(p, b)
}

// avoidWalls turns a heading that leads into a wall to the nearest free side.
func (g *Game) avoidWalls(p *Position, b *Brain) {
	const look = 46
	if g.sees(p.X, p.Y, p.X+b.HeadingX*look, p.Y+b.HeadingY*look) {
		return
	}
	for _, a := range [...]float64{0.6, -0.6, 1.2, -1.2, 1.8, -1.8, 2.6} {
		s, c := math.Sincos(a)
		hx, hy := b.HeadingX*c-b.HeadingY*s, b.HeadingX*s+b.HeadingY*c
		if g.sees(p.X, p.Y, p.X+hx*look, p.Y+hy*look) {
			b.HeadingX, b.HeadingY = hx, hy
			if b.Mood == Chase {
				b.Mood = Flank
			}
			return
		}
	}
}

// steer turns a velocity towards the wanted one by a share each tick.
func steer(v *Velocity, wantX, wantY, grip float64) {
	if !finite(v.X, v.Y) {
		v.X, v.Y = 0, 0
	}
	if finite(wantX, wantY) {
		v.X += (wantX - v.X) * grip
		v.Y += (wantY - v.Y) * grip
	}
}
