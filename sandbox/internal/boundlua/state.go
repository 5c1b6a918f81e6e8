package boundlua

import (
	"sync/atomic"

	lua "github.com/yuin/gopher-lua"
)

// stateOptions bound one Lua thread. Registers are 16 bytes each; a coroutine
// costs about 25 KB at rest.
var stateOptions = lua.Options{
	SkipOpenLibs:     true,
	CallStackSize:    200,
	RegistrySize:     512,
	RegistryMaxSize:  1 << 16,
	RegistryGrowStep: 4096, // gopher-lua copies all registers at every step
}

// state is a fresh interpreter with pristine libraries, for one run.
type state struct {
	L       *lua.LState
	globals []member
}

func newState(d *Dialect) *state {
	s := &state{L: lua.NewState(stateOptions)}
	s.globals = append(make([]member, 0, len(d.globals)+len(d.libraries)+1), d.globals...)
	for _, lib := range d.libraries {
		t := s.L.CreateTable(0, len(lib.members))
		for _, m := range lib.members {
			t.RawSetString(m.name, m.v)
		}
		s.globals = append(s.globals, member{lib.name, t})
		if lib.name == "string" {
			// gopher-lua uses the library itself as the metatable of strings:
			// a script could poison every string operation.
			mt := s.L.CreateTable(0, 2)
			mt.RawSetString("__index", t)
			mt.RawSetString("__metatable", lua.LFalse)
			for event, f := range fn.onStrings {
				mt.RawSetString(event, f)
			}
			s.L.SetMetatable(lua.LString(""), mt)
		}
	}
	s.globals = append(s.globals, member{"_VERSION", lua.LString("Lua 5.1")})
	return s
}

// statePool keeps a few states ready, so that the frame goroutine need not
// make them.
type statePool chan *state

// fill makes sure that a state is ready. For any goroutine but the frame's.
func (p statePool) fill(d *Dialect) {
	for len(p) < cap(p) {
		select {
		case p <- newState(d):
		default:
			return
		}
	}
}

func (p statePool) take(d *Dialect) *state {
	select {
	case s := <-p:
		return s
	default:
		return newState(d)
	}
}

// environment is the globals of the scripts between two resets.
type environment struct {
	globals *lua.LTable
	own     atomic.Int64 // how many globals are the scripts' own, as of the last run
	grown   int64        // bytes allocated by runs since the stash was measured
}

func newEnvironment() *environment {
	return &environment{globals: &lua.LTable{Metatable: lua.LNil}}
}

// enter puts the state's pristine libraries into the globals, over whatever a
// script may have put there.
func (e *environment) enter(s *state) {
	e.globals.Metatable = lua.LNil
	for _, g := range s.globals {
		e.globals.RawSetString(g.name, g.v)
	}
	e.globals.RawSetString("_G", e.globals)
	s.L.Env = e.globals
	s.L.G.Global = e.globals
}

// leave counts the script's own globals.
func (e *environment) leave(s *state) {
	lib := make(map[string]bool, len(s.globals)+1)
	for _, g := range s.globals {
		lib[g.name] = true
	}
	lib["_G"] = true
	var n int64
	for k, _ := e.globals.Next(lua.LNil); k != lua.LNil && n < 10000; k, _ = e.globals.Next(k) {
		if name, ok := k.(lua.LString); !ok || !lib[string(name)] {
			n++
		}
	}
	e.own.Store(n)
}

// size estimates the bytes that the globals hold, and stops counting at limit.
func (e *environment) size(limit int64) int64 {
	const maxNodes = 300_000
	seen := map[lua.LValue]bool{}
	todo := []lua.LValue{e.globals}
	var n int64
	add := func(v lua.LValue) {
		switch v := v.(type) {
		case lua.LString:
			n += 16 + int64(len(v))
		case lua.LNumber:
			n += 8
		case *lua.LTable, *lua.LFunction:
			todo = append(todo, v)
		case *lua.LState:
			n += 25 << 10
		case *lua.LUserData:
			n += 128
		}
	}
	for nodes := 0; len(todo) > 0 && n <= limit; nodes++ {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		if nodes > maxNodes {
			return limit + 1
		}
		switch v := v.(type) {
		case *lua.LTable:
			n += 120
			for k, x := v.Next(lua.LNil); k != lua.LNil && n <= limit; k, x = v.Next(k) {
				n += 16
				if _, isArray := k.(lua.LNumber); !isArray {
					n += 100 // its place in the hash, the key list and the index
					add(k)
				}
				add(x)
			}
			if v.Metatable != nil {
				add(v.Metatable)
			}
		case *lua.LFunction:
			n += 80
			for _, u := range v.Upvalues {
				if u != nil {
					n += 56
					if x := u.Value(); x != nil {
						add(x)
					}
				}
			}
		}
	}
	return n
}
