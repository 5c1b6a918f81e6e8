//go:build !nomcpdebug

package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

// ask calls a tool without a port, in the loop's own goroutine.
func ask(t *testing.T, s *mcpdebug.Server, tool, args string) map[string]any {
	t.Helper()
	text := s.Dispatch(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args))
	var r struct {
		Result struct {
			StructuredContent map[string]any
		}
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%s: %v in %s", tool, err, text)
	}
	return r.Result.StructuredContent
}

// play runs a loop without a port for a second of its time; each is called at
// every frame, after the update.
func play(t *testing.T, o Options, update func(), each func(frame int, l *loop)) *loop {
	t.Helper()
	var l *loop
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		o = o.withDefaults()
		dbg := mcpdebug.New(nil)
		defer dbg.Close()
		frame := 0
		l = newLoop(Game{Update: func(time.Duration) { update() }, Draw: func() { frame++; each(frame, l) }}, o, dbg)
		dbg.Bind(nil, &host.App{Clock: l.clock})
		if err := l.run(ctx); err != nil {
			t.Error(err)
		}
	})
	return l
}

func TestASecondHasItsTicks(t *testing.T) {
	for _, o := range []Options{{}, {TPS: 30}, {TPS: 50, FPS: 125}, {TPS: 120, FPS: 60}} {
		ticks, frames := 0, 0
		play(t, o, func() { ticks++ }, func(frame int, _ *loop) { frames = frame })
		o = o.withDefaults()
		if ticks < o.TPS-2 || ticks > o.TPS+1 || frames < o.FPS || frames > o.FPS+1 {
			t.Errorf("%d ticks and %d frames with %d and %d a second", ticks, frames, o.TPS, o.FPS)
		}
	}
}

func TestClientsHoldStepAndScaleTime(t *testing.T) {
	ticks := 0
	var held, stepped, slow int
	play(t, Options{}, func() { ticks++ }, func(frame int, l *loop) {
		switch frame {
		case 10:
			ask(t, l.dbg, "clock_set", `{"paused":true}`)
			held = ticks
		case 20:
			if ticks != held {
				t.Errorf("%d ticks ran while time was held", ticks-held)
			}
			if err := l.clock.Set(host.ClockChange{Step: 3}); err != nil {
				t.Error(err)
			}
		case 25:
			if stepped = ticks - held; stepped != 3 {
				t.Errorf("%d ticks ran of 3", stepped)
			}
			ask(t, l.dbg, "clock_set", `{"paused":false,"scale":0.5}`)
			slow = ticks
		case 45:
			if n := ticks - slow; n < 9 || n > 11 {
				t.Errorf("at half speed %d ticks in 20 frames", n)
			}
		}
	})
}

func TestACrashIsShownAndTheLoopGoesOn(t *testing.T) {
	ticks, shown := 0, ""
	frames := 0
	l := play(t, Options{}, func() {
		if ticks++; ticks == 5 {
			panic("the floor is lava")
		}
	}, func(frame int, l *loop) {
		frames = frame
		if l.g.Crashed == nil {
			l.g.Crashed = func(text string) { shown = text; panic("and so is the ceiling") }
		}
	})
	if ticks != 5 {
		t.Errorf("%d ticks ran; the fifth crashed", ticks)
	}
	if !strings.Contains(shown, "the floor is lava") {
		t.Errorf("shown: %q", shown)
	}
	if text, crashed := l.dbg.Crashed(); crashed && !strings.Contains(text, "the floor is lava") {
		t.Errorf("what shows a crash became one: %s", text)
	}
	if frames == 0 {
		t.Error("no frame was drawn before the crash")
	}
}

func TestAfterAHangTheGameDoesNotRace(t *testing.T) {
	ticks, before := 0, 0
	play(t, Options{}, func() {
		if ticks++; ticks == 5 {
			<-time.After(500 * time.Millisecond) // of the bubble's time: a hang
			before = ticks
		}
	}, func(int, *loop) {})
	if n := ticks - before; n > 34 {
		t.Errorf("%d ticks in the half second after a hang of half a second", n)
	}
}

func TestAGameWithoutUpdateIsRefused(t *testing.T) {
	if err := Run(context.Background(), Game{}, Options{}); err == nil {
		t.Error("it runs")
	}
}
