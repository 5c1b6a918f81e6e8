package game

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/examples/game/internal/render"
)

// The size of a picture.
const (
	ViewW = render.Width
	ViewH = render.Height
)

// Draw draws the world as the camera sees it. Nothing is drawn unless somebody
// asks.
func (g *Game) Draw() *image.RGBA {
	start := time.Now()
	s := g.scene(*g.camera)
	img := g.renderer.Draw(s)
	g.pictures++
	g.drawTime = time.Since(start)
	return img
}

// drawAround draws with the camera moved so that an entity shows, and tells
// where.
func (g *Game) drawAround(e ecs.Entity) (*image.RGBA, image.Point) {
	start := time.Now()
	cam, p := *g.camera, *g.position.Get(e)
	s := g.scene(cam)
	x, y := s.Project(p.X, p.Y)
	if !(x > 60 && y > 60 && x < ViewW-60 && y < ViewH-60) && finite(p.X, p.Y) {
		cam.X, cam.Y = p.X, p.Y
		s = g.scene(cam)
		x, y = s.Project(p.X, p.Y)
	}
	img := g.renderer.Draw(s)
	g.pictures++
	g.drawTime = time.Since(start)
	if !finite(x, y) {
		x, y = ViewW/2, ViewH/2
	}
	return img, image.Pt(int(min(max(x, 0), ViewW-1)), int(min(max(y, 0), ViewH-1)))
}

// toWorld gives the place that a pixel of the picture shows.
func (g *Game) toWorld(px, py float64) (x, y float64, ok bool) {
	c := g.camera
	s := render.Scene{X: c.X, Y: c.Y, Zoom: c.Zoom, Rotation: c.Rotation}
	x, y = s.Unproject(px, py)
	return x, y, c.Zoom > 0 && finite(x, y)
}

// scene describes what there is to draw.
func (g *Game) scene(cam Camera) *render.Scene {
	s := &render.Scene{X: cam.X, Y: cam.Y, Zoom: cam.Zoom, Rotation: cam.Rotation, Seed: g.level.Seed + uint64(g.level.Number),
		Tick: g.tick.N, ArenaW: g.rules.ArenaW, ArenaH: g.rules.ArenaH}
	walls := g.walls.Query(&g.World)
	for walls.Next() {
		w, p := walls.Get()
		s.Walls = append(s.Walls, render.Wall{X: p.X, Y: p.Y, HalfW: w.HalfW, HalfH: w.HalfH})
	}
	q := g.sprites.Query(&g.World)
	for q.Next() {
		sp, p := q.Get()
		if sp.Material >= materials || sp.Material == MatWall {
			continue
		}
		g.addSprite(s, q.Entity(), sp, p)
	}
	g.addHUD(s)
	return s
}

func (g *Game) addSprite(s *render.Scene, e ecs.Entity, sp *Sprite, p *Position) {
	d := render.Sprite{X: p.X, Y: p.Y, Art: render.Art(sp.Material), Layer: sp.Layer, Tint: sp.Tint}
	beat := float64(g.tick.N)/60 + float64(e.ID())*0.37
	switch sp.Material {
	case MatGrunt, MatBrute, MatSniper:
		g.addEnemy(s, &d, e, beat)
	case MatPlayer:
		s.Lights = append(s.Lights, render.Light{X: p.X, Y: p.Y, Radius: 230, Color: [3]float32{0.78, 0.68, 0.48}})
		if g.pilot.Has(e) {
			pl := g.pilot.Get(e)
			d.Flash = pl.Flash > 0.1
			d.DirX, d.DirY = pl.AimX, pl.AimY
			d.Flip = pl.AimX < 0
			if pl.GoX != 0 || pl.GoY != 0 {
				d.Lift = math.Abs(math.Sin(beat * 11))
			}
			if pl.Down {
				d.Tint = [4]uint8{110, 110, 130, 255}
				d.DirX, d.DirY = 0, 0
			}
		}
	case MatBolt:
		d.Glow = true
		if v := g.velocityOf(e); v != nil {
			d.DirX, d.DirY, _ = unit(v.X, v.Y)
		}
		c := [3]float32{float32(sp.Tint[0]) / 255, float32(sp.Tint[1]) / 255, float32(sp.Tint[2]) / 255}
		s.Lights = append(s.Lights, render.Light{X: p.X, Y: p.Y, Radius: 46, Color: [3]float32{c[0] * 0.9, c[1] * 0.9, c[2] * 0.9}})
	case MatCoin, MatMedkit:
		d.Lift = 2 + 2*math.Sin(beat*4)
		s.Lights = append(s.Lights, render.Light{X: p.X, Y: p.Y, Radius: 34, Color: [3]float32{0.5, 0.42, 0.2}})
	case MatSpark:
		d.Glow = true
		if pt := g.particleOf(e); pt != nil && pt.Life > 0 {
			f := min(max(pt.TTL/pt.Life, 0), 1)
			d.Tint[3] = uint8(float64(d.Tint[3]) * f)
			d.Scale = 0.4 + 0.7*f
		}
	case MatDrone:
		d.Lift = 5 + 1.5*math.Sin(beat*5)
		s.Lights = append(s.Lights, render.Light{X: p.X, Y: p.Y, Radius: 40, Color: [3]float32{0.05, 0.4, 0.35}})
	case MatChest:
		s.Lights = append(s.Lights, render.Light{X: p.X, Y: p.Y, Radius: 70, Color: [3]float32{0.42, 0.3, 0.1}})
	}
	s.Sprites = append(s.Sprites, d)
}

func (g *Game) addEnemy(s *render.Scene, d *render.Sprite, e ecs.Entity, beat float64) {
	width := 14.0
	if d.Art == render.Brute {
		width = 22
	}
	d.Lift = math.Abs(math.Sin(beat*8)) * 1.5
	if v := g.velocityOf(e); v != nil {
		d.Flip = v.X < 0
	}
	if g.brain.Has(e) {
		b := g.brain.Get(e)
		d.Flash = b.Flash > 0
		switch b.Mood {
		case Windup:
			d.Tint, d.Lift = [4]uint8{255, 150, 150, 255}, 0
			d.Scale = 1.08
		case Charge:
			d.Tint = [4]uint8{255, 120, 100, 255}
			s.Lights = append(s.Lights, render.Light{X: d.X, Y: d.Y, Radius: 60, Color: [3]float32{0.7, 0.2, 0.05}})
		}
	}
	if g.health.Has(e) {
		if h := g.health.Get(e); h.HP < h.Max {
			s.Bars = append(s.Bars, render.Bar{X: d.X, Y: d.Y - width*0.85, Width: width, Full: h.Ratio(), Color: barColor(h.Ratio())})
		}
	}
}

func barColor(full float64) color.RGBA {
	if full > 0.5 {
		return color.RGBA{105, 201, 75, 255}
	}
	if full > 0.25 {
		return color.RGBA{255, 213, 74, 255}
	}
	return color.RGBA{229, 72, 77, 255}
}

func (g *Game) velocityOf(e ecs.Entity) *Velocity {
	if !g.velocity.Has(e) {
		return nil
	}
	return g.velocity.Get(e)
}

func (g *Game) particleOf(e ecs.Entity) *Particle {
	if !g.particle.Has(e) {
		return nil
	}
	return g.particle.Get(e)
}

func (g *Game) addHUD(s *render.Scene) {
	top := g.States.Top()
	s.HUD.Show = top != Menu
	q := g.foes.Query(&g.World)
	foes := q.Count()
	q.Close()
	s.HUD.Left = []string{fmt.Sprintf("WAVE %d", g.score.Wave), fmt.Sprintf("ENEMIES %d", foes)}
	s.HUD.Right = []string{fmt.Sprintf("%06d", g.score.Points), fmt.Sprintf("%d KILLS", g.score.Kills)}
	down := false
	pq := g.players.Query(&g.World)
	for pq.Next() {
		_, _, h, pilot := pq.Get()
		s.HUD.Health, s.HUD.HP, down = h.Ratio(), fmt.Sprintf("%d/%d", h.HP, h.Max), pilot.Down
	}
	if down {
		s.HUD.Centre = "DOWN: HELP COMES WITH THE NEXT WAVE"
	}
	switch top {
	case Menu:
		s.Title, s.Subtitle = "ARENA", "press Enter to play"
	case Paused:
		s.Title, s.Subtitle = "PAUSED", "press P to go on"
	case GameOver:
		s.Title, s.Subtitle = "GAME OVER", fmt.Sprintf("%d points; press Enter to play again", g.score.Points)
	}
}
