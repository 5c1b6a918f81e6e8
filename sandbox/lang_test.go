package sandbox_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox"
)

// eval runs code without a world.
func eval(s *sandbox.Sandbox, code string) (*sandbox.Result, error) {
	return evalIn(s, sandbox.Env{}, code, sandbox.RunOptions{})
}

func evalIn(s *sandbox.Sandbox, env sandbox.Env, code string, opt sandbox.RunOptions) (*sandbox.Result, error) {
	c, err := s.Compile(code)
	if err != nil {
		return nil, err
	}
	return s.Run(env, c, opt)
}

func valuesJSON(t *testing.T, r *sandbox.Result) string {
	t.Helper()
	b, err := json.Marshal(r.Values)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func scriptErr(t *testing.T, err error) *refusal.Error {
	t.Helper()
	var e *refusal.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %T %v, not an *refusal.Error", err, err)
	}
	return e
}

func TestLanguage(t *testing.T) {
	s := sandbox.New(sandbox.Options{Timeout: time.Second})
	for _, c := range []struct{ code, want string }{
		{"1 + 1", "[2]"},
		{"-- a comment\n1 + 1", "[2]"},
		{"return 1, 'two', nil", `[1,"two",null]`},
		{"return nil", "[null]"},
		{"local x = 1", "[]"},
		{"-- nothing", "[]"},
		{"return ...", "[]"},
		{"'a' .. 1 .. 'b' .. 2.5", `["a1b2.5"]`},
		{"local function f(a) a = a .. 'x' return a end return f('y')", `["yx"]`},
		{"local function f(a, b) b = a .. b .. a return b end return f('1', '2')", `["121"]`},
		{"local function f(a) a = (tostring(a)) .. (a) return a end return f('y')", `["yy"]`},
		{"local function f(a) a = a and (a .. 'x') or 'z' return a end return f('y'), f(nil)", `["yx","z"]`},
		{"local function f(x, a) a, x = a .. 'x', x .. a return a, x end return f('1', '2')", `["2x","12"]`},
		{"local o = {} function o:m() self = (tostring(self)) return type(self) end return o:m()", `["string"]`},
		{"local function f(...) local a = ... a = a .. 'x' return a end return f('y')", `["yx"]`},
		{"local function f(n) if n == 0 then return 'done' end return f(n - 1) end return f(100000)", `["done"]`},
		{"local t = setmetatable({}, {__concat = function(a, b) return 'C' end}) return t .. 'x', 'x' .. t, 'a' .. 'b' .. t", `["C","C","aC"]`},
		{"local function two() return 1, 2 end return 'a' .. two()", `["a1"]`},
		{"local t = {} for i = 1, 100 do t[#t+1] = i end return #t, t[100]", "[100,100]"},
		{"local t = {} for i = 1, 100000 do t[i] = i end return #t", "[100000]"},
		{"{1, 2, {x = 1}}", `[[1,2,{"x":1}]]`},
		{"local t = {} t.self = t return t", `[{"self":{"$ref":"$[0]"}}]`},
		{"return print, coroutine.create(print)", `[{"$opaque":"function"},{"$opaque":"thread"}]`},
		{"0/0, 1/0, -1/0", `["NaN","Infinity","-Infinity"]`},
		{"return '\\255'", `[{"$bytes":"/w=="}]`},
		{"pcall(error, 'x', 0)", `[false,"x"]`},
		{"pcall(error, {a = 1})", `[false,{"a":1}]`},
		{"return pcall(error)", `[false,null]`},
		{"select('#', pcall(error))", "[2]"},
		{"pcall(function(...) return ... end, 1, 2)", "[true,1,2]"},
		{"xpcall(function() error('e', 0) end, function(e) return 'H' .. e end)", `[false,"He"]`},
		{"xpcall(function() return 1, 2 end, print)", "[true,1,2]"},
		{"local co = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) return b * 2 end) return co(1), co(10)", "[2,20]"},
		{"local co = coroutine.create(function() error('in co', 0) end) return coroutine.resume(co)", `[false,"in co"]`},
		{"local co co = coroutine.create(function() return coroutine.resume(co) end) return coroutine.resume(co)", `[true,false,"cannot resume non-suspended coroutine"]`},
		{"local a, b a = coroutine.create(function() return coroutine.resume(b) end) b = coroutine.create(function() return coroutine.resume(a) end) return coroutine.resume(a)", `[true,true,false,"cannot resume non-suspended coroutine"]`},
		{"local co = coroutine.create(function() coroutine.yield() end) coroutine.resume(co) return coroutine.status(co), coroutine.resume(co), coroutine.status(co), coroutine.resume(co)", `["suspended",true,"dead",false,"cannot resume dead coroutine"]`},
		{"local ok, e = pcall(coroutine.wrap(function() pcall(coroutine.yield) return 1 end)) return ok, e", "[true,1]"},
		{"local t = {3, 1, 2} table.sort(t) return t", "[[1,2,3]]"},
		{"local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end) return t", "[[3,2,1]]"},
		{"local t = {5, 4, 3, 2, 1} table.sort(t, function() return true end) return #t", "[5]"},
		{"local t = {1, 2, 3} table.insert(t, 2, 'x') table.insert(t, 'y') return t, table.remove(t), table.remove(t, 1), t", `[["x",2,3],"y",1,["x",2,3]]`},
		{"table.concat({1, 2, 'x'}, ', ')", `["1, 2, x"]`},
		{"table.concat({}, 'x'), table.concat({'a'}, 'x', 2), table.concat({'a', 'b', 'c'}, '-', 2, 3)", `["","","b-c"]`},
		{"unpack({1, 2, 3}, 2)", "[2,3]"},
		{"select(-1, 1, 2, 3)", "[3]"},
		{"tonumber('0x10'), tonumber('1e2'), tonumber(' 5 '), tonumber('z', 36), tonumber('1_0'), tonumber('inf'), tonumber('')", "[16,100,5,35,null,\"Infinity\",null]"},
		{"math.huge, math.floor(2.5), math.max(1, 3, 2)", `["Infinity",2,3]`},
		{"local r = math.random(5) return r >= 1 and r <= 5 and r == math.floor(r)", "[true]"},
		{"math.randomseed(7) local a = math.random() math.randomseed(7) return a == math.random()", "[true]"},
		{"type(os.time()), type(os.clock()), os.date('!%Y-%m-%d', 0), os.date('!*t', 0).year", `["number","number","1970-01-01",1970]`},
		{"os.execute, os.exit, io, debug, package, require, load, loadstring, dofile", "[null,null,null,null,null,null,null,null,null]"},
		{"getmetatable('').__index", "error"},
		{"getmetatable('')", "[false]"},
		{"setmetatable('x', {})", "error"},
		{"_G.x = 5 return x", "[5]"},
		{"local n = 0 for k, v in pairs({a = 1, b = 2, 3}) do n = n + v end return n", "[6]"},
		{"local s = 0 for i, v in ipairs({1, 2, nil, 4}) do s = s + v end return s", "[3]"},
		{"local a = {Health = {HP = 3}} a.Health.HP = a.Health.HP + 1 return a.Health.HP", "[4]"},
		{"local i = 0 while true do i = i + 1 if i > 5 then break end end return i", "[6]"},
		{"for i = 1, 3 do if i == 2 then goto continue end x = i ::continue:: end return x", "[3]"},
		{"tostring(nil), tostring(true), tostring(12), tostring(0.5)", `["nil","true","12","0.5"]`},
		{"tostring(setmetatable({}, {__tostring = function() return 'T' end}))", `["T"]`},
		{"9007199254740993, 1e300, 123456789012", "[9007199254740992,1e+300,123456789012]"},
		{"string.byte('abc', 1, -1)", "[97,98,99]"},
		{"{1, 2, ['1'] = 3}", `[{"1":1,"1#2":3,"2":2}]`}, // no entry hides another
		{"local t = {} for i = 1, 3 do t[function() end] = i end return t", `[{"function":1,"function#2":2,"function#3":3}]`},
		{"{['\\255'] = 1, ['\\254'] = 2}", `[{"$bytes:/g==":2,"$bytes:/w==":1}]`},
		{"('abc'):upper():rep(2)", `["ABCABC"]`},
		{"coroutine.running()", "[null]"},
		{"local a <const> = 1", "error"},
	} {
		r, err := eval(s, c.code)
		if c.want == "error" {
			if err == nil {
				t.Errorf("%s: gave %s, want an error", c.code, valuesJSON(t, r))
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.code, err)
		} else if got := valuesJSON(t, r); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.code, got, c.want)
		}
	}
}

func TestGlobalsPersistUntilReset(t *testing.T) {
	s := sandbox.New(sandbox.Options{Timeout: time.Second})
	step := func(code, want string) {
		t.Helper()
		r, err := eval(s, code)
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		if got := valuesJSON(t, r); got != want {
			t.Fatalf("%s: got %s, want %s", code, got, want)
		}
	}
	step("x = (x or 0) + 1; print('hi', x); return x, 'two', nil", `[1,"two",null]`)
	step("x = x + 1 return x", "[2]")
	step("function double(n) return n * 2 end co = coroutine.wrap(function() for i = 1, 9 do coroutine.yield(i) end end) return co()", "[1]")
	step("return double(x), co(), co()", "[4,2,3]")

	// What a script does to the libraries is gone with the call.
	step("string.rep = nil; table.insert = 5; print = nil; math = {}; setmetatable(_G, {__index = function() return 7 end}); return nope", "[7]")
	step("return ('ab'):rep(2), type(table.insert), type(print), math.floor(1.5), nope", `["abab","function","function",1,null]`)

	inFlight, err := s.Compile("return x")
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Reset(); n != 3 {
		t.Errorf("Reset cleared %d globals, want 3 (x, double, co)", n)
	}
	step("return x == nil", "[true]")
	r, err := s.Run(sandbox.Env{}, inFlight, sandbox.RunOptions{})
	if err != nil || valuesJSON(t, r) != "[2]" {
		t.Errorf("a chunk compiled before the reset lost its environment: %v %v", r, err)
	}
}

func TestReturnedTellsNilFromNothing(t *testing.T) {
	s := sandbox.New(sandbox.Options{Timeout: time.Second})
	for code, want := range map[string]int{"return nil": 1, "return": 0, "return nil, nil": 2, "x = 1": 0, "nil": 1} {
		r, err := eval(s, code)
		if err != nil || r.Returned != want || len(r.Values) != want {
			t.Errorf("%s: %+v, %v; want %d values", code, r, err, want)
		}
	}
}

func TestErrorsHaveTheLine(t *testing.T) {
	s := sandbox.New(sandbox.Options{Timeout: time.Second})
	for _, c := range []struct {
		code string
		line int
		text string
	}{
		{"local a = 1\nlocal b = nil\nreturn b.c", 3, "nil value (key 'c')"},
		{"print('before') error('boom')", 1, "boom"},
		{"\n\nerror('deep', 0)", 3, "deep"},
		{"local x =\n= 3", 2, "near \"=\""},
		{"for i = 1, 3 do\nprint(i)", 2, "end of the source"},
		{"1 +", 1, "end of the source"},
		{"x = 'abc\ny = 1", 1, "unterminated string"},
		{"local function f()\n  local t = {}\n  return t.x.y\nend\nf()", 3, "nil value (key 'y')"},
		{"\nlocal t = {} .. 'x'", 2, "concatenate a table"},
		{"\nreturn 1 + {}", 2, "arithmetic (add) on a number and a table"},
		{"\n\nreturn #5", 3, "operator len"},
		{"\nreturn nothing()", 2, "not a function"},
		{"\nreturn 1 < 'x'", 2, "compare number with string"},
		{"coroutine.wrap(function()\n error('in a coroutine') end)()", 2, "in a coroutine"},
		{"\nstring.rep()", 2, "bad argument"},
		{"\nlocal t = setmetatable({}, {__index = function(t, k) return k.x.y end}) return t[1]", 2, "index a number"},
		{"goto nowhere", 1, "nowhere"},
		{"error({message = 'from a table', code = 5})", 1, "from a table"},
		{"error()", 1, "nil value"},
		{"\nassert(false, 'asserted')", 2, "asserted"},
	} {
		r, err := eval(s, c.code)
		if err == nil {
			t.Errorf("%q gave %s", c.code, valuesJSON(t, r))
			continue
		}
		e := scriptErr(t, err)
		if e.Code != refusal.ScriptError || e.Line != c.line || !contains(e.Message, c.text) {
			t.Errorf("%q:\n got %s line %d: %s\nwant line %d and %q", c.code, e.Code, e.Line, e.Message, c.line, c.text)
		}
	}
}

func TestPrintedSurvivesAnError(t *testing.T) {
	s := sandbox.New(sandbox.Options{Timeout: time.Second})
	_, err := eval(s, "print('before', 1, nil, true) error('boom')")
	if got := scriptErr(t, err).Extra["printed"]; got != "before\t1\tnil\ttrue\n" {
		t.Errorf("printed is %q", got)
	}
}

func TestMisspeltFunctionsGetTheRealOnes(t *testing.T) {
	s := sandbox.New(sandbox.Options{Timeout: time.Second})
	_, err := eval(s, "return world.get('1v0')")
	if e := scriptErr(t, err); !contains(e.Hint, "entity") || !contains(e.Hint, "spawn") {
		t.Errorf("hint %q", e.Hint)
	}
}

func TestUnavailableNamesAreExplained(t *testing.T) {
	s := sandbox.New(sandbox.Options{Timeout: time.Second})
	for _, code := range []string{"return os.execute('id')", "return io.open('/etc/passwd')", "return require('os')", "return load('return 1')()",
		"return dofile('/etc/passwd')", "return debug.getinfo(1)", "return package.path"} {
		_, err := eval(s, code)
		if err == nil {
			t.Errorf("%s is allowed", code)
		} else if e := scriptErr(t, err); !contains(e.Hint, "not available in the sandbox") {
			t.Errorf("%s: hint %q", code, e.Hint)
		}
	}
	for _, code := range []string{"", " \n\t"} {
		_, err := eval(s, code)
		if e := scriptErr(t, err); e.Code != refusal.InvalidArguments {
			t.Errorf("%q: %s", code, e.Code)
		}
	}
}

func contains(s, sub string) bool {
	for i := 0; i+len(sub) <= len(s); i++ {
		if s[i:i+len(sub)] == sub {
			return true
		}
	}
	return false
}

func asError(err error) *refusal.Error {
	var e *refusal.Error
	if !errors.As(err, &e) {
		return &refusal.Error{Message: err.Error()}
	}
	return e
}

// A chunk works on the globals of the Sandbox that compiled it, which may be
// running a script at that moment.
func TestAChunkOfAnotherSandboxIsRefused(t *testing.T) {
	a, b := sandbox.New(sandbox.Options{}), sandbox.New(sandbox.Options{})
	c, err := a.Compile("x = 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Run(sandbox.Env{}, c, sandbox.RunOptions{}); !errors.Is(err, refusal.InvalidArguments) {
		t.Errorf("got %v", err)
	}
}
