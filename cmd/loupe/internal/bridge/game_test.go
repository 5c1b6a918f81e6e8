package bridge

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/launch"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// The test program is also the game: LOUPE_PART names its app.
func TestMain(m *testing.M) {
	launch.Keep()
	app := os.Getenv("LOUPE_PART")
	switch {
	case strings.HasPrefix(app, "cut-"):
		playCut(app)
	case app != "":
		play(app)
	}
	os.Exit(m.Run())
}

type health struct{ HP int }

// picture is an answer with a block of bytes.
type picture struct {
	N int `json:"n"`
}

func (p picture) ToolContent() []tools.Content {
	data := make([]byte, p.N)
	for i := range data {
		data[i] = byte(i * 7)
	}
	return []tools.Content{{Type: "image", MIMEType: "image/png", Data: data}}
}

func play(app string) {
	dbg, err := mcpdebug.Listen("127.0.0.1:0", &mcpdebug.Options{Instructions: "This is " + app + ".\n\"Quoted\" and <marked>."})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	log := slog.New(dbg.LogHandler(nil))
	world := ecs.NewWorld()
	id := ecs.ComponentID[health](&world)
	e := world.NewEntity(id)
	(*health)(world.Get(e, id)).HP = 7
	type size struct {
		N int `json:"n"`
	}
	type none struct{}
	for _, t := range []*tools.Tool{
		tools.New(tools.Spec{Name: "picture", Description: "Draws.", Effect: tools.ReadOnly}, func(_ *tools.Frame, in size) (picture, error) { return picture(in), nil }),
		tools.New(tools.Spec{Name: "exact", Description: "Numbers.", Effect: tools.ReadOnly}, func(*tools.Frame, none) (map[string]float64, error) {
			return map[string]float64{"z": 0.1, "a": 1e21}, nil
		}),
		tools.New(tools.Spec{Name: "speak", Description: "Logs.", Effect: tools.Additive}, func(*tools.Frame, none) (none, error) {
			log.Info("spoken")
			return none{}, nil
		}),
		tools.New(tools.Spec{Name: "die", Description: "Kills the process in the middle of the call."}, func(*tools.Frame, none) (none, error) { return none{}, kill() }),
		tools.New(tools.Spec{Name: "die_reading", Description: "The same, and says that it changes nothing.", Effect: tools.ReadOnly}, func(*tools.Frame, none) (none, error) { return none{}, kill() }),
		tools.NewOff(tools.Spec{Name: "count", Description: "Reports progress.", Effect: tools.ReadOnly}, func(c *tools.Call, in size) (size, error) {
			for i := range in.N {
				c.Progress(float64(i+1), float64(in.N), "counting")
			}
			return in, nil
		}),
		tools.NewOff(tools.Spec{Name: "forever", Description: "Waits for its end.", Effect: tools.ReadOnly}, func(c *tools.Call, _ none) (none, error) {
			c.Progress(1, 0, "waiting")
			<-c.Context.Done()
			fmt.Println("cancelled")
			return none{}, c.Context.Err()
		}),
	} {
		if err := dbg.Register(t); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	dbg.Bind(archeworld.New(&world), &host.App{Name: app})
	for range time.Tick(time.Millisecond) {
		for dbg.Poll() {
		}
	}
}

func kill() error {
	p, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := p.Kill(); err != nil {
		return err
	}
	select {} // the signal comes
}

// game starts a game outside the bridge, as a person would.
type game struct {
	*exec.Cmd
	out interface{ Read([]byte) (int, error) }
}

func startGame(t *testing.T, app string) *game {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "LOUPE_PART="+app)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	return &game{c, out}
}
