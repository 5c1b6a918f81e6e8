package boundlua

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox/internal/source"
	"github.com/loupe-ecs/loupe/sandbox/limits"
)

// Engine compiles and runs scripts, and keeps their globals from call to call.
// Compile and Reset may be called from any goroutine, Run from one at a time.
type Engine struct {
	limits  limits.Script
	dialect *Dialect
	cache   cache
	states  statePool
	mu      sync.Mutex
	env     *environment
	running atomic.Bool
}

// New returns an Engine with its own globals. Limits that are 0 are the defaults.
func New(l limits.Script, d *Dialect) *Engine {
	e := &Engine{limits: l.WithDefaults(), dialect: d, env: newEnvironment(), states: make(statePool, 2)}
	e.cache.max = e.limits.CacheSize
	e.states.fill(d)
	return e
}

// Limits are those that hold, defaults filled in.
func (e *Engine) Limits() *limits.Script { return &e.limits }

func (e *Engine) environment() *environment {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.env
}

// Reset forgets all globals and tells how many the scripts had. Chunks that
// are compiled afterwards start clean; one that is already compiled, or
// running, keeps the environment it has. Any goroutine.
func (e *Engine) Reset() (cleared int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	cleared = int(e.env.own.Load())
	e.env = newEnvironment()
	return cleared
}

// Chunk is compiled source, bound to the environment that was current when it
// was compiled: Reset does not take that away from it. It is immutable; any
// goroutine may hold it and it may be run more than once.
type Chunk struct {
	*program
	env *environment
}

// program is what the cache keeps: it knows no environment.
type program struct {
	*source.Program
	hidden []lua.LValue // what the chunk is called with
}

// Compile checks and compiles code: statements, or an expression alone, whose
// value is then the result. Any goroutine may call it. Empty code is refused as
// invalid_arguments, code that is too long as too_large, everything else that is
// wrong with it as script_error with the line. Results are cached.
func (e *Engine) Compile(code string) (*Chunk, error) {
	env := e.environment()
	if strings.TrimSpace(code) == "" {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "code is empty",
			Got: code, Want: "Lua statements, or an expression alone", Hint: "for example: " + e.dialect.Example}
	}
	if n := e.limits.SourceBytes; len(code) > n {
		return nil, &refusal.Error{Code: refusal.TooLarge, Message: fmt.Sprintf("the source is %d bytes long, more than the %d that are allowed", len(code), n),
			Got: len(code), Want: fmt.Sprintf("at most %d bytes", n), Hint: "keep functions in globals over several calls, and data in the world"}
	}
	p := e.cache.get(code)
	if p == nil {
		src, err := source.Compile(code, e.limits.Nesting, &e.dialect.Source)
		if err != nil {
			return nil, err
		}
		p = &program{src, e.dialect.hiddenFor(src)}
		e.cache.put(p)
	}
	e.states.fill(e.dialect)
	return &Chunk{p, env}, nil
}

// Run executes a chunk on the host, which it tells of the end either way. The
// error is script_error, script_timeout or script_memory, with Line, and in Extra
// "printed", "steps" and "ms"; a script that is running already is refused
// without an Extra.
func (e *Engine) Run(c *Chunk, h Host, timeout time.Duration) (*Result, *refusal.Error) {
	if !e.running.CompareAndSwap(false, true) {
		return nil, &refusal.Error{Code: refusal.Busy, Message: "a script is already running: a script cannot start another",
			Hint: "call the function directly; globals are shared"}
	}
	defer e.running.Store(false)
	if timeout <= 0 {
		timeout = e.limits.Timeout
	}
	timeout = min(timeout, e.limits.MaxTimeout)

	st := e.states.take(e.dialect)
	r := &Run{Host: h, L: st.L, limits: &e.limits, dialect: e.dialect, chunk: c}
	h.Begin(r)
	c.env.enter(st)
	st.L.SetContext(&threadCtx{run: r, L: st.L})
	r.budget.start(&e.limits, timeout)
	res, err := r.execute()
	r.budget.end()
	c.env.leave(st)
	ms := float64(time.Since(r.budget.started).Microseconds()) / 1000
	if err != nil {
		failed := *err // the refusal may be shared
		failed.Extra = map[string]any{"printed": r.printedText(), "steps": r.budget.steps(), "ms": ms}
		if r.printCut {
			failed.Extra["truncated"] = true
		}
		return nil, &failed
	}
	res.Printed = r.printedText()
	res.Truncated = res.Truncated || r.printCut
	res.Steps = r.budget.steps()
	res.Ms = ms
	return res, nil
}
