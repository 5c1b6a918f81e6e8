package sandbox

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Sandbox compiles and runs scripts, and keeps their globals from call to
// call. Compile and Reset may be called from any goroutine, Run from the frame
// goroutine only.
type Sandbox struct {
	opt     Options
	cache   cache
	plans   planCache
	states  statePool
	mu      sync.Mutex
	env     *environment
	running atomic.Bool
}

// New returns a Sandbox with its own globals.
func New(opt Options) *Sandbox {
	opt = opt.withDefaults()
	s := &Sandbox{opt: opt, env: newEnvironment(), states: make(statePool, 2)}
	s.cache.max = opt.CacheSize
	s.states.fill()
	return s
}

// Options gives the limits that hold, defaults filled in.
func (s *Sandbox) Options() Options { return s.opt }

func (s *Sandbox) environment() *environment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.env
}

// Reset forgets all globals and tells how many the scripts had. Chunks that
// are compiled afterwards start clean; one that is already compiled, or
// running, keeps the environment it has. Any goroutine.
func (s *Sandbox) Reset() (cleared int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cleared = int(s.env.own.Load())
	s.env = newEnvironment()
	s.plans.clear()
	return cleared
}

// run is one execution of a chunk.
type run struct {
	budget budget
	opt    *Options
	sb     *Sandbox
	env    Env
	chunk  *Chunk
	L      *lua.LState   // the main thread
	active []*lua.LState // coroutines that are resumed now, the innermost last
	rng    *rand.Rand
	dry    bool

	printed  []byte
	printCut bool

	line     int            // where the last error was raised
	stopLine int            // where the budget ended
	cause    *refusal.Error // the last refusal that became a Lua error
	lacking  string         // what the last read of an absent component was

	world worldState
}

// Run executes a chunk: the frame part of a call. It changes the world only
// through env.World. On any error, and in a dry run, everything the script did
// to the world is undone, save what world.flush or a tool made permanent. The
// error is an *refusal.Error: script_error, script_timeout or script_memory, with
// Line, and in Extra "printed", "changes" (what stays changed), "flushed",
// "steps" and "ms".
func (s *Sandbox) Run(env Env, c *Chunk, opt RunOptions) (*Result, error) {
	if !s.running.CompareAndSwap(false, true) {
		return nil, &refusal.Error{Code: refusal.Busy, Message: "a script is already running: a script cannot start another",
			Hint: "call the function directly; globals are shared"}
	}
	defer s.running.Store(false)
	timeout := opt.Timeout
	if timeout <= 0 {
		timeout = s.opt.Timeout
	}
	timeout = min(timeout, s.opt.MaxTimeout)

	st := s.states.take()
	r := &run{opt: &s.opt, sb: s, env: env, chunk: c, L: st.L, dry: opt.DryRun}
	r.world.init(r)
	c.env.enter(st)
	st.L.SetContext(&threadCtx{run: r, L: st.L})
	r.budget.start(&s.opt, timeout)
	res, err := r.execute()
	r.budget.end()
	c.env.leave(st)
	ms := float64(time.Since(r.budget.started).Microseconds()) / 1000
	if err != nil {
		e := *err // the refusal may be shared
		e.Extra = map[string]any{"printed": r.printedText(), "changes": r.world.committed,
			"flushed": r.world.flushed, "steps": r.budget.steps(), "ms": ms}
		if r.printCut {
			e.Extra["truncated"] = true
		}
		return nil, &e
	}
	res.Printed = r.printedText()
	res.Flushed = r.world.flushed
	res.Truncated = res.Truncated || r.printCut
	res.Steps = r.budget.steps()
	res.Ms = ms
	return res, nil
}

// execute runs the script, ends its world changes one way or the other, and
// copies its values out.
func (r *run) execute() (res *Result, failed *refusal.Error) {
	defer func() {
		if v := recover(); v != nil {
			// Nothing is known to get here; a game must not die of it.
			r.world.rollback()
			failed = &refusal.Error{Code: refusal.ScriptError, Message: fmt.Sprint("the script runner failed: ", v)}
		}
	}()
	L := r.L
	L.Push(L.NewFunctionFromProto(r.chunk.proto))
	for _, v := range r.chunk.hidden {
		L.Push(v)
	}
	err := protect(L, len(r.chunk.hidden))
	if err == nil && r.budget.stop == nil {
		failed = r.checkStash()
	} else {
		failed = r.scriptError(err)
	}
	if failed != nil {
		r.world.rollback()
		return nil, failed
	}
	end := r.world.commit
	if r.dry {
		end = r.world.validate
	}
	if err := end(); err != nil {
		r.world.rollback()
		return nil, r.refusal(err)
	}
	res = &Result{Changes: r.world.committed.plus(r.world.pending)}
	r.values(res)
	if r.dry {
		r.world.rollback()
	}
	return res, nil
}

// checkStash bounds what globals keep. It walks them only when scripts have
// allocated enough since the last time to exceed the limit.
func (r *run) checkStash() *refusal.Error {
	e := r.chunk.env
	e.grown += r.budget.allocated()
	if e.grown < r.opt.StashBytes/2 {
		return nil
	}
	e.grown = 0
	if e.size(r.opt.StashBytes) <= r.opt.StashBytes {
		return nil
	}
	e.globals = newEnvironment().globals
	return &refusal.Error{Code: refusal.ScriptMemory,
		Message: fmt.Sprintf("the globals came to hold more than %d MiB; they were cleared", r.opt.StashBytes>>20),
		Want:    fmt.Sprintf("at most %d MiB kept between calls", r.opt.StashBytes>>20),
		Hint:    "keep less in globals, use local variables"}
}
