package loop

import (
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/internal/stacks"
)

func stack(funcs ...string) (g stacks.Goroutine) {
	for i, f := range funcs {
		g.Frames = append(g.Frames, stacks.Frame{Func: f, File: "game.go", Line: i + 1})
	}
	return g
}

// What a hanging loop calls differs from look to look; the loop is named.
func TestAStallNamesTheInnermostCallThatStays(t *testing.T) {
	l := quietLoop(t)
	st := &stalled{frame: 9, since: time.Now()}
	l.describe(st, []stacks.Goroutine{
		stack("time.Now", "game.(*G).search", "game.(*G).ai", "main.main"),
		stack("game.cost", "game.step", "game.(*G).search", "game.(*G).ai", "main.main"),
		stack("game.(*G).search", "game.(*G).ai", "main.main"),
	})
	r := st.told()
	if r.At == nil || r.At.Func != "game.(*G).search" || r.Samples != 3 || len(r.Within) != 2 || r.Within[0].Func != "game.(*G).ai" {
		t.Errorf("%+v", r)
	}
	e := st.refusal()
	if !strings.Contains(e.Message, "game.(*G).search (game.go:1)") || strings.Contains(e.Message, "\n") || len(e.Message) > 300 {
		t.Errorf("not one line that names it: %q", e.Message)
	}
}

func TestAStallWithoutAGoroutineSaysSo(t *testing.T) {
	l := quietLoop(t)
	st := &stalled{frame: 9, since: time.Now()}
	l.describe(st, nil)
	if m := st.refusal().Message; !strings.Contains(m, "not known which goroutine") {
		t.Error(m)
	}
}
