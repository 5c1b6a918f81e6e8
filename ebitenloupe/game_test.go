package ebitenloupe

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

// fake is a game that does what it is told.
type fake struct {
	update func() error
	ticks  int
}

func (f *fake) Update() error {
	f.ticks++
	if f.update == nil {
		return nil
	}
	return f.update()
}
func (f *fake) Draw(*ebiten.Image)         {}
func (f *fake) Layout(w, h int) (int, int) { return w, h }

func wrapped(t *testing.T) (*fake, *Game) {
	f := &fake{}
	g := Wrap(f, mapworld.New(reflect.TypeFor[int]()), &Options{Addr: "127.0.0.1:0", NoKeys: true, Debug: &mcpdebug.Options{NoDiscovery: true, DataDir: t.TempDir()}})
	t.Cleanup(func() { g.Close() })
	return f, g
}

func TestWhatUpdateReturnsEndsTheGame(t *testing.T) {
	f, g := wrapped(t)
	f.update = func() error { return ebiten.Termination }
	if err := g.Update(); !errors.Is(err, ebiten.Termination) {
		t.Errorf("Update gave %v", err)
	}
}

func TestAPanicIsAState(t *testing.T) {
	f, g := wrapped(t)
	f.update = func() error { panic("the ship sank") }
	if err := g.Update(); err != nil {
		t.Errorf("Update gave %v", err)
	}
	notes := strings.Join(g.notes(), "\n")
	if !strings.Contains(notes, "CRASHED") || !strings.Contains(notes, "the ship sank") {
		t.Errorf("the overlay says %q", notes)
	}
	if err := g.Update(); err != nil || f.ticks != 1 {
		t.Errorf("a crashed game went on: %d ticks, %v", f.ticks, err)
	}
}

func TestPausedIsSaid(t *testing.T) {
	f, g := wrapped(t)
	paused := true
	if err := g.o.Clock.Set(host.ClockChange{Paused: &paused}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := g.Update(); err != nil {
			t.Fatal(err)
		}
	}
	if notes := strings.Join(g.notes(), "\n"); f.ticks != 0 || !strings.Contains(notes, "PAUSED (F8") {
		t.Errorf("%d ticks, the overlay says %q", f.ticks, notes)
	}
}

// A key that goes down and up before the next tick is down for that tick.
func TestKeysThatAreSent(t *testing.T) {
	_, g := wrapped(t)
	for _, down := range []bool{true, false} {
		if err := g.input.Push("key", Key{"Space", down}); err != nil {
			t.Fatal(err)
		}
	}
	var seen []bool
	for range 3 {
		g.input.tick()
		seen = append(seen, IsKeyPressed(ebiten.KeySpace), IsKeyJustPressed(ebiten.KeySpace))
	}
	if want := []bool{true, true, false, false, false, false}; !reflect.DeepEqual(seen, want) {
		t.Errorf("pressed, just pressed: %v, want %v", seen, want)
	}
	if err := g.input.Push("pointer", Pointer{X: 3, Y: 4, Button: "left", Down: true}); err != nil {
		t.Fatal(err)
	}
	g.input.tick()
	if x, y := CursorPosition(); x != 3 || y != 4 || !IsMouseButtonPressed(ebiten.MouseButtonLeft) {
		t.Errorf("the pointer is at %d,%d", x, y)
	}
	if err := g.input.Push("pointer", Pointer{Button: "fourth"}); !errors.Is(err, refusal.InvalidArguments) {
		t.Errorf("a button that is none: %v", err)
	}
}

// Who asks for a picture of an entity is told what is missing.
func TestPicturesOfEntities(t *testing.T) {
	_, g := wrapped(t)
	var err error
	g.screen.Capture(host.Shot{Entity: ecs.Entity{ID: 1}}, func(_ host.Picture, e error) { err = e })
	if !errors.Is(err, refusal.NotSupported) {
		t.Errorf("%v", err)
	}
}
