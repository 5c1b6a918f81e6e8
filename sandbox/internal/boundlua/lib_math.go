package boundlua

import (
	"math"
	"math/rand/v2"

	lua "github.com/yuin/gopher-lua"
)

var mathFuncs = map[string]lua.LGFunction{
	"abs": ofOne(math.Abs), "acos": ofOne(math.Acos), "asin": ofOne(math.Asin), "atan": ofOne(math.Atan),
	"ceil": ofOne(math.Ceil), "cos": ofOne(math.Cos), "cosh": ofOne(math.Cosh), "exp": ofOne(math.Exp),
	"floor": ofOne(math.Floor), "log10": ofOne(math.Log10), "sin": ofOne(math.Sin), "sinh": ofOne(math.Sinh),
	"sqrt": ofOne(math.Sqrt), "tan": ofOne(math.Tan), "tanh": ofOne(math.Tanh),
	"deg":   ofOne(func(x float64) float64 { return x / math.Pi * 180 }),
	"rad":   ofOne(func(x float64) float64 { return x / 180 * math.Pi }),
	"atan2": ofTwo(math.Atan2), "fmod": ofTwo(math.Mod), "mod": ofTwo(math.Mod), "pow": ofTwo(math.Pow),
	"ldexp": ofTwo(func(x, e float64) float64 { return math.Ldexp(x, int(max(min(e, 5000), -5000))) }),
	"max":   ofMany(func(x, y float64) bool { return x > y }),
	"min":   ofMany(func(x, y float64) bool { return x < y }),
	"frexp": mathFrexp, "log": mathLog, "modf": mathModf, "random": mathRandom, "randomseed": mathRandomSeed,
}

func ofOne(f func(float64) float64) lua.LGFunction {
	return func(L *lua.LState) int {
		L.Push(lua.LNumber(f(numberArg(L, 1))))
		return 1
	}
}

func ofTwo(f func(a, b float64) float64) lua.LGFunction {
	return func(L *lua.LState) int {
		L.Push(lua.LNumber(f(numberArg(L, 1), numberArg(L, 2))))
		return 1
	}
}

// ofMany gives the argument that is better than those before it.
func ofMany(better func(a, b float64) bool) lua.LGFunction {
	return func(L *lua.LState) int {
		n := L.GetTop()
		Of(L).Charge(L, 1+n>>2)
		best := numberArg(L, 1)
		for i := 2; i <= n; i++ {
			if x := numberArg(L, i); better(x, best) {
				best = x
			}
		}
		L.Push(lua.LNumber(best))
		return 1
	}
}

func mathFrexp(L *lua.LState) int {
	frac, exp := math.Frexp(numberArg(L, 1))
	L.Push(lua.LNumber(frac))
	L.Push(lua.LNumber(exp))
	return 2
}

func mathModf(L *lua.LState) int {
	x := numberArg(L, 1)
	whole, frac := math.Modf(x)
	if math.IsInf(x, 0) {
		frac = 0
	}
	L.Push(lua.LNumber(whole))
	L.Push(lua.LNumber(frac))
	return 2
}

func mathLog(L *lua.LState) int {
	x := math.Log(numberArg(L, 1))
	if L.Get(2) != lua.LNil { // a base, as later versions take it
		x /= math.Log(numberArg(L, 2))
	}
	L.Push(lua.LNumber(x))
	return 1
}

// random is the run's own: gopher-lua's would draw from, and reseed, the
// process's generator, which the game may rely on.
func (r *Run) random() *rand.Rand {
	if r.rng == nil {
		r.rng = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return r.rng
}

func mathRandom(L *lua.LState) int {
	f := Of(L).random().Float64()
	switch L.GetTop() {
	case 0:
		L.Push(lua.LNumber(f))
		return 1
	case 1:
		return randomIn(L, f, 1, numberArg(L, 1), 1)
	case 2:
		return randomIn(L, f, numberArg(L, 1), numberArg(L, 2), 2)
	}
	L.RaiseError("wrong number of arguments to 'random'")
	return 0
}

func randomIn(L *lua.LState, f, lo, hi float64, arg int) int {
	lo, hi = math.Floor(lo), math.Floor(hi)
	if !(lo <= hi) {
		L.ArgError(arg, "interval is empty")
	}
	L.Push(lua.LNumber(math.Floor(f*(hi-lo+1)) + lo))
	return 1
}

func mathRandomSeed(L *lua.LState) int {
	Of(L).rng = rand.New(rand.NewPCG(math.Float64bits(numberArg(L, 1)), 0))
	return 0
}
