package boundlua

import (
	"errors"
	"fmt"
	"math/rand/v2"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox/limits"
)

// Host is what a script works on. Its methods are called on the goroutine of
// Engine.Run.
type Host interface {
	// Begin is called first.
	Begin(*Run)
	// Settle is called when the script has ended well: it makes what the script
	// did last, or says why it cannot.
	Settle() error
	// Abandon is called when the script or Settle has failed: what it did is
	// undone.
	Abandon()
	// Resolve puts what is known by now in the place of the names that stood for
	// it, in text that leaves the script.
	Resolve(text string) string
}

// Run is one execution of a chunk: what bounds it, and what it has said so far.
// The functions of a library find it with Of, and pay for their work with Charge.
type Run struct {
	Host Host
	L    *lua.LState // the main thread
	// Lacking is why the last read gave nil, where the host knows: a hint for a
	// script that fails at it.
	Lacking string

	budget  budget
	limits  *limits.Script
	dialect *Dialect
	chunk   *Chunk
	active  []*lua.LState // coroutines that are resumed now, the innermost last
	rng     *rand.Rand

	printed  []byte
	printCut bool

	line     int            // where the last error was raised
	stopLine int            // where the budget ended
	cause    *refusal.Error // the last refusal that became a Lua error
}

// Of is the run that a thread belongs to.
func Of(L *lua.LState) *Run { return ctxOf(L).run }

// execute runs the script, has the host end it one way or the other, and copies
// its values out.
func (r *Run) execute() (res *Result, failed *refusal.Error) {
	defer func() {
		if v := recover(); v != nil {
			// Nothing is known to get here; a game must not die of it.
			r.Host.Abandon()
			failed = &refusal.Error{Code: refusal.ScriptError, Message: fmt.Sprint("the script runner failed: ", v)}
		}
	}()
	L := r.L
	L.Push(L.NewFunctionFromProto(r.chunk.Proto))
	for _, v := range r.chunk.hidden {
		L.Push(v)
	}
	err := protect(L, len(r.chunk.hidden))
	if err == nil && r.budget.stop == nil {
		failed = r.checkStash()
	} else {
		failed = r.scriptError(err)
	}
	if failed == nil {
		if err := r.Host.Settle(); err != nil {
			failed = unsettled(err)
		}
	}
	if failed != nil {
		r.Host.Abandon()
		return nil, failed
	}
	return r.result(), nil
}

// unsettled describes why the changes at the end of a script did not apply.
func unsettled(err error) *refusal.Error {
	e := &refusal.Error{Code: refusal.ScriptError, Message: "the script's changes were refused: " + err.Error()}
	var c *refusal.Error
	if errors.As(err, &c) {
		e.Got, e.Want, e.Options, e.Total, e.Hint, e.Next = c.Got, c.Want, c.Options, c.Total, c.Hint, c.Next
	}
	return e
}

// checkStash bounds what globals keep. It walks them only when scripts have
// allocated enough since the last time to exceed the limit.
func (r *Run) checkStash() *refusal.Error {
	e := r.chunk.env
	e.grown += r.budget.allocated()
	if e.grown < r.limits.StashBytes/2 {
		return nil
	}
	e.grown = 0
	if e.size(r.limits.StashBytes) <= r.limits.StashBytes {
		return nil
	}
	e.globals = newEnvironment().globals
	return &refusal.Error{Code: refusal.ScriptMemory,
		Message: fmt.Sprintf("the globals came to hold more than %d MiB; they were cleared", r.limits.StashBytes>>20),
		Want:    fmt.Sprintf("at most %d MiB kept between calls", r.limits.StashBytes>>20),
		Hint:    "keep less in globals, use local variables"}
}
