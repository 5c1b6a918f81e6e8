package game

import (
	"math"
	"time"
)

// TickSeconds is the length of a tick, and Step the same for clocks.
const (
	TickSeconds = 1.0 / 60
	Step        = time.Second / 60
)

// Tick counts simulation advances.
type Tick struct {
	N uint64 `jsonschema:"ticks since the start"`
}

// Rules are the numbers that the game is played by. They may be changed while
// it runs.
type Rules struct {
	ArenaW        float64 `debug:"unit=px,readonly" jsonschema:"width of the arena"`
	ArenaH        float64 `debug:"unit=px,readonly" jsonschema:"height of the arena"`
	Enemies       int     `debug:"min=0,max=100000" jsonschema:"size of the first wave"`
	WaveSeconds   float64 `debug:"min=1,unit=s" jsonschema:"a new wave comes at the latest after this time"`
	PlayerSpeed   float64 `debug:"min=0,max=2000,unit=px/s"`
	PlayerReload  float64 `debug:"min=0,unit=s" jsonschema:"time between the player's shots"`
	PlayerDamage  int     `debug:"min=0,unit=hp" jsonschema:"damage of the player's shots"`
	EnemySpeed    float64 `debug:"min=0,max=20" jsonschema:"factor on the speed of all enemies"`
	EnemyDamage   float64 `debug:"min=0,max=100" jsonschema:"factor on the damage of all enemies"`
	Lives         int     `debug:"min=0" jsonschema:"the game is over when the player has gone down so often; 0 never"`
	Autopilot     bool    `jsonschema:"whether the player moves by itself when nobody presses a key"`
	ManualSeconds float64 `debug:"min=0,unit=s" jsonschema:"how long the autopilot leaves the player alone after an input"`
}

// Score is how the game goes.
type Score struct {
	Points  int
	Kills   int
	Shots   int
	Hits    int
	Coins   int
	Deaths  int `jsonschema:"how often the player went down"`
	Wave    int
	Elapsed float64 `debug:"unit=s" jsonschema:"since the wave came"`
	Pending int     `debug:"min=0,max=100000" jsonschema:"enemies that the next tick adds"`
}

// Level is the arena's walls.
type Level struct {
	Number int
	Walls  int
	Cursor int  `jsonschema:"walls of the plan that stand already"`
	Ready  bool `jsonschema:"false while the level is being loaded"`
	Seed   uint64
}

// Input is what keys and pointer say.
type Input struct {
	Up, Down, Left, Right bool
	Fire                  bool
	Pointing              bool    `jsonschema:"true when the pointer has been used; it then aims"`
	PointerX              float64 `debug:"unit=px" jsonschema:"in the picture"`
	PointerY              float64 `debug:"unit=px" jsonschema:"in the picture"`
	Last                  uint64  `jsonschema:"tick of the last event"`
	Any                   bool    `jsonschema:"whether there was an event at all"`
}

// Camera is the view into the arena.
type Camera struct {
	X, Y     float64 `debug:"unit=px" jsonschema:"centre of the view"`
	Zoom     float64 `debug:"min=0.05,max=20" jsonschema:"1 shows the arena pixel for pixel"`
	Rotation float64 `debug:"unit=rad"`
	Follow   bool    `jsonschema:"whether it follows the player"`
}

// RNG is the game's only source of chance: SplitMix64 (Steele, Lea and Flood,
// "Fast Splittable Pseudorandom Number Generators", 2014).
type RNG struct {
	State uint64
}

// Uint64 gives the next number.
func (r *RNG) Uint64() uint64 {
	r.State += 0x9e3779b97f4a7c15
	return mix(r.State)
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Float64 gives a number in 0 <= v < 1.
func (r *RNG) Float64() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// IntN gives a number in 0 <= v < n; n must be positive. The bias is below
// n/2^64.
func (r *RNG) IntN(n int) int { return int(r.Uint64() % uint64(n)) }

// Range gives a number in lo <= v < hi.
func (r *RNG) Range(lo, hi float64) float64 { return lo + r.Float64()*(hi-lo) }

func finite(vs ...float64) bool {
	for _, v := range vs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// unit gives the direction and length of a vector; 0, 0, 0 where it has none.
func unit(x, y float64) (ux, uy, length float64) {
	l := math.Sqrt(x*x + y*y)
	if !(l > 1e-9) || math.IsInf(l, 0) {
		return 0, 0, 0
	}
	return x / l, y / l, l
}
