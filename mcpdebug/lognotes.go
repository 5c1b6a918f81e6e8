//go:build !nomcpdebug

package mcpdebug

import (
	"encoding/json"
	"log/slog"

	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/front"
)

// logsAfter is what event streams read of the log ring: on their own
// goroutines, a few lines at a time, and only for clients that set a level.
func (s *Server) logsAfter(after uint64, level slog.Level) ([]front.LogRecord, uint64) {
	page := s.ring.Read(logbuf.Query{After: after, Level: level, Limit: 64, MaxBytes: 64 << 10})
	records := make([]front.LogRecord, 0, len(page.Lines))
	for _, l := range page.Lines {
		var data any = l.Msg
		if l.Attrs != nil {
			data = struct {
				Msg   string          `json:"msg"`
				Attrs json.RawMessage `json:"attrs"`
			}{l.Msg, l.Attrs}
		}
		records = append(records, front.LogRecord{Level: l.Level, Logger: "game", Data: data})
	}
	return records, page.Next
}
