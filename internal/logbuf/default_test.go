package logbuf

import (
	"bytes"
	"log"
	"log/slog"
	"strings"
	"testing"
)

// The handler that slog starts with may be wrapped and made the default, as any
// other: lines reach the ring and log's writer, and nothing waits for itself.
func TestWrapsTheInitialHandler(t *testing.T) {
	old, flags, w := slog.Default(), log.Flags(), log.Writer()
	defer func() {
		slog.SetDefault(old)
		log.SetFlags(flags)
		log.SetOutput(w)
	}()
	var out bytes.Buffer
	log.SetOutput(&out)
	r := NewRing(16, 1<<16)
	slog.SetDefault(slog.New(r.Handler(old.Handler())))
	slog.Info("from slog", "n", 1)
	log.Print("from log")
	// Wrapped again when package log already leads to slog.
	slog.SetDefault(slog.New(NewRing(16, 1<<16).Handler(old.Handler())))
	slog.Debug("kept in the ring alone")
	for _, want := range []string{`msg="from slog" n=1`, `msg="from log"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("log's writer got %q, want %q in it", out.String(), want)
		}
	}
	if strings.Contains(out.String(), "alone") {
		t.Errorf("a debug line was written: %q", out.String())
	}
}
