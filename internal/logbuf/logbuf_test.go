package logbuf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/slogtest"
	"time"
	"unicode/utf8"
)

func messages(p Page) (out []string) {
	for _, l := range p.Lines {
		out = append(out, l.Msg)
	}
	return out
}

func TestReadGoesOnWhereItStopped(t *testing.T) {
	r := NewRing(4, 1<<20)
	for i := range 6 {
		r.Add(Line{Msg: fmt.Sprint("line ", i+1), Level: slog.LevelInfo})
	}
	p := r.Read(Query{After: 1, Limit: 2})
	if got, want := messages(p), []string{"line 3", "line 4"}; !slices.Equal(got, want) || p.Dropped != 1 || p.Next != 4 || !p.Truncated || p.Total != 4 {
		t.Errorf("first page %v %+v", got, p)
	}
	p = r.Read(Query{After: p.Next, Limit: 10})
	if got, want := messages(p), []string{"line 5", "line 6"}; !slices.Equal(got, want) || p.Truncated || p.Dropped != 0 || p.Next != 6 {
		t.Errorf("second page %v %+v", got, p)
	}
	if p = r.Read(Query{Tail: true, Limit: 1}); messages(p)[0] != "line 6" || !p.Truncated || p.Next != 6 {
		t.Errorf("tail %+v", p)
	}
}

func TestAnErrorOutlivesAFlood(t *testing.T) {
	r := NewRing(100, 1<<20)
	r.Add(Line{Level: slog.LevelError, Msg: "the game crashed"})
	for i := range 1000 {
		r.Add(Line{Level: slog.LevelInfo, Msg: fmt.Sprint("call ", i)})
		if i%10 == 0 {
			r.Add(Line{Level: slog.LevelWarn, Msg: fmt.Sprint("slow ", i)})
		}
	}
	p := r.Read(Query{Level: slog.LevelError})
	if len(p.Lines) != 0 || p.Dropped == 0 {
		t.Errorf("101 warnings push the error out of 25 places, and it is counted: %+v", p)
	}
	r = NewRing(100, 1<<20)
	r.Add(Line{Level: slog.LevelError, Msg: "the game crashed"})
	for i := range 1000 {
		r.Add(Line{Level: slog.LevelInfo, Msg: fmt.Sprint("call ", i)})
	}
	p = r.Read(Query{Level: slog.LevelError})
	if got := messages(p); !slices.Equal(got, []string{"the game crashed"}) || p.Dropped != 0 {
		t.Errorf("errors %q, %d dropped", got, p.Dropped)
	}
	p = r.Read(Query{Level: slog.LevelDebug})
	if p.Total != 101 || p.Dropped != 900 || p.Lines[0].Msg != "the game crashed" || p.Lines[1].Msg != "call 900" {
		t.Errorf("%d lines, %d dropped, %q", p.Total, p.Dropped, messages(p)[:2])
	}
	if p = r.Read(Query{After: p.Lines[1].N, Level: slog.LevelDebug}); p.Dropped != 0 || p.Total != 99 {
		t.Errorf("after the loss: %d dropped of %d", p.Dropped, p.Total)
	}
}

func TestOlderLinesAreReached(t *testing.T) {
	r := NewRing(100, 1<<20)
	for i := range 10 {
		r.Add(Line{Msg: fmt.Sprint(i + 1), Level: slog.Level(4 * (i % 3))})
	}
	var got []string
	before := uint64(0)
	for {
		p := r.Read(Query{Tail: true, Before: before, Limit: 4})
		got = append(messages(p), got...)
		if !p.Truncated {
			break
		}
		before = p.Lines[0].N
	}
	if want := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}; !slices.Equal(got, want) {
		t.Errorf("walked back over %q", got)
	}
}

func TestReadFiltersAndCapsBytes(t *testing.T) {
	r := NewRing(100, 1<<20)
	log := slog.New(r.Handler(nil))
	log.Debug("loaded", "file", "Level1.map")
	log.Error("cannot open door", "err", errors.New("no key"))
	log.Warn("slow frame")
	if p := r.Read(Query{Contains: "level1", Level: slog.LevelDebug}); len(p.Lines) != 1 || p.Lines[0].Msg != "loaded" {
		t.Errorf("contains: %+v", p)
	}
	p := r.Read(Query{Level: slog.LevelError})
	if len(p.Lines) != 1 || string(p.Lines[0].Attrs) != `{"err":"no key"}` || p.Next != 3 {
		t.Errorf("level: %+v %s", p, p.Lines[0].Attrs)
	}
	p = r.Read(Query{Level: slog.LevelDebug, MaxBytes: 1})
	if len(p.Lines) != 1 || !p.Truncated || p.Next != 1 {
		t.Errorf("a line that is too large alone must still come: %+v", p)
	}
}

func TestRingStaysWithinItsBytes(t *testing.T) {
	r := NewRing(1000, 10_000)
	for range 1000 {
		r.Add(Line{Msg: strings.Repeat("x", 500)})
	}
	if n := len(r.Read(Query{}).Lines); n < 10 || n > 20 {
		t.Errorf("%d lines of 564 bytes kept in 10000", n)
	}
}

func TestHandlerIsASlogHandler(t *testing.T) {
	r := NewRing(100, 1<<20)
	var first uint64
	slogtest.Run(t, func(*testing.T) slog.Handler {
		first = r.Read(Query{}).Next
		return r.Handler(slog.NewTextHandler(io.Discard, nil))
	}, func(t *testing.T) map[string]any {
		p := r.Read(Query{After: first, Level: slog.LevelDebug})
		l := p.Lines[len(p.Lines)-1]
		flat := map[string]any{}
		if l.Attrs != nil {
			if err := json.Unmarshal(l.Attrs, &flat); err != nil {
				t.Fatal(err)
			}
		}
		out := map[string]any{slog.LevelKey: l.Level, slog.MessageKey: l.Msg}
		// The kit cannot pass a zero time through: a record without time gets one.
		if !strings.Contains(t.Name(), "zero-time") {
			out[slog.TimeKey] = l.Time
		}
		for k, v := range flat {
			m, parts := out, strings.Split(k, ".")
			for _, part := range parts[:len(parts)-1] {
				if m[part] == nil {
					m[part] = map[string]any{}
				}
				m = m[part].(map[string]any)
			}
			m[parts[len(parts)-1]] = v
		}
		return out
	})
}

type hostile struct{ Next *hostile }

func (hostile) LogValue() slog.Value { panic("no value") }

type badError struct{}

func (badError) Error() string { panic("no text") }

func TestHandlerSurvivesHostileValues(t *testing.T) {
	r := NewRing(100, 1<<20)
	loop := map[string]any{}
	loop["self"] = loop
	slog.New(r.Handler(nil)).Info("bad \xff", "v", hostile{}, "e", badError{}, "m", loop, "nan", nan(), "long", strings.Repeat("é", 4000))
	l := r.Read(Query{}).Lines[0]
	if !utf8.ValidString(l.Msg) || !json.Valid(l.Attrs) || len(l.Attrs) > 2*maxAttrs {
		t.Errorf("%q %s", l.Msg, l.Attrs)
	}
}

func nan() float64 { z := 0.0; return z / z }

func write(t *testing.T, path, s string, flag int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flag, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(s); err != nil {
		t.Fatal(err)
	}
}

func TestTailReadsWholeLinesThroughTruncationAndRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game.log")
	r := NewRing(100, 1<<20)
	tail := r.Follow(path)
	defer tail.Close()
	tail.Sync() // not there yet
	expect := func(step string, want ...string) {
		t.Helper()
		tail.Sync()
		if got := messages(r.Read(Query{Level: slog.LevelDebug})); !slices.Equal(got, want) {
			t.Fatalf("%s: %q, want %q", step, got, want)
		}
		r = NewRing(100, 1<<20)
		tail.ring = r
	}
	write(t, path, "one\ntwo\nthr", os.O_APPEND)
	expect("a partial line is not shown", "one", "two")
	write(t, path, "ee \xff\r\n\n", os.O_APPEND)
	expect("completed, made valid, blank line left out", "three \uFFFD")
	write(t, path, "a\n", os.O_TRUNC)
	expect("truncated", "the log file was truncated; reading it from its start", "a")
	write(t, path, "last of the old\n", os.O_APPEND)
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	write(t, path, "first of the new\n", os.O_APPEND)
	expect("rotated", "last of the old", "first of the new")
}

func TestTailBoundToALargeFileStartsNearItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.log")
	write(t, path, strings.Repeat("an old line\n", 50_000)+"the newest\n", 0)
	r := NewRing(100_000, 100<<20)
	tail := r.Follow(path)
	defer tail.Close()
	tail.Sync()
	got := messages(r.Read(Query{}))
	if n := len(got); n < 5000 || n > 6000 || got[n-1] != "the newest" || got[0] != "an old line" {
		t.Errorf("%d lines, first %q", n, got[0])
	}
}

func TestParseLineFindsTheLevel(t *testing.T) {
	for line, want := range map[string]slog.Level{
		`time=2026-01-02T03:04:05Z level=WARN msg="slow"`:                    slog.LevelWarn,
		`{"time":"2026-01-02T03:04:05Z","level":"ERROR","msg":"boom","n":1}`: slog.LevelError,
		"2026/01/02 [error] cannot open":                                     slog.LevelError,
		"DEBUG: loaded":                                                      slog.LevelDebug,
		"finished with no error at all":                                      slog.LevelInfo,
		"panic: runtime error: index out of range [5] with length 3":         slog.LevelError,
		"{not json": slog.LevelInfo,
	} {
		if l := ParseLine(line); l.Level != want {
			t.Errorf("%s: %v, want %v", line, l.Level, want)
		}
	}
	l := ParseLine(`{"time":"2026-01-02T03:04:05Z","level":"ERROR","msg":"boom","n":1}`)
	if l.Msg != "boom" || string(l.Attrs) != `{"n":1}` || !l.Time.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) {
		t.Errorf("%+v", l)
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add("level=")
	f.Add(`{"msg":"x","level":3}`)
	f.Add("[warn] \xff")
	f.Fuzz(func(t *testing.T, s string) {
		if l := ParseLine(s); !utf8.ValidString(l.Msg) || l.Attrs != nil && !json.Valid(l.Attrs) {
			t.Fatalf("%+v", l)
		}
	})
}

func Example() {
	ring := NewRing(1024, 256<<10)
	log := slog.New(ring.Handler(nil)).With("system", "audio")
	log.Warn("voice stolen", "sound", "hit.wav")
	for _, l := range ring.Read(Query{Tail: true, Limit: 10}).Lines {
		fmt.Println(l.N, l.Level, l.Msg, string(l.Attrs))
	}
	// Output: 1 WARN voice stolen {"system":"audio","sound":"hit.wav"}
}
