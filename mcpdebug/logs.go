//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"log/slog"
	"time"

	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/builtin"
)

// sturdy is the host's handler as the server uses it: it logs on the frame
// goroutine and while it recovers panics, where one more would end the game.
type sturdy struct {
	slog.Handler
	ring *logbuf.Ring
}

func (h sturdy) Handle(ctx context.Context, r slog.Record) (err error) {
	defer h.survive()
	return h.Handler.Handle(ctx, r)
}

func (h sturdy) Enabled(ctx context.Context, l slog.Level) (enabled bool) {
	defer h.survive()
	return h.Handler.Enabled(ctx, l)
}

func (h sturdy) WithAttrs(as []slog.Attr) slog.Handler {
	return sturdy{h.Handler.WithAttrs(as), h.ring}
}
func (h sturdy) WithGroup(name string) slog.Handler { return sturdy{h.Handler.WithGroup(name), h.ring} }

func (h sturdy) survive() {
	if p := recover(); p != nil {
		h.ring.Add(logbuf.Line{Time: time.Now(), Level: slog.LevelError, Msg: "the host's log handler panicked: " + panicText(p)})
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

// BindLogFile lets get_logs show the whole lines of a file that something else
// writes; truncation and rotation are noticed. Bind a file or use LogHandler,
// not both for the same lines. "" unbinds. Any goroutine.
func (s *Server) BindLogFile(path string) {
	if s == nil {
		return
	}
	s.tailM.Lock()
	defer s.tailM.Unlock()
	if s.tail != nil {
		s.tail.Close()
		close(s.tailEnd)
		s.tail = nil
	}
	if path == "" || s.closing.Load() {
		return
	}
	s.tail, s.tailEnd = s.ring.Follow(path), make(chan struct{})
	go follow(s.tail, s.tailEnd)
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

// readLogs answers get_logs; fresh reads the bound file first.
func (s *Server) readLogs(q builtin.LogQuery, fresh bool) builtin.LogPage {
	s.tailM.Lock()
	tail := s.tail
	s.tailM.Unlock()
	var page builtin.LogPage
	if tail != nil {
		page.Path = tail.Path()
		if fresh {
			tail.Sync()
		}
	}
	p := s.ring.Read(logbuf.Query(q))
	page.Next, page.Dropped, page.Total, page.Truncated = p.Next, p.Dropped, p.Total, p.Truncated
	page.Lines = make([]builtin.LogLine, len(p.Lines))
	for i, l := range p.Lines {
		page.Lines[i] = builtin.LogLine{N: l.N, Time: l.Time.Format(time.RFC3339Nano), Level: l.Level.String(), Msg: l.Msg, Attrs: l.Attrs}
	}
	return page
}
