package loop

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
)

// StallMessage is the log line of a stall.
const StallMessage = "the frame has stalled"

// PollsAgain is the log line of its end.
const PollsAgain = "the frame polls again"

// StallReport is where a frame hangs, or hung last.
type StallReport struct {
	System string         `json:"system,omitempty" jsonschema:"the system that runs"`
	At     *stacks.Frame  `json:"at,omitempty" jsonschema:"the innermost call that is the same in all samples: the loop or the wait"`
	Within []stacks.Frame `json:"within,omitempty" jsonschema:"the calls around it, innermost first"`
	// Samples is how many stacks At is the same in: 3, or fewer where it has just
	// been seen.
	Samples  int           `json:"samples,omitempty" jsonschema:"stacks that were compared"`
	Waits    string        `json:"waits,omitempty" jsonschema:"what it waits for, as the runtime says; absent: it computes"`
	Entity   string        `json:"entity,omitempty" jsonschema:"the entity that the system told to be at"`
	Tool     string        `json:"tool,omitempty" jsonschema:"the client's call that the frame hangs in"`
	Frame    uint64        `json:"lastFrame" jsonschema:"the last frame that polled"`
	ForMs    int64         `json:"forMs" jsonschema:"milliseconds without a Poll"`
	Over     bool          `json:"over,omitempty" jsonschema:"the frame polls again: this was its last stall"`
	Recorded *RecordedSpan `json:"recorded,omitempty" jsonschema:"the ticks recorded before it"`
}

// RecordedSpan is a part of the recording.
type RecordedSpan struct {
	From uint64 `json:"fromTick" jsonschema:"first"`
	To   uint64 `json:"toTick" jsonschema:"last"`
}

// stalled is a stall as it was detected; immutable.
type stalled struct {
	hint   string    // of the host, with what follows it
	frame  uint64    // the last that polled
	since  time.Time // of the last Poll, gaps of the process left out
	end    time.Time // zero: it goes on
	report StallReport
}

// stallSamples are the stacks of a frame that does not come. The watchdog's.
type stallSamples struct {
	frame uint64
	list  []stacks.Goroutine
}

// wantedSamples is how many stacks are compared: what a loop calls differs from
// one to the next, the loop itself does not.
const wantedSamples = 3

// sample takes a stack of the goroutine that polled last, if that is worth
// something: a frame is late, and fewer than three were taken of it.
func (w *watchdog) sample(frame uint64) (taken bool) {
	l, s := w.l, &w.samples
	if s.frame != frame {
		s.frame, s.list = frame, nil
	}
	id := l.FrameGoroutine()
	if id == 0 || len(s.list) >= wantedSamples {
		return false
	}
	if g, ok := stacks.Find(stacks.Parse(stacks.All()), id); ok && l.frame.Load() == frame {
		s.list = append(s.list, g)
		return true
	}
	return false
}

// maxWithin is how many calls around the innermost one are told.
const maxWithin = 4

// describe sums the samples up.
func (l *Loop) describe(st *stalled, gs []stacks.Goroutine) {
	r := &st.report
	r.Frame = st.frame
	v := l.View()
	r.System = v.runningSystem()
	if e, ok := v.visiting(); ok {
		r.Entity = e.String()
	}
	if c := l.running.Load(); c != nil {
		r.Tool = c.pub.Spec.Name
	}
	if l.cfg.Recorded != nil {
		if from, to, ok := l.cfg.Recorded(); ok {
			r.Recorded = &RecordedSpan{from, to}
		}
	}
	if r.Samples = len(gs); r.Samples == 0 {
		return
	}
	last := gs[len(gs)-1]
	if last.State != "running" && last.State != "runnable" {
		r.Waits = last.State
	}
	if own := crashes.OwnFrames(last.Frames[len(last.Frames)-steady(gs):]); len(own) > 0 {
		r.At, r.Within = &own[0], own[1:min(len(own), 1+maxWithin)]
	}
}

// steady is how many calls, counted from the outermost, are the same functions
// in all samples.
func steady(gs []stacks.Goroutine) (n int) {
	last := gs[len(gs)-1].Frames
	for n < len(last) {
		for _, g := range gs {
			if n >= len(g.Frames) || g.Frames[len(g.Frames)-1-n].Func != last[len(last)-1-n].Func {
				return n
			}
		}
		n++
	}
	return n
}

// words is the stall in one line.
func (r *StallReport) words() string {
	var b strings.Builder
	if r.Tool != "" {
		fmt.Fprintf(&b, " The frame hangs in the tool %s.", r.Tool)
	}
	if r.At == nil {
		b.WriteString(" It is not known which goroutine polls, or it has ended")
		return b.String()
	}
	b.WriteString(" It ")
	if r.Waits != "" {
		fmt.Fprintf(&b, "waits (%s)", r.Waits)
	} else {
		b.WriteString("computes")
	}
	fmt.Fprintf(&b, " in %s (%s:%d)", r.At.Func, filepath.Base(r.At.File), r.At.Line)
	if r.System != "" {
		fmt.Fprintf(&b, ", system %s", r.System)
	}
	if r.Entity != "" {
		fmt.Fprintf(&b, ", at entity %s", r.Entity)
	}
	return b.String()
}

// told is the report as of now.
func (st *stalled) told() *StallReport {
	r := st.report
	if r.Over = !st.end.IsZero(); r.Over {
		r.ForMs = st.end.Sub(st.since).Milliseconds()
	} else {
		r.ForMs = time.Since(st.since).Milliseconds()
	}
	return &r
}

// refusal answers a call that cannot run: one line. The whole stack, three
// kilobytes in every answer, is what the tool goroutines is for.
func (st *stalled) refusal() *refusal.Error {
	r := st.told()
	hint := ""
	if st.hint != "" {
		hint = st.hint + "; "
	}
	return &refusal.Error{Code: refusal.Stalled,
		Message: fmt.Sprintf("the game has not polled for %s (last frame %d); the call did not run.%s", words.Roughly(time.Since(st.since)), st.frame, r.words()),
		Got:     map[string]any{"lastFrame": st.frame, "stalledMs": r.ForMs},
		Hint:    hint + "goroutines shows every stack and profile_start where the time goes, also now; if the window is suspended or a debugger holds the process, that is why", Next: "goroutines",
		Extra: map[string]any{"stall_report": r}}
}

// declareStall publishes a stall and answers everybody who waits.
func (w *watchdog) declareStall(f uint64, now time.Time, quiet time.Duration) *stalled {
	l := w.l
	st := &stalled{frame: f, since: now.Add(-quiet), hint: l.cfg.StallHint}
	l.describe(st, w.samples.list)
	if l.frame.Load() != f {
		return nil // it polled while its stack was read
	}
	l.stall.Store(st)
	l.word.Or(bitStalled)
	if l.frame.Load() != f {
		l.stall.CompareAndSwap(st, nil)
		return nil
	}
	l.lastStall.Store(st)
	stack := ""
	if n := len(w.samples.list); n > 0 {
		stack = w.samples.list[n-1].Text
	}
	l.log.Error(StallMessage, "frame", f, "for", words.Roughly(quiet), "tool", st.report.Tool, "system", st.report.System, "stack", words.Clip(stack, 4<<10))
	l.flush(func(*call) *refusal.Error { return st.refusal() })
	if running := l.running.Load(); running != nil && st.report.Tool != "" {
		e := running.outcomeUnknown(fmt.Sprintf("the frame hangs in it for %s.%s", words.Roughly(quiet), st.report.words()))
		e.Extra = map[string]any{"stall_report": st.told()}
		running.answer(refusedReply(e, f))
	}
	return st
}

// sharpen tells the stall anew with one sample more.
func (w *watchdog) sharpen() {
	st := w.declared
	next := &stalled{frame: st.frame, since: st.since, hint: st.hint}
	w.l.describe(next, w.samples.list)
	if w.l.stall.CompareAndSwap(st, next) { // else it is over
		w.l.lastStall.Store(next)
		w.declared = next
	}
}

// ended keeps the stall that is over. It returns nil.
func (w *watchdog) ended(now time.Time) *stalled {
	over := *w.declared
	over.end = now
	w.l.lastStall.Store(&over)
	return nil
}

// Stall is where the frame hangs, or how it hung last; nil if it never did.
// Any goroutine.
func (s *state) Stall() *StallReport {
	st := s.lastStall.Load()
	if st == nil {
		return nil
	}
	return st.told()
}
