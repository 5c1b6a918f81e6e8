// Command ebiten is a small game on Ebitengine and donburi with the debug server
// inside.
//
//	cd examples/ebiten && go run .
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/loupe-ecs/loupe/ebitenloupe"
	"github.com/loupe-ecs/loupe/ecs/donburiworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

func main() {
	addr := flag.String("addr", mcpdebug.DefaultAddr, "address of the debug server; port 0 takes a free one")
	data := flag.String("data", "", "folder for snapshots and profiles. Default: in the user's cache")
	overlay := flag.Bool("overlay", true, "say over the game that it is paused, recorded or has crashed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	g := newGame()
	debug := ebitenloupe.Wrap(g, donburiworld.New(g.world, &g.score), &ebitenloupe.Options{
		Addr: *addr, Debug: &mcpdebug.Options{DataDir: *data}, App: &host.App{Name: "basket"}, NoOverlay: !*overlay, Context: ctx})
	defer debug.Close()
	if url := debug.Server().URL(); url != "" {
		fmt.Println("debug server listening at", url)
		fmt.Println("  Claude Code:  claude mcp add --transport http game", url)
	}
	ebiten.SetWindowSize(width, height)
	ebiten.SetWindowTitle("Loupe's basket")
	if err := ebiten.RunGame(debug); err != nil {
		log.Fatal(err)
	}
}
