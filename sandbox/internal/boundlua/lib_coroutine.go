package boundlua

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// maxResume bounds coroutines that resume each other: each level is a Go call
// of the interpreter, and Go cannot survive a stack overflow.
const maxResume = 50

var coroutineFuncs = map[string]lua.LGFunction{
	"create": coCreate, "resume": coResume, "running": coRunning,
	"status": coStatus, "wrap": coWrap,
}

// yieldSource is coroutine.yield in Lua. The VM gives the yielding function
// whatever values the thread is resumed with, not as many as it asked for: so
// only a call that takes all may yield, and hands on what its caller wants.
const yieldSource = `local yield, all = ... return function(...) return all(yield(...)) end`

func all(L *lua.LState) int { return L.GetTop() }

// newYield makes the function, which every state shares: its upvalues are
// closed and never change.
func newYield(L *lua.LState) *lua.LFunction {
	chunk, err := L.Load(strings.NewReader(yieldSource), "yield")
	if err != nil {
		panic(err)
	}
	L.Push(chunk)
	L.Push(L.NewFunction(coYield))
	L.Push(L.NewFunction(all))
	L.Call(2, 1)
	f := L.Get(-1).(*lua.LFunction)
	L.Pop(1)
	return f
}

func coCreate(L *lua.LState) int {
	L.CheckFunction(1)
	L.Push(newThread(L))
	return 1
}

// newThread makes a coroutine of the function at 1. gopher-lua would give it a
// context that hangs below the parent's and never asks it for a step.
func newThread(L *lua.LState) *lua.LState {
	r := Of(L)
	r.Charge(L, 200) // what it costs to set up
	fn.rawCreate(L)
	th := L.Get(-1).(*lua.LState)
	L.Pop(1)
	th.SetContext(&threadCtx{run: r, L: th})
	return th
}

func coResume(L *lua.LState) int {
	L.CheckThread(1)
	return resume(L)
}

// resume passes the values above the thread at 1 to it and leaves what
// coroutine.resume returns.
func resume(L *lua.LState) int {
	r := Of(L)
	th := L.Get(1).(*lua.LState)
	refuse := func(msg string) int {
		L.Push(lua.LFalse)
		L.Push(lua.LString(msg))
		return 2
	}
	switch {
	case th.Dead:
		return refuse("cannot resume dead coroutine")
	case th == r.L || slices.Contains(r.active, th):
		return refuse("cannot resume non-suspended coroutine")
	case len(r.active) >= maxResume:
		L.RaiseError("too many coroutines resume each other (at most %d)", maxResume)
	}
	if c, ok := th.Context().(*threadCtx); !ok || c.run != r {
		// It was kept in a global since an earlier call.
		th.G = L.G
		th.SetContext(&threadCtx{run: r, L: th})
	}
	r.active = append(r.active, th)
	finished := false
	defer func() {
		r.active = r.active[:len(r.active)-1]
		r.budget.unhide()
		L.G.CurrentThread = L
		if !finished {
			th.Dead = true // a panic left its stack in the middle
		}
	}()
	n := fn.rawResume(L)
	finished = true
	th.Context().(*threadCtx).yielding = false
	if r.budget.stop != nil {
		r.fail(L)
	}
	return n
}

func coWrap(L *lua.LState) int {
	L.CheckFunction(1)
	L.Push(L.NewClosure(wrapCall, newThread(L)))
	return 1
}

func wrapCall(L *lua.LState) int {
	L.Insert(L.Get(lua.UpvalueIndex(1)), 1)
	n := resume(L)
	first := L.GetTop() - n + 1
	if L.Get(first) == lua.LTrue {
		return n - 1
	}
	L.Error(L.Get(first+1), 0)
	return 0
}

func coYield(L *lua.LState) int {
	c := ctxOf(L)
	if L == c.run.L {
		L.Error(lua.LString("attempt to yield from outside a coroutine"), 3)
	}
	if c.nest > 0 {
		L.Error(lua.LString("attempt to yield across a protected call or a callback"), 3)
	}
	c.run.budget.hide(c)
	return fn.rawYield(L)
}

func coStatus(L *lua.LState) int {
	th := L.CheckThread(1)
	status := "suspended"
	switch r := Of(L); {
	case th == L:
		status = "running"
	case th.Dead:
		status = "dead"
	case th == r.L || slices.Contains(r.active, th):
		status = "normal"
	}
	L.Push(lua.LString(status))
	return 1
}

func coRunning(L *lua.LState) int {
	if L == Of(L).L {
		L.Push(lua.LNil)
	} else {
		L.Push(L)
	}
	return 1
}
