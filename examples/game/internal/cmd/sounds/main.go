// Command sounds writes the game's synthesised sounds as WAV files, so that
// they can be edited, heard and reloaded.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/loupe-ecs/loupe/examples/game/internal/audio"
)

func main() {
	dir := flag.String("o", "examples/game/assets", "folder to write to")
	flag.Parse()
	for _, name := range audio.Recipes() {
		if err := os.WriteFile(filepath.Join(*dir, name+".wav"), audio.EncodeWAV(audio.Rate, audio.Synth(name)), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}
