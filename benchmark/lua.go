package main

import (
	"fmt"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/sandbox"
)

const luaEntities = 10_000

const (
	// Two reads and one write an entity.
	luaScript = `local n = 0 for e in world.query{with={'Health'}} do if e.Health.HP >= 0 then e.Position.X = e.Position.X + 1 n = n + 1 end end return n`
	// The same, a component kept in a variable.
	luaProxies = `local n = 0 for e in world.query{with={'Health'}} do local p = e.Position if e.Health.HP >= 0 then p.X = p.X + 1 n = n + 1 end end return n`
	luaFlat    = `local n = 0 for e = 1, 10000 do if hp(e) >= 0 then setx(e, x(e) + 1) n = n + 1 end end return n`
)

// luaFrame is what a script that does nothing takes of the frame.
func luaFrame(c *config) ([]line, error) {
	t, _, err := loupeTarget(1000)
	if err != nil {
		return nil, err
	}
	defer t.close()
	t.client.body, t.client.want = []byte(callBody("run_lua", map[string]string{"code": "return 1"})), []byte(`"returned":1`)
	times, err := pollTimes(c, t)
	if err != nil {
		return nil, err
	}
	return []line{
		{kind: "figure", name: "lua_frame_us", value: micros(quantile(times, 0.5)), unit: "µs", goal: "≤ 60 µs", limit: 60,
			detail: fmt.Sprintf("p50 of the Poll that answers `run_lua` with `return 1`; %d calls", len(times))},
		{kind: "figure", name: "lua_frame_us_p99", value: micros(quantile(times, 0.99)), unit: "µs"},
	}, nil
}

// luaLoop compares a script over 10,000 entities with flat functions in a
// gopher-lua without limits, and with Go.
func luaLoop(c *config) ([]line, error) {
	a := newArche(luaEntities)
	box := sandbox.New(sandbox.Options{})
	env := sandbox.Env{World: a.loupe}
	var failed error
	script := func(code string) (op, error) {
		chunk, err := box.Compile(code)
		return func(n int) {
			for range n {
				r, err := box.Run(env, chunk, sandbox.RunOptions{Timeout: time.Second})
				if err != nil || r.Values[0] != int64(luaEntities) {
					failed = fmt.Errorf("the script gave %v, %w", r, err)
				}
			}
		}, err
	}
	loupe, err := script(luaScript)
	if err != nil {
		return nil, err
	}
	proxies, err := script(luaProxies)
	if err != nil {
		return nil, err
	}
	flat, closeFlat, err := flatLua(a, &failed)
	if err != nil {
		return nil, err
	}
	defer closeFlat()
	inGo := func(n int) {
		for range n {
			for q := a.w.Query(arche.All(a.health, a.pos)); q.Next(); {
				if (*Health)(q.Get(a.health)).HP >= 0 {
					(*Position)(q.Get(a.pos)).X++
				}
			}
		}
	}
	beside := pair(c, loupe, flat)
	ms := figure("lua_loop_ms", "ms", 1e6, beside.a, "10,000 entities, two reads and one write each")
	ms.goal, ms.limit = "≤ 15 ms", 15
	return []line{
		beside.line("lua_loop", "≤ 1.5", 1.5), ms,
		pair(c, proxies, flat).line("lua_loop_variable", "", 0),
		pair(c, loupe, inGo).line("lua_loop_vs_go", "", 0),
	}, failed
}

// flatLua is what one writes without a sandbox: a function a field, and
// entities by number.
func flatLua(a *archeWorld, failed *error) (op, func(), error) {
	var entities []arche.Entity
	for q := a.w.Query(arche.All(a.health)); q.Next(); {
		entities = append(entities, q.Entity())
	}
	l := lua.NewState()
	entity := func(l *lua.LState) arche.Entity { return entities[l.CheckInt(1)-1] }
	l.SetGlobal("hp", l.NewFunction(func(l *lua.LState) int {
		l.Push(lua.LNumber((*Health)(a.w.Get(entity(l), a.health)).HP))
		return 1
	}))
	l.SetGlobal("x", l.NewFunction(func(l *lua.LState) int {
		l.Push(lua.LNumber((*Position)(a.w.Get(entity(l), a.pos)).X))
		return 1
	}))
	l.SetGlobal("setx", l.NewFunction(func(l *lua.LState) int {
		(*Position)(a.w.Get(entity(l), a.pos)).X = float64(l.CheckNumber(2))
		return 0
	}))
	chunk, err := l.LoadString(luaFlat)
	return func(n int) {
		for range n {
			l.Push(chunk)
			l.Call(0, 1)
			if l.Get(-1) != lua.LNumber(luaEntities) {
				*failed = fmt.Errorf("the bare script gave %v", l.Get(-1))
			}
			l.Pop(1)
		}
	}, l.Close, err
}
