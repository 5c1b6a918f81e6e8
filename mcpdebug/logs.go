//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/front"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
)

// unbreakable is the host's handler as the server uses it: it logs on the frame
// goroutine and while it recovers panics, where one more would end the game.
type unbreakable struct {
	slog.Handler
	ring *logbuf.Ring
}

func (h unbreakable) Handle(ctx context.Context, r slog.Record) (err error) {
	defer h.survive()
	return h.Handler.Handle(ctx, r)
}

func (h unbreakable) Enabled(ctx context.Context, l slog.Level) (enabled bool) {
	defer h.survive()
	return h.Handler.Enabled(ctx, l)
}

func (h unbreakable) WithAttrs(as []slog.Attr) slog.Handler {
	return unbreakable{h.Handler.WithAttrs(as), h.ring}
}
func (h unbreakable) WithGroup(name string) slog.Handler {
	return unbreakable{h.Handler.WithGroup(name), h.ring}
}

func (h unbreakable) survive() {
	if p := recover(); p != nil {
		h.ring.Add(logbuf.Line{Time: time.Now(), Level: slog.LevelError, Msg: "the host's log handler panicked: " + words.Panic(p)})
	}
}

func (s *Server) newLogger(host *slog.Logger) *slog.Logger {
	if host == nil {
		return slog.New(s.ring.Handler(nil))
	}
	return slog.New(s.ring.Handler(unbreakable{host.Handler(), s.ring}))
}

// markLine puts what went wrong on the recording's time line.
func (s *Server) markLine(l logbuf.Line) {
	if s.builtIns == nil || l.Level < slog.LevelWarn {
		return // the server is being made
	}
	s.keepLine(l)
	past := s.builtIns.tools.Past
	switch l.Msg {
	case crashes.Message:
		past.Crashed(refusal.Cut(string(l.Attrs), 150))
	case loop.StallMessage:
		past.Stalled(refusal.Cut(string(l.Attrs), 150))
	default:
		past.Logged(l.Level, l.Msg)
	}
}

// LogHandler returns a handler that keeps what is logged in the ring that
// get_logs reads, and hands it to next, which may be nil. A nil server returns
// next. Any goroutine.
//
//	slog.SetDefault(slog.New(dbg.LogHandler(slog.NewTextHandler(os.Stderr, nil))))
func (s *Server) LogHandler(next slog.Handler) slog.Handler {
	if s == nil {
		if next == nil {
			return slog.DiscardHandler
		}
		return next
	}
	return s.ring.Handler(next)
}

// logFile is the file that get_logs shows the lines of.
type logFile struct {
	mu   sync.Mutex
	tail *logbuf.Tail
	end  chan struct{}
}

// BindLogFile lets get_logs show the whole lines of a file that something else
// writes; truncation and rotation are noticed. Bind a file or use LogHandler,
// not both for the same lines. "" unbinds. Any goroutine.
func (s *Server) BindLogFile(path string) {
	if s == nil {
		return
	}
	f := &s.logFile
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tail != nil {
		f.tail.Close()
		close(f.end)
		f.tail = nil
	}
	if path == "" || s.loop.Closing() {
		return
	}
	f.tail, f.end = s.ring.Follow(path), make(chan struct{})
	go follow(f.tail, f.end)
}

// follow reads on while nobody asks, so that a rotation loses no lines.
func follow(t *logbuf.Tail, end <-chan struct{}) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		t.Sync()
		select {
		case <-end:
			return
		case <-tick.C:
		}
	}
}

// readLogs answers get_logs and names the bound file; fresh reads it first.
func (s *Server) readLogs(q logbuf.Query, fresh bool) (page logbuf.Page, path string) {
	s.logFile.mu.Lock()
	tail := s.logFile.tail
	s.logFile.mu.Unlock()
	if tail != nil {
		path = tail.Path()
		if fresh {
			tail.Sync()
		}
	}
	return s.ring.Read(q), path
}

// crashLog is what a crash report takes of the log.
func (s *Server) crashLog() []logbuf.Line {
	page, _ := s.readLogs(logbuf.Query{Tail: true, Limit: 100, Level: -100, MaxBytes: 32 << 10}, false)
	return page.Lines
}

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
