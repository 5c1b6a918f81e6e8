package loop

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/tools"
)

// quietLoop is one without a server around it.
func quietLoop(t testing.TB) *Loop {
	l := New(Config{Registry: tools.NewRegistry(), Log: slog.New(slog.DiscardHandler), Crashes: crashes.New(crashes.Scene{}, slog.New(slog.DiscardHandler)),
		QueueLen: 64, CallTimeout: 30 * time.Second, StallAfter: 2 * time.Second})
	t.Cleanup(func() { l.Shut() })
	return l
}

func TestWatchdogIgnoresGapsInItsOwnTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := quietLoop(t)
		l.Poll()
		w := &watchdog{l: l, every: tick, last: time.Now(), frame: 1}
		// A laptop that slept for an hour, then ticks again.
		w.look(time.Now().Add(time.Hour))
		w.look(time.Now().Add(time.Hour + tick))
		if l.State() != Running || w.quiet > 4*tick {
			t.Errorf("state %s: a gap counts as %v without a Poll", l.State(), w.quiet)
		}
	})
}
