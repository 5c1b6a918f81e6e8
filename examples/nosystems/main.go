// Command nosystems is a host with a loop of its own and none of the optional
// parts: no schedule, no states, no camera, nothing to draw. World tools,
// scripts, snapshots and logs work; the tools that need a part are absent, and
// capabilities names the interface that would bring each.
package main

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Cell is one field of the forest.
type Cell struct{ X, Y int }

// Tree grows until it burns.
type Tree struct {
	Height float64 `debug:"min=0,unit=m"`
	Fire   float64 `debug:"min=0,max=1" jsonschema:"0 is no fire, 1 the whole tree"`
}

// Weather is what all trees share.
type Weather struct {
	Wind float64 `debug:"min=0,max=10" jsonschema:"how fast fires spread"`
	Rain bool
	Year int
}

func main() {
	addr := flag.String("addr", mcpdebug.DefaultAddr, "address of the debug server; port 0 takes a free one")
	years := flag.Int("years", 0, "end after so many years; 0 never")
	data := flag.String("data", "", "folder for snapshots and profiles. Default: in the user's cache")
	flag.Parse()

	world := ecs.NewWorld()
	weather := &Weather{Wind: 1}
	ecs.AddResource(&world, weather)
	trees := generic.NewMap2[Cell, Tree](&world)
	for i := range 32 * 32 {
		trees.NewWith(&Cell{i % 32, i / 32}, &Tree{Height: float64(i*7919%13) / 2})
	}

	dbg, err := mcpdebug.Listen(*addr, &mcpdebug.Options{DataDir: *data})
	if err != nil {
		slog.Warn("no debug server", "err", err)
	} else if url := dbg.URL(); url != "" {
		fmt.Println("debug server listening at", url)
	}
	defer dbg.Close()
	// The one thing that this host tells about itself.
	dbg.Bind(archeworld.New(&world), &host.App{Name: "forest", Summary: func() any { return weather }})

	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt)
	frames := time.NewTicker(time.Second / 30)
	defer frames.Stop()
	filter := generic.NewFilter2[Cell, Tree]()
	for *years == 0 || weather.Year < *years {
		select {
		case <-interrupt:
			return
		case <-frames.C:
		}
		dbg.Poll()
		dbg.Guard(func() { grow(&world, filter, weather) })
	}
}

// grow is one year: trees grow, fires spread to the neighbours and die in rain.
func grow(world *ecs.World, filter *generic.Filter2[Cell, Tree], weather *Weather) {
	weather.Year++
	burning := map[Cell]bool{}
	for q := filter.Query(world); q.Next(); {
		if c, t := q.Get(); t.Fire > 0.5 {
			burning[*c] = true
		}
	}
	for q := filter.Query(world); q.Next(); {
		c, t := q.Get()
		near := burning[Cell{c.X - 1, c.Y}] || burning[Cell{c.X + 1, c.Y}] || burning[Cell{c.X, c.Y - 1}] || burning[Cell{c.X, c.Y + 1}]
		switch {
		case weather.Rain:
			t.Fire = 0
		case near || t.Fire > 0:
			t.Fire = min(1, t.Fire+0.02*weather.Wind)
		}
		if t.Fire >= 1 {
			t.Height, t.Fire = 0, 0
		} else if t.Fire == 0 {
			t.Height = min(30, t.Height+0.05)
		}
	}
}
