// Package crashes makes a crash a state of the game: it records panics that
// were recovered and crashes that the host reports, until they are cleared, and
// keeps the end of a process for the next one (see [File]).
//
//	keeper := crashes.New(crashes.Scene{...}, log)
//	defer keeper.Recover(&ran)
//	update()
package crashes

import (
	"bytes"
	"fmt"
	"log/slog"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/internal/words"
)

// Scene is what a report takes down about its moment. World is called on the
// frame goroutine, the others on any.
type Scene struct {
	Frame  func() uint64
	World  func() ecs.World
	System func() string // that is running; "" if it cannot be told
	// Visiting is the entity that it is at, as far as it tells. May be nil.
	Visiting func() (ecs.Entity, bool)
	// OnFrame tells whether it is called on the frame goroutine. May be nil.
	OnFrame   func() bool
	LastCalls func() []Call
	Log       func() []logbuf.Line
	// Recorded is told of every crash once it is the present one.
	Recorded func(*Crash)
	// Recovered, if set, is told of the panics that were recovered here, which
	// the runtime has not printed. Frame goroutine.
	Recovered func(*Crash)
}

// Keeper holds the crash that the game is in. Methods may be called from any
// goroutine unless they say otherwise.
type Keeper struct {
	scene Scene
	log   *slog.Logger

	now  atomic.Pointer[Crash]
	last atomic.Pointer[Crash] // also after it was cleared
	mu   sync.Mutex            // makers of crashes
	n    atomic.Int64          // since the world was bound
}

// New makes a Keeper of a game that is not crashed.
func New(scene Scene, log *slog.Logger) *Keeper { return &Keeper{scene: scene, log: log} }

// Now is the crash that the game is in; nil: it is in none.
func (k *Keeper) Now() *Crash { return k.now.Load() }

// Last is Now, or the last one, which was cleared; nil if there was none since
// the world was bound.
func (k *Keeper) Last() *Crash {
	if c := k.now.Load(); c != nil {
		return c
	}
	return k.last.Load()
}

// Report tells of Last; nil without one. Locked is as it was at the crash.
func (k *Keeper) Report() *Report {
	c := k.now.Load()
	cleared := c == nil
	if cleared {
		if c = k.last.Load(); c == nil {
			return nil
		}
	}
	r := c.report
	r.Inspecting, r.Cleared = c.Inspecting() && !cleared, cleared
	return &r
}

// Restore makes a crash of another process the last one: it is reported, and
// blocks nothing.
func (k *Keeper) Restore(r *Report) {
	k.last.Store(&Crash{report: *r, wire: wireText(r.Text)})
}

// maxText bounds what blocked calls are answered with; Crash.Text is whole.
const maxText = 256 << 10

// wireText says so where it cuts: a traceback that merely stops looks whole.
func wireText(text string) string {
	if len(text) <= maxText {
		return text
	}
	return fmt.Sprintf("%s\n(cut here: the crash text has %d bytes, and %d are shown)", words.Clip(text, maxText), len(text), maxText)
}

// Recover, deferred, makes a crash of a panic that unwinds, and sets ran to
// false. Frame goroutine.
func (k *Keeper) Recover(ran *bool) {
	if p := recover(); p != nil {
		*ran = false
		c := k.ofPanic(p)
		k.record(c)
		if k.scene.Recovered != nil {
			k.scene.Recovered(c)
		}
	}
}

// ofPanic describes a panic while it unwinds.
func (k *Keeper) ofPanic(p any) *Crash {
	stack := debug.Stack()
	var frames []stacks.Frame
	state := "running"
	if gs := stacks.Parse(stack); len(gs) > 0 {
		frames, state = OwnFrames(stacks.TrimPanic(gs[0].Frames)), gs[0].State
	}
	value := words.Panic(p)
	text := fmt.Sprintf("panic: %s\n\ngoroutine %d [%s]:\n%s", value, stacks.CurrentID(), state, stacks.Format(frames))
	c := &Crash{wire: wireText(text)}
	r := &c.report
	r.Text, r.Panic, r.Frames = text, value, nonNil(frames)
	w := k.scene.World()
	r.Locked = Locked(w)
	r.Entity = k.entityOf(w, p, value)
	r.Row, r.Label = rowOf(w, r.Entity)
	return c
}

// Set records a crash that the host itself has recovered; "" clears. The same
// text again is the same crash.
func (k *Keeper) Set(text string) {
	if text == "" {
		if k.now.Swap(nil) != nil {
			k.log.Info("the host cleared the crash", "frame", k.scene.Frame())
		}
		return
	}
	if c := k.now.Load(); c != nil && c.report.Text == text {
		return // a host may say so in every frame of its error dialog
	}
	c := &Crash{wire: wireText(text)}
	r := &c.report
	r.Text = text
	reason, frames := stacks.Fatal([]byte(c.wire))
	r.Panic, r.Frames = strings.TrimPrefix(reason, "panic: "), nonNil(OwnFrames(frames))
	r.Entity = k.visiting()
	if k.scene.OnFrame != nil && k.scene.OnFrame() {
		r.Row, r.Label = rowOf(k.scene.World(), r.Entity)
	}
	k.record(c)
}

// Forget drops the present crash and the count: another world is bound.
func (k *Keeper) Forget() {
	k.now.Store(nil)
	k.last.Store(nil)
	k.n.Store(0)
}

// Inspect lets read-only tools look at the crashed game's world.
func (k *Keeper) Inspect(on bool) error {
	c := k.now.Load()
	if c == nil {
		return &refusal.Error{Code: refusal.NotRunning, Message: "the game is not crashed: there is nothing to inspect", Hint: "every tool runs; query reads the world"}
	}
	c.inspecting.Store(on)
	return nil
}

// Clear ends the crashed state, and with unlock releases the lock of a query
// that was open. Frame goroutine.
func (k *Keeper) Clear(w ecs.World, unlock bool) (r Cleared, err error) {
	c := k.now.Load()
	r.WasCrashed = c != nil
	r.Locked = Locked(w)
	if unlock && r.Locked {
		if err := release(w); err != nil {
			return r, err
		}
		r.Unlocked, r.Locked = true, Locked(w)
	}
	if c != nil && k.now.CompareAndSwap(c, nil) {
		k.log.Info("the crash was cleared", "frame", k.scene.Frame(), "unlocked", r.Unlocked, "locked", r.Locked)
	}
	return r, nil
}

// Locked tells whether a query locks a world; a broken one is not locked.
// Frame goroutine.
func Locked(w ecs.World) (locked bool) {
	if w == nil {
		return false
	}
	defer func() {
		if recover() != nil {
			locked = false
		}
	}()
	return w.Locked()
}

func release(w ecs.World) (err error) {
	u, ok := w.(ecs.Unlocker)
	if !ok {
		return &refusal.Error{Code: refusal.NotSupported, Message: "this engine's adapter cannot release the lock of an interrupted query; the crash was not cleared",
			Hint: "call clear_crash without unlock: reading goes on, structural changes stay refused"}
	}
	defer func() {
		if p := recover(); p != nil {
			err = &refusal.Error{Code: refusal.CrashLayout, Message: "releasing the lock panicked: " + words.Panic(p) + "; the crash was not cleared"}
		}
	}()
	return u.Unlock()
}

func (k *Keeper) record(c *Crash) {
	k.takeDown(c)
	k.scene.Recorded(c)
	r := &c.report
	// Last, and without a lock: a host's handler may look at the crash.
	k.log.Error(Message, "panic", r.Panic, "system", r.System, "frame", r.Frame, "count", r.Count, "traceback", words.Clip(r.Text, 4<<10))
}

func (k *Keeper) takeDown(c *Crash) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := &c.report
	r.At, r.Frame = time.Now(), k.scene.Frame()
	r.Count = int(k.n.Add(1))
	r.System = k.scene.System()
	r.LastCalls = k.scene.LastCalls()
	r.LogTail = ownLines(k.scene.Log())
	r.Goroutines = words.Clip(string(stacks.All()), 64<<10)
	k.last.Store(c)
	k.now.Store(c)
}

// Message is the log line of a crash.
const Message = "the game crashed"

// AuditMessage is the log line of a call that may have changed something.
const AuditMessage = "tool call"

// ownLines drops the lines of clients' calls, which the last calls repeat, and
// keeps the last of the others.
func ownLines(lines []logbuf.Line) []logbuf.Line {
	lines = slices.DeleteFunc(lines, func(l logbuf.Line) bool {
		return l.Msg == AuditMessage && bytes.Contains(l.Attrs, []byte(`"outcome":`))
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

// visiting is the entity that the running system was at; zero if it is not told.
func (k *Keeper) visiting() (e ecs.Entity) {
	if k.scene.Visiting != nil {
		e, _ = k.scene.Visiting()
	}
	return e
}

// entityOf finds the entity that a panic was about: the panic value says so, the
// system stood at it, or the panic's text names one that lives.
func (k *Keeper) entityOf(w ecs.World, p any, text string) (e ecs.Entity) {
	defer func() { _ = recover() }()
	if about, ok := p.(interface{ Entity() ecs.Entity }); ok {
		return about.Entity()
	}
	if e := k.visiting(); !e.IsZero() {
		return e
	}
	if w == nil {
		return e
	}
	for _, m := range entityForm.FindAllString(words.Clip(text, 4096), 4) {
		if found, full, err := ecs.ParseEntity(m); err == nil && full && w.Alive(found) {
			return found
		}
	}
	return e
}

var entityForm = regexp.MustCompile(`\b[0-9]{1,10}v[0-9]{1,10}\b`)
