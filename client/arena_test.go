package client_test

import (
	"fmt"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

type Health struct {
	HP  int `debug:"min=0"`
	Max int
}

type Crate struct {
	Name  string
	Slots []Slot
	Tags  map[string]int
}

type Slot struct{ Item string }

type Score struct{ Points int }

type heal struct {
	Amount int `json:"amount"`
}

type healed struct {
	HP int `json:"hp"`
}

func init() {
	value.Describe(
		value.Computed("Ratio", func(h *Health) float64 { return float64(h.HP) / float64(h.Max) }),
		value.Action("Heal", func(h *Health, in heal) (healed, error) {
			h.HP = min(h.HP+in.Amount, h.Max)
			return healed{h.HP}, nil
		}),
	)
	value.Describe(value.Label(func(c *Crate) string { return c.Name }))
}

// arena runs a game with a crate and three others until stop is called.
func arena() (url string, stop func()) {
	listening, end, ended := make(chan string), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		dbg, err := mcpdebug.Listen("127.0.0.1:0", &mcpdebug.Options{NoDiscovery: true})
		if err != nil {
			fmt.Println(err)
		}
		defer dbg.Close()
		world := arche.NewWorld()
		health, crate := arche.ComponentID[Health](&world), arche.ComponentID[Crate](&world)
		arche.AddResource(&world, &Score{Points: 3})
		e := world.NewEntity(health, crate)
		*(*Health)(world.Get(e, health)) = Health{HP: 30, Max: 100}
		*(*Crate)(world.Get(e, crate)) = Crate{Name: "crate", Slots: []Slot{{"rope"}, {"lamp"}}, Tags: map[string]int{"a.b": 2}}
		for i := range 3 {
			*(*Health)(world.Get(world.NewEntity(health), health)) = Health{HP: i, Max: 10}
		}
		dbg.Bind(archeworld.New(&world), &host.App{Name: "arena"})
		dbg.Poll()
		listening <- dbg.URL()
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			dbg.Poll()
			select {
			case <-tick.C:
			case <-end:
				return
			}
		}
	}()
	return <-listening, func() { close(end); <-ended }
}
