// Package stacks reads the goroutine dumps that the Go runtime prints: those
// of runtime.Stack, and the report that a dying process leaves behind.
//
//	for _, g := range stacks.Parse(stacks.All()) {
//		fmt.Println(g.ID, g.State, g.Frames)
//	}
//
// All functions may be called from any goroutine. Parse takes foreign bytes:
// it never panics, and what it cannot read it leaves out.
package stacks

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
)

// Frame is one call on a stack.
type Frame struct {
	Func string `json:"func" jsonschema:"function, with its package"`
	File string `json:"file" jsonschema:"source file"`
	Line int    `json:"line" jsonschema:"line in the file"`
}

// Goroutine is one stack of a dump.
type Goroutine struct {
	ID uint64
	// State is the runtime's word for it ("running", "chan receive"), without
	// the time it has waited, which is Waiting ("5 minutes").
	State     string
	Waiting   string
	Frames    []Frame // innermost first
	CreatedBy Frame
	Text      string // the stanza as it was
}

// MaxDump bounds a dump of all goroutines; the runtime cuts what is longer.
const MaxDump = 16 << 20

// All dumps every goroutine. It stops the world for as long as the dump takes
// (a fraction of a millisecond for a hundred goroutines).
func All() []byte {
	for size := 64 << 10; ; size *= 4 {
		buf := make([]byte, min(size, MaxDump))
		n := runtime.Stack(buf, true)
		if n < len(buf) || size >= MaxDump {
			return buf[:n]
		}
	}
}

// CurrentID is the number of the calling goroutine.
func CurrentID() uint64 {
	var buf [64]byte
	id, _, _, _ := header(string(buf[:runtime.Stack(buf[:], false)]))
	return id
}

// Find returns the goroutine with a number.
func Find(gs []Goroutine, id uint64) (Goroutine, bool) {
	for _, g := range gs {
		if g.ID == id && id != 0 {
			return g, true
		}
	}
	return Goroutine{}, false
}

// Parse reads every goroutine of a dump, in its order.
func Parse(dump []byte) []Goroutine {
	var gs []Goroutine
	for stanza := range bytes.SplitSeq(bytes.ReplaceAll(dump, []byte("\r\n"), []byte("\n")), []byte("\n\n")) {
		if g, ok := parseStanza(string(stanza)); ok {
			gs = append(gs, g)
		}
	}
	return gs
}

func parseStanza(s string) (g Goroutine, ok bool) {
	// Text may come before the header: "panic: ..." or "fatal error: ...".
	i := 0
	if !strings.HasPrefix(s, "goroutine ") {
		if i = strings.Index(s, "\ngoroutine "); i < 0 {
			return g, false
		}
		i++
	}
	s = s[i:]
	if g.ID, g.State, g.Waiting, ok = header(s); !ok {
		return g, false
	}
	g.Text = strings.TrimRight(s, "\n")
	lines := strings.Split(g.Text, "\n")[1:]
	for n := 0; n < len(lines); n++ {
		fn := strings.TrimSpace(lines[n])
		if fn == "" || strings.HasPrefix(lines[n], "\t") {
			continue // a place without its function, or "...additional frames elided..."
		}
		created, isCreator := strings.CutPrefix(fn, "created by ")
		if n+1 >= len(lines) || !strings.HasPrefix(lines[n+1], "\t") {
			continue
		}
		file, line, ok := place(lines[n+1])
		if !ok {
			continue
		}
		n++
		if isCreator {
			name, _, _ := strings.Cut(created, " in goroutine ")
			g.CreatedBy = Frame{Func: name, File: file, Line: line}
			continue
		}
		g.Frames = append(g.Frames, Frame{Func: funcName(fn), File: file, Line: line})
	}
	return g, true
}

// header reads "goroutine 18 [chan receive, 5 minutes, locked to thread]:";
// some carry "gp=0x... m=0 mp=0x..." before the bracket.
func header(s string) (id uint64, state, waiting string, ok bool) {
	line, _, _ := strings.Cut(s, "\n")
	rest, ok := strings.CutPrefix(line, "goroutine ")
	if !ok {
		return 0, "", "", false
	}
	num, rest, _ := strings.Cut(rest, " ")
	id, err := strconv.ParseUint(num, 10, 64)
	if err != nil {
		return 0, "", "", false
	}
	_, rest, ok = strings.Cut(rest, "[")
	if !ok {
		return 0, "", "", false
	}
	inner := rest
	if end := strings.LastIndexByte(rest, ']'); end >= 0 {
		inner = rest[:end]
	}
	for i, part := range strings.Split(inner, ", ") {
		switch {
		case i == 0:
			state = part
		case strings.HasSuffix(part, "minutes"):
			waiting = part
		}
	}
	return id, state, waiting, true
}

// place reads "\t/path/file.go:123 +0x1d"; Windows paths hold a colon too.
func place(s string) (file string, line int, ok bool) {
	s = strings.TrimSpace(s)
	colon := strings.LastIndexByte(s, ':')
	if colon <= 0 {
		return "", 0, false
	}
	num, _, _ := strings.Cut(s[colon+1:], " ")
	line, err := strconv.Atoi(num)
	if err != nil || line < 0 {
		return "", 0, false
	}
	return s[:colon], line, true
}

// funcName cuts the arguments off: "main.(*T).run(0xc000, {...})".
func funcName(s string) string {
	if !strings.HasSuffix(s, ")") {
		return s
	}
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				if i == 0 {
					return s
				}
				return s[:i]
			}
		}
	}
	return s
}

// TrimPanic drops from a stack taken while a panic unwound what belongs to the
// recovery and to the runtime: what is left begins with the function that
// panicked. A stack without a panic is returned as it is.
func TrimPanic(frames []Frame) []Frame {
	for i := len(frames) - 1; i >= 0; i-- {
		switch frames[i].Func {
		case "panic", "runtime.gopanic":
			frames = frames[i+1:]
			// The runtime's own panics (nil pointer, index) come through these.
			for len(frames) > 1 && strings.HasPrefix(frames[0].Func, "runtime.") {
				frames = frames[1:]
			}
			return frames
		}
	}
	return frames
}

// Format prints frames as the runtime does.
func Format(frames []Frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(f.Func)
		b.WriteString("(...)\n\t")
		b.WriteString(f.File)
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(f.Line))
		b.WriteByte('\n')
	}
	return b.String()
}

// Fatal finds, in the report of a dying process, the line that names the
// reason and the stack of the goroutine that failed.
func Fatal(report []byte) (reason string, frames []Frame) {
	for line := range strings.SplitSeq(string(report), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "SIG") {
			reason = line
			break
		}
	}
	for _, g := range Parse(report) {
		if frames = TrimPanic(g.Frames); len(frames) > 0 {
			for len(frames) > 1 && (strings.HasPrefix(frames[0].Func, "runtime.") || strings.HasPrefix(frames[0].Func, "internal/runtime/")) {
				frames = frames[1:]
			}
			break
		}
	}
	if reason == "" {
		reason = guess(string(report))
	}
	return reason, frames
}

// guess names a fatal error by where it was thrown: the runtime writes the
// sentence itself ("fatal error: stack overflow") to the terminal only, not
// to a crash file (Go 1.26).
func guess(report string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(report), "\n")
	if !strings.HasPrefix(first, "goroutine ") && !strings.HasPrefix(first, "runtime stack:") {
		return first
	}
	head := report
	if end := strings.Index(head, "\n\n"); end >= 0 && !strings.HasPrefix(first, "runtime stack:") {
		head = head[:end]
	}
	head = head[:min(len(head), 4096)]
	for _, g := range []struct{ in, reason string }{
		{"runtime.morestack", "stack overflow"},
		{"internal/runtime/maps.fatal", "concurrent use of a map, with at least one write"},
		{"runtime.checkdead", "all goroutines are asleep: deadlock"},
		{"runtime.sysMapOS", "out of memory"},
		{"runtime.(*mheap).sysAlloc", "out of memory"},
		{"runtime.(*mheap).grow", "out of memory"},
		{"sync.fatal", "misuse of a mutex (unlock of an unlocked one)"},
		{"sync.throw", "misuse of a lock"},
		{"runtime.sigpanic", "unexpected signal (bad memory access)"},
	} {
		if strings.Contains(head, g.in) {
			return "fatal error: " + g.reason
		}
	}
	return "fatal error of the Go runtime"
}
