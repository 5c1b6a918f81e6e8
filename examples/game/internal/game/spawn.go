package game

import (
	"math"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
)

// makers create the game's kinds of entity.
type makers struct {
	enemy  generic.Map7[Enemy, Brain, Position, Velocity, Health, Body, Sprite]
	bolt   generic.Map4[Projectile, Position, Velocity, Sprite]
	pickup generic.Map4[Pickup, Position, Body, Sprite]
	spark  generic.Map4[Particle, Position, Velocity, Sprite]
	wall   generic.Map3[Wall, Position, Sprite]
	chest  generic.Map4[Inventory, Position, Body, Sprite]
	player generic.Map8[Player, Pilot, Position, Velocity, Health, Body, Sprite, Inventory]
	child  generic.Map4[ChildOf, Offset, Position, Sprite]

	health    generic.Map[Health]
	brain     generic.Map[Brain]
	enemyKind generic.Map[Enemy]
	position  generic.Map[Position]
	pilot     generic.Map[Pilot]
	inventory generic.Map[Inventory]
	velocity  generic.Map[Velocity]
	particle  generic.Map[Particle]
}

func newMakers(w *ecs.World) makers {
	return makers{
		enemy:  generic.NewMap7[Enemy, Brain, Position, Velocity, Health, Body, Sprite](w),
		bolt:   generic.NewMap4[Projectile, Position, Velocity, Sprite](w),
		pickup: generic.NewMap4[Pickup, Position, Body, Sprite](w),
		spark:  generic.NewMap4[Particle, Position, Velocity, Sprite](w),
		wall:   generic.NewMap3[Wall, Position, Sprite](w),
		chest:  generic.NewMap4[Inventory, Position, Body, Sprite](w),
		player: generic.NewMap8[Player, Pilot, Position, Velocity, Health, Body, Sprite, Inventory](w),
		child:  generic.NewMap4[ChildOf, Offset, Position, Sprite](w, generic.T[ChildOf]()),

		health: generic.NewMap[Health](w), brain: generic.NewMap[Brain](w), enemyKind: generic.NewMap[Enemy](w), position: generic.NewMap[Position](w),
		pilot: generic.NewMap[Pilot](w), inventory: generic.NewMap[Inventory](w),
		velocity: generic.NewMap[Velocity](w), particle: generic.NewMap[Particle](w),
	}
}

// look is a sprite in its own colours.
func look(m MaterialID, layer uint8) *Sprite {
	return &Sprite{Material: m, Layer: layer, Tint: [4]uint8{255, 255, 255, 255}}
}

// kindTraits is what tells the kinds of enemy apart.
var kindTraits = [enemyKinds]struct {
	hp       int
	radius   float64
	speed    float64 // px/s
	damage   int
	reload   float64 // s between strikes or shots
	points   int
	material MaterialID
}{
	Grunt:  {20, 7, 72, 6, 0.7, 10, MatGrunt},
	Brute:  {90, 12, 42, 18, 1.1, 40, MatBrute},
	Sniper: {14, 7, 58, 7, 1.8, 25, MatSniper},
}

// traits reads the table; a kind that it lacks (somebody may have written any
// number) counts as a grunt.
func (k EnemyKind) traits() *struct {
	hp       int
	radius   float64
	speed    float64
	damage   int
	reload   float64
	points   int
	material MaterialID
} {
	if k >= enemyKinds {
		k = Grunt
	}
	return &kindTraits[k]
}

func (g *Game) spawnPlayer() {
	x, y := g.freePlace(g.rules.ArenaW/2, g.rules.ArenaH/2, 10)
	e := g.makers.player.NewWith(&Player{}, &Pilot{AimX: 1}, &Position{x, y}, &Velocity{}, &Health{HP: 100, Max: 100},
		&Body{Radius: 9, Group: GroupPlayer}, look(MatPlayer, LayerActors),
		&Inventory{Slots: []Slot{{"blaster", 1}, {"medkit", 2}}, Tags: map[string]int{"luck": 1}, Note: "starts here"})
	for _, side := range []float64{-1, 1} {
		g.child.NewWith(&ChildOf{}, &Offset{X: 15 * side, Y: 8}, &Position{x + 15*side, y + 8}, look(MatDrone, LayerActors), e)
	}
}

var loot = [][]Slot{
	{{"coin", 30}, {"torch", 2}},
	{{"medkit", 1}, {"rope", 1}, {"coin", 12}},
	{{"key", 1}},
	{{"coin", 75}},
}

// spawnChests puts a chest near each corner.
func (g *Game) spawnChests() {
	for i, items := range loot {
		x, y := g.rules.ArenaW*(0.14+0.72*float64(i%2)), g.rules.ArenaH*(0.16+0.68*float64(i/2))
		x, y = g.freePlace(x, y, 14)
		g.chest.NewWith(&Inventory{Slots: append([]Slot(nil), items...), Tags: map[string]int{"locked": i % 2}, Note: "chest"},
			&Position{x, y}, &Body{Radius: 10, Group: GroupChest}, look(MatChest, LayerItems))
	}
}

// freePlace finds a place near (x, y) where a circle touches no wall.
func (g *Game) freePlace(x, y, r float64) (float64, float64) {
	g.fillSpace()
	for ring := 0; ring < 12; ring++ {
		for k := range 8 {
			a := float64(k) * math.Pi / 4
			px, py := x+float64(ring)*20*math.Cos(a), y+float64(ring)*20*math.Sin(a)
			if px < 40 || py < 40 || px > g.rules.ArenaW-40 || py > g.rules.ArenaH-40 {
				continue
			}
			if g.isFree(px, py, r) {
				return px, py
			}
		}
	}
	return x, y
}

func (g *Game) isFree(x, y, r float64) bool {
	free := true
	g.space.Near(x, y, r, GroupWall.Bit(), func(int) bool { free = false; return false })
	return free
}

// spawnEnemies adds n enemies away from the player; of the first brute of a
// wave it makes a captain with a banner.
func (g *Game) spawnEnemies(n int) {
	g.fillSpace()
	captain := false
	for range n {
		kind := Grunt
		switch roll := g.rng.IntN(100); {
		case roll >= 85:
			kind = Sniper
		case roll >= 65:
			kind = Brute
		}
		x, y := g.enemyPlace()
		e := g.spawnEnemy(kind, x, y)
		if kind == Brute && !captain {
			captain = true
			h := g.health.Get(e)
			h.HP, h.Max = h.HP*2, h.Max*2
			g.child.NewWith(&ChildOf{}, &Offset{Y: -15}, &Position{x, y - 15}, look(MatBanner, LayerEffects), e)
		}
	}
}

func (g *Game) enemyPlace() (x, y float64) {
	for range 20 {
		x, y = g.rng.Range(40, g.rules.ArenaW-40), g.rng.Range(40, g.rules.ArenaH-40)
		dx, dy := x-g.player.x, y-g.player.y
		if (!g.player.sound || dx*dx+dy*dy > 170*170) && g.isFree(x, y, 14) {
			break
		}
	}
	return x, y
}

func (g *Game) spawnEnemy(kind EnemyKind, x, y float64) ecs.Entity {
	t := kind.traits()
	return g.enemy.NewWith(&Enemy{Kind: kind, Target: g.player.entity, Aggro: 0.6}, &Brain{Timer: g.rng.Float64() * 0.3, Cooldown: 0.5 + g.rng.Float64()},
		&Position{x, y}, &Velocity{}, &Health{HP: t.hp, Max: t.hp}, &Body{Radius: t.radius, Group: GroupEnemy}, look(t.material, LayerActors))
}

// maxSparks bounds the effects: they are only to look at.
const maxSparks = 400

func (g *Game) spawnSparks(x, y float64, n int, tint [4]uint8, speed float64) {
	q := g.sparks.Query(&g.World)
	alive := q.Count()
	q.Close()
	for range min(n, maxSparks-alive) {
		a, v := g.rng.Float64()*2*math.Pi, speed*(0.3+0.7*g.rng.Float64())
		life := 0.2 + 0.3*g.rng.Float64()
		g.spark.NewWith(&Particle{TTL: life, Life: life}, &Position{x, y}, &Velocity{v * math.Cos(a), v * math.Sin(a)},
			&Sprite{Material: MatSpark, Layer: LayerEffects, Tint: tint})
	}
}
