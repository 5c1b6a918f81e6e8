// Command headless is a game server without a display: a ticker makes its ticks,
// twenty a second, and a clock lets clients pause, step and hurry them.
//
//	go run ./examples/headless
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/loupe-ecs/loupe/ecs/structworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

// The game: rooms with players who grow tired and leave.
type (
	seat struct {
		Name    string
		Stamina float64 `debug:"min=0,max=100"`
	}
	lobby struct{ Joined, Left int }
	game  struct {
		seats map[int]*seat
		lobby lobby
	}
)

func (g *game) fill() {
	for len(g.seats) < 8 {
		g.lobby.Joined++
		g.seats[g.lobby.Joined] = &seat{Name: fmt.Sprint("player ", g.lobby.Joined), Stamina: float64(20 + 7*g.lobby.Joined%60)}
	}
}

func (g *game) tick() error {
	g.fill()
	for n, s := range g.seats {
		if s.Stamina -= 0.1; s.Stamina <= 0 {
			delete(g.seats, n)
			g.lobby.Left++
		}
	}
	return nil
}

func main() {
	addr := flag.String("addr", mcpdebug.DefaultAddr, "address of the debug server; port 0 takes a free one")
	data := flag.String("data", "", "folder for snapshots and profiles. Default: in the user's cache")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	g := &game{seats: map[int]*seat{}}
	g.fill()
	dbg, err := mcpdebug.Listen(*addr, &mcpdebug.Options{DataDir: *data})
	if err != nil {
		log.Print(err) // the server runs on: a nil debug server does nothing
	}
	defer dbg.Close()
	const step = time.Second / 20
	clock := &host.StepClock{Step: step}
	dbg.Bind(structworld.New(structworld.Map("Seat", &g.seats), structworld.Resource(&g.lobby)), &host.App{Name: "headless", Clock: clock})
	if url := dbg.URL(); url != "" {
		fmt.Println("debug server listening at", url)
	}

	ticks := time.NewTicker(step)
	defer ticks.Stop()
	for ctx.Err() == nil {
		_ = dbg.Turn(clock, step, g.tick)
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
}
