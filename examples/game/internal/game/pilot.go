package game

import "math"

// maxHold is how long a key counts as held when its release never comes.
const maxHold = 10 * 60 // ticks

// controlsSystem steers the player: by input for a while after there was some,
// else by the autopilot.
func (g *Game) controlsSystem() {
	if !g.player.found || !g.pilot.Has(g.player.entity) {
		return
	}
	q := g.players.Query(&g.World)
	for q.Next() {
		p, v, h, pilot := q.Get()
		if q.Entity() != g.player.entity {
			continue
		}
		pilot.Down = h.HP <= 0
		g.player.down = pilot.Down
		switch {
		case pilot.Down:
			pilot.GoX, pilot.GoY = 0, 0
			steer(v, 0, 0, 0.2)
		case !g.player.sound:
			// Nowhere to go from.
		case g.manual():
			g.byHand(p, v, pilot)
		case g.rules.Autopilot:
			g.autopilot(p, v, pilot)
		default:
			steer(v, 0, 0, 0.2)
		}
	}
}

// manual reports whether input steers.
func (g *Game) manual() bool {
	in := g.input
	if !in.Any || g.tick.N < in.Last {
		return false
	}
	since := g.tick.N - in.Last
	if since > maxHold {
		in.Up, in.Down, in.Left, in.Right, in.Fire = false, false, false, false, false
	}
	held := in.Up || in.Down || in.Left || in.Right || in.Fire
	return held || float64(since)*TickSeconds < g.rules.ManualSeconds
}

func (g *Game) byHand(p *Position, v *Velocity, pilot *Pilot) {
	in := g.input
	axis := func(neg, pos bool) float64 {
		switch {
		case neg && !pos:
			return -1
		case pos && !neg:
			return 1
		}
		return 0
	}
	pilot.GoX, pilot.GoY, _ = unit(axis(in.Left, in.Right), axis(in.Up, in.Down))
	steer(v, pilot.GoX*g.rules.PlayerSpeed, pilot.GoY*g.rules.PlayerSpeed, 0.3)
	if in.Pointing {
		if x, y, ok := g.toWorld(in.PointerX, in.PointerY); ok {
			if ax, ay, l := unit(x-p.X, y-p.Y); l > 0 {
				pilot.AimX, pilot.AimY = ax, ay
			}
		}
	} else if x, y, ok := g.nearestFoe(p); ok {
		pilot.AimX, pilot.AimY, _ = unit(x-p.X, y-p.Y)
	}
	if in.Fire {
		g.shoot(p, pilot)
	}
}

// shoot fires along the aim if the gun is ready.
func (g *Game) shoot(p *Position, pilot *Pilot) {
	ax, ay, l := unit(pilot.AimX, pilot.AimY)
	if !(pilot.Cooldown <= 0) || l == 0 {
		return
	}
	pilot.Cooldown = max(TickSeconds, g.rules.PlayerReload)
	g.score.Shots++
	g.fire(shot{owner: g.player.entity, x: p.X + ax*12, y: p.Y + ay*12, dx: ax, dy: ay, speed: 430,
		damage: g.rules.PlayerDamage, ttl: 1.1, material: MatBolt, tint: [4]uint8{255, 240, 140, 255}})
	g.sound("shot", 0.35, p.X)
}

// nearestFoe finds the enemy to aim at: the nearest in sight, else the nearest.
func (g *Game) nearestFoe(p *Position) (x, y float64, ok bool) {
	best, seenBest := math.Inf(1), math.Inf(1)
	var sx, sy float64
	q := g.foes.Query(&g.World)
	for q.Next() {
		_, ep := q.Get()
		dx, dy := ep.X-p.X, ep.Y-p.Y
		d := dx*dx + dy*dy
		if d < best { // false for what is not finite
			best, x, y, ok = d, ep.X, ep.Y, true
		}
		if d < seenBest && d < 320*320 && g.lineOfFire(p, ep) {
			seenBest, sx, sy = d, ep.X, ep.Y
		}
	}
	if !math.IsInf(seenBest, 1) {
		return sx, sy, true
	}
	return x, y, ok
}

func (g *Game) lineOfFire(a, b *Position) bool { return g.sees(a.X, a.Y, b.X, b.Y) }

// threat is a place to keep away from.
type threat struct{ x, y, vx, vy, weight float64 }

// autopilot goes where it is safest of sixteen directions, and shoots.
func (g *Game) autopilot(p *Position, v *Velocity, pilot *Pilot) {
	g.fillSpace()
	threats := g.threats(p)
	goalX, goalY, pull := g.goal(p)
	bestScore, bestX, bestY := g.rate(p, 0, 0, threats, goalX, goalY, pull)-4, 0.0, 0.0
	for k := range 16 {
		s, c := math.Sincos(float64(k) * math.Pi / 8)
		score := g.rate(p, c, s, threats, goalX, goalY, pull) + 6*(c*pilot.GoX+s*pilot.GoY)
		if score > bestScore {
			bestScore, bestX, bestY = score, c, s
		}
	}
	pilot.GoX, pilot.GoY = bestX, bestY
	steer(v, bestX*g.rules.PlayerSpeed, bestY*g.rules.PlayerSpeed, 0.2)
	x, y, ok := g.nearestFoe(p)
	if !ok {
		return
	}
	ax, ay, d := unit(x-p.X, y-p.Y)
	if d == 0 {
		return
	}
	pilot.AimX, pilot.AimY = ax, ay
	if d < 330 && g.sees(p.X, p.Y, x, y) {
		g.shoot(p, pilot)
	}
}

const maxThreats = 48

func (g *Game) threats(p *Position) []threat {
	var list []threat
	q := g.foes.Query(&g.World)
	for q.Next() {
		e, ep := q.Get()
		dx, dy := ep.X-p.X, ep.Y-p.Y
		if d := dx*dx + dy*dy; d < 170*170 && len(list) < maxThreats {
			w := 1.0
			if e.Kind == Brute {
				w = 1.8
			}
			list = append(list, threat{x: ep.X, y: ep.Y, weight: w})
		}
	}
	b := g.bolts.Query(&g.World)
	for b.Next() {
		pr, bp, bv := b.Get()
		dx, dy := p.X-bp.X, p.Y-bp.Y
		if pr.Owner != g.player.entity && dx*dx+dy*dy < 150*150 && finite(bv.X, bv.Y) && len(list) < 2*maxThreats {
			list = append(list, threat{x: bp.X, y: bp.Y, vx: bv.X, vy: bv.Y, weight: 2})
		}
	}
	return list
}

// goal is where the player would like to be: at the nearest pickup, else within
// reach of the nearest enemy, else in the middle.
func (g *Game) goal(p *Position) (x, y, pull float64) {
	x, y, pull = g.rules.ArenaW/2, g.rules.ArenaH/2, 0.03
	if fx, fy, ok := g.nearestFoe(p); ok {
		if _, _, d := unit(fx-p.X, fy-p.Y); d > 220 {
			x, y, pull = fx, fy, 0.25
		}
	}
	best := 260.0 * 260
	q := g.pickups.Query(&g.World)
	for q.Next() {
		_, pp := q.Get()
		dx, dy := pp.X-p.X, pp.Y-p.Y
		if d := dx*dx + dy*dy; d < best {
			best, x, y, pull = d, pp.X, pp.Y, 0.35
		}
	}
	return x, y, pull
}

// rate values standing a third of a second on in one direction.
func (g *Game) rate(p *Position, dx, dy float64, threats []threat, goalX, goalY, pull float64) float64 {
	const ahead = 0.33
	way := g.rules.PlayerSpeed * ahead
	x, y := p.X+dx*way, p.Y+dy*way
	score := 0.0
	if dx != 0 || dy != 0 {
		if h, hit := g.space.Raycast(p.X, p.Y, x+dx*12, y+dy*12, GroupWall.Bit()|GroupChest.Bit()); hit {
			score -= 120 * (1 - h.Fraction)
		}
	}
	for i := range threats {
		t := &threats[i]
		d := math.Hypot(t.x+t.vx*ahead-x, t.y+t.vy*ahead-y)
		if t.vx != 0 || t.vy != 0 {
			// The nearest that the bolt comes on its way.
			ux, uy, _ := unit(t.vx, t.vy)
			along := (x-t.x)*ux + (y-t.y)*uy
			if along < 0 {
				continue
			}
			d = math.Abs((x-t.x)*uy-(y-t.y)*ux) * 2
		}
		score -= t.weight * 2600 / (d + 24) * max(0, 1-d/190)
	}
	// A corner is a trap, also when it is quiet.
	const roomy = 130
	score -= 0.2 * (max(0, roomy-min(x, g.rules.ArenaW-x)) + max(0, roomy-min(y, g.rules.ArenaH-y)))
	_, _, dist := unit(goalX-x, goalY-y)
	return score - pull*dist
}
