package game

import (
	"math"

	"github.com/mlange-42/arche/ecs"
)

// hit is a projectile that has met something.
type hit struct {
	bolt   ecs.Entity
	target ecs.Entity
	group  Group
	damage int
	x, y   float64
	dx, dy float64
}

// corpse is an enemy at 0 HP.
type corpse struct {
	entity ecs.Entity
	kind   EnemyKind
	x, y   float64
	placed bool
}

// projectileSystem finds what each projectile has hit on its way of this tick.
func (g *Game) projectileSystem() {
	g.hits = g.hits[:0]
	n := 0
	q := g.bolts.Query(&g.World)
	for q.Next() {
		pr, p, v := q.Get()
		pr.TTL -= TickSeconds
		if !finite(p.X, p.Y, v.X, v.Y) || pr.TTL <= 0 {
			continue
		}
		g.at(q.Entity())
		n++
		mask := GroupPlayer.Bit() | GroupWall.Bit()
		if pr.Owner == g.player.entity {
			mask = GroupEnemy.Bit() | GroupWall.Bit()
		}
		h, ok := g.space.Raycast(p.X-v.X*TickSeconds, p.Y-v.Y*TickSeconds, p.X, p.Y, mask)
		if !ok {
			continue
		}
		pr.TTL = 0 // cleanup removes it
		ref := g.ref(h.Body)
		g.hits = append(g.hits, hit{q.Entity(), ref.entity, ref.group, pr.Damage, h.X, h.Y, h.NX, h.NY})
	}
	g.counts.bolts = n
}

// armour is the share of damage that gets through to each kind.
var armour = [enemyKinds]float64{Grunt: 1, Brute: 0.8, Sniper: 1}

func armourOf(k EnemyKind) float64 { return armour[k] }

// combatSystem turns hits and touches into damage, fires what was aimed and
// notes who died.
func (g *Game) combatSystem() {
	for i := range g.hits {
		h := &g.hits[i]
		switch h.group {
		case GroupPlayer:
			g.hurtPlayer(h.damage)
		case GroupEnemy:
			g.hurtEnemy(h)
		}
	}
	for _, t := range g.touched {
		g.strike(t.enemy)
	}
	for i := range g.shots {
		g.fire(g.shots[i])
	}
	g.shots = g.shots[:0]

	g.dead = g.dead[:0]
	n := 0
	q := g.hurt.Query(&g.World)
	crash := g.opts.CrashAt != 0 && g.frame >= g.opts.CrashAt && !g.crashed
	if crash && q.Count() == 0 {
		g.unarmoured()
	}
	for q.Next() {
		e, h, p := q.Get()
		g.at(q.Entity())
		if crash {
			g.unarmoured()
		}
		n++
		if h.HP > 0 {
			continue
		}
		c := corpse{entity: q.Entity(), kind: e.Kind}
		if p != nil && finite(p.X, p.Y) {
			c.x, c.y, c.placed = p.X, p.Y, true
		}
		g.dead = append(g.dead, c)
	}
	g.counts.combat = n
}

// unarmoured is the planted crash: a kind that somebody added without its
// armour.
func (g *Game) unarmoured() {
	g.crashed = true
	armourOf(enemyKinds + 4)
}

func (g *Game) hurtEnemy(h *hit) {
	if !g.health.Has(h.target) {
		return
	}
	kind := Grunt
	if g.enemyKind.Has(h.target) {
		if k := g.enemyKind.Get(h.target).Kind; k < enemyKinds {
			kind = k
		}
	}
	g.health.Get(h.target).Damage(int(math.Ceil(float64(min(max(h.damage, 0), 1e6)) * armourOf(kind))))
	g.score.Hits++
	if g.brain.Has(h.target) {
		g.brain.Get(h.target).Flash = 0.12
	}
	g.sound("hit", 0.4, h.x)
}

// strike lets an enemy that touches the player hurt it, if it has rested.
func (g *Game) strike(enemy ecs.Entity) {
	if !g.brain.Has(enemy) || !g.enemyKind.Has(enemy) {
		return
	}
	b, t := g.brain.Get(enemy), g.enemyKind.Get(enemy).Kind.traits()
	if b.Cooldown > 0 && b.Mood != Charge {
		return
	}
	b.Cooldown = max(b.Cooldown, t.reload)
	g.hurtPlayer(g.enemyDamage(t.damage))
}

func (g *Game) hurtPlayer(n int) {
	q := g.players.Query(&g.World)
	for q.Next() {
		p, _, h, pilot := q.Get()
		if q.Entity() != g.player.entity || pilot.Down || pilot.Shield > 0 {
			continue
		}
		h.Damage(n)
		pilot.Shield, pilot.Flash = 0.3, 0.2
		g.sound("hurt", 0.8, p.X)
		if h.HP == 0 {
			pilot.Down = true
			g.score.Deaths++
			g.score.Elapsed = max(g.score.Elapsed, g.rules.WaveSeconds-4) // help comes soon
			if g.rules.Lives > 0 && g.score.Deaths >= g.rules.Lives {
				g.States.enter(GameOver)
			}
		}
	}
}

// fire makes a projectile. Not while a query is open.
func (g *Game) fire(s shot) {
	g.pending = append(g.pending, s)
}

// cleanupSystem removes what is dead, spent or collected, and leaves what they
// drop. It is also where shots become entities: no other system of a tick
// creates or removes any, but for waves.
func (g *Game) cleanupSystem() {
	for _, s := range g.pending {
		g.bolt.NewWith(&Projectile{Damage: s.damage, Owner: s.owner, TTL: s.ttl}, &Position{s.x, s.y},
			&Velocity{s.dx * s.speed, s.dy * s.speed}, &Sprite{Material: s.material, Layer: LayerEffects, Tint: s.tint})
	}
	g.pending = g.pending[:0]
	for i := range g.hits {
		h := &g.hits[i]
		g.spawnSparks(h.x, h.y, 3, [4]uint8{255, 220, 130, 255}, 70)
	}
	g.hits = g.hits[:0]
	for _, c := range g.dead {
		g.bury(c)
	}
	g.dead = g.dead[:0]
	g.age()
	for _, e := range g.expired {
		g.remove(e)
	}
	g.expired = g.expired[:0]
}

func (g *Game) bury(c corpse) {
	t := c.kind.traits()
	if !g.remove(c.entity) {
		return
	}
	g.score.Kills++
	g.score.Points += t.points
	if !c.placed {
		return
	}
	g.spawnSparks(c.x, c.y, 9, [4]uint8{255, 140, 70, 255}, 120)
	g.sound("death", 0.5, c.x)
	switch roll := g.rng.IntN(100); {
	case roll < 9:
		g.dropPickup(Medkit, 15, c.x, c.y)
	case roll < 45:
		g.dropPickup(Coin, 5, c.x, c.y)
	}
}

func (g *Game) dropPickup(kind PickupKind, amount int, x, y float64) {
	mat := MatCoin
	if kind == Medkit {
		mat = MatMedkit
	}
	g.pickup.NewWith(&Pickup{Kind: kind, Amount: amount, TTL: 12}, &Position{x, y}, &Body{Radius: 8, Group: GroupPickup}, look(mat, LayerItems))
}

// age collects in expired what has no time left.
func (g *Game) age() {
	g.expired = g.expired[:0]
	b := g.boltAge.Query(&g.World)
	for b.Next() {
		if !(b.Get().TTL > 0) {
			g.expired = append(g.expired, b.Entity())
		}
	}
	a := g.ages.Query(&g.World)
	for a.Next() {
		pk := a.Get()
		pk.TTL -= TickSeconds
		if !(pk.TTL > 0) {
			g.expired = append(g.expired, a.Entity())
		}
	}
	s := g.sparks.Query(&g.World)
	for s.Next() {
		p := s.Get()
		p.TTL -= TickSeconds
		if !(p.TTL > 0) {
			g.expired = append(g.expired, s.Entity())
		}
	}
}

// remove takes an entity and its children out of the world; not the player and
// nothing with an Inventory (see there). Not while a query is open.
func (g *Game) remove(e ecs.Entity) bool {
	if !g.World.Alive(e) || g.inventory.Has(e) {
		return false
	}
	g.orphans = g.orphans[:0]
	q := g.kin.Query(&g.World, e)
	for q.Next() {
		g.orphans = append(g.orphans, q.Entity())
	}
	for _, child := range g.orphans {
		if !g.inventory.Has(child) {
			g.World.RemoveEntity(child)
		}
	}
	g.World.RemoveEntity(e)
	return true
}
