package sandbox

import (
	"math"
	"math/rand/v2"

	lua "github.com/yuin/gopher-lua"
)

// pureMath names gopher-lua's own functions that are safe as they are.
var pureMath = []string{"abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "deg", "exp",
	"floor", "fmod", "frexp", "ldexp", "log10", "max", "min", "mod", "modf", "pow", "rad", "sin", "sinh", "sqrt", "tan", "tanh"}

var mathFuncs = map[string]lua.LGFunction{
	"log": mathLog, "random": mathRandom, "randomseed": mathRandomSeed,
}

func mathLog(L *lua.LState) int {
	x := math.Log(float64(L.CheckNumber(1)))
	if L.Get(2) != lua.LNil { // a base, as later versions take it
		x /= math.Log(float64(L.CheckNumber(2)))
	}
	L.Push(lua.LNumber(x))
	return 1
}

// random is the run's own: gopher-lua's would draw from, and reseed, the
// process's generator, which the game may rely on.
func (r *run) random() *rand.Rand {
	if r.rng == nil {
		r.rng = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return r.rng
}

func mathRandom(L *lua.LState) int {
	f := ctxOf(L).run.random().Float64()
	switch L.GetTop() {
	case 0:
		L.Push(lua.LNumber(f))
		return 1
	case 1:
		return randomIn(L, f, 1, float64(L.CheckNumber(1)), 1)
	case 2:
		return randomIn(L, f, float64(L.CheckNumber(1)), float64(L.CheckNumber(2)), 2)
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
	ctxOf(L).run.rng = rand.New(rand.NewPCG(math.Float64bits(float64(L.CheckNumber(1))), 0))
	return 0
}
