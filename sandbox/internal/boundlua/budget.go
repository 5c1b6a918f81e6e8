package boundlua

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox/limits"
)

// quantum is how many steps pass between two looks at the clock. The timer
// raises the alarm meanwhile, so this is only a second line of defence.
const quantum = 2048

// grace is what a script that could not begin gets beyond its time, at most.
const grace = 50 * time.Millisecond

// samplePeriod is how often a running script's memory and time are looked at.
const samplePeriod = time.Millisecond

// budget bounds one run. The VM asks for a step before every instruction
// (threadCtx.Done); library functions that loop call Run.Charge. Once it is
// exhausted it stays so: every later instruction fails again, whatever pcall
// or coroutine it is in.
type budget struct {
	left    int64 // steps until the next look; negative once exhausted
	granted int64 // steps handed out to left so far
	alarm   atomic.Int32

	max      int64
	memory   int64 // growth allowed
	heap0    int64
	allocs0  int64
	started  time.Time
	deadline time.Time
	nextMem  time.Time
	sampler  heapSampler

	timerMu sync.Mutex
	timer   *time.Timer
	ended   bool

	stop *refusal.Error // why the run is over; nil while it runs
	used int64          // steps taken when it stopped

	yielding *threadCtx // has called yield and not left its thread yet
	hidden   int64      // left, while yielding is set
}

func (b *budget) start(o *limits.Script, timeout time.Duration) {
	b.max, b.memory = o.MaxSteps, o.MemoryBytes
	b.started = time.Now()
	b.deadline = b.started.Add(timeout)
	b.nextMem = b.started.Add(samplePeriod)
	b.heap0 = b.sampler.heap()
	b.allocs0 = int64(b.sampler[0].Value.Uint64())
	b.left = min(quantum, b.max)
	b.granted = b.left

	heap0, memory, deadline := b.heap0, b.memory, b.deadline
	b.timerMu.Lock()
	defer b.timerMu.Unlock()
	b.timer = time.AfterFunc(samplePeriod, func() {
		b.timerMu.Lock()
		defer b.timerMu.Unlock()
		if b.ended {
			return
		}
		var s heapSampler
		if time.Now().After(deadline) || s.heap()-heap0 > memory {
			b.alarm.Store(1) // look re-arms the timer if it was a false alarm
			return
		}
		b.timer.Reset(samplePeriod)
	})
}

// end stops the timer; the run is over.
func (b *budget) end() {
	b.timerMu.Lock()
	b.ended = true
	b.timer.Stop()
	b.timerMu.Unlock()
}

// steps is how many steps the run has taken.
func (b *budget) steps() int64 {
	if b.stop != nil {
		return b.used
	}
	return b.granted - b.left
}

// allocated is how many bytes the process has allocated since the start.
func (b *budget) allocated() int64 {
	b.sampler.heap()
	return int64(b.sampler[0].Value.Uint64()) - b.allocs0
}

// look refills left or ends the run.
func (b *budget) look() {
	if b.stop != nil {
		b.left = -1
		return
	}
	now := time.Now()
	used := b.granted - b.left
	// A script that has hardly begun when its time is over was held up by
	// something else (the collector, another process): it gets a little longer.
	late := used < quantum && b.max > quantum && now.Before(b.deadline.Add(min(b.deadline.Sub(b.started), grace)))
	if now.After(b.deadline) && !late {
		ms := b.deadline.Sub(b.started).Milliseconds()
		b.exhaust(&refusal.Error{Code: refusal.ScriptTimeout,
			Message: fmt.Sprintf("the script ran longer than its limit of %d ms", ms),
			Want:    fmt.Sprintf("at most %d ms", ms),
			Hint:    "look for a loop that does not end; else do less in one call, or raise timeoutMs"})
		return
	}
	if used >= b.max {
		b.exhaust(&refusal.Error{Code: refusal.ScriptTimeout,
			Message: fmt.Sprintf("the script used up its %d steps", b.max),
			Want:    fmt.Sprintf("at most %d steps", b.max),
			Hint:    "look for a loop that does not end; else do less in one call"})
		return
	}
	alarm := b.alarm.Swap(0) != 0
	if alarm || now.After(b.nextMem) {
		b.nextMem = now.Add(samplePeriod)
		if grown := b.sampler.heap() - b.heap0; grown > b.memory {
			b.exhaust(&refusal.Error{Code: refusal.ScriptMemory,
				Message: fmt.Sprintf("the script's memory grew beyond its limit of %d MiB", b.memory>>20),
				Got:     fmt.Sprintf("%d MiB", grown>>20), Want: fmt.Sprintf("at most %d MiB", b.memory>>20),
				Hint: "build smaller tables and strings, or do a part and call again"})
			return
		}
	}
	if alarm {
		b.timerMu.Lock()
		b.timer.Reset(samplePeriod)
		b.timerMu.Unlock()
	}
	if b.left < 0 {
		grant := min(quantum, b.max-used)
		b.granted = used + grant
		b.left = grant
	}
}

func (b *budget) exhaust(e *refusal.Error) {
	if b.stop == nil {
		b.stop = e
		b.used = min(b.granted-b.left, b.max)
	}
	b.left = -1
}

// Charge counts n steps of library work, and fails the script from inside the
// library once the budget is exhausted.
func (r *Run) Charge(L *lua.LState, n int) {
	if !r.Spend(n) {
		r.fail(L)
	}
}

// Spend is Charge where nothing may be raised yet; it reports whether the script
// may go on. Whoever hears no raises later, with Charge.
func (r *Run) Spend(n int) bool {
	b := &r.budget
	b.left -= int64(n)
	if b.left < 0 || b.alarm.Load() != 0 {
		b.look()
	}
	return b.stop == nil
}

// ChargeBytes is Charge for n bytes copied or looked at.
func (r *Run) ChargeBytes(L *lua.LState, n int) { r.Charge(L, 1+n>>6) }

// fail raises the error that ends the run.
func (r *Run) fail(L *lua.LState) {
	if r.stopLine == 0 {
		r.stopLine = lineOf(L)
	}
	L.RaiseError("%s", r.budget.stop.Message)
}

// Exhaust ends the run because of a limit other than time, steps or memory.
// It is as sticky as those.
func (r *Run) Exhaust(L *lua.LState, e *refusal.Error) {
	r.budget.exhaust(e)
	r.fail(L)
}

// threadCtx is the context of one Lua thread: gopher-lua asks Done before
// every instruction, and that is where the budget is enforced. It also leads
// from a thread to its run.
type threadCtx struct {
	run      *Run
	L        *lua.LState
	nest     int  // protected calls and callbacks under way: no yield across them
	yielding bool // yield was called and the thread must not execute anything
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Done counts a step. A nil channel lets the VM go on.
func (c *threadCtx) Done() <-chan struct{} {
	b := &c.run.budget
	b.left--
	if b.left >= 0 && b.alarm.Load() == 0 {
		return nil
	}
	return c.slow()
}

func (c *threadCtx) slow() <-chan struct{} {
	b := &c.run.budget
	b.unhide()
	if c.yielding {
		// A thread that yields stops at once, unless a metamethod or an
		// iterator called yield: then gopher-lua runs on in a thread that
		// counts as suspended. Refuse that.
		return closed
	}
	if b.left < 0 || b.alarm.Load() != 0 {
		b.look()
	}
	if b.stop == nil {
		return nil
	}
	if c.run.stopLine == 0 {
		c.run.stopLine = lineOf(c.L)
	}
	return closed
}

// hide makes the next instruction take the slow path, whichever thread
// executes it.
func (b *budget) hide(c *threadCtx) {
	if b.yielding == nil {
		b.hidden = b.left
		b.left = 0
	}
	b.yielding = c
	c.yielding = true
}

// unhide ends hide.
func (b *budget) unhide() {
	if b.yielding != nil {
		b.left += b.hidden
		b.yielding = nil
	}
}

var errYield = errors.New("attempt to yield across a metamethod or an iterator")

// Err gives the message that the VM raises when Done has fired.
func (c *threadCtx) Err() error {
	if c.run.budget.stop != nil {
		return c.run.budget.stop
	}
	if c.yielding {
		c.yielding = false
		return errYield
	}
	return nil
}

// Deadline is not used by the VM.
func (c *threadCtx) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value is not used by the VM.
func (c *threadCtx) Value(any) any { return nil }

var _ context.Context = (*threadCtx)(nil)

// heapSampler reads how many bytes of heap are in use: living values, and
// garbage that was not swept yet.
type heapSampler [2]metrics.Sample

func (s *heapSampler) heap() int64 {
	if s[0].Name == "" {
		s[0].Name, s[1].Name = "/gc/heap/allocs:bytes", "/gc/heap/frees:bytes"
	}
	metrics.Read(s[:])
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
