package boundlua

import (
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

var stringFuncs = map[string]lua.LGFunction{
	"byte": strByte, "char": strChar, "find": strFind, "format": strFormat,
	"gmatch": strGmatch, "gsub": strGsub, "len": strLen, "lower": strLower,
	"match": strMatch, "rep": strRep, "reverse": strReverse, "sub": strSub, "upper": strUpper,
}

// maxUnpack is how many values one call may push: registers are bounded.
const maxUnpack = 20000

// CheckString ends the run if a string of n bytes is about to be made that is
// longer than allowed, and charges for making it.
func (r *Run) CheckString(L *lua.LState, n int) {
	r.limitString(L, n)
	r.ChargeBytes(L, n)
}

// limitString is CheckString without the charge, for a string that grows in
// steps.
func (r *Run) limitString(L *lua.LState, n int) {
	if n > r.limits.StringBytes || n < 0 {
		r.Exhaust(L, &refusal.Error{Code: refusal.ScriptMemory,
			Message: fmt.Sprintf("a string would grow beyond its limit of %d bytes", r.limits.StringBytes),
			Want:    fmt.Sprintf("strings of at most %d bytes", r.limits.StringBytes),
			Hint:    "keep parts in a table, or return less"})
	}
}

// intArg reads an integer argument, clamped: Go's conversion of a float that
// does not fit is undefined.
func intArg(L *lua.LState, n int) int {
	f := numberArg(L, n)
	const limit = min(1<<53, math.MaxInt)
	switch {
	case f != f:
		return 0
	case f > limit:
		return limit
	case f < -limit:
		return -limit
	}
	return int(f)
}

func optIntArg(L *lua.LState, n, def int) int {
	if L.Get(n) == lua.LNil {
		return def
	}
	return intArg(L, n)
}

// span turns Lua's i and j (1-based, negative from the end) into a Go range.
func span(i, j, n int) (from, to int) {
	if i < 0 {
		i = max(n+i+1, 1)
	} else if i == 0 {
		i = 1
	}
	if j < 0 {
		j = n + j + 1
	} else if j > n {
		j = n
	}
	if i > j {
		return 0, 0
	}
	return i - 1, j
}

func strByte(L *lua.LState) int {
	s := TextArg(L, 1)
	i := optIntArg(L, 2, 1)
	from, to := span(i, optIntArg(L, 3, i), len(s))
	if to-from > maxUnpack {
		L.RaiseError("string slice too long")
	}
	Of(L).Charge(L, 1+to-from)
	for k := from; k < to; k++ {
		L.Push(lua.LNumber(s[k]))
	}
	return to - from
}

func strChar(L *lua.LState) int {
	n := L.GetTop()
	b := make([]byte, n)
	for i := range b {
		c := intArg(L, i+1)
		if c < 0 || c > 255 {
			L.ArgError(i+1, "invalid value")
		}
		b[i] = byte(c)
	}
	L.Push(lua.LString(b))
	return 1
}

func strLen(L *lua.LState) int {
	L.Push(lua.LNumber(len(TextArg(L, 1))))
	return 1
}

func strSub(L *lua.LState) int {
	s := TextArg(L, 1)
	from, to := span(intArg(L, 2), optIntArg(L, 3, -1), len(s))
	L.Push(lua.LString(s[from:to]))
	return 1
}

func strMap(f func(byte) byte) lua.LGFunction {
	return func(L *lua.LState) int {
		s := TextArg(L, 1)
		Of(L).ChargeBytes(L, len(s))
		b := make([]byte, len(s))
		for i := range b {
			b[i] = f(s[i])
		}
		L.Push(lua.LString(b))
		return 1
	}
}

var strLower = strMap(func(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
})

var strUpper = strMap(func(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
})

func strReverse(L *lua.LState) int {
	s := TextArg(L, 1)
	Of(L).ChargeBytes(L, len(s))
	b := make([]byte, len(s))
	for i := range b {
		b[i] = s[len(s)-1-i]
	}
	L.Push(lua.LString(b))
	return 1
}

func strRep(L *lua.LState) int {
	s, n := TextArg(L, 1), intArg(L, 2)
	if n <= 0 || s == "" {
		L.Push(lua.LString(""))
		return 1
	}
	r := Of(L)
	if n > r.limits.StringBytes/len(s) {
		r.CheckString(L, r.limits.StringBytes+1)
	}
	r.ChargeBytes(L, n*len(s))
	L.Push(lua.LString(strings.Repeat(s, n)))
	return 1
}

func strFind(L *lua.LState) int  { return findAux(L, true) }
func strMatch(L *lua.LState) int { return findAux(L, false) }

func findAux(L *lua.LState, find bool) int {
	s, pat := TextArg(L, 1), TextArg(L, 2)
	init := optIntArg(L, 3, 1)
	if init < 0 {
		init = max(len(s)+init, 0)
	} else if init > 0 {
		init--
	}
	init = min(init, len(s))
	if find && (lua.LVAsBool(L.Get(4)) || !strings.ContainsAny(pat, "^$*+?.([%-")) {
		Of(L).ChargeBytes(L, len(s)-init+len(pat))
		i := strings.Index(s[init:], pat)
		if i < 0 {
			L.Push(lua.LNil)
			return 1
		}
		L.Push(lua.LNumber(init + i + 1))
		L.Push(lua.LNumber(init + i + len(pat)))
		return 2
	}
	m := newMatcher(L, s, pat)
	p := 0
	anchor := strings.HasPrefix(pat, "^")
	if anchor {
		p = 1
	}
	for at := init; at <= len(s); at++ {
		if end, ok := m.find(at, p); ok {
			if find {
				L.Push(lua.LNumber(at + 1))
				L.Push(lua.LNumber(end))
				return 2 + m.pushCaptures(at, end, false)
			}
			return m.pushCaptures(at, end, true)
		}
		if anchor {
			break
		}
	}
	L.Push(lua.LNil)
	return 1
}

func strGmatch(L *lua.LState) int {
	s, pat := TextArg(L, 1), TextArg(L, 2)
	at := 0
	L.Push(L.NewFunction(func(L *lua.LState) int {
		m := newMatcher(L, s, pat)
		for ; at <= len(s); at++ {
			if end, ok := m.find(at, 0); ok {
				start := at
				at = end
				if end == start {
					at++ // an empty match: go on behind it
				}
				return m.pushCaptures(start, end, true)
			}
		}
		L.Push(lua.LNil)
		return 1
	}))
	return 1
}

func strGsub(L *lua.LState) int {
	s, pat := TextArg(L, 1), TextArg(L, 2)
	repl := L.Get(3)
	switch repl.Type() {
	case lua.LTString, lua.LTNumber, lua.LTTable, lua.LTFunction:
	default:
		L.ArgError(3, "string/function/table expected")
	}
	limit := optIntArg(L, 4, len(s)+1)
	p := 0
	anchor := strings.HasPrefix(pat, "^")
	if anchor {
		p = 1
	}
	m := newMatcher(L, s, pat)
	var out []byte
	at, n := 0, 0
	for n < limit {
		end, ok := m.find(at, p)
		if ok {
			n++
			before := len(out)
			out = m.appendReplacement(out, repl, at, end)
			m.run.limitString(L, len(out))
			m.run.ChargeBytes(L, len(out)-before)
		}
		if ok && end > at {
			at = end
		} else if at < len(s) {
			out = append(out, s[at])
			at++
		} else {
			break
		}
		if anchor {
			break
		}
	}
	if at < len(s) {
		out = append(out, s[at:]...)
	}
	m.run.CheckString(L, len(out))
	L.Push(lua.LString(out))
	L.Push(lua.LNumber(n))
	return 2
}

func (m *matcher) appendReplacement(out []byte, repl lua.LValue, start, end int) []byte {
	L := m.L
	var v lua.LValue
	switch repl := repl.(type) {
	case *lua.LTable:
		v = L.GetTable(repl, m.value(0, start, end))
	case *lua.LFunction:
		L.Push(repl)
		n := m.pushCaptures(start, end, true)
		v = callback1(L, n)
	default:
		text, _ := asText(repl)
		return m.appendTemplate(out, text, start, end)
	}
	if s, ok := asText(v); ok {
		return append(out, s...)
	}
	if lua.LVIsFalse(v) {
		return append(out, m.src[start:end]...)
	}
	L.RaiseError("invalid replacement value (a %s)", v.Type().String())
	return out
}

func (m *matcher) appendTemplate(out []byte, t string, start, end int) []byte {
	m.run.ChargeBytes(m.L, len(t))
	for i := 0; i < len(t); i++ {
		if t[i] != '%' {
			out = append(out, t[i])
			continue
		}
		if i++; i >= len(t) {
			break
		}
		switch c := t[i]; {
		case c == '0':
			out = append(out, m.src[start:end]...)
		case '1' <= c && c <= '9':
			text, _ := asText(m.value(int(c-'1'), start, end))
			out = append(out, text...)
		default:
			out = append(out, c)
			continue
		}
		m.run.limitString(m.L, len(out))
	}
	return out
}
