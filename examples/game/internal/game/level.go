package game

import "math"

// wallThickness is that of the arena's border.
const wallThickness = 16

type box struct{ x, y, hw, hh float64 }

// plan lays out a level's walls: the border, then blocks in a loose grid that
// keep away from the centre, mirrored so that no side is better.
func plan(seed uint64, number int, w, h float64) []box {
	t := wallThickness / 2.0
	walls := []box{{w / 2, t, w / 2, t}, {w / 2, h - t, w / 2, t}, {t, h / 2, t, h / 2}, {w - t, h / 2, t, h / 2}}
	rng := RNG{State: mix(seed + uint64(number))}
	const pitch = 208.0
	cols, rows := int(math.Round(w/pitch)), int(math.Round(h/pitch))
	for r := range (rows + 1) / 2 {
		for c := range cols {
			cx, cy := (float64(c)+0.5)*w/float64(cols), (float64(r)+0.5)*h/float64(rows)
			cx, cy = cx+rng.Range(-32, 32), cy+rng.Range(-28, 28)
			var hw, hh float64
			switch rng.IntN(4) {
			case 0:
				hw, hh = 16, 16+16*float64(rng.IntN(3)) // an upright wall
			case 1:
				hw, hh = 16+16*float64(rng.IntN(3)), 16
			case 2:
				hw, hh = 24, 24
			default:
				continue
			}
			for _, m := range []box{{cx, cy, hw, hh}, {w - cx, h - cy, hw, hh}} {
				if math.Abs(m.x-w/2) > m.hw+70 || math.Abs(m.y-h/2) > m.hh+60 {
					walls = append(walls, box{math.Round(m.x/8) * 8, math.Round(m.y/8) * 8, m.hw, m.hh})
				}
			}
		}
	}
	return walls
}

// Load is a level being loaded, a few walls at a time: an operation that can be
// suspended midway and must complete before ticks go on.
type Load struct {
	g     *Game
	walls []box
}

// LoadLevel begins to load a level: the walls of the present one go.
func (g *Game) LoadLevel(number int) *Load {
	q := g.walls.Query(&g.World)
	g.expired = g.expired[:0]
	for q.Next() {
		g.expired = append(g.expired, q.Entity())
	}
	for _, e := range g.expired {
		// A wall that somebody gave an Inventory keeps it: see Inventory.
		if !g.inventory.Has(e) {
			g.World.RemoveEntity(e)
		}
	}
	g.level.Number, g.level.Cursor, g.level.Ready = number, 0, false
	walls := plan(g.level.Seed, number, g.rules.ArenaW, g.rules.ArenaH)
	g.level.Walls = len(walls)
	return &Load{g: g, walls: walls}
}

// Len is how many walls the level has.
func (l *Load) Len() int { return len(l.walls) }

// Step builds up to n walls and reports whether there are more to build.
func (l *Load) Step(n int) bool {
	lv := l.g.level
	for ; n > 0 && lv.Cursor < len(l.walls); n-- {
		b := l.walls[lv.Cursor]
		l.g.wall.NewWith(&Wall{b.hw, b.hh}, &Position{b.x, b.y}, look(MatWall, LayerItems))
		lv.Cursor++
	}
	lv.Ready = lv.Cursor >= len(l.walls)
	return !lv.Ready
}
