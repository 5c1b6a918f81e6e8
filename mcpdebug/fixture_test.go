//go:build !nomcpdebug

package mcpdebug

import (
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/tools/host"
)

// fixture is the game that a transcript plays.
type fixture struct {
	s      *Server
	world  *arche.World
	app    *host.App
	sched  *schedule.Schedule
	log    *slog.Logger
	parked string
	broken bool
	states stateStack
}

// newFixture makes "none" (nothing bound), or "small": three entities with a
// Position, the first with Health too; systems movement and combat; states;
// an event kind; a summary; and a tool of each flag. "arena" has components of
// many kinds, every subsystem, and no tools of its own (arena_test.go).
func newFixture(t *testing.T, s *Server, name string) *fixture {
	g := &fixture{s: s, log: slog.New(s.LogHandler(nil))}
	g.bind(t, name)
	if name != "arena" { // which lists what a game has, and no more
		flagged(t, s)
	}
	return g
}

func (g *fixture) bind(t *testing.T, name string) {
	switch name {
	case "none":
		g.world, g.app, g.sched = nil, nil, nil
		g.s.Bind(nil, nil)
	case "small":
		g.world, g.broken, g.states = newWorld(), false, stateStack{"playing"}
		g.sched = schedule.New("update")
		g.sched.Add("update", "movement", func() {})
		g.sched.Add("update", "combat", func() {
			if g.broken {
				g.broken = false
				brokenCombat(g.world)
			}
		})
		g.app = &host.App{Name: "small", Summary: func() any { return map[string]int{"wave": 3} },
			Systems: g.sched, States: &g.states, Events: eventSink{g}}
		g.s.Bind(archeworld.New(g.world), g.app)
	case "arena":
		g.bindArena(t)
	default:
		t.Fatalf("unknown fixture %q", name)
	}
}

func (g *fixture) update() {
	if g.sched == nil || slices.Contains(g.states, "paused") {
		return
	}
	if g.app != nil {
		if c, ok := g.app.Clock.(*arenaClock); ok && !c.advance() {
			return
		}
	}
	g.sched.Run()
}

// happens is a line of a ticks section.
func (g *fixture) happens(t *testing.T, what string) {
	verb, rest, _ := strings.Cut(what, " ")
	switch verb {
	case "park":
		g.parked = rest
	case "unpark":
		g.parked = ""
	case "crash":
		g.broken = true
	case "text":
		g.s.SetCrashed(rest)
	case "clear":
		g.s.SetCrashed("")
	case "hang":
		d, err := time.ParseDuration(rest)
		must(t, err)
		release := make(chan struct{})
		time.AfterFunc(d, func() { close(release) })
		hangingPathfinder(release)
	case "bind":
		g.bind(t, rest)
	case "log":
		level, text, _ := strings.Cut(rest, " ")
		var l slog.Level
		must(t, l.UnmarshalText([]byte(level)))
		g.log.Log(t.Context(), l, text)
	case "close":
		must(t, g.s.Close())
	default:
		t.Fatalf("%v: %s", errUnknownEvent, what)
	}
}

type stateStack []string

func (s *stateStack) Stack() []string { return slices.Clone(*s) }
func (*stateStack) Names() []string   { return []string{"playing", "paused"} }
func (s *stateStack) Push(name string) error {
	*s = append(*s, name)
	return nil
}
func (s *stateStack) Pop() error {
	if len(*s) == 1 {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "the bottom state stays"}
	}
	*s = (*s)[:len(*s)-1]
	return nil
}

type keyEvent struct {
	Key string `json:"key" jsonschema:"name of the key"`
}

type eventSink struct{ g *fixture }

func (eventSink) Kinds() []host.EventKind {
	return []host.EventKind{{Name: "key", Doc: "A key is pressed.", Payload: reflect.TypeFor[keyEvent]()}}
}

func (e eventSink) Push(kind string, payload any) error {
	e.g.log.Info("event", "kind", kind, "payload", payload)
	return nil
}
