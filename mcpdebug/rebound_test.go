//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/structworld"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Where another world is bound while ticks run, the values that were asked for are
// not read: what is at their places is something else. The app may be the same.
func TestNoValuesOfAnotherWorld(t *testing.T) {
	for tool, args := range map[string]string{
		"clock_set": `{"step":100,"select":["Position.Y"]}`,
		"run_until": `{"with":["Position"],"none":true,"maxTicks":20,"select":["Position.Y"]}`,
	} {
		bubble(t, nil, func(t *testing.T, s *Server) {
			e := newEngine(s, 5*time.Millisecond)
			app := &host.App{Name: "rebound", Clock: e.clock}
			s.Bind(archeworld.New(e.w), app)
			must(t, e.frame())
			out := ask(context.Background(), s, tool, args)
			synctest.Wait()
			must(t, e.frame())
			type Position struct{ Name string }
			list := []Position{{"x"}, {"y"}}
			s.Bind(structworld.New(structworld.Slice("Position", &list)), app)
			for i := 0; i < 200 && len(out) == 0; i++ {
				s.Poll()
				if e.clock.Info().Pending > 0 {
					must(t, e.clock.Run(0, func() error { return nil }))
				}
				synctest.Wait()
			}
			if len(out) == 0 {
				t.Fatalf("%s has no answer", tool)
			}
			if m := succeeded(t, <-out); m["selected"] != nil {
				t.Errorf("%s: %v", tool, m["selected"])
			}
		})
	}
}
