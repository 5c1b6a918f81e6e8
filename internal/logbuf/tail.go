package logbuf

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// Tail follows a log file into a ring: whole lines only; a file that was cut
// is read from its start, one that was replaced (rotation) is read to its end
// and then the new one from its start.
type Tail struct {
	ring *Ring
	path string

	mu      sync.Mutex
	file    *os.File
	info    fs.FileInfo
	offset  int64
	partial []byte // the beginning of a line that is not complete
	skip    bool   // the rest of a line that was too long or cut off at the start
	failed  string // last error that was told
	closed  bool
}

// backlog is how much of an existing file is read when it is bound.
const backlog = 64 << 10

// maxChunk bounds what one Sync reads, so that a huge file cannot hold it up.
const maxChunk = 4 << 20

// Follow begins to follow path; the file need not exist yet. Sync reads what
// is new.
func (r *Ring) Follow(path string) *Tail { return &Tail{ring: r, path: path} }

// Path is the file's.
func (t *Tail) Path() string { return t.path }

// Close releases the file.
func (t *Tail) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.release()
}

func (t *Tail) release() {
	if t.file != nil {
		t.file.Close()
	}
	t.file, t.info, t.offset, t.partial, t.skip = nil, nil, 0, nil, false
}

// Sync reads the lines that were written since the last time.
func (t *Tail) Sync() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if t.file == nil && !t.open(true) {
		return
	}
	t.read()
	now, err := os.Stat(t.path)
	if err != nil || os.SameFile(now, t.info) {
		return // also while a rotation is between its rename and its create
	}
	t.flush()
	t.release()
	if t.open(false) {
		t.read()
	}
}

func (t *Tail) open(first bool) bool {
	// Before it is opened: opening a pipe waits until somebody writes into it.
	info, err := os.Stat(t.path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(t.path)
	}
	if err == nil {
		t.info, err = f.Stat()
	}
	if err != nil {
		if f != nil {
			f.Close()
		}
		if t.failed != err.Error() && !errors.Is(err, fs.ErrNotExist) {
			t.ring.Add(Line{Time: time.Now(), Level: slog.LevelWarn, Msg: "cannot read the bound log file: " + err.Error()})
		}
		t.failed = err.Error()
		return false
	}
	// A file that appears after it was bound is read whole.
	first = first && t.failed == ""
	t.file, t.failed = f, ""
	if size := t.info.Size(); first && size > backlog {
		t.offset, t.skip = size-backlog, true
	}
	return true
}

func (t *Tail) read() {
	st, err := t.file.Stat()
	if err != nil {
		t.release()
		return
	}
	if st.Size() < t.offset {
		t.ring.Add(Line{Time: time.Now(), Level: slog.LevelInfo, Msg: "the log file was truncated; reading it from its start"})
		t.offset, t.partial, t.skip = 0, nil, false
	}
	buf := make([]byte, 64<<10)
	for total := 0; total < maxChunk; {
		n, err := t.file.ReadAt(buf, t.offset)
		t.offset += int64(n)
		total += n
		t.take(buf[:n])
		if n == 0 || err != nil && err != io.EOF {
			return
		}
	}
}

func (t *Tail) take(b []byte) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			if !t.skip {
				t.partial = append(t.partial, b...)
			}
			if len(t.partial) > maxMessage {
				t.flush()
				t.skip = true
			}
			return
		}
		if t.skip {
			t.skip = false
		} else {
			t.partial = append(t.partial, b[:i]...)
			t.flush()
		}
		b = b[i+1:]
	}
}

func (t *Tail) flush() {
	line := strings.TrimRight(string(t.partial), "\r")
	t.partial = t.partial[:0]
	if strings.TrimSpace(line) == "" {
		return
	}
	l := ParseLine(line)
	if l.Time.IsZero() {
		l.Time = time.Now()
	}
	t.ring.Add(l)
}

// ParseLine makes a record of a line of text: JSON and key=value lines as slog
// writes them are taken apart; of others only the level is guessed, from a
// word such as ERROR or [warn] near the start.
func ParseLine(s string) Line {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.HasPrefix(s, "{") {
		if l, ok := parseJSON(s); ok {
			return l
		}
	}
	l := Line{Level: slog.LevelInfo, Msg: s}
	if i := strings.Index(s, "level="); i == 0 || i > 0 && s[i-1] == ' ' {
		word, _, _ := strings.Cut(s[i+len("level="):], " ")
		if lv, ok := levelWord(word); ok {
			l.Level = lv
			return l
		}
	}
	head := s
	if len(head) > 64 {
		head = head[:64]
	}
	for _, w := range strings.FieldsFunc(head, func(r rune) bool { return !(r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') }) {
		// Lower-case words are prose ("no error"), unless they stand in brackets.
		if lv, ok := levelWord(w); ok && (w == strings.ToUpper(w) || strings.Contains(head, "["+w+"]") || strings.HasPrefix(head, w+":")) {
			l.Level = lv
			break
		}
	}
	if strings.HasPrefix(s, "panic:") || strings.HasPrefix(s, "fatal error:") {
		l.Level = slog.LevelError
	}
	return l
}

func levelWord(w string) (slog.Level, bool) {
	switch strings.ToUpper(strings.Trim(w, `"`)) {
	case "TRACE", "DEBUG", "DBG":
		return slog.LevelDebug, true
	case "INFO", "INF", "NOTICE":
		return slog.LevelInfo, true
	case "WARN", "WARNING", "WRN":
		return slog.LevelWarn, true
	case "ERROR", "ERR", "FATAL", "PANIC", "CRITICAL":
		return slog.LevelError, true
	}
	return 0, false
}

func parseJSON(s string) (l Line, ok bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(s), &m) != nil {
		return l, false
	}
	text := func(keys ...string) string {
		for _, k := range keys {
			var v string
			if raw, has := m[k]; has && json.Unmarshal(raw, &v) == nil {
				delete(m, k)
				return v
			}
		}
		return ""
	}
	l.Level = slog.LevelInfo
	if lv, known := levelWord(text("level", "severity", "lvl")); known {
		l.Level = lv
	}
	l.Msg = text("msg", "message")
	if l.Msg == "" {
		return l, false
	}
	if at, err := time.Parse(time.RFC3339Nano, text("time", "timestamp", "ts")); err == nil {
		l.Time = at
	}
	if len(m) > 0 {
		if b, err := json.Marshal(m); err == nil && len(b) <= maxAttrs {
			l.Attrs = b
		}
	}
	return l, true
}
