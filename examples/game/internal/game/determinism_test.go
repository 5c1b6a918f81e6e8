package game

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
)

var update = flag.Bool("update", false, "write the pictures and print the state anew")

// stateAt600 is the state of seed 1 with 40 enemies after 600 frames. A change
// of the rules changes it; then a changed number here is part of that change.
const stateAt600 = "201b40dabc18ed85"

// knownHere: compilers for other processors may fuse multiplication and
// addition, which rounds differently.
const knownHere = runtime.GOARCH == "amd64"

// inPlay is the state that seed 1 with 40 enemies comes to in 600 frames of
// ordinary play: what other ways of getting there are held against.
var inPlay = sync.OnceValues(func() (uint64, error) {
	g, err := New(Options{Seed: 1, Enemies: 40})
	if err != nil {
		return 0, err
	}
	defer g.Close()
	run(g, 600)
	return g.Hash(), nil
})

func wantInPlay(t *testing.T) uint64 {
	t.Helper()
	h, err := inPlay()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestStateAtFrame600(t *testing.T) {
	t.Parallel()
	got := fmt.Sprintf("%016x", wantInPlay(t))
	if *update {
		t.Logf("state at frame 600: %s", got)
	} else if knownHere && got != stateAt600 {
		t.Errorf("state %s, want %s", got, stateAt600)
	}
	if a, b := play(t, Options{Seed: 1, Enemies: 40}, 30).Hash(), play(t, Options{Seed: 2, Enemies: 40}, 30).Hash(); a == b {
		t.Error("another seed comes to the same state")
	}
}

// A second run ends in the same state, and looking changes nothing: pictures,
// raycasts and lists in between leave the game as it would have been.
func TestLookingLeavesTheGameAsItIs(t *testing.T) {
	t.Parallel()
	g := play(t, Options{Seed: 1, Enemies: 40}, 0)
	app := g.App()
	for range 600 {
		run(g, 1)
		if g.frame%31 == 0 {
			g.Draw()
			app.Physics.Info()
			app.Audio.Info()
			app.Layers.List()
			app.Materials.List()
			app.Summary()
		}
	}
	if want := wantInPlay(t); g.Hash() != want {
		t.Errorf("watched: %016x, unwatched: %016x", g.Hash(), want)
	}
}

// Map order and addresses differ between processes; the game must not.
func TestOtherProcessesPlayTheSameGame(t *testing.T) {
	opts, frames := Options{Seed: 3, Enemies: 120}, 200
	if os.Getenv("GAME_PRINT_STATE") != "" {
		fmt.Printf("state=%016x\n", play(t, opts, frames).Hash())
		return
	}
	t.Parallel()
	want := fmt.Sprintf("state=%016x", play(t, opts, frames).Hash())
	for range 2 {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestOtherProcessesPlayTheSameGame$")
		cmd.Env = append(os.Environ(), "GAME_PRINT_STATE=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("another process: %v\n%s\nwant %s", err, out, want)
		}
	}
}

// A snapshot holds everything that the next tick depends on.
func TestARestoredGameGoesOnTheSame(t *testing.T) {
	t.Parallel()
	g := play(t, Options{Seed: 5, Enemies: 60}, 200)
	w := archeworld.New(&g.World)
	var img loupe.Image
	if err := w.Capture(&img); err != nil {
		t.Fatal(err)
	}
	before := g.Hash()
	run(g, 200)
	want := g.Hash()
	if err := w.Restore(&img); err != nil {
		t.Fatal(err)
	}
	if g.Hash() != before {
		t.Fatalf("restored: %016x, captured: %016x", g.Hash(), before)
	}
	run(g, 200)
	if g.Hash() != want {
		t.Errorf("the restored game went to %016x, the first time to %016x", g.Hash(), want)
	}
	// Into another process's game, with another seed and other buffers.
	other := play(t, Options{Seed: 9, Enemies: 60}, 77)
	if err := archeworld.New(&other.World).Restore(&img); err != nil {
		t.Fatal(err)
	}
	run(other, 200)
	if other.Hash() != want {
		t.Errorf("in a fresh game it went to %016x, want %016x", other.Hash(), want)
	}
}

func TestPictures(t *testing.T) {
	t.Parallel()
	if !knownHere {
		t.Skip("the pictures were drawn with another processor's rounding")
	}
	g := play(t, Options{Seed: 1, Enemies: 40}, 0)
	for _, frame := range []uint64{60, 600} {
		run(g, int(frame-g.frame))
		compare(t, g.Draw(), fmt.Sprintf("seed1-frame%d.png", frame))
	}
	g.States.pause(true)
	compare(t, g.Draw(), "paused.png")
}

func compare(t *testing.T, img *image.RGBA, name string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		var buf bytes.Buffer
		(&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&buf, img)
		if err := os.WriteFile(file, buf.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	differ := 0
	for y := range ViewH {
		for x := range ViewW {
			r, g, b, _ := img.At(x, y).RGBA()
			wr, wg, wb, _ := want.At(x, y).RGBA()
			if r != wr || g != wg || b != wb {
				differ++
			}
		}
	}
	if differ > 0 {
		t.Errorf("%s: %d pixels differ; look at it and run with -update if it should", name, differ)
	}
}
