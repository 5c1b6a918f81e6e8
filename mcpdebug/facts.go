//go:build !nomcpdebug

package mcpdebug

import (
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/schedule"
	game "github.com/loupe-ecs/loupe/tools/host"
)

// The kinds of hosts that tell when they change how the game goes on.
type (
	stateTeller  interface{ OnNote(func(game.StateChange)) }
	switchTeller interface{ OnSwitch(func(schedule.Switch)) }
)

// tellFacts has pushes and pops of states and switched systems logged, with tick
// and place; what the game itself did is a mark too, a client's calls are marked
// anyway. Frame goroutine.
func (s *Server) tellFacts(app *game.App) {
	if app == nil {
		return
	}
	if t, ok := app.States.(stateTeller); ok {
		t.OnNote(func(c game.StateChange) {
			s.log.Info("state "+c.Op, "state", c.State, "tick", c.Tick, "by", c.By, "source", c.Source)
			if c.Source != "" {
				s.builtIns.tools.Past.Changed(fmt.Sprintf("%s %s at %s", c.Op, c.State, c.Source))
			}
		})
	}
	if t, ok := app.Systems.(switchTeller); ok {
		t.OnSwitch(func(w schedule.Switch) {
			by, tick := "game", s.tickOf(app)
			if w.Source == "" {
				by = "client"
			} else {
				s.builtIns.tools.Past.Changed(fmt.Sprintf("system %s %s at %s", w.System, onOff(w.On), w.Source))
			}
			s.log.Info("system switched "+onOff(w.On), "system", w.System, "tick", tick, "by", by, "source", w.Source)
		})
	}
}

func (s *Server) tickOf(app *game.App) uint64 {
	if app.Clock != nil {
		return app.Clock.Info().Tick
	}
	return s.loop.Frame()
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
