package game

import (
	"math"

	"github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/examples/game/internal/audio"
)

// at tells the schedule where a system is, for the report of a crash or a hang.
func (g *Game) at(e ecs.Entity) { g.Schedule.At(value.Entity{ID: e.ID(), Gen: e.Generation()}) }

// playerView is the player as the systems of one tick see it.
type playerView struct {
	entity ecs.Entity
	found  bool
	sound  bool // its place is finite
	down   bool
	x, y   float64
	vx, vy float64
}

// clockSystem counts the tick and looks up the player.
func (g *Game) clockSystem() {
	g.tick.N++
	g.score.Elapsed += TickSeconds
	g.findPlayer()
	if !g.player.found {
		return
	}
	pilot := g.pilot.Get(g.player.entity)
	pilot.Cooldown = max(0, pilot.Cooldown-TickSeconds)
	pilot.Shield = max(0, pilot.Shield-TickSeconds)
	pilot.Flash = max(0, pilot.Flash-TickSeconds)
}

// findPlayer looks up the first entity with all that makes a player.
func (g *Game) findPlayer() {
	g.player = playerView{}
	q := g.players.Query(&g.World)
	if !q.Next() {
		return
	}
	p, v, _, pilot := q.Get()
	g.player = playerView{entity: q.Entity(), found: true, sound: finite(p.X, p.Y), down: pilot.Down, x: p.X, y: p.Y, vx: v.X, vy: v.Y}
	q.Close()
}

// movementSystem alone turns Velocity into Position.
func (g *Game) movementSystem() {
	n := 0
	q := g.movers.Query(&g.World)
	for q.Next() {
		p, v, b := q.Get()
		if !finite(p.X, p.Y) {
			continue // it stays where it is, and so does what it is
		}
		n++
		g.at(q.Entity())
		if finite(v.X, v.Y) {
			p.X, p.Y = step(p.X, v.X), step(p.Y, v.Y)
		}
		if b == nil {
			continue
		}
		if finite(b.PushX, b.PushY) {
			p.X, p.Y = p.X+b.PushX, p.Y+b.PushY
		}
		// What is solid stays in the arena.
		if r := b.Radius; r >= 0 && r < g.rules.ArenaH/4 {
			p.X = min(max(p.X, r), g.rules.ArenaW-r)
			p.Y = min(max(p.Y, r), g.rules.ArenaH-r)
		}
	}
	g.counts.moved = n
}

// step adds a tick's way to a coordinate; one that would leave the finite
// numbers stays.
func step(x, v float64) float64 {
	if next := x + v*TickSeconds; finite(next) {
		return next
	}
	return x
}

// attachSystem puts children where their parents are.
func (g *Game) attachSystem() {
	q := g.children.Query(&g.World)
	for q.Next() {
		p, off := q.Get()
		g.at(q.Entity())
		parent := q.Relation()
		if parent.IsZero() || !g.World.Alive(parent) || !g.position.Has(parent) {
			continue
		}
		at := g.position.Get(parent)
		if x, y := at.X+off.X, at.Y+off.Y; finite(x, y) {
			p.X, p.Y = x, y
		}
	}
}

// pickupSystem gives the player what it touches.
func (g *Game) pickupSystem() {
	if g.player.down {
		return
	}
	q := g.pickups.Query(&g.World)
	for q.Next() {
		pk, p := q.Get()
		if pk.TTL <= 0 || !contains(g.grabbed, q.Entity()) {
			continue
		}
		pk.TTL = 0 // cleanup removes it
		switch pk.Kind {
		case Medkit:
			if g.health.Has(g.player.entity) {
				g.health.Get(g.player.entity).Heal(pk.Amount)
			}
		default:
			g.score.Coins++
			g.score.Points += pk.Amount
		}
		g.sound("pickup", 0.7, p.X)
	}
}

func contains(es []ecs.Entity, e ecs.Entity) bool {
	for _, x := range es {
		if x == e {
			return true
		}
	}
	return false
}

// waveSystem sends the next wave when few enemies are left or time is up, and
// helps the player up.
func (g *Game) waveSystem() {
	if n := g.score.Pending; n > 0 {
		g.score.Pending = 0
		g.spawnEnemies(min(n, 100_000))
	}
	if g.rules.Enemies <= 0 {
		return
	}
	q := g.foes.Query(&g.World)
	alive := q.Count()
	q.Close()
	late := g.score.Elapsed >= max(1, g.rules.WaveSeconds)
	if g.score.Wave > 0 && alive > g.rules.Enemies/3 && !late {
		return
	}
	g.score.Wave++
	g.score.Elapsed = 0
	size := g.rules.Enemies + min(g.rules.Enemies/2, (g.score.Wave-1)*max(1, g.rules.Enemies/10))
	g.spawnEnemies(max(0, size-alive))
	g.helpUp()
	if g.score.Wave > 1 {
		g.sound("wave", 0.8, g.player.x)
	}
}

// helpUp restores a player that is down.
func (g *Game) helpUp() {
	q := g.players.Query(&g.World)
	for q.Next() {
		_, _, h, pilot := q.Get()
		if h.HP <= 0 || pilot.Down {
			h.HP, pilot.Down, pilot.Shield = max(1, h.Max), false, 2
		}
	}
}

// cameraSystem follows the player.
func (g *Game) cameraSystem() {
	c, p := g.camera, &g.player
	if !c.Follow || !p.found || !p.sound || !finite(c.X, c.Y, c.Zoom) || c.Zoom <= 0 {
		return
	}
	// Ahead of the player, and not beyond the walls.
	c.X += (p.x + p.vx*0.25 - c.X) * 0.08
	c.Y += (p.y + p.vy*0.25 - c.Y) * 0.08
	halfW, halfH := ViewW/2/c.Zoom, ViewH/2/c.Zoom
	c.X = within(c.X, halfW, g.rules.ArenaW-halfW)
	c.Y = within(c.Y, halfH, g.rules.ArenaH-halfH)
}

func within(v, lo, hi float64) float64 {
	if lo > hi {
		return (lo + hi) / 2
	}
	return min(max(v, lo), hi)
}

// audioSystem lets one frame of sound pass.
func (g *Game) audioSystem() { g.mixer.Advance(audio.Rate / 60) }

// sound plays a sound that comes from a place in the arena.
func (g *Game) sound(name string, gain, x float64) {
	if g.replaying {
		return
	}
	pan := (x - g.camera.X) / (ViewW / 2)
	if math.IsNaN(pan) {
		pan = 0
	}
	// What is far outside the view is not heard.
	if gain *= 1 - max(0, math.Abs(pan)-1)/2; gain > 0.05 {
		g.mixer.Play(name, gain, pan*0.7, false)
	}
}
