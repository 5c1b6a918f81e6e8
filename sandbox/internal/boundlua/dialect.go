package boundlua

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/sandbox/internal/source"
)

// Dialect is what a host adds to the language. It is made once, by NewDialect,
// and shared by all runs: what it holds cannot be changed from Lua.
type Dialect struct {
	Source source.Dialect
	// Example is a script, for whoever sent none.
	Example string
	// More are the libraries beside Lua's own, as the end of a list: " and world".
	More string
	// Calls is what there is to call, for a script that called something else.
	Calls string
	// Hidden are the functions that Source.Hidden names, in that order.
	Hidden []*lua.LFunction
	// Sites makes a reader and a writer for every site of a chunk, in turn.
	Sites func([]source.Site) []lua.LValue

	globals   []member
	libraries []library
}

// Functions are a table of functions by their names.
type Functions = map[string]lua.LGFunction

type member struct {
	name string
	v    lua.LValue
}

// library is what a table of functions is made from.
type library struct {
	name    string
	members []member
}

// NewDialect is the language with more global functions and more libraries.
func NewDialect(globals Functions, libraries map[string]Functions) *Dialect {
	d := &Dialect{globals: append(wrap(globals), common.globals...), libraries: common.libraries}
	for name, funcs := range libraries {
		d.libraries = append(d.libraries[:len(d.libraries):len(d.libraries)], library{name, wrap(funcs)})
	}
	return d
}

func wrap(funcs Functions) (ms []member) {
	for name, f := range funcs {
		ms = append(ms, member{name, Function(f)})
	}
	return ms
}

// Function makes a function without an environment, for all runs.
func Function(f lua.LGFunction) *lua.LFunction { return &lua.LFunction{IsG: true, GFunction: f} }

// hiddenFor lists what the chunk of p is called with.
func (d *Dialect) hiddenFor(p *source.Program) []lua.LValue {
	hidden := []lua.LValue{fn.concat, fn.list}
	for _, f := range d.Hidden {
		hidden = append(hidden, f)
	}
	if len(p.Sites) > 0 {
		hidden = append(hidden, d.Sites(p.Sites)...)
	}
	return hidden
}

// fn holds functions that every run shares. An LFunction cannot be changed
// from Lua, so sharing it keeps libraries pristine; the tables that hold it
// are made anew for each run.
var fn struct {
	trampoline, next, ipairsStep, concat, list *lua.LFunction

	onStrings map[string]*lua.LFunction

	rawCreate, rawResume, rawYield lua.LGFunction // gopher-lua's own, without guards
}

// common is what Lua has by itself.
var common Dialect

func init() {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	fn.trampoline = Function(trampoline)
	fn.next = Function(baseNext)
	fn.ipairsStep = Function(ipairsStep)
	fn.concat = Function(concat)
	fn.onStrings = map[string]*lua.LFunction{}
	for event, op := range stringArithmetic {
		fn.onStrings[event] = Function(onStrings(event, op))
	}
	fn.list = Function(appendList)

	L.Push(L.NewFunction(lua.OpenCoroutine))
	L.Call(0, 1)
	co := L.Get(-1).(*lua.LTable)
	fn.rawCreate = co.RawGetString("create").(*lua.LFunction).GFunction
	fn.rawResume = co.RawGetString("resume").(*lua.LFunction).GFunction
	fn.rawYield = co.RawGetString("yield").(*lua.LFunction).GFunction

	common.globals = append(wrap(baseFuncs), member{"next", fn.next})
	maths := append(wrap(mathFuncs), member{"pi", lua.LNumber(math.Pi)}, member{"huge", lua.LNumber(math.Inf(1))})
	common.libraries = []library{
		{"string", wrap(stringFuncs)}, {"table", wrap(tableFuncs)}, {"math", maths},
		{"coroutine", append(wrap(coroutineFuncs), member{"yield", newYield(L)})}, {"os", wrap(osFuncs)},
	}
}
