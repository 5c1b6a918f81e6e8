// Command screenshot plays the game without a window for some frames and writes
// what it looks like then as a PNG.
package main

import (
	"flag"
	"fmt"
	"image/png"
	"log"
	"os"

	"github.com/loupe-ecs/loupe/examples/game/internal/game"
)

func main() {
	out := flag.String("o", "screenshot.png", "file to write")
	seed := flag.Uint64("seed", 3, "seed of the game")
	enemies := flag.Int("enemies", 90, "enemies in the first wave")
	frames := flag.Uint64("frames", 800, "frames to play")
	flag.Parse()
	g, err := game.New(game.Options{Seed: *seed, Enemies: *enemies})
	if err != nil {
		log.Fatal(err)
	}
	for n := uint64(1); n <= *frames; n++ {
		g.Update(n, game.Step)
	}
	f, err := os.Create(*out)
	if err != nil {
		log.Fatal(err)
	}
	if err := png.Encode(f, g.Draw()); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: tick %d, state %016x\n", *out, g.Ticks(), g.Hash())
}
