// Package boundlua runs Lua within bounds of time, steps and memory. It knows no
// world: what scripts work on is a [Host], and what they can call beside Lua's own
// libraries stands in a [Dialect].
//
//	d := boundlua.NewDialect(boundlua.Functions{"answer": answer}, nil) // once
//	e := boundlua.New(limits.Script{}, d)
//	c, err := e.Compile(code)     // any goroutine
//	res, err := e.Run(c, host, 0) // one goroutine at a time
//
// A function of a host finds its run with [Of], pays for what it does with
// [Run.Charge], and fails with [Run.Refuse].
//
// The budget is asked before every instruction of the VM (threadCtx) and inside
// every library function that loops; a timer raises an alarm meanwhile, so that no
// clock is read while all is well. Once it is exhausted it stays so, in pcall and
// coroutines too.
package boundlua
