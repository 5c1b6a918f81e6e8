package game

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"
)

// Position is a place in the arena; y grows downwards.
type Position struct {
	X float64 `debug:"unit=px" jsonschema:"to the right"`
	Y float64 `debug:"unit=px" jsonschema:"downwards"`
}

// Velocity is what the system movement adds to Position.
type Velocity struct {
	X float64 `debug:"unit=px/s" jsonschema:"to the right"`
	Y float64 `debug:"unit=px/s" jsonschema:"downwards"`
}

// Health is how much an entity can take. An enemy at 0 dies, the player goes
// down until the next wave.
type Health struct {
	HP  int `debug:"min=0,unit=hp" jsonschema:"what is left"`
	Max int `debug:"min=0,unit=hp" jsonschema:"what healing stops at"`
}

// Player marks the entity that the camera follows and enemies hunt.
type Player struct{}

// EnemyKind is what an enemy is like.
type EnemyKind uint8

// The kinds of enemy.
const (
	Grunt  EnemyKind = iota // runs at its target
	Brute                   // slow and tough; charges when near
	Sniper                  // keeps its distance and shoots
	enemyKinds
)

func (k EnemyKind) String() string {
	switch k {
	case Grunt:
		return "Grunt"
	case Brute:
		return "Brute"
	case Sniper:
		return "Sniper"
	}
	return fmt.Sprintf("EnemyKind(%d)", uint8(k))
}

// Enemy is hostile to the player.
type Enemy struct {
	Kind   EnemyKind  `jsonschema:"how it behaves"`
	Target ecs.Entity `jsonschema:"whom it hunts"`
	Aggro  float64    `debug:"min=0" jsonschema:"share of its full speed; grows while it sees its target"`
}

// Mood is what an enemy is doing.
type Mood uint8

// The moods.
const (
	Wander Mood = iota
	Chase
	Flank // around a wall that is in the way
	Windup
	Charge
	Retreat
)

func (m Mood) String() string {
	if int(m) < len(moods) {
		return moods[m]
	}
	return fmt.Sprintf("Mood(%d)", uint8(m))
}

var moods = [...]string{"Wander", "Chase", "Flank", "Windup", "Charge", "Retreat"}

// Brain is an enemy's short memory. An Enemy without one walks straight at the
// player.
type Brain struct {
	Mood     Mood    `jsonschema:"what it is doing"`
	Timer    float64 `debug:"unit=s" jsonschema:"until it thinks again"`
	HeadingX float64 `jsonschema:"where it wants to go, a unit vector"`
	HeadingY float64
	Cooldown float64 `debug:"unit=s" jsonschema:"until it can strike or shoot again"`
	Flash    float64 `debug:"unit=s" jsonschema:"how long it still shows that it was hit"`
}

// Pilot steers the player: the autopilot's memory.
type Pilot struct {
	AimX, AimY float64 `jsonschema:"where it aims, a unit vector"`
	GoX, GoY   float64 `jsonschema:"where it goes, a unit vector or 0"`
	Cooldown   float64 `debug:"unit=s" jsonschema:"until it can shoot again"`
	Shield     float64 `debug:"unit=s" jsonschema:"how long it cannot be hurt"`
	Flash      float64 `debug:"unit=s" jsonschema:"how long it still shows that it was hit"`
	Down       bool    `jsonschema:"true at 0 HP, until the next wave"`
}

// Group is what a body is to a raycast: its bit of the mask is 1 << Group.
type Group uint8

// The groups.
const (
	GroupPlayer Group = iota
	GroupEnemy
	GroupPickup
	GroupChest
	GroupWall
	groups
)

func (g Group) String() string {
	if g < groups {
		return [...]string{"player", "enemy", "pickup", "chest", "wall"}[g]
	}
	return fmt.Sprintf("Group(%d)", uint8(g))
}

// Bit is the group's bit in a mask.
func (g Group) Bit() uint32 { return 1 << (g & 31) }

// Body makes an entity solid: a circle.
type Body struct {
	Radius float64 `debug:"min=0,unit=px"`
	Group  Group   `jsonschema:"what it is to others"`
	PushX  float64 `debug:"unit=px" jsonschema:"shift at the next tick"`
	PushY  float64 `debug:"unit=px"`
}

// Wall makes an entity a solid box around its Position.
type Wall struct {
	HalfW float64 `debug:"min=0,unit=px"`
	HalfH float64 `debug:"min=0,unit=px"`
}

// Projectile flies with its Velocity until it hits something or its time is up.
type Projectile struct {
	Damage int        `debug:"min=0,unit=hp"`
	Owner  ecs.Entity `jsonschema:"who shot it; the player's hit enemies, all others hit the player"`
	TTL    float64    `debug:"unit=s" jsonschema:"time left"`
}

// PickupKind is what a pickup gives.
type PickupKind uint8

// The kinds of pickup.
const (
	Coin PickupKind = iota
	Medkit
	pickupKinds
)

func (k PickupKind) String() string {
	switch k {
	case Coin:
		return "Coin"
	case Medkit:
		return "Medkit"
	}
	return fmt.Sprintf("PickupKind(%d)", uint8(k))
}

// Pickup is collected by touching it.
type Pickup struct {
	Kind   PickupKind
	Amount int     `debug:"min=0" jsonschema:"points of a coin, hp of a medkit"`
	TTL    float64 `debug:"unit=s" jsonschema:"time left"`
}

// Particle is a spark that fades.
type Particle struct {
	TTL  float64 `debug:"unit=s" jsonschema:"time left"`
	Life float64 `debug:"unit=s" jsonschema:"time it had"`
}

// MaterialID names what a sprite is drawn with.
type MaterialID uint8

// The materials.
const (
	MatPlayer MaterialID = iota
	MatGrunt
	MatBrute
	MatSniper
	MatBolt
	MatCoin
	MatMedkit
	MatChest
	MatDrone
	MatBanner
	MatSpark
	MatWall
	materials
)

// The layers, backmost first.
const (
	LayerGround uint8 = iota
	LayerItems
	LayerActors
	LayerEffects
	layers
)

// Sprite is how an entity looks.
type Sprite struct {
	Material MaterialID `jsonschema:"what it is drawn with"`
	Layer    uint8      `debug:"max=3" jsonschema:"see layers_list"`
	Tint     [4]uint8   `jsonschema:"multiplies the material's RGBA"`
}

// Slot is one place of an Inventory.
type Slot struct {
	Item  string
	Count int `debug:"min=0"`
}

// Inventory is what the player or a chest holds. Its slice, map and string are
// pointers, and the engine moves rows without telling the garbage collector: no
// system of the game creates, removes or changes the components of an entity
// that has one.
type Inventory struct {
	Slots []Slot
	Tags  map[string]int
	Note  string
}

// ChildOf fastens an entity to its target: it is where its target is, plus its
// Offset, and goes when the target goes.
type ChildOf struct {
	ecs.Relation
}

// Offset is where a child is from its parent.
type Offset struct {
	X float64 `debug:"unit=px"`
	Y float64 `debug:"unit=px"`
}
