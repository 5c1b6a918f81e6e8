package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/launch"
)

func TestMain(m *testing.M) {
	launch.Keep()
	os.Exit(m.Run())
}

// project makes a module with a game in it, as a user's would be.
func project(t *testing.T) (dir string) {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("LOCALAPPDATA", t.TempDir())
	root, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module github.com/loupe-ecs/loupe", "module example.com/arena", 1)
	if i := strings.Index(text, "\ntool "); i >= 0 {
		text = text[:i]
	}
	write(t, dir, "go.mod", text+"\n\nrequire github.com/loupe-ecs/loupe v0.0.0\n\nreplace github.com/loupe-ecs/loupe => "+filepath.ToSlash(root)+"\n")
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "go.sum", string(sum))
	write(t, dir, "main.go", program("HP int", ""))
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// program is the source of a game whose component has these fields.
func program(fields, first string) string {
	return `package main

import (
	"context"
	"os"
	"time"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/mcpdebug/runner"
	"github.com/loupe-ecs/loupe/tools/host"
	"github.com/mlange-42/arche/ecs"
)

type Health struct{ ` + fields + ` }

func main() {
	` + first + `
	world := ecs.NewWorld()
	id := ecs.ComponentID[Health](&world)
	(*Health)(world.Get(world.NewEntity(id), id)).HP = 30
	println("the game begins")
	err := runner.Run(context.Background(), runner.Game{World: archeworld.New(&world), App: &host.App{Name: "arena"}, Update: func(time.Duration) {}},
		runner.Options{Addr: "127.0.0.1:0", Debug: &mcpdebug.Options{DataDir: os.Args[1]}})
	if err != nil {
		panic(err)
	}
}
`
}
