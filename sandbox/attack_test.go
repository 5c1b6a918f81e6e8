package sandbox_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox"
)

// attacks are what agents' mistakes, and malice, look like, kind by kind. Every
// one must be answered in 2 × the limit + 100 ms, and the next script must
// work. They run in child processes: some kill an unguarded process for good.
var attacks = map[string][]string{
	"loop": {
		"while true do end", "repeat until false", "for i = 1, math.huge do end", "for i = 1, 0, 0 do end while 1 do local x = {} end",
		"local i = 0 while true do i = i + 1 end", "::a:: goto a", "local function f() while true do end end f()",
		"local t = setmetatable({}, {__index = function() while true do end end}) return t.x",
		"return setmetatable({}, {__tostring = function() while true do end end}) .. ''", "print(setmetatable({}, {__tostring = function() while true do end end}))",
		"for k in function() return 1 end do end", "local t = setmetatable({}, {__lt = function() while true do end end}) return t < t",
		"return #setmetatable({}, {__len = function() while true do end end})", "error(setmetatable({}, {__tostring = function() while true do end end}))",
		"return setmetatable({}, {__tostring = function() while true do end end})", "while true do math.sin(1) end", "while true do select('#') end",
		"local t = {1} for i in ipairs(t) do t[i + 1] = 1 end", "while true do local a, b, c = 1, 2, 3 end",
	},
	"coroutine": {
		"return coroutine.wrap(function() while true do end end)()", "local co = coroutine.create(function() while true do end end) return coroutine.resume(co)",
		"for i = 1, 1e9 do coroutine.create(function() end) end", "local t = {} for i = 1, 1e9 do t[i] = coroutine.create(function() end) end",
		"local function f() coroutine.wrap(f)() end f()", "local function f() return coroutine.wrap(f)() end f()",
		"while true do coroutine.wrap(function() coroutine.yield() end)() end", "local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end",
		"local co co = coroutine.wrap(function() co() end) while true do pcall(co) end",
		"local a, b a = coroutine.create(function() while true do coroutine.resume(b) end end) b = coroutine.create(function() while true do coroutine.resume(a) end end) coroutine.resume(a)",
		"coroutine.wrap(function() for x in coroutine.yield do end end)() while true do end",
		"local co = coroutine.wrap(function() for x in function() coroutine.yield(1) return 1 end do end end) while true do co() end",
		"local co = coroutine.wrap(function() local t = setmetatable({}, {__index = function() return coroutine.yield() end}) while true do local x = t.x end end) while true do co() end",
		"while true do pcall(coroutine.wrap(function() error('x') end)) end", "local t = {} while true do t[#t + 1] = coroutine.wrap(function() coroutine.yield() end) t[#t]() end",
		"coroutine.wrap(function() coroutine.wrap(function() while true do pcall(error) end end)() end)()",
		"while true do coroutine.resume(coroutine.create(function() coroutine.yield(unpack({}, 1, 20000)) end)) end",
	},
	"pcall": {
		"while true do pcall(error) end", "while true do pcall(function() while true do end end) end", "pcall(function() while true do end end) while true do end",
		"local function f() pcall(f) end while true do f() end", "while true do pcall(pcall, pcall, error) end", "xpcall(function() while true do end end, function() while true do end end)",
		"while true do xpcall(error, function() error() end) end", "local function h() return xpcall(error, h) end xpcall(error, h)",
		"local function g() pcall(g) pcall(g) end g()", "while true do pcall(string.rep, 'x', 1e12) end", "while true do pcall(function() return nil + 1 end) end",
		"while true do pcall(function() local t = nil; t.x = 1 end) end", "while true do pcall(error, {}) end", "while true do pcall(string.rep, 'x', 4e6) end",
		"local function f() local ok = pcall(f) while true do end end f()", "while true do pcall(setmetatable, 1) end",
	},
	"string": {
		"return string.rep('x', 1e9)", "return string.rep('x', 1e12)", "return ('x'):rep(1e308)", "return ('x'):rep(2^53)", "return ('x'):rep(-1e308), ('x'):rep(1/0)",
		"local s = 'x' while true do s = s .. s end", "local s = ('x'):rep(1e6) while true do s = s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s end",
		"local s = ('x'):rep(4e6) local t = {} for i = 1, 1e9 do t[i] = s .. i end", "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end",
		"local s = ('x'):rep(4e6) while true do s = s:upper() end", "local s = ('x'):rep(4e6) while true do s = s:reverse() end", "local s = ('x'):rep(4e6) while true do local b = s < s end",
		"local s = ('x'):rep(4e6) while true do local n = tonumber(s) end", "local s = ('1'):rep(4e6) while true do local n = s + 0 end", "local s = ('x'):rep(4e6) while true do pcall(function() return s + 1 end) end",
		"local s = ('x'):rep(4e6) local t = {} while true do local x = t[s .. 'y'] end", "local s = ('x'):rep(4e6) while true do pcall(function() local n = nil; return n[s] end) end",
		"local s = ('x'):rep(4e6) while true do pcall(error, s) end", "error(('x'):rep(4e6))", "return ('x'):rep(4e6)", "print(('x'):rep(4e6)) while true do print(('x'):rep(4e6)) end",
		"while true do print('x') end", "local s = ('x'):rep(4e6) while true do s:byte(1, -1) end", "string.char(unpack({}, 1, 1e8))", "string.char(unpack({}, 1, 60000))",
		"local s = ('\\n'):rep(4e6) while true do local q = ('%q'):format(s) end", "local s = ('%'):rep(4e6) while true do local q = s:format() end", "return ('%99d'):rep(1e5):format(1)",
		"local s = ('%s'):rep(9) local v = ('x'):rep(5e5) while true do local q = s:format(v, v, v, v, v, v, v, v) end", "local a = ('x'):rep(2e6) local b = a while true do local q = a .. b end",
	},
	"table": {
		"local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end", "local t = {} t[67108863] = 1", "while true do local t = {} t[524287] = 1 end", "while true do local t = {[524287] = 1} end",
		"local t = {} for i = 1, 1e9 do t[i] = i end", "local t = {} for i = 1, 1e9 do t['k' .. i] = i end", "local t = {} for i = 1, 1e9 do t[i + 0.5] = i end", "local t = {} while true do t = {t} end",
		"local t = {} while true do t[{}] = {} end", "return table.concat(setmetatable({}, {__len = function() return 1e9 end}), 'x', 1, 1e9)", "local t = {} for i = 1, 1e5 do t[i] = ('x'):rep(1000) end return table.concat(t)",
		"return table.concat({}, 'x', 1, 1e15)", "local t = {} for i = 1, 1000 do t[i] = '' end return table.concat(t, ('x'):rep(4e6))", "local t = {} for i = 1, 1e5 do t[i] = math.random() end while true do table.sort(t) end",
		"local t = {} for i = 1, 3e4 do t[i] = i end table.sort(t, function() while true do end end)", "local t = {} for i = 1, 3e5 do t[i] = i end table.sort(t, function(a, b) return a > b end) while true do end",
		"local t = {} for i = 1, 3e4 do t[i] = i end while true do table.sort(t, function() return true end) end", "return unpack({}, 1, 1e8)", "return unpack({}, -1e15, 1e15)", "local t = {} for i = 1, 1e9 do table.insert(t, i) end",
		"local t = {} for i = 1, 1e9 do table.insert(t, 1, i) end", "local t = {} t[500000] = 1 t[500000] = nil while true do local n = #t end", "local t = {} for i = 1, 1e5 do t['k' .. i] = 1 end for k in pairs(t) do t[k] = nil end while true do next(t) end",
		"local t = {} for i = 1, 3e5 do t[i] = i end while #t > 0 do table.remove(t, 1) end while true do end", "local t = {} while true do table.maxn(t) t[#t + 1] = 1 end", "local t = {} for i = 1, 1e5 do t[i] = i end while true do local a = {unpack(t, 1, 20000)} end",
		"local function f(...) return f(1, ...) end f()", "local function f(...) return select('#', ...) + f(1, 2, 3, ...) end f()", "local t = setmetatable({}, {__newindex = function(t, k, v) t[k + 1] = v end}) t[1] = 1",
	},
	"pattern": {
		"return ('a'):rep(40):find(('a?'):rep(40) .. ('a'):rep(40))", "return ('x'):rep(1e6):find('.-.-.-.-b')", "return ('x'):rep(1e5):find(('.-'):rep(200) .. 'y')", "return ('('):rep(2e6):find('%b()')",
		"return ('('):rep(2e6):gsub('%b()', '')", "return ('x'):rep(1e6):gsub('.-b', '')", "return ('x'):rep(4e6):match('.*.*.*y')", "return ('x'):rep(4e6):match('(.*)(.*)(.*)y')", "return ('x'):rep(2e6):gsub('.', string.upper)",
		"return ('x'):rep(2e6):gsub('.', ('y'):rep(1000))", "return ('x'):rep(1e6):gsub('', ('y'):rep(4e6))", "for m in ('x'):rep(4e6):gmatch('.') do end while true do end", "for m in ('x'):rep(4e6):gmatch('.-y') do end",
		"return ('x'):rep(4e6):gsub('x', {x = ('y'):rep(1000)})", "return ('x'):gsub('.', function() while true do end end)", "return ('x'):rep(1e5):gsub('.', function(c) return c:rep(1000) end)", "return ('x'):rep(4e6):find('[' .. ('a'):rep(1e5) .. ']')",
		"return ('x'):rep(1e6):find('x*x*x*x*x*x*x*y')", "return ('ab'):rep(1e5):find('(a*b*)*c')", "return ('a'):rep(3e4):find(('a*'):rep(1e4) .. 'b')", "return ('a'):rep(2e6):find('(a+)%1+b')", "return ('a'):rep(2e6):match('^(a*)(a*)(%2*)b')",
		"return (('a'):rep(1e4)):find(('(a?)'):rep(30) .. 'b')", "return ('x'):rep(4e6):find(('x'):rep(2e6) .. 'y', 1, true)", "return ('%'):rep(1e6):gsub('%%', '%%%%')", "return ('x'):rep(1e6):gsub('x', '%0%0%0%0%0%0%0%0')", "return ('x'):rep(1e5):find(('-'):rep(1e5))",
		"return ('x'):find(('x?'):rep(30000))", "return ('a'):rep(30):find(('a?'):rep(30000))", "while true do ('x'):find(('('):rep(20)) end",
	},
	"recursion": {
		"local function f() f() end f()", "local function f() return f() end f()", "local function f() return (f()) end f()", "local function f(n) return 1 + f(n) end f(1)", "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) return t[1]",
		"local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x", "local t = setmetatable({}, {}) getmetatable(t).__tostring = tostring return tostring(t)", "local t = setmetatable({}, {}) getmetatable(t).__add = function(a, b) return a + b end return t + t",
		"local t = setmetatable({}, {}) getmetatable(t).__call = function(...) return t(...) end t()", "local t = setmetatable({}, {}) getmetatable(t).__call = t t()", "local t = setmetatable({}, {}) getmetatable(t).__concat = function(a, b) return a .. b end return t .. t",
		"local t = setmetatable({}, {}) getmetatable(t).__eq = function(a, b) return a == b end return t == setmetatable({}, getmetatable(t))", "local function f(n) if n > 0 then return f(n - 1) end local function g() pcall(g) end while true do g() end end f(3e5)",
		"local function f() return pcall(f) end f()", "local function f() return f end while true do f = f() end", "local function a() return b() end function b() return a() end a()", "local function f(s) return ('x'):gsub('x', f) end f()", "local function f() table.sort({1, 2, 3}, f) end f()",
		"local f f = function() return xpcall(f, f) end f()", "local function f(n) if n == 0 then error('x') end return f(n - 1) end while true do pcall(f, 1e5) end", "local function f(n) if n == 0 then return nil .. 'x' end return f(n - 1) end while true do pcall(f, 3e5) end",
	},
	"result": {
		"local t = {} for i = 1, 1e5 do t[i] = {i} end return t", "local t = {} local r = t for i = 1, 1e5 do t.x = {} t = t.x end return r", "local t = {} t.t = t t[1] = t return t, t, t", "local t = {} for i = 1, 3e5 do t['k' .. i] = i end return t",
		"local t = {} for i = 1, 10 do t = {t, t, t, t, t, t, t, t, t, t} end return t", "return unpack({}, 1, 20000)", "local s = ('x'):rep(4e6) return s, s, s, s", "local s = ('\\255'):rep(4e6) return s, {s}", "return {[{}] = {}, [print] = print}",
		"local t = {} t[1] = t error(t)", "local t = {} for i = 1, 1e5 do t[i] = {i} end error(t)", "error({message = ('x'):rep(4e6)})", "error({message = {}})", "error(coroutine.create(print))", "local t = {} for i = 1, 1e5 do t[('k'):rep(1000) .. i] = 1 end return t",
	},
	"source": {
		"return " + strings.Repeat("(", 8000) + "1" + strings.Repeat(")", 8000), "return " + strings.Repeat("not ", 4000) + "1", "return " + strings.Repeat("- ", 8000) + "1", "return " + strings.Repeat("{", 8000) + strings.Repeat("}", 8000),
		"return 1" + strings.Repeat("..1", 5000), "return 1" + strings.Repeat("+1", 8000), "return 1" + strings.Repeat("^1", 8000), "return a" + strings.Repeat(".b", 8000), "return a" + strings.Repeat("()", 8000), "return a" + strings.Repeat("[1]", 5000),
		strings.Repeat("do ", 5000) + strings.Repeat("end ", 4000), strings.Repeat("function f() ", 1200), strings.Repeat("if x then ", 1600), "if x then " + strings.Repeat("elseif x then ", 1100) + "end", strings.Repeat("local a ", 2000),
		"local " + strings.Repeat("a,", 8000) + "a", "x = {" + strings.Repeat("1,", 8000) + "}", "return f(" + strings.Repeat("1,", 8000) + "1)", strings.Repeat("x=1 ", 4000), "x = [" + strings.Repeat("=", 8000) + "[ ", strings.Repeat("\"", 16000),
		"return a" + strings.Repeat(" and a or a", 1400), "return " + strings.Repeat("function() return ", 900), strings.Repeat("::a:: ", 2700), strings.Repeat("goto a ", 2300), "return " + strings.Repeat("a(", 8000), "return " + strings.Repeat("#", 16000) + "a",
		strings.Repeat("\x00", 16000), strings.Repeat("\xff", 16000), "x = '" + strings.Repeat("\\", 15000), strings.Repeat("return ", 2300), "return " + strings.Repeat("a==", 5000) + "a", strings.Repeat("x", 17000),
		"return function(" + strings.Repeat("a,", 8000) + "b) end", strings.Repeat("local function f() end ", 700), "return " + strings.Repeat("a.b:c", 3000), "return " + strings.Repeat("(a or", 3000), "--[" + strings.Repeat("=", 16000),
	},
}

const childEnv = "LOUPE_SANDBOX_ATTACK"

// TestAttackChild is the child: it runs the scripts it is told on standard
// input, one JSON string a line, and answers each with a line.
func TestAttackChild(t *testing.T) {
	if os.Getenv(childEnv) == "" {
		t.Skip("runs only as a child of TestAttacks")
	}
	debug.SetMemoryLimit(2 << 30)
	s := sandbox.New(sandbox.Options{})
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var code string
		if err := json.Unmarshal(in.Bytes(), &code); err != nil {
			t.Fatal(err)
		}
		c, err := s.Compile(code)
		start := time.Now()
		if err == nil {
			_, err = s.Run(sandbox.Env{}, c, sandbox.RunOptions{})
		}
		took := time.Since(start)
		answer := "ok"
		if err != nil {
			var e *refusal.Error
			if !errors.As(err, &e) {
				t.Fatalf("error of type %T", err)
			}
			answer = string(e.Code) + " " + e.Message
		}
		if r, err := eval(s, "return ('ab'):rep(2)"); err != nil || len(r.Values) != 1 || r.Values[0] != "abab" {
			answer = fmt.Sprint("NEXT SCRIPT FAILED ", r, err)
		}
		fmt.Printf("answer %d %.200q\n", took.Microseconds(), answer)
	}
}

func TestAttacks(t *testing.T) {
	if os.Getenv(childEnv) != "" {
		t.Skip("is the child")
	}
	const limit = 200 * time.Millisecond // 2 × the default limit of 50 ms, and 100 ms
	for kind, scripts := range attacks {
		t.Run(kind, func(t *testing.T) {
			child := startChild(t)
			for _, code := range scripts {
				took, answer, ok := child.ask(t, code)
				switch {
				case !ok:
					t.Errorf("the process died of: %.120q", code)
					child = startChild(t)
				case strings.Contains(answer, "NEXT SCRIPT FAILED"):
					t.Errorf("%.120q: %s", code, answer)
				case took > limit*slack:
					// Once more: another process may have held the processor.
					if took, _, ok = child.ask(t, code); !ok || took > limit*slack {
						t.Errorf("%v for %.120q: %s", took, code, answer)
					}
				}
				if testing.Verbose() {
					t.Logf("%8v %.100q %s", took.Round(time.Millisecond/10), code, answer)
				}
			}
		})
	}
}

// slack is for the race detector, which makes everything several times slower.
const slack = 1 + 3*raceEnabled

type child struct {
	cmd *exec.Cmd
	in  *json.Encoder
	out *bufio.Scanner
}

func startChild(t *testing.T) *child {
	cmd := exec.Command(os.Args[0], "-test.run=^TestAttackChild$")
	cmd.Env = append(os.Environ(), childEnv+"=1", "GOTRACEBACK=none")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &child{cmd, json.NewEncoder(stdin), bufio.NewScanner(stdout)}
}

// ask has a script run; a child that says nothing for 10 s is dead.
func (c *child) ask(t *testing.T, code string) (time.Duration, string, bool) {
	timer := time.AfterFunc(10*time.Second, func() { c.cmd.Process.Kill() })
	defer timer.Stop()
	if err := c.in.Encode(code); err != nil {
		return 0, "", false
	}
	for c.out.Scan() {
		var us int64
		var answer string
		if n, _ := fmt.Sscanf(c.out.Text(), "answer %d %q", &us, &answer); n == 2 {
			return time.Duration(us) * time.Microsecond, answer, true
		}
	}
	return 0, "", false
}
