package main

import (
	"math/rand/v2"
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
	ark "github.com/mlange-42/ark/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/arkworld"
)

// The components of the measured worlds: five, without pointers, 64 bytes.
type (
	Position struct{ X, Y float64 }
	Velocity struct{ X, Y float32 }
	Health   struct{ HP, Max int32 }
	Team     struct {
		Side  uint8
		Rank  uint16
		Score int64
	}
	Box struct{ W, H, Depth, Angle float32 }
)

// componentBytes is what one entity's components take.
const componentBytes = int(unsafe.Sizeof(Position{}) + unsafe.Sizeof(Velocity{}) + unsafe.Sizeof(Health{}) + unsafe.Sizeof(Team{}) + unsafe.Sizeof(Box{}))

// archeWorld is a world of arche with its component ids.
type archeWorld struct {
	w                           *arche.World
	pos, vel, health, team, box arche.ID
	loupe                       *archeworld.World
}

func registerArche(w *arche.World) *archeWorld {
	return &archeWorld{w: w, pos: arche.ComponentID[Position](w), vel: arche.ComponentID[Velocity](w), health: arche.ComponentID[Health](w),
		team: arche.ComponentID[Team](w), box: arche.ComponentID[Box](w)}
}

// filler gives the entities' values: positions and velocities at random, the
// rest as games have it. One entity in ten has fewer than 10 hit points.
type filler struct{ r *rand.Rand }

func newFiller() filler { return filler{rand.New(rand.NewPCG(1, 1))} }

func (f filler) fill(p *Position, v *Velocity, h *Health, t *Team, b *Box) {
	r := f.r
	*p = Position{r.Float64() * 1000, r.Float64() * 1000}
	*v = Velocity{r.Float32() - 0.5, r.Float32() - 0.5}
	*h = Health{int32(r.IntN(100)), 100}
	*t = Team{uint8(r.IntN(4)), uint16(r.IntN(10)), int64(r.IntN(5000))}
	*b = Box{1, 2, 0.5, r.Float32()}
}

// newArche makes n entities with all five components.
func newArche(n int) *archeWorld {
	w := arche.NewWorld(1024)
	a := registerArche(&w)
	ids := []arche.ID{a.pos, a.vel, a.health, a.team, a.box}
	arche.NewBuilder(&w, ids...).NewBatch(n)
	f := newFiller()
	q := w.Query(arche.All(ids...))
	for q.Next() {
		f.fill((*Position)(q.Get(a.pos)), (*Velocity)(q.Get(a.vel)), (*Health)(q.Get(a.health)), (*Team)(q.Get(a.team)), (*Box)(q.Get(a.box)))
	}
	a.loupe = archeworld.New(&w)
	return a
}

// newArk is the same world on Ark.
func newArk(n int) (*ark.World, *arkworld.World) {
	w := ark.NewWorld(1024)
	f := newFiller()
	ark.NewMap5[Position, Velocity, Health, Team, Box](w).NewBatchFn(n, func(_ ark.Entity, p *Position, v *Velocity, h *Health, t *Team, b *Box) {
		f.fill(p, v, h, t, b)
	})
	return w, arkworld.New(w)
}

const million = 1_000_000
