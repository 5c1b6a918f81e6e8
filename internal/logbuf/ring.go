// Package logbuf keeps the last log lines of a program in memory: of a
// slog.Handler and of a file that it follows. Numbers of lines grow by one, so
// that a reader can go on where it stopped and knows what it missed.
//
//	ring := logbuf.NewRing(1024, 256<<10)
//	slog.SetDefault(slog.New(ring.Handler(slog.Default().Handler())))
//	page := ring.Read(logbuf.Query{Tail: true, Limit: 10})
//
// Everything may be called from any goroutine.
package logbuf

import (
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/internal/words"
)

// Line is one record.
type Line struct {
	N     uint64
	Time  time.Time
	Level slog.Level
	Msg   string
	Attrs json.RawMessage // an object; nil without attributes
}

func (l *Line) size() int { return len(l.Msg) + len(l.Attrs) + 64 }

// Ring keeps the last lines. Warnings and errors have a share of their own: a
// flood of what matters less does not push them out, nor the other way round.
type Ring struct {
	mu     sync.Mutex
	next   uint64 // number of the next line; the first is 1
	grave  share  // warnings and errors
	others share
	tell   func(Line)
}

// share is a bounded queue of lines.
type share struct {
	lines    []Line // oldest first, from head on
	head     int
	bytes    int
	maxLines int
	maxBytes int
	lost     uint64 // lines that were pushed out
	lastLost uint64 // number of the newest of them
}

// NewRing keeps at most lines lines and about bytes bytes of them, and besides
// a quarter as many of warnings and errors.
func NewRing(lines, bytes int) *Ring {
	return &Ring{next: 1, others: share{maxLines: lines, maxBytes: bytes}, grave: share{maxLines: max(1, lines/4), maxBytes: bytes / 4}}
}

func (s *share) live() []Line { return s.lines[s.head:] }

func (s *share) add(l Line) {
	s.lines = append(s.lines, l)
	s.bytes += l.size()
	for len(s.lines)-s.head > 1 && (len(s.lines)-s.head > s.maxLines || s.bytes > s.maxBytes) {
		old := &s.lines[s.head]
		s.bytes -= old.size()
		s.lost++
		s.lastLost = old.N
		*old = Line{}
		s.head++
	}
	if s.head > s.maxLines {
		s.lines = append(s.lines[:0], s.lines[s.head:]...)
		s.head = 0
	}
}

// lostAfter is how many lines with a greater number than n were pushed out, or
// a little more: which numbers they had is not kept.
func (s *share) lostAfter(n uint64) uint64 {
	if n >= s.lastLost {
		return 0
	}
	return min(s.lost, s.lastLost-n)
}

// OnAdd has f told of every line, after it was added. Set it before the first
// one; f is called on the goroutine that logs and must not log itself.
func (r *Ring) OnAdd(f func(Line)) { r.tell = f }

// maxMessage bounds one line, so that a dump logged in one piece does not push
// everything else out.
const maxMessage = 16 << 10

// Add appends a line; l.N is ignored.
func (r *Ring) Add(l Line) {
	l.Msg = words.Clip(strings.ToValidUTF8(l.Msg, "\uFFFD"), maxMessage)
	if r.tell != nil {
		defer r.tell(l)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l.N = r.next
	r.next++
	if l.Level >= slog.LevelWarn {
		r.grave.add(l)
	} else {
		r.others.add(l)
	}
}

// Last is the number of the newest line; 0 before the first.
func (r *Ring) Last() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next - 1
}

// Query selects lines.
type Query struct {
	After    uint64 // only lines with a greater number
	Before   uint64 // only lines with a smaller number; 0: all
	Tail     bool   // the last Limit that match, not the first
	Level    slog.Level
	Contains string // in any case, in message or attributes
	Limit    int
	MaxBytes int
}

func (q *Query) matches(l *Line, contains string) bool {
	if l.N <= q.After || q.Before != 0 && l.N >= q.Before || l.Level < q.Level {
		return false
	}
	return contains == "" || strings.Contains(strings.ToLower(l.Msg), contains) || strings.Contains(strings.ToLower(string(l.Attrs)), contains)
}

// Page is what a query found.
type Page struct {
	Lines     []Line
	Next      uint64 // After of the query that goes on to newer lines
	Dropped   uint64 // lines after After, of the level or above, that are gone
	Total     int    // lines that match, on this page or not
	Truncated bool   // whether more match than are here
	Last      uint64 // number of the newest line of all; 0: none was ever added
}

// Read answers q.
func (r *Ring) Read(q Query) Page {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := Page{Next: r.next - 1, Last: r.next - 1, Dropped: r.grave.lostAfter(q.After)}
	if q.Level < slog.LevelWarn {
		p.Dropped += r.others.lostAfter(q.After)
	}
	contains := strings.ToLower(q.Contains)
	found := merge(r.grave.live(), r.others.live(), func(l *Line) bool { return q.matches(l, contains) })
	p.Total = len(found)
	page := found
	if q.Limit > 0 && len(page) > q.Limit {
		if q.Tail {
			page = page[len(page)-q.Limit:]
		} else {
			page = page[:q.Limit]
		}
	}
	if q.MaxBytes > 0 {
		page = fit(page, q.MaxBytes, q.Tail)
	}
	for _, l := range page {
		p.Lines = append(p.Lines, *l)
	}
	p.Truncated = len(page) < len(found)
	if p.Truncated && !q.Tail {
		p.Next = q.After
		if n := len(page); n > 0 {
			p.Next = page[n-1].N
		}
	}
	return p
}

// merge puts the wanted lines of two queues in the order of their numbers.
func merge(a, b []Line, want func(*Line) bool) (out []*Line) {
	for len(a) > 0 || len(b) > 0 {
		from := &a
		if len(a) == 0 || len(b) > 0 && b[0].N < a[0].N {
			from = &b
		}
		if l := &(*from)[0]; want(l) {
			out = append(out, l)
		}
		*from = (*from)[1:]
	}
	return out
}

// fit drops lines until the rest is within a number of bytes, but for one.
func fit(page []*Line, limit int, tail bool) []*Line {
	size := 0
	if tail {
		for i := len(page) - 1; i >= 0; i-- {
			if size += page[i].size(); size > limit && i < len(page)-1 {
				return page[i+1:]
			}
		}
		return page
	}
	for i := range page {
		if size += page[i].size(); size > limit && i > 0 {
			return page[:i]
		}
	}
	return page
}
