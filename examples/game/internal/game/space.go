package game

import (
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/examples/game/internal/physics"
)

// bodyRef is what a body in the space belongs to. The pointer is good only
// within the system that filled the space.
type bodyRef struct {
	entity ecs.Entity
	body   *Body // nil for a wall
	group  Group
}

// fillSpace builds the grid of everything solid from the world as it is. It is
// derived state: built anew whenever it is needed, so that neither a restored
// snapshot nor an edited position leaves it behind.
func (g *Game) fillSpace() {
	start := time.Now() // for physics_info alone
	g.space.Reset()
	g.refs = g.refs[:0]
	walls := g.walls.Query(&g.World)
	for walls.Next() {
		w, p := walls.Get()
		g.add(physics.Body{X: p.X, Y: p.Y, HX: w.HalfW, HY: w.HalfH, Mask: GroupWall.Bit()}, bodyRef{entity: walls.Entity(), group: GroupWall})
	}
	bodies := g.bodies.Query(&g.World)
	for bodies.Next() {
		b, p := bodies.Get()
		g.add(physics.Body{X: p.X, Y: p.Y, R: b.Radius, Mask: b.Group.Bit()}, bodyRef{bodies.Entity(), b, b.Group})
	}
	g.space.Build()
	g.stepTime = time.Since(start)
}

func (g *Game) add(b physics.Body, ref bodyRef) {
	b.Ref = len(g.refs)
	if g.space.Add(b) >= 0 {
		g.refs = append(g.refs, ref)
	}
}

// ref tells what a body of the space belongs to.
func (g *Game) ref(i int) *bodyRef { return &g.refs[g.space.Body(i).Ref] }

// sees reports whether no wall stands between two places.
func (g *Game) sees(x1, y1, x2, y2 float64) bool {
	_, blocked := g.space.Raycast(x1, y1, x2, y2, GroupWall.Bit())
	return !blocked
}

// touch is an enemy that touches the player.
type touch struct{ enemy ecs.Entity }

// contactsSystem works out how far each body must give way. It changes no
// Position: movement does, at the next tick.
func (g *Game) contactsSystem() {
	g.fillSpace()
	start := time.Now()
	for i := range g.refs {
		if b := g.refs[i].body; b != nil {
			b.PushX, b.PushY = 0, 0
		}
	}
	g.contacts = 0
	g.touched, g.grabbed = g.touched[:0], g.grabbed[:0]
	g.space.Contacts(func(c physics.Contact) {
		g.contacts++
		a, b := g.ref(c.A), g.ref(c.B)
		ga, gb := a.group, b.group
		if ga > gb {
			a, b, ga, gb = b, a, gb, ga
			c.NX, c.NY = -c.NX, -c.NY
		}
		switch {
		case gb == GroupPickup:
			if ga == GroupPlayer {
				g.grabbed = append(g.grabbed, b.entity)
			}
			return
		case ga == GroupPickup:
			return
		case ga == GroupPlayer && gb == GroupEnemy:
			g.touched = append(g.touched, touch{b.entity})
		}
		wa, wb := give(ga, gb)
		a.push(-c.NX*c.Depth*wa, -c.NY*c.Depth*wa)
		b.push(c.NX*c.Depth*wb, c.NY*c.Depth*wb)
	})
	g.stepTime += time.Since(start)
}

// give is which share of the overlap each side makes up for.
func give(a, b Group) (float64, float64) {
	fixed := func(g Group) bool { return g == GroupWall || g == GroupChest }
	switch {
	case fixed(a) && fixed(b):
		return 0, 0
	case fixed(b):
		return 1, 0
	case fixed(a):
		return 0, 1
	case a == GroupPlayer && b == GroupEnemy:
		return 0.25, 0.75
	}
	// A little less than the whole: crowds settle instead of trembling.
	return 0.4, 0.4
}

// maxPush is how far contacts shift a body within a tick: a deep overlap is
// undone over several ticks instead of throwing the body.
const maxPush = 4

func (r *bodyRef) push(x, y float64) {
	if b := r.body; b != nil {
		b.PushX = min(max(b.PushX+x, -maxPush), maxPush)
		b.PushY = min(max(b.PushY+y, -maxPush), maxPush)
	}
}
