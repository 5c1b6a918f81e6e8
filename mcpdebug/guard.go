//go:build !nomcpdebug

package mcpdebug

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/builtin"
)

// crash is a crash as it is kept: immutable but for inspecting.
type crash struct {
	report     builtin.Crash
	wire       string // the text that blocked calls are answered with
	inspecting atomic.Bool
}

// maxCrashText bounds what blocked calls are answered with; Crashed gives the
// text whole.
const maxCrashText = 256 << 10

// Guard runs a part of the game so that a panic in it becomes a state: the
// panic is recovered and recorded, and until it is cleared Guard skips what it
// is given, so that the loop goes on drawing and polling. It reports whether f
// ran to its end.
//
// A nil or closed server runs f without recovery: nobody could look at the
// crash. Frame goroutine.
func (s *Server) Guard(f func()) (ran bool) {
	if s == nil {
		f()
		return true
	}
	if s.crash.Load() != nil {
		return false
	}
	if s.closing.Load() {
		f()
		return true
	}
	if s.timing.Load() {
		start := time.Now()
		defer func() { s.times.add(s.frame.Load(), time.Since(start)) }()
	}
	defer s.recovered(&ran)
	f()
	return true
}

func (s *Server) recovered(ran *bool) {
	if p := recover(); p != nil {
		*ran = false
		s.crashedBy(p)
	}
}

// crashedBy records a panic. Frame goroutine, while the panic unwinds.
func (s *Server) crashedBy(p any) {
	stack := debug.Stack()
	var frames []stacks.Frame
	state := "running"
	if gs := stacks.Parse(stack); len(gs) > 0 {
		frames, state = ownFrames(stacks.TrimPanic(gs[0].Frames)), gs[0].State
	}
	value := panicText(p)
	text := fmt.Sprintf("panic: %s\n\ngoroutine %d [%s]:\n%s", value, stacks.CurrentID(), state, stacks.Format(frames))
	c := &crash{wire: clip(text, maxCrashText)}
	r := &c.report
	r.Text, r.Panic, r.Frames = text, value, wireFrames(frames)
	r.Locked = s.worldLocked()
	r.Entity = s.entityOf(p, value)
	s.setCrash(c)
}

// SetCrashed records a crash that the host itself has recovered: until it is
// cleared with "" or clear_crash, calls are answered with the text, verbatim,
// also when the host stops polling. The same text again is the same crash. Any
// goroutine.
func (s *Server) SetCrashed(text string) {
	if s == nil {
		return
	}
	if text == "" {
		if s.crash.Swap(nil) != nil {
			s.log.Info("the host cleared the crash", "frame", s.frame.Load())
		}
		return
	}
	if c := s.crash.Load(); c != nil && c.report.Text == text {
		return // a host may say so in every frame of its error dialog
	}
	c := &crash{wire: clip(text, maxCrashText)}
	r := &c.report
	r.Text = text
	reason, frames := stacks.Fatal([]byte(clip(text, maxCrashText)))
	r.Panic, r.Frames = strings.TrimPrefix(reason, "panic: "), wireFrames(ownFrames(frames))
	s.setCrash(c)
}

func (s *Server) setCrash(c *crash) {
	s.recordCrash(c)
	r := &c.report
	// A host with an error dialog may never poll again.
	for _, q := range s.queue.snapshot() {
		if !q.pub.Spec.WhenCrashed && q.abandon() {
			q.answer(refusedReply(s.crashedError(c), r.Frame))
		}
	}
	// Last, and without a lock: a host's handler may look at the crash.
	s.log.Error("the game crashed", "panic", r.Panic, "system", r.System, "frame", r.Frame, "count", r.Count, "traceback", clip(r.Text, 4<<10))
}

func (s *Server) recordCrash(c *crash) {
	s.crashM.Lock()
	defer s.crashM.Unlock()
	r := &c.report
	r.At, r.Frame = time.Now(), s.frame.Load()
	r.Count = int(s.counts.crashes.Add(1))
	if t := s.view.Load().app.Times(); t != nil {
		func() {
			defer func() { _ = recover() }() // a host's own implementation
			r.System, _ = t.Running()
		}()
	}
	r.LastCalls = s.history.list()
	r.LogTail = ownLines(s.readLogs(builtin.LogQuery{Tail: true, Limit: 100, Level: -100, MaxBytes: 32 << 10}, false).Lines)
	r.Goroutines = clip(string(stacks.All()), 64<<10)
	s.lastCrash.Store(c)
	s.crash.Store(c)
	s.word.Or(bitRefresh)
}

// ownLines drops the lines of clients' calls, which the last calls repeat, and
// keeps the last of the others.
func ownLines(lines []builtin.LogLine) []builtin.LogLine {
	lines = slices.DeleteFunc(lines, func(l builtin.LogLine) bool {
		return l.Msg == auditMessage && bytes.Contains(l.Attrs, []byte(`"outcome":`))
	})
	size, from := 0, len(lines)
	for from > 0 && len(lines)-from < 20 {
		l := &lines[from-1]
		if size += len(l.Msg) + len(l.Attrs); size > 8<<10 && from < len(lines) {
			break
		}
		from--
	}
	return lines[from:]
}

// Crashed returns the text of the crash the game is in, verbatim. Any goroutine.
func (s *Server) Crashed() (text string, crashed bool) {
	if s == nil {
		return "", false
	}
	if c := s.crash.Load(); c != nil {
		return c.report.Text, true
	}
	return "", false
}

// entityOf finds the entity that a panic was about: the panic value says so,
// or its text names one that lives.
func (s *Server) entityOf(p any, text string) (e ecs.Entity) {
	defer func() { _ = recover() }()
	if about, ok := p.(interface{ Entity() ecs.Entity }); ok {
		return about.Entity()
	}
	if s.world == nil {
		return e
	}
	for _, m := range entityForm.FindAllString(clip(text, 4096), 4) {
		if found, full, err := ecs.ParseEntity(m); err == nil && full && s.world.Alive(found) {
			return found
		}
	}
	return e
}

var entityForm = regexp.MustCompile(`\b[0-9]{1,10}v[0-9]{1,10}\b`)

// panicText is a panic value as the runtime prints it; a value whose own
// methods panic is described by its type.
func panicText(p any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("(%T whose text panics)", p)
		}
	}()
	switch v := p.(type) {
	case error:
		return clip(v.Error(), 16<<10)
	case string:
		return clip(v, 16<<10)
	case fmt.Stringer:
		return clip(v.String(), 16<<10)
	}
	return inWords(p)
}

// traceback is the trimmed stack of the panic that unwinds on this goroutine.
func traceback() string {
	gs := stacks.Parse(debug.Stack())
	if len(gs) == 0 {
		return ""
	}
	return stacks.Format(ownFrames(stacks.TrimPanic(gs[0].Frames)))
}

// maxFrames bounds a trimmed stack; a deep recursion repeats itself.
const maxFrames = 64

// ownFrames drops the server's own part of a stack, which tells nothing about
// the game: from the call of Guard or Poll on it is the host's loop.
func ownFrames(frames []stacks.Frame) []stacks.Frame {
	kept := frames[:0:0]
	for _, f := range frames {
		if strings.HasPrefix(f.Func, ownPackage) && !strings.HasSuffix(f.File, "_test.go") {
			continue
		}
		kept = append(kept, f)
		if len(kept) == maxFrames {
			break
		}
	}
	return kept
}

const ownPackage = "github.com/loupe-ecs/loupe/mcpdebug."

func wireFrames(frames []stacks.Frame) []builtin.StackFrame {
	out := make([]builtin.StackFrame, len(frames))
	for i, f := range frames {
		out[i] = builtin.StackFrame(f)
	}
	return out
}
