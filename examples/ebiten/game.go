package main

import (
	"image/color"
	"math/rand/v2"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/vector"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/loupe-ecs/loupe/ebitenloupe"
)

// The game: a basket catches balls that fall. Arrow keys move it.

const width, height = 320, 240

type (
	place struct {
		X float64 `debug:"unit=px"`
		Y float64 `debug:"unit=px"`
	}
	speed struct {
		Y float64 `debug:"min=0,max=20,unit=px"`
	}
	look struct {
		Radius float32 `debug:"min=1,max=40,unit=px"`
		Colour color.RGBA
	}
	catch struct{ Caught, Missed int }
)

var (
	placeOf = donburi.NewComponentType[place]().SetName("Place")
	speedOf = donburi.NewComponentType[speed](speed{Y: 1}).SetName("Speed")
	lookOf  = donburi.NewComponentType[look](look{Radius: 6, Colour: color.RGBA{0xff, 0x80, 0, 0xff}}).SetName("Look")
	basket  = donburi.NewTag("Basket")
	balls   = donburi.NewQuery(filter.Contains(placeOf, speedOf))
	drawn   = donburi.NewQuery(filter.Contains(placeOf, lookOf))
)

type game struct {
	world  donburi.World
	player *donburi.Entry
	score  catch
	random *rand.Rand
	ticks  int
}

func newGame() *game {
	g := &game{world: donburi.NewWorld(), random: rand.New(rand.NewPCG(1, 2))}
	g.player = g.world.Entry(g.world.Create(basket, placeOf, lookOf))
	*placeOf.Get(g.player) = place{width / 2, height - 20}
	*lookOf.Get(g.player) = look{Radius: 16, Colour: color.RGBA{0x40, 0x80, 0xff, 0xff}}
	return g
}

func (g *game) Update() error {
	if ebitenloupe.IsKeyPressed(ebiten.KeyEscape) {
		return ebiten.Termination
	}
	if g.ticks++; g.ticks%30 == 1 {
		*placeOf.Get(g.world.Entry(g.world.Create(placeOf, speedOf, lookOf))) = place{X: g.random.Float64() * width}
	}
	p := placeOf.Get(g.player)
	if ebitenloupe.IsKeyPressed(ebiten.KeyArrowLeft) {
		p.X = max(0, p.X-3)
	}
	if ebitenloupe.IsKeyPressed(ebiten.KeyArrowRight) {
		p.X = min(width, p.X+3)
	}
	var gone []donburi.Entity
	balls.Each(g.world, func(e *donburi.Entry) {
		at := placeOf.Get(e)
		switch at.Y += speedOf.Get(e).Y; {
		case at.Y > p.Y-8 && at.Y < p.Y+8 && at.X > p.X-20 && at.X < p.X+20:
			g.score.Caught++
		case at.Y > height:
			g.score.Missed++
		default:
			return
		}
		gone = append(gone, e.Entity())
	})
	for _, e := range gone {
		g.world.Remove(e)
	}
	return nil
}

func (g *game) Draw(screen *ebiten.Image) {
	screen.Fill(color.RGBA{0x10, 0x18, 0x20, 0xff})
	drawn.Each(g.world, func(e *donburi.Entry) {
		at, l := placeOf.Get(e), lookOf.Get(e)
		vector.DrawFilledCircle(screen, float32(at.X), float32(at.Y), l.Radius, l.Colour, false)
	})
}

func (g *game) Layout(int, int) (int, int) { return width, height }
