package sandbox_test

import (
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/sandbox"
)

// The expected values are those of the reference implementation of Lua 5.1.
func TestPatterns(t *testing.T) {
	s := sandbox.New(sandbox.Options{Timeout: time.Second})
	for _, c := range []struct{ expr, want string }{
		{"('hello'):find('l')", "[3,3]"},
		{"('hello'):find('xyz')", "[null]"},
		{"('hello'):find('')", "[1,0]"},
		{"('hello'):find('', 10)", "[6,5]"},
		{"('hello'):find('l', -2)", "[4,4]"},
		{"('a.b'):find('.', 1, true)", "[2,2]"},
		{"('a.b'):find('%.')", "[2,2]"},
		{"('hello world'):find('(o)(%s)')", `[5,6,"o"," "]`},
		{"('hello'):find('()ll()')", "[3,4,3,5]"},
		{"('hello'):match('h(.*)o')", `["ell"]`},
		{"('hello'):match('^e')", "[null]"},
		{"('hello'):match('o$')", `["o"]`},
		{"('a$b'):match('a$b')", `["a$b"]`},
		{"('key = value'):match('^(%w+)%s*=%s*(%w+)$')", `["key","value"]`},
		{"('2024-01-15'):match('(%d+)-(%d+)-(%d+)')", `["2024","01","15"]`},
		{"('  trim  '):match('^%s*(.-)%s*$')", `["trim"]`},
		{"('aaa'):match('a-')", `[""]`},
		{"('aaab'):match('a-b')", `["aaab"]`},
		{"('aaa'):match('a*')", `["aaa"]`},
		{"('baaa'):match('a*')", `[""]`},
		{"('baaa'):match('a+')", `["aaa"]`},
		{"('color colour'):gsub('colou?r', 'X')", `["X X",2]`},
		{"('f(a(b)c)d'):match('%b()')", `["(a(b)c)"]`},
		{"('THE (quick) fox'):find('%((%a+)%)')", `[5,11,"quick"]`},
		{"('THE (quick) fox'):gsub('%f[%a]%a+', string.lower)", `["the (quick) fox",3]`},
		{"('hello'):match('%f[%w]%w+%f[%W]')", `["hello"]`},
		{"('\"a\" and \\'b\\''):match('([\"\\'])(.-)%1')", `["\"","a"]`},
		{"('abcabc'):match('(abc)%1')", `["abc"]`},
		{"('[x]'):match('[%]]')", `["]"]`},
		{"('x]'):match('[]]')", `["]"]`},
		{"('x^'):match('[x^]+')", `["x^"]`},
		{"('abc'):match('[^a]+')", `["bc"]`},
		{"('a-z'):match('[a%-z]+')", `["a-z"]`},
		{"('m-'):match('[a-]+')", `["-"]`},
		{"('0xFf'):match('%x+', 3)", `["Ff"]`},
		{"('a\\0b'):match('%z')", `["\u0000"]`},
		{"('ünï'):match('[\\128-\\255]+')", `["ü"]`},
		{"('hello world from lua'):gsub('(%w+)', '<%1>')", `["\u003chello\u003e \u003cworld\u003e \u003cfrom\u003e \u003clua\u003e",4]`},
		{"('hello'):gsub('', '-')", `["-h-e-l-l-o-",6]`},
		{"('hello'):gsub('l', 'L', 1)", `["heLlo",1]`},
		{"('hello'):gsub('l', 'L', 0)", `["hello",0]`},
		{"('hello'):gsub('.', {h = 'H', e = false})", `["Hello",5]`},
		{"('hello'):gsub('l+', function(m) return #m end)", `["he2o",1]`},
		{"('hello'):gsub('x*', '-')", `["-h-e-l-l-o-",6]`},
		{"('abc'):gsub('%w', '%0%0')", `["aabbcc",3]`},
		{"('abc'):gsub('(a)(b)', '%2%1')", `["bac",1]`},
		{"('a b'):gsub(' ', '%%')", `["a%b",1]`},
		{"('abc'):gsub('^a', 'x')", `["xbc",1]`},
		{"('aaa'):gsub('^a', 'x')", `["xaa",1]`},
		{"('$name is $age'):gsub('%$(%w+)', {name = 'Bo', age = 7})", `["Bo is 7",2]`},
		{"('abc'):gsub('()', '%1')", `["1a2b3c4",4]`},
		{"(function() local t = {} for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do t[#t+1] = k .. v end return t end)()", `[["a1","b2"]]`},
		{"(function() local n = 0 for w in ('one two  three'):gmatch('%a+') do n = n + 1 end return n end)()", "[3]"},
		{"(function() local n = 0 for w in ('abc'):gmatch('') do n = n + 1 end return n end)()", "[4]"},
		{"(function() local t = {} for p in ('abc'):gmatch('()') do t[#t+1] = p end return t end)()", "[[1,2,3,4]]"},
		{"('x'):rep(3), ('x'):rep(0), ('x'):rep(-1)", `["xxx","",""]`},
		{"('hello'):sub(2, -2), ('hello'):sub(-3), ('hello'):sub(0), ('hello'):sub(4, 2), ('hello'):sub(-100, 100)", `["ell","llo","hello","","hello"]`},
		{"('hello'):byte(), ('hello'):byte(-1), ('hello'):byte(10)", "[104,111]"},
		{"string.char(72, 105), string.char()", `["Hi",""]`},
		{"('AbÇ'):lower(), ('abç'):upper()", `["abÇ","ABç"]`},
		{"('abc'):reverse(), ('abc'):len()", `["cba",3]`},
		{"#('x'):rep(300000):gsub('x', 'yy'), select(2, ('x'):rep(300000):gsub('', '-'))", "[600000,300001]"},
		{"#(('%s'):rep(5000)):format(unpack((function() local t = {} for i = 1, 5000 do t[i] = ('x'):rep(100) end return t end)()))", "[500000]"},
		// Errors.
		{"('x'):find('[a')", "error: missing ']'"},
		{"('x'):find('%')", "error: ends with '%'"},
		{"('x'):find('(x')", "error: unfinished capture"},
		{"('x'):match('x)')", "error: invalid pattern capture"},
		{"('x'):find('%1')", "error: invalid capture index"},
		{"('x'):find('%b')", "error: unbalanced pattern"},
		{"('x'):find('%f')", "error: missing '[' after '%f'"},
		{"('x'):gsub('x', '%2')", "error: invalid capture index"},
		{"('x'):gsub('x', function() return {} end)", "error: invalid replacement value (a table)"},
		{"('x'):gsub('x')", "error: string/function/table expected"},
		{"(('()'):rep(33)):find(('()'):rep(33))", "error: too many captures"},
	} {
		check(t, s, c.expr, c.want)
	}
}

func TestFormat(t *testing.T) {
	s := sandbox.New(sandbox.Options{Timeout: time.Second})
	for _, c := range []struct{ expr, want string }{
		{"('%d|%5d|%-5d|%05d|%+d|% d'):format(42, 42, 42, 42, 42, 42)", `["42|   42|42   |00042|+42| 42"]`},
		{"('%d'):format(3.99)", `["3"]`},
		{"('%i'):format(-7)", `["-7"]`},
		{"('%.3d|%5.3d|%05.3d|%-05d|'):format(7, 7, 7, 7)", `["007|  007|  007|7    |"]`},
		{"('%x %X %#x %o'):format(255, 255, 255, 8)", `["ff FF 0xff 10"]`},
		{"('%#x %u'):format(0, 5)", `["0 5"]`},
		{"('%f %.2f %8.3f %-8.1f| %08.2f'):format(1.5, 1.005, 3.14159, 2, -1.5)", `["1.500000 1.00    3.142 2.0     | -0001.50"]`},
		{"('%e %E %.1e'):format(12345.678, 12345.678, 0)", `["1.234568e+04 1.234568E+04 0.0e+00"]`},
		{"('%g %g %g %g %G'):format(1e20, 0.1, 100000, 1e6, 1e-10)", `["1e+20 0.1 100000 1e+06 1E-10"]`},
		{"('%.14g'):format(0.1)", `["0.1"]`},
		{"('%.0f %.f'):format(2.5, 3.5)", `["2 4"]`},
		{"('%5.1f|%-8g|'):format(1/0, -1/0)", `["  inf|-inf    |"]`},
		{"('%s %s %s %s'):format('a', 1, nil, true)", `["a 1 nil true"]`},
		{"('%5s|%-5s|%.2s|%5.1s|'):format('ab', 'ab', 'abc', 'xyz')", `["   ab|ab   |ab|    x|"]`},
		{"('%c%c'):format(72, 105)", `["Hi"]`},
		{"('%q'):format('a \"b\"\\n\\\\ \\0')", `["\"a \\\"b\\\"\\\n\\\\ \\000\""]`},
		{"('100%%'):format()", `["100%"]`},
		{"('%s'):format(setmetatable({}, {__tostring = function() return 'T' end}))", `["T"]`},
		{"('%d'):format('10')", `["10"]`},
		{"('%d'):format('x')", "error: number expected"},
		{"('%d'):format()", "error: number expected"},
		{"('%y'):format(1)", "error: invalid option '%y'"},
		{"('%'):format(1)", "error: ends with '%'"},
		{"('%100d'):format(1)", "error: width or precision too long"},
		{"('%.100f'):format(1)", "error: width or precision too long"},
		{"string.format('%999999999d', 1)", "error: width or precision too long"},
	} {
		check(t, s, c.expr, c.want)
	}
}

// check evaluates an expression; want is JSON, or "error: " and a part of the
// message.
func check(t *testing.T, s *sandbox.Sandbox, expr, want string) {
	t.Helper()
	r, err := eval(s, "return "+expr)
	if len(want) > 7 && want[:7] == "error: " {
		if err == nil {
			t.Errorf("%s gave %s, want the error %q", expr, valuesJSON(t, r), want[7:])
		} else if !contains(err.Error(), want[7:]) {
			t.Errorf("%s: error %q, want %q", expr, err, want[7:])
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", expr, err)
	} else if got := valuesJSON(t, r); got != want {
		t.Errorf("%s:\n got %s\nwant %s", expr, got, want)
	}
}
