// Command ark is a small aquarium on the engine Ark, with the debug server
// inside: the same embed as on arche, another adapter.
//
//	go run ./examples/ark
//
// Fish swim, shoals follow their leader (a relation), eat pellets (another
// relation) and keep a diary, so that strings, slices and several relation
// targets per entity are there to look at.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mlange-42/ark/ecs"

	"github.com/loupe-ecs/loupe/ecs/arkworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"

	"github.com/loupe-ecs/loupe/ecs/value"
)

type (
	// Position is where a fish is, in the tank of 100 by 60.
	Position struct {
		X float64 `debug:"min=0,max=100,unit=cm"`
		Y float64 `debug:"min=0,max=60,unit=cm"`
	}
	// Velocity is in the tank's units per second.
	Velocity struct {
		X float64 `debug:"unit=cm/s"`
		Y float64 `debug:"unit=cm/s"`
	}
	// Fish names an entity for people.
	Fish struct {
		Name  string
		Diary []string `jsonschema:"what happened to it, the latest last; at most 8 lines"`
	}
	// Hunger grows; at 100 the fish gives up its shoal.
	Hunger struct {
		Level float64 `debug:"min=0,max=100"`
	}
	// Pellet is food.
	Pellet struct{}
	// Follows is the relation to the leader of the shoal.
	Follows struct{ ecs.RelationMarker }
	// Eats is the relation to the pellet a fish is after.
	Eats struct{ ecs.RelationMarker }
)

// Tank is a resource: what is true of the whole world.
type Tank struct {
	Ticks  uint64 `debug:"readonly"`
	Eaten  int
	Events []string
}

// Feed is the input of the action that calms a fish.
type Feed struct {
	Amount float64 `json:"amount" jsonschema:"how much hunger it takes away" debug:"min=0,max=100"`
}

func init() {
	value.Describe(value.Label(func(f *Fish) string { return f.Name }))
	value.Describe(value.Action("Feed", func(h *Hunger, in Feed) (Hunger, error) {
		h.Level = max(0, h.Level-in.Amount)
		return *h, nil
	}, "feeds the fish"))
}

func main() {
	var (
		addr   = flag.String("addr", mcpdebug.DefaultAddr, "address of the debug server; port 0 takes a free one")
		data   = flag.String("data", "loupe-data", "folder for snapshots and profiles")
		frames = flag.Uint64("frames", 0, "end after so many frames; 0 never")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *addr, *data, *frames); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, addr, data string, frames uint64) error {
	if err := os.MkdirAll(data, 0o777); err != nil {
		return err
	}
	a := newAquarium()
	dbg, err := mcpdebug.Listen(addr, &mcpdebug.Options{DataDir: data})
	if err != nil {
		log.Print(err) // the aquarium runs on: a nil server does nothing
	}
	defer dbg.Close()
	dbg.Bind(arkworld.New(a.world), &host.App{Name: "aquarium", Summary: func() any { return *a.tank }})
	if url := dbg.URL(); url != "" {
		fmt.Fprintf(out, "debug server listening at %s\n", url)
		fmt.Fprintf(out, "  Claude Code:  claude mcp add --transport http game %s\n", url)
	}
	tick := time.NewTicker(time.Second / 60)
	defer tick.Stop()
	for frame := uint64(0); frames == 0 || frame < frames; frame++ {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		dbg.Poll()
		dbg.Guard(a.update)
	}
	return nil
}

type aquarium struct {
	world   *ecs.World
	tank    *Tank
	rng     *rand.Rand
	fish    *ecs.Map5[Position, Velocity, Fish, Hunger, Follows]
	pellets *ecs.Map2[Position, Pellet]
	eats    *ecs.Map1[Eats]
	follows *ecs.Map1[Follows]
	diary   *ecs.Map1[Fish]
	pos     *ecs.Map1[Position]
	food    []ecs.Entity
}

func newAquarium() *aquarium {
	w := ecs.NewWorld()
	a := &aquarium{
		world: w, tank: &Tank{}, rng: rand.New(rand.NewPCG(1, 1)),
		fish:    ecs.NewMap5[Position, Velocity, Fish, Hunger, Follows](w),
		pellets: ecs.NewMap2[Position, Pellet](w),
		eats:    ecs.NewMap1[Eats](w), follows: ecs.NewMap1[Follows](w),
		diary: ecs.NewMap1[Fish](w), pos: ecs.NewMap1[Position](w),
	}
	ecs.AddResource(w, a.tank)
	for shoal := range 4 {
		var leader ecs.Entity
		for i := range 6 {
			e := a.fish.NewEntity(&Position{X: a.rng.Float64() * 100, Y: a.rng.Float64() * 60},
				&Velocity{X: a.rng.Float64()*10 - 5, Y: a.rng.Float64()*4 - 2},
				&Fish{Name: fmt.Sprintf("%s %d", []string{"Tetra", "Guppy", "Barb", "Molly"}[shoal], i+1), Diary: []string{"hatched"}},
				&Hunger{Level: a.rng.Float64() * 50}, &Follows{}, ecs.RelIdx(4, leader))
			if i == 0 {
				leader = e
			}
		}
	}
	return a
}

func (a *aquarium) update() {
	a.tank.Ticks++
	if a.tank.Ticks%40 == 0 {
		a.pellets.NewEntity(&Position{X: a.rng.Float64() * 100, Y: a.rng.Float64() * 60}, &Pellet{})
	}
	a.swim()
	a.hunt()
}

func (a *aquarium) swim() {
	for q := ecs.NewFilter2[Position, Velocity](a.world).Query(); q.Next(); {
		p, v := q.Get()
		p.X, p.Y = p.X+v.X/60, p.Y+v.Y/60
		if p.X < 0 || p.X > 100 {
			v.X = -v.X
		}
		if p.Y < 0 || p.Y > 60 {
			v.Y = -v.Y
		}
		p.X, p.Y = min(max(p.X, 0), 100), min(max(p.Y, 0), 60)
	}
	for q := ecs.NewFilter1[Hunger](a.world).Query(); q.Next(); {
		h := q.Get()
		h.Level = min(h.Level+1.0/60, 100)
	}
}

// hunt gives hungry fish a pellet to be after, and lets them eat it.
func (a *aquarium) hunt() {
	a.food = a.food[:0]
	for q := ecs.NewFilter1[Pellet](a.world).Query(); q.Next(); {
		a.food = append(a.food, q.Entity())
	}
	type meal struct{ fish, pellet ecs.Entity }
	var starts, meals []meal
	for q := ecs.NewFilter1[Hunger](a.world).Without(ecs.C[Eats]()).Query(); q.Next(); {
		if q.Get().Level > 30 && len(a.food) > 0 {
			starts = append(starts, meal{q.Entity(), a.food[a.rng.IntN(len(a.food))]})
		}
	}
	for q := ecs.NewFilter3[Position, Hunger, Eats](a.world).Query(); q.Next(); {
		p, h, _ := q.Get()
		target := q.GetRelation(2)
		if target.IsZero() || !a.pos.HasAll(target) {
			meals = append(meals, meal{fish: q.Entity()})
			continue
		}
		to := a.pos.Get(target)
		p.X, p.Y = p.X+(to.X-p.X)/30, p.Y+(to.Y-p.Y)/30
		if dx, dy := to.X-p.X, to.Y-p.Y; dx*dx+dy*dy < 1 {
			h.Level = max(0, h.Level-30)
			meals = append(meals, meal{q.Entity(), target})
		}
	}
	for _, m := range starts {
		a.eats.Add(m.fish, &Eats{}, ecs.RelIdx(0, m.pellet))
	}
	for _, m := range meals {
		a.eats.Remove(m.fish)
		if m.pellet.IsZero() || !a.world.Alive(m.pellet) {
			continue
		}
		a.world.RemoveEntity(m.pellet)
		a.tank.Eaten++
		if a.diary.HasAll(m.fish) {
			f := a.diary.Get(m.fish)
			f.Diary = append(f.Diary, fmt.Sprintf("ate at tick %d", a.tank.Ticks))
			f.Diary = f.Diary[max(0, len(f.Diary)-8):]
		}
	}
}
