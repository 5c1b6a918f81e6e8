package logbuf

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
)

// standIn returns what to use in place of slog's initial default handler: that
// one writes through package log, and slog.SetDefault leads package log back to
// the new default. Wrapped and made the default, it would wait for log's own
// lock for ever. Any other handler is returned as it is.
func standIn(next slog.Handler) slog.Handler {
	if fmt.Sprintf("%T", next) != "*slog.defaultHandler" {
		return next
	}
	var w io.Writer = log.Writer()
	if fmt.Sprintf("%T", w) == "*slog.handlerWriter" {
		w = os.Stderr
	}
	return slog.NewTextHandler(w, nil)
}
