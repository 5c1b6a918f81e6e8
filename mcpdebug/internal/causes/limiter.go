package causes

import (
	"log/slog"
	"sync"
	"time"
)

// limiter keeps a watch on something that changes in every tick from pushing all
// else out of the log: what is too much is counted and said later.
type limiter struct {
	log func() *slog.Logger

	mu      sync.Mutex
	since   time.Time
	said    int
	skipped int
}

// A second has room for so many lines.
const linesPerSecond = 10

// room reports whether one more line may be logged.
func (l *limiter) room(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.since) >= time.Second {
		if l.skipped > 0 {
			l.log().Info("more watch hits", "hits", l.skipped, "next", "watch_list")
		}
		l.since, l.said, l.skipped = now, 0, 0
	}
	if l.said == linesPerSecond {
		l.skipped++
		return false
	}
	l.said++
	return true
}
