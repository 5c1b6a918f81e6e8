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

// Ring is a bounded queue of lines.
type Ring struct {
	mu       sync.Mutex
	lines    []Line // oldest first, from head on
	head     int
	bytes    int
	next     uint64 // number of the next line; the first is 1
	maxLines int
	maxBytes int
	tell     func(Line)
}

// NewRing keeps at most lines lines and about bytes bytes of them.
func NewRing(lines, bytes int) *Ring {
	return &Ring{next: 1, maxLines: lines, maxBytes: bytes}
}

// OnAdd has f told of every line, after it was added. Set it before the first
// one; f is called on the goroutine that logs and must not log itself.
func (r *Ring) OnAdd(f func(Line)) { r.tell = f }

// maxMessage bounds one line, so that a dump logged in one piece does not push
// everything else out.
const maxMessage = 16 << 10

// Add appends a line; l.N is ignored.
func (r *Ring) Add(l Line) {
	l.Msg = clip(strings.ToValidUTF8(l.Msg, "\uFFFD"), maxMessage)
	if r.tell != nil {
		defer r.tell(l)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l.N = r.next
	r.next++
	r.lines = append(r.lines, l)
	r.bytes += l.size()
	for len(r.lines)-r.head > 1 && (len(r.lines)-r.head > r.maxLines || r.bytes > r.maxBytes) {
		r.bytes -= r.lines[r.head].size()
		r.lines[r.head] = Line{}
		r.head++
	}
	if r.head > r.maxLines {
		r.lines = append(r.lines[:0], r.lines[r.head:]...)
		r.head = 0
	}
}

// Last is the number of the newest line; 0 before the first.
func (r *Ring) Last() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next - 1
}

// clip cuts s at n bytes without splitting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// Query selects lines.
type Query struct {
	After    uint64 // only lines with a greater number
	Tail     bool   // the last Limit that match, not the first
	Level    slog.Level
	Contains string // in any case, in message or attributes
	Limit    int
	MaxBytes int
}

// Page is what a query found.
type Page struct {
	Lines     []Line
	Next      uint64 // After of the next query
	Dropped   uint64 // lines after After that are gone
	Total     int    // lines that match, on this page or not
	Truncated bool   // whether there are more after Next
}

// Read answers q.
func (r *Ring) Read(q Query) Page {
	r.mu.Lock()
	defer r.mu.Unlock()
	live := r.lines[r.head:]
	p := Page{Next: r.next - 1}
	oldest := r.next
	if len(live) > 0 {
		oldest = live[0].N
	}
	if !q.Tail && q.After+1 < oldest {
		p.Dropped = oldest - 1 - q.After
	}
	contains := strings.ToLower(q.Contains)
	var found []int
	for i := range live {
		l := &live[i]
		if l.N <= q.After || l.Level < q.Level {
			continue
		}
		if contains != "" && !strings.Contains(strings.ToLower(l.Msg), contains) && !strings.Contains(strings.ToLower(string(l.Attrs)), contains) {
			continue
		}
		found = append(found, i)
	}
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
		page = fit(live, page, q.MaxBytes, q.Tail)
	}
	for _, i := range page {
		p.Lines = append(p.Lines, live[i])
	}
	if n := len(page); !q.Tail && n < len(found) {
		p.Truncated = true
		p.Next = q.After
		if n > 0 {
			p.Next = live[page[n-1]].N
		}
	} else if q.Tail && n < len(found) {
		p.Truncated = true
	}
	return p
}

// fit drops lines until the rest is within a number of bytes, but for one.
func fit(live []Line, page []int, limit int, tail bool) []int {
	size := 0
	if tail {
		for i := len(page) - 1; i >= 0; i-- {
			if size += live[page[i]].size(); size > limit && i < len(page)-1 {
				return page[i+1:]
			}
		}
		return page
	}
	for i := range page {
		if size += live[page[i]].size(); size > limit && i > 0 {
			return page[:i]
		}
	}
	return page
}
