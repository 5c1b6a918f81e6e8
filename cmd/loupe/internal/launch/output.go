package launch

import (
	"bufio"
	"io"
	"strings"
	"sync"
	"time"
)

// Line is one line that a program printed.
type Line struct {
	N      uint64    `json:"n" jsonschema:"number of the line, counted from 1"`
	Time   time.Time `json:"time" jsonschema:"when it was read"`
	Stream string    `json:"stream" jsonschema:"stdout, stderr, or loupe for what the bridge did"`
	Text   string    `json:"text" jsonschema:"the line"`
}

// Output keeps the last lines that a program and those that followed it
// printed. Any goroutine.
type Output struct {
	mu    sync.Mutex
	lines []Line // oldest first
	bytes int
	next  uint64
	more  chan struct{} // closed at the next line
}

// The bounds of what is kept, and of one line.
const (
	maxLines     = 5000
	maxBytes     = 1 << 20
	maxLineBytes = 16 << 10
)

// NewOutput is empty.
func NewOutput() *Output { return &Output{next: 1, more: make(chan struct{})} }

// Add appends a line.
func (o *Output) Add(stream, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines = append(o.lines, Line{N: o.next, Time: time.Now(), Stream: stream, Text: text})
	o.next++
	o.bytes += len(text)
	drop := 0
	for len(o.lines)-drop > maxLines || o.bytes > maxBytes && len(o.lines)-drop > 1 {
		o.bytes -= len(o.lines[drop].Text)
		drop++
	}
	if drop > 0 {
		o.lines = append(o.lines[:0], o.lines[drop:]...)
	}
	close(o.more)
	o.more = make(chan struct{})
}

// After returns the lines that follow number n, at most limit of them (the
// oldest first), and how many were discarded before anybody read them. With n 0
// it returns the last ones.
func (o *Output) After(n uint64, limit int) (lines []Line, dropped uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.lines
	if n == 0 {
		return append(lines, all[max(0, len(all)-limit):]...), 0
	}
	if len(all) > 0 && all[0].N > n+1 {
		dropped = all[0].N - n - 1
	}
	for i := range all {
		if all[i].N > n {
			return append(lines, all[i:min(len(all), i+limit)]...), dropped
		}
	}
	return nil, dropped
}

// Last is the number of the newest line; 0 before the first.
func (o *Output) Last() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.next - 1
}

// More is closed when a line is added.
func (o *Output) More() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.more
}

// read takes lines until r ends. Overlong ones are cut into pieces.
func (o *Output) read(stream string, r io.Reader) {
	b := bufio.NewReaderSize(r, maxLineBytes)
	for {
		line, _, err := b.ReadLine()
		if err != nil {
			return
		}
		o.Add(stream, strings.ToValidUTF8(string(line), "\ufffd"))
	}
}
