package front

import (
	"log/slog"
	"slices"
)

// The protocol's eight levels, mildest first, and the slog levels they stand
// for.
var (
	levelNames  = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
	levelValues = []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelInfo + 2, slog.LevelWarn, slog.LevelError, slog.LevelError + 4, slog.LevelError + 8, slog.LevelError + 12}
)

func parseLevel(name string) (slog.Level, bool) {
	i := slices.Index(levelNames, name)
	if i < 0 {
		return 0, false
	}
	return levelValues[i], true
}

// levelName is the protocol's name of a level: the highest one at or below it.
func levelName(l slog.Level) string {
	name := levelNames[0]
	for i, v := range levelValues {
		if l >= v {
			name = levelNames[i]
		}
	}
	return name
}
