package render

import "image/color"

// The size of a picture in pixels.
const (
	Width  = 640
	Height = 360
)

// Scene is everything that a picture shows.
type Scene struct {
	X, Y     float64 // world coordinates at the centre
	Zoom     float64 // pixels per world unit
	Rotation float64 // radians
	Seed     uint64  // of the floor
	Tick     uint64  // for what moves by itself
	ArenaW   float64
	ArenaH   float64

	Walls   []Wall
	Sprites []Sprite
	Lights  []Light
	Bars    []Bar
	HUD     HUD
	// Title and Subtitle are laid over the picture, which darkens: menus.
	Title, Subtitle string
}

// Wall is a solid box, by its centre and half extents.
type Wall struct{ X, Y, HalfW, HalfH float64 }

// Sprite is one picture of an [Art] in the world.
type Sprite struct {
	X, Y  float64
	Art   Art
	Layer uint8    // drawn in ascending order, within a layer by Y
	Tint  [4]uint8 // multiplies red, green, blue and opacity
	Scale float64  // 0 counts as 1
	Lift  float64  // drawn so many units above its place, the shadow stays
	Flip  bool
	Flash bool    // drawn all white
	Glow  bool    // added to what is below instead of laid over it
	DirX  float64 // where it points: a gun or a streak is drawn along it
	DirY  float64
}

// Light brightens its surroundings.
type Light struct {
	X, Y, Radius float64
	Color        [3]float32 // 1 is as bright as the arena's own light
}

// Bar is a health bar above an entity.
type Bar struct {
	X, Y  float64
	Width float64
	Full  float64 // 0 to 1
	Color color.RGBA
}

// HUD is what is written over the picture.
type HUD struct {
	Show   bool
	Health float64 // 0 to 1
	HP     string
	Left   []string // lines at the top left
	Right  []string // lines at the top right
	Centre string   // one line below the top
}

// Stats counts what a picture needed.
type Stats struct {
	Drawn, Culled, Lights int
}
