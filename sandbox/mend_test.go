package sandbox_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/sandbox"
)

var update = flag.Bool("update", false, "record testdata/lua51.txt anew (needs lua5.1)")

// Every case is a program that gopher-lua's compiler or VM gets wrong without
// an error. The values are those of the reference implementation.
func TestWhatTheCompilerGetsWrong(t *testing.T) {
	s := sandbox.New(sandbox.Options{Timeout: time.Second})
	for _, c := range []struct{ kind, code, want string }{
		{"several values in a loop", "local a, b = 54, 24 while b ~= 0 do a, b = b, a % b end return a", "[6]"},
		{"a swap", "local lo, hi = 9, 4 if lo > hi then lo, hi = hi, lo end return lo, hi", "[4,9]"},
		{"a swap with a sign", "local x, y = 3, 7 x, y = -y, x return x, y", "[-7,3]"},
		{"three turned round", "local a, b, c = 1, 2, 3 a, b, c = c, a, b return a, b, c", "[3,1,2]"},
		{"a variable that is also the index", "local i, t = 1, {10, 20} i, t[i] = i + 1, 99 return i, t[1], t[2]", "[2,99,20]"},
		{"a table that is also assigned", "local t = {1} local u = t t, t[1] = {2}, 3 return t[1], u[1]", "[2,3]"},
		{"a parameter", "local function f(a, b) a, b = b, a return a, b end return f(1, 2)", "[2,1]"},
		{"a call into the last parameter", "local function g(x) return x + 1 end local function f(p) p = (g(p)) return p end return f(1)", "[2]"},
		{"upvalues", "local a, b = 1, 2 local function f() a, b = b, a end f() return a, b", "[2,1]"},
		{"fewer values than variables", "local a, b, c = 1, 2, 3 a, b, c = c return a, b, c", "[3,null,null]"},
		{"all values of a call", "local a, b, c = 1, 2, 3 a, b, c = b, unpack{a, c} return a, b, c", "[2,1,3]"},
		{"and, or into their own variable", "local s = 'x' s = s:find('y') and (s or 'n') return s", "[null]"},
		{"or into its own variable", "local a, b = false, 5 a = a or b and a or b return a", "[5]"},
		{"a dead branch first in a loop over pairs", "local n = 0 for k in pairs{1, 2} do if false then n = n + 100 end n = n + 1 end return n", "[2]"},
		{"a dead declaration first in a loop", "local n = 0 for k in pairs{1, 2} do if nil then local d = k end n = n + 1 end return n, 'end'", `[2,"end"]`},
		{"a dead branch first in while", "local n = 0 while n < 3 do n = n + 1 while true do if false then n = 9 end break end end return n", "[3]"},
		{"break first in a loop over pairs", "local n = 0 for k in pairs{1, 2} do break end n = n + 1 return n", "[1]"},
		{"break first in repeat", "local n = 0 for i = 1, 3 do repeat break until false n = n + 1 end return n", "[3]"},
		{"a constant and first in a loop", "local n = 0 for k in pairs{1, 2} do local x = nil and 5 n = n + 1 end return n", "[2]"},
		{"a constant condition", "if nil and x then return 1 elseif 0 then return 2 end", "[2]"},
		{"not of a constant", "local n = 0 repeat n = n + 1 if not true then n = 100 end until n == 3 return n", "[3]"},
		{"for in next, t", "local r, t = {}, {11, 22, 33} for i, v in next, t do r[#r + 1] = v end return unpack(r)", "[11,22,33]"},
		{"for in next, t with one variable", "local n = 0 for k in next, {5, 6} do n = n + k end return n", "[3]"},
		{"for in a function alone", "local i = 0 for x in function() i = i + 1 if i < 3 then return i end end do end return i", "[3]"},
		{"for in three and a call", "local n = 0 for k, v in next, {7}, (nil) do n = n + v end for k in next, {1}, tostring(nil) and nil do n = n + k end return n", "[8]"},
		{"for in a generator and a call", "local function two() return {4, 5}, nil end local n = 0 for k, v in next, two() do n = n + v end return n", "[9]"},
		{"a key with a call last", "local t = {1, 2, a = math.abs(-3)} return #t, t.a", "[2,3]"},
		{"50 values and a call", "local function f() return 'a', 'b' end local t = {" + strings.Repeat("0,", 50) + "f()} return #t, t[1], t[51], t[52]", `[52,0,"a","b"]`},
		{"50 values and a key", "local function f() return 9 end local t = {" + strings.Repeat("0,", 50) + "x = f()} return #t, t[1], t.x", "[50,0,9]"},
		{"100 values and all arguments", "return (function(...) local t = {" + strings.Repeat("1,", 100) + "...} return #t, t[100], t[101] end)(7, 8)", "[102,1,7]"},
		{"local f = function is not local function", "local f = function() return 'old' end do local f = function() return f and f() end return f() end", `["old"]`},
		{"a global function under a local of its name", "g = function() return 1 end local g = function() return g() end return g()", "[1]"},
		{"a variable shared after an error", "local n = 1 local function inc() n = n + 1 end pcall(error, 'x') inc() n = n + 10 inc() return n", "[13]"},
		{"a loop variable shared after an error", "local r = {} for i = 1, 2 do local f = function() i = i * 10 end pcall(error) f() r[i > 9 and i / 10 or i] = i end return unpack(r)", "[10,20]"},
		{"a parameter shared after an error", "local function f(p) local g = function() p = p + 1 end pcall(error) g() return p end return f(1)", "[2]"},
		{"self shared after an error", "local t = {} function t:m() local g = function() self = 'new' end pcall(error) g() return self end return t:m()", `["new"]`},
		{"a local function reassigned", "local function f() return 1 end local g = function() return f() end pcall(error) f = function() return 2 end return g()", "[2]"},
		{"a break out of an inner block", "local g while true do do local x = 5 g = function() return x end break end end local y, z = 9, 8 return g()", "[5]"},
		{"a break out of an if", "local g for i = 1, 3 do if i == 2 then local x = i g = function() return x end break end end local a, b, c, d, e, f = 1, 2, 3, 4, 5, 6 return g()", "[2]"},
		{"goto continue beside a shared variable", "local n, fs = 0, {} local f = function() n = n + 1 end for i = 1, 4 do if i % 2 == 0 then goto continue end n = n + 10 f() ::continue:: end return n", "[22]"},
		{"goto out of a block with a closure", "local g do local x = 5 g = function() return x end goto done end ::done:: local y, z, w = 1, 2, 3 return g()", "[5]"},
		{"goto back", "local i, fs = 1, {} ::top:: local x = i fs[i] = function() return x end i = i + 1 if i <= 3 then goto top end return fs[1](), fs[2](), fs[3]()", "[1,2,3]"},
		{"numerals", "return 0010, 010, 0x10, 1e2, .5, 5., 0xFFFFFFFFFFFFFFFF > 1e19, 1e400 == math.huge", "[10,10,16,100,0.5,5,true,true]"},
		{"numbers in strings", "return '010' + 1, '0x10' * 2, ' 7 ' - 0, -'2', 10 % '3', '2' ^ 3", "[11,32,7,-2,1,8]"},
		{"a string and a table that adds", "local t = setmetatable({}, {__add = function(a, b) return (type(a) == 'table' and b or a) .. '!' end}) return 'x' + t, t + '1'", `["x!","1!"]`},
		{"number texts", "return tostring(1/0), tostring(-1/0), tostring(0/0):gsub('-', ''), tostring(1e15), 1e14 .. '', 2^53 .. '', 0.1 .. '', 1e100 .. '', 1234567.5 .. '', -0.5 .. ''",
			`["inf","-inf","nan","1e+15","1e+14","9007199254740992","0.1","1e+100","1234567.5","-0.5"]`},
		{"formats of infinity", "return ('%g %5.1f %d'):format(1/0, -1/0, 3.7), ('%g'):format(1e20), ('%g'):format(0.1)", `["inf  -inf 3","1e+20","0.1"]`},
		{"tonumber", "return tonumber(tostring(1/0)) == 1/0, tonumber('0x1p4'), tonumber('0x'), tonumber('1e'), tonumber('ff', 16), tonumber('-10', 2) > 1e19, tonumber('8', 8), tonumber('- 1'), tonumber('1 2')",
			"[true,16,null,null,255,true,null,null,null]"},
		{"a thread resumed with fewer values", "local co = coroutine.wrap(function() local a, b = coroutine.yield(1) return a, b, (coroutine.yield()) end) co() co(7) return co()", "[7,null,null]"},
		{"arg is a global of the chunk", "arg = 5 return _G.arg", "[5]"},
		{"nothing removed", "return select('#', table.remove{})", "[0]"},
	} {
		r, err := eval(s, c.code)
		if err != nil {
			t.Errorf("%s: %v", c.kind, err)
		} else if got := valuesJSON(t, r); got != c.want {
			t.Errorf("%s:\n%s\n got %s\nwant %s", c.kind, c.code, got, c.want)
		}
		s.Reset()
	}
	for kind, code := range map[string]string{
		"a field of a constant": "(5).x = 1 return 'no error'", "a field of a folded constant": "(2 + 3).x, a = 1, 2 return 'no error'",
		"a numeral that is none": "local x = 1e + 2 return x", "an index of text": "('x').y = 1",
	} {
		if r, err := eval(s, code); err == nil {
			t.Errorf("%s: %s gives %s", kind, code, valuesJSON(t, r))
		}
	}
}

const recorded = "testdata/lua51.txt"

// TestLua51Corpus runs generated programs whose output lua5.1 has recorded.
func TestLua51Corpus(t *testing.T) {
	if *update {
		writeCorpus(t)
	}
	raw, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	s := newLua51Sandbox()
	n := 0
	for part := range strings.SplitSeq(string(raw), "-- program ") {
		if part == "" {
			continue
		}
		seed, rest, _ := strings.Cut(part, "\n")
		code, want, ok := strings.Cut(rest, "-- output\n")
		if !ok {
			t.Fatalf("program %s has no output", seed)
		}
		n++
		if got := ours(s, prelude+code); alike(got) != alike(want) {
			t.Errorf("program %s:\n%s\n--- Lua 5.1 ---\n%s\n--- here ---\n%s", seed, code, want, got)
		}
	}
	if n < 100 {
		t.Errorf("only %d programs are recorded", n)
	}
}

func writeCorpus(t *testing.T) {
	var programs []string
	for seed := range uint64(160) {
		programs = append(programs, program(1_000_000+seed))
	}
	var b strings.Builder
	for i, out := range reference(t, programs) {
		if strings.HasSuffix(out, "ok\n") || strings.HasSuffix(out, "failed\n") {
			fmt.Fprintf(&b, "-- program %d\n%s-- output\n%s", i, strings.TrimPrefix(programs[i], prelude), out)
		}
	}
	if err := os.WriteFile(recorded, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
