//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/tools/host"
)

// playedGame is a game of one system whose ticks can be run on demand.
type playedGame struct {
	world *arche.World
	sched *schedule.Schedule
	tick  *playedTick
	ids   []string // of its entities
}

type playedTick struct{ N uint64 }

func (g *playedGame) Info() host.ClockInfo         { return host.ClockInfo{Tick: g.tick.N, Scale: 1} }
func (g *playedGame) Set(host.ClockChange) error   { return nil }
func (g *playedGame) Replay() (host.Replay, error) { return playedAgain{g}, nil }

type playedAgain struct{ g *playedGame }

func (r playedAgain) Tick() error { r.g.sched.Run(); return nil }
func (playedAgain) End()          {}

func newPlayedGame(s *Server) *playedGame {
	g := &playedGame{world: newWorld(), sched: schedule.New("update"), tick: &playedTick{}}
	arche.AddResource(g.world, g.tick)
	pos := arche.ComponentID[Position](g.world)
	g.sched.Add("update", "clock", func() { g.tick.N++ })
	g.sched.Add("update", "movement", func() {
		q := g.world.Query(arche.All(pos))
		for q.Next() {
			(*Position)(q.Get(pos)).X++
		}
	})
	for range 4 {
		e := g.world.NewEntity(pos)
		g.ids = append(g.ids, ecs.Entity{ID: e.ID(), Gen: e.Generation()}.String())
	}
	s.Bind(archeworld.New(g.world), &host.App{Systems: g.sched, Clock: g})
	return g
}

// Clients watch, blame, check and write at once while the game plays: nothing
// races, every answer is one of those that can be, and blame is certain of the
// system where no client wrote.
func TestCausesAreFoundWhileClientsCall(t *testing.T) {
	s := withoutPort(t, &Options{Record: &RecordOptions{}})
	g := newPlayedGame(s)
	ids := g.ids
	frame := func() {
		s.Poll()
		s.Guard(func() { g.sched.Run() })
		s.EndTick()
	}
	for range 20 {
		frame()
	}
	var clients sync.WaitGroup
	client := func(rounds int, calls ...string) {
		clients.Go(func() {
			for n := range rounds * len(calls) {
				call := calls[n%len(calls)]
				tool, args := call[:strings.IndexByte(call, ' ')], call[strings.IndexByte(call, ' ')+1:]
				r := <-ask(context.Background(), s, tool, args)
				code, text := loop.CodeOf(r)
				switch code {
				case "", "not_found", "not_recorded":
				default:
					t.Errorf("%s: %s: %s", call, code, text)
				}
				if tool == "blame" && code == "" {
					m := r.Structured
					if !strings.Contains(string(m), `"system":"movement"`) {
						t.Errorf("%s: %s", call, m)
					}
				}
			}
		})
	}
	client(12, fmt.Sprintf(`blame {"entity":%q,"path":"Position.X"}`, ids[0]), fmt.Sprintf(`blame {"entity":%q,"path":"Position.X","count":3}`, ids[1]))
	client(12, fmt.Sprintf(`watch_add {"entity":%q,"path":"Position.X","limit":5}`, ids[1]), `watch_list {}`, `diagnose {}`)
	client(12, fmt.Sprintf(`modify {"entity":%q,"component":"Position","values":{"Y":3}}`, ids[2]), `systems_info {"name":"movement","observe":2}`)
	client(6, `determinism_check {"ticks":2}`, `query {"with":["Position"]}`, `crash_report {}`)
	done := make(chan struct{})
	go func() { clients.Wait(); close(done) }()
	for {
		select {
		case <-done:
			return
		default:
		}
		frame()
	}
}
