package sandbox_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/sandbox"
)

// BenchmarkCall is what a call costs beside its script: "frame" is the part on
// the frame goroutine, with a state ready; "whole" adds making the state.
func BenchmarkCall(b *testing.B) {
	f := newFixture(b, 10, sandbox.Options{})
	env := sandbox.Env{World: f.world}
	b.Run("frame", func(b *testing.B) {
		var frame time.Duration
		n := 0
		for b.Loop() {
			c, err := f.s.Compile("return 1")
			if err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			if _, err := f.s.Run(env, c, sandbox.RunOptions{}); err != nil {
				b.Fatal(err)
			}
			frame += time.Since(start)
			n++
		}
		b.ReportMetric(float64(frame.Nanoseconds())/float64(n), "frame-ns/op")
	})
	b.Run("compile", func(b *testing.B) {
		s := sandbox.New(sandbox.Options{CacheSize: 1})
		codes := []string{"local n = 0 for e in world.query{'Enemy'} do n = n + e.Health.HP end return n", "return world.count{where='Health.HP > 5'}"}
		for i := 0; b.Loop(); i++ {
			if _, err := s.Compile(codes[i%2]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkEntities reads two fields and writes one of every entity: through
// the sandbox, through flat functions of an unsandboxed gopher-lua (what one
// would write without a sandbox), and in Go.
func BenchmarkEntities(b *testing.B) {
	const n = 10_000
	f := newFixture(b, n, sandbox.Options{})
	env := sandbox.Env{World: f.world}

	b.Run("entities=1e4/loupe", func(b *testing.B) {
		c, err := f.s.Compile("local n = 0 for e in world.query{'Enemy'} do if e.Health.HP > 0 then e.Position.X = e.Position.X + 1 n = n + 1 end end return n")
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			r, err := f.s.Run(env, c, sandbox.RunOptions{Timeout: time.Second})
			if err != nil || r.Values[0] != int64(n) {
				b.Fatal(r, err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entity")
	})

	// The same, with a component kept in a variable: no shortcut applies.
	b.Run("entities=1e4/loupe-proxies", func(b *testing.B) {
		c, err := f.s.Compile("local n = 0 for e in world.query{'Enemy'} do local p = e.Position if e.Health.HP > 0 then p.X = p.X + 1 n = n + 1 end end return n")
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			r, err := f.s.Run(env, c, sandbox.RunOptions{Timeout: time.Second})
			if err != nil || r.Values[0] != int64(n) {
				b.Fatal(r, err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entity")
	})

	b.Run("entities=1e4/flat", func(b *testing.B) {
		L := lua.NewState()
		defer L.Close()
		entity := func(L *lua.LState) arche.Entity { return f.enemies[L.CheckInt(1)-1] }
		L.SetGlobal("hp", L.NewFunction(func(L *lua.LState) int {
			L.Push(lua.LNumber((*Health)(f.w.Get(entity(L), f.hp)).HP))
			return 1
		}))
		L.SetGlobal("x", L.NewFunction(func(L *lua.LState) int {
			L.Push(lua.LNumber((*Position)(f.w.Get(entity(L), f.pos)).X))
			return 1
		}))
		L.SetGlobal("setx", L.NewFunction(func(L *lua.LState) int {
			(*Position)(f.w.Get(entity(L), f.pos)).X = float64(L.CheckNumber(2))
			return 0
		}))
		fn, err := L.LoadString("local n = 0 for e = 1, 10000 do if hp(e) > 0 then setx(e, x(e) + 1) n = n + 1 end end return n")
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			L.Push(fn)
			L.Call(0, 1)
			if L.Get(-1) != lua.LNumber(n) {
				b.Fatal(L.Get(-1))
			}
			L.Pop(1)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entity")
	})

	b.Run("entities=1e4/native", func(b *testing.B) {
		for b.Loop() {
			q := f.w.Query(arche.All(f.hp, f.pos))
			for q.Next() {
				if (*Health)(q.Get(f.hp)).HP > 0 {
					(*Position)(q.Get(f.pos)).X++
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entity")
	})
}
