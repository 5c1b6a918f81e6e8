package boundlua

import lua "github.com/yuin/gopher-lua"

// matcher is Lua 5.1's pattern matcher (lstrlib.c), with a budget: gopher-lua's
// own runs for minutes on a few dozen bytes, and builds all matches at once.
type matcher struct {
	L     *lua.LState
	run   *Run
	src   string
	pat   string
	level int
	caps  [maxCaptures]capture
	work  int
	depth int
}

type capture struct {
	start, length int // length may be capUnfinished or capPosition
}

const (
	maxCaptures   = 32
	capUnfinished = -1
	capPosition   = -2
	// maxMatchDepth bounds the Go stack. A pattern item that can backtrack
	// takes one level, so no pattern below this length is refused.
	maxMatchDepth = 20000
)

func newMatcher(L *lua.LState, src, pat string) *matcher {
	return &matcher{L: L, run: Of(L), src: src, pat: pat}
}

// tick counts one comparison.
func (m *matcher) tick() {
	if m.work++; m.work&127 == 0 {
		m.run.Charge(m.L, 64)
	}
}

func (m *matcher) fail(msg string) { m.L.RaiseError("%s", msg) }

// find tries the pattern (from p on) at s.
func (m *matcher) find(s, p int) (end int, ok bool) {
	m.level, m.depth = 0, 0
	end = m.match(s, p)
	return end, end >= 0
}

// match returns the end of the match of pat[p:] at s, or -1.
func (m *matcher) match(s, p int) int {
	if m.depth++; m.depth > maxMatchDepth {
		m.fail("pattern too complex")
	}
	defer func() { m.depth-- }()
	for {
		m.tick()
		if p == len(m.pat) {
			return s
		}
		switch m.pat[p] {
		case '(':
			if p+1 < len(m.pat) && m.pat[p+1] == ')' {
				return m.startCapture(s, p+2, capPosition)
			}
			return m.startCapture(s, p+1, capUnfinished)
		case ')':
			return m.endCapture(s, p+1)
		case '%':
			if p+1 < len(m.pat) {
				switch next := m.pat[p+1]; {
				case next == 'b':
					if s = m.balance(s, p+2); s < 0 {
						return -1
					}
					p += 4
					continue
				case next == 'f':
					p += 2
					if p >= len(m.pat) || m.pat[p] != '[' {
						m.fail("missing '[' after '%f' in pattern")
					}
					ep := m.classEnd(p)
					var prev, cur byte
					if s > 0 {
						prev = m.src[s-1]
					}
					if s < len(m.src) {
						cur = m.src[s]
					}
					if m.inSet(prev, p, ep-1) || !m.inSet(cur, p, ep-1) {
						return -1
					}
					p = ep
					continue
				case '0' <= next && next <= '9':
					if s = m.backReference(s, next); s < 0 {
						return -1
					}
					p += 2
					continue
				}
			}
		case '$':
			if p+1 == len(m.pat) {
				if s == len(m.src) {
					return s
				}
				return -1
			}
		}
		ep := m.classEnd(p)
		here := s < len(m.src) && m.single(m.src[s], p, ep)
		if ep < len(m.pat) {
			switch m.pat[ep] {
			case '?':
				if here {
					if r := m.match(s+1, ep+1); r >= 0 {
						return r
					}
				}
				p = ep + 1
				continue
			case '*':
				return m.maxExpand(s, p, ep)
			case '+':
				if !here {
					return -1
				}
				return m.maxExpand(s+1, p, ep)
			case '-':
				return m.minExpand(s, p, ep)
			}
		}
		if !here {
			return -1
		}
		s++
		p = ep
	}
}

func (m *matcher) maxExpand(s, p, ep int) int {
	i := 0
	for s+i < len(m.src) && m.single(m.src[s+i], p, ep) {
		i++
		m.tick()
	}
	for ; i >= 0; i-- {
		if r := m.match(s+i, ep+1); r >= 0 {
			return r
		}
	}
	return -1
}

func (m *matcher) minExpand(s, p, ep int) int {
	for {
		if r := m.match(s, ep+1); r >= 0 {
			return r
		}
		if s >= len(m.src) || !m.single(m.src[s], p, ep) {
			return -1
		}
		s++
	}
}

func (m *matcher) startCapture(s, p, what int) int {
	if m.level >= maxCaptures {
		m.fail("too many captures")
	}
	m.caps[m.level] = capture{s, what}
	m.level++
	r := m.match(s, p)
	if r < 0 {
		m.level--
	}
	return r
}

func (m *matcher) endCapture(s, p int) int {
	l := -1
	for i := m.level - 1; i >= 0; i-- {
		if m.caps[i].length == capUnfinished {
			l = i
			break
		}
	}
	if l < 0 {
		m.fail("invalid pattern capture")
	}
	m.caps[l].length = s - m.caps[l].start
	r := m.match(s, p)
	if r < 0 {
		m.caps[l].length = capUnfinished
	}
	return r
}

func (m *matcher) backReference(s int, digit byte) int {
	l := int(digit) - '1'
	if l < 0 || l >= m.level || m.caps[l].length == capUnfinished {
		m.fail("invalid capture index")
	}
	text := m.text(l)
	m.run.ChargeBytes(m.L, len(text))
	if len(m.src)-s >= len(text) && m.src[s:s+len(text)] == text {
		return s + len(text)
	}
	return -1
}

func (m *matcher) balance(s, p int) int {
	if p+1 >= len(m.pat) {
		m.fail("unbalanced pattern")
	}
	if s >= len(m.src) || m.src[s] != m.pat[p] {
		return -1
	}
	open, shut, depth := m.pat[p], m.pat[p+1], 1
	for i := s + 1; i < len(m.src); i++ {
		m.tick()
		switch m.src[i] {
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		case open:
			depth++
		}
	}
	return -1
}

// classEnd returns where the single-character class that starts at p ends.
func (m *matcher) classEnd(p int) int {
	c := m.pat[p]
	p++
	switch c {
	case '%':
		if p >= len(m.pat) {
			m.fail("malformed pattern (ends with '%')")
		}
		return p + 1
	case '[':
		if p < len(m.pat) && m.pat[p] == '^' {
			p++
		}
		for first := true; first || p >= len(m.pat) || m.pat[p] != ']'; first = false {
			if p >= len(m.pat) {
				m.fail("malformed pattern (missing ']')")
			}
			c := m.pat[p]
			p++
			if c == '%' && p < len(m.pat) {
				p++
			}
		}
		return p + 1
	}
	return p
}

func (m *matcher) single(c byte, p, ep int) bool {
	switch m.pat[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pat[p+1])
	case '[':
		return m.inSet(c, p, ep-1)
	}
	return m.pat[p] == c
}

// inSet matches c with the set whose '[' is at p and whose ']' is at end.
func (m *matcher) inSet(c byte, p, end int) bool {
	m.work += (end - p) >> 3
	want := true
	p++
	if m.pat[p] == '^' {
		want = false
		p++
	}
	for ; p < end; p++ {
		switch {
		case m.pat[p] == '%':
			p++
			if inClass(c, m.pat[p]) {
				return want
			}
		case p+2 < end && m.pat[p+1] == '-':
			if m.pat[p] <= c && c <= m.pat[p+2] {
				return want
			}
			p += 2
		case m.pat[p] == c:
			return want
		}
	}
	return !want
}

// inClass is the C locale's ctype.
func inClass(c, class byte) bool {
	var in bool
	switch class | 0x20 {
	case 'a':
		in = isAlpha(c)
	case 'c':
		in = c < 32 || c == 127
	case 'd':
		in = '0' <= c && c <= '9'
	case 'l':
		in = 'a' <= c && c <= 'z'
	case 'p':
		in = 33 <= c && c <= 126 && !isAlpha(c) && (c < '0' || c > '9')
	case 's':
		in = c == ' ' || 9 <= c && c <= 13
	case 'u':
		in = 'A' <= c && c <= 'Z'
	case 'w':
		in = isAlpha(c) || '0' <= c && c <= '9'
	case 'x':
		in = '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		return class == c
	}
	if !isAlpha(class) {
		return class == c
	}
	if class&0x20 == 0 {
		return !in
	}
	return in
}

func isAlpha(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }

// text is the text of capture l.
func (m *matcher) text(l int) string {
	c := m.caps[l]
	if c.length < 0 {
		return ""
	}
	return m.src[c.start : c.start+c.length]
}

// value is capture l as Lua sees it; without any capture, 0 is the whole match.
func (m *matcher) value(l, start, end int) lua.LValue {
	if l >= m.level {
		if l != 0 {
			m.fail("invalid capture index")
		}
		return lua.LString(m.src[start:end])
	}
	switch m.caps[l].length {
	case capUnfinished:
		m.fail("unfinished capture")
	case capPosition:
		return lua.LNumber(m.caps[l].start + 1)
	}
	return lua.LString(m.text(l))
}

// pushCaptures pushes all captures, or the whole match if there are none and
// whole is set.
func (m *matcher) pushCaptures(start, end int, whole bool) int {
	n := m.level
	if n == 0 && whole {
		n = 1
	}
	for i := range n {
		m.L.Push(m.value(i, start, end))
	}
	return n
}
