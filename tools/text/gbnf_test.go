package text_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loupe-ecs/loupe/tools/text"
)

// gbnf is a grammar that was read from its text, and matched by trying: what
// llama.cpp does, which keeps every way that is still open.
type gbnf map[string][][]gitem

// gitem is a part of a sequence.
type gitem struct {
	lit    string    // a literal
	rule   string    // a rule
	alts   [][]gitem // a group
	class  []rune    // pairs
	not    bool      // the class is excluded
	isSet  bool      // it is a class
	lo, hi int       // how often; hi < 0: any number
}

type gparser struct {
	s string
	i int
}

func parseGBNF(s string) (g gbnf, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	g = gbnf{}
	for n, line := range strings.Split(s, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		name, body, ok := strings.Cut(line, " ::= ")
		if !ok {
			return nil, fmt.Errorf("line %d is no rule: %s", n+1, line)
		}
		if _, twice := g[name]; twice || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
			return nil, fmt.Errorf("line %d: a rule of the name %q", n+1, name)
		}
		p := gparser{s: body}
		g[name] = p.alts()
		if p.i != len(body) {
			return nil, fmt.Errorf("line %d: cannot read %q", n+1, body[p.i:])
		}
	}
	return g, g.refs()
}

func (g gbnf) refs() error {
	var walk func(alts [][]gitem) error
	walk = func(alts [][]gitem) error {
		for _, seq := range alts {
			for _, it := range seq {
				if it.rule != "" && g[it.rule] == nil {
					return fmt.Errorf("no rule %q", it.rule)
				}
				if err := walk(it.alts); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, alts := range g {
		if err := walk(alts); err != nil {
			return err
		}
	}
	if g["root"] == nil {
		return fmt.Errorf("no rule root")
	}
	done := map[string]bool{}
	for name := range g {
		if err := g.leftRecursion(name, nil, done); err != nil {
			return err
		}
	}
	return nil
}

// leftRecursion refuses a rule that begins with itself, over other rules too:
// readers of GBNF follow the first part before they read anything.
func (g gbnf) leftRecursion(name string, path []string, done map[string]bool) error {
	if slices.Contains(path, name) {
		return fmt.Errorf("the rule %q begins with itself: %v", name, path)
	}
	if done[name] {
		return nil
	}
	path = append(path, name)
	var walk func(alts [][]gitem) error
	walk = func(alts [][]gitem) error {
		for _, seq := range alts {
			for _, it := range seq {
				if it.rule != "" {
					if err := g.leftRecursion(it.rule, path, done); err != nil {
						return err
					}
				}
				if err := walk(it.alts); err != nil {
					return err
				}
				if it.lo > 0 { // what follows is not first
					break
				}
			}
		}
		return nil
	}
	if err := walk(g[name]); err != nil {
		return err
	}
	done[name] = true
	return nil
}

func (p *gparser) blank() {
	for p.i < len(p.s) && p.s[p.i] == ' ' {
		p.i++
	}
}

func (p *gparser) alts() [][]gitem {
	var all [][]gitem
	for {
		all = append(all, p.seq())
		if p.i >= len(p.s) || p.s[p.i] != '|' {
			return all
		}
		p.i++
	}
}

func (p *gparser) seq() []gitem {
	seq := []gitem{}
	for {
		p.blank()
		if p.i >= len(p.s) || p.s[p.i] == '|' || p.s[p.i] == ')' {
			return seq
		}
		it := gitem{lo: 1, hi: 1}
		switch c := p.s[p.i]; {
		case c == '"':
			p.i++
			for p.s[p.i] != '"' {
				it.lit += string(p.char())
			}
			p.i++
		case c == '[':
			p.i++
			it.isSet = true
			if p.s[p.i] == '^' {
				it.not = true
				p.i++
			}
			for p.s[p.i] != ']' {
				from := p.char()
				to := from
				if p.s[p.i] == '-' {
					p.i++
					to = p.char()
				}
				it.class = append(it.class, from, to)
			}
			p.i++
		case c == '(':
			p.i++
			it.alts = p.alts()
			if p.s[p.i] != ')' {
				panic("no )")
			}
			p.i++
		default:
			n := p.i
			for n < len(p.s) && strings.IndexByte(" |()*+?{", p.s[n]) < 0 {
				n++
			}
			it.rule = p.s[p.i:n]
			p.i = n
		}
		p.times(&it)
		seq = append(seq, it)
	}
}

func (p *gparser) times(it *gitem) {
	if p.i >= len(p.s) {
		return
	}
	switch p.s[p.i] {
	case '*':
		it.lo, it.hi = 0, -1
	case '+':
		it.hi = -1
	case '?':
		it.lo = 0
	case '{':
		end := strings.IndexByte(p.s[p.i:], '}')
		low, high, two := strings.Cut(p.s[p.i+1:p.i+end], ",")
		it.lo, _ = strconv.Atoi(low)
		it.hi = it.lo
		if two {
			it.hi = -1
			if high != "" {
				it.hi, _ = strconv.Atoi(high)
			}
		}
		p.i += end
	default:
		return
	}
	p.i++
}

// char reads a character of a literal or class with llama.cpp's escapes.
func (p *gparser) char() rune {
	if p.s[p.i] != '\\' {
		r, n := utf8.DecodeRuneInString(p.s[p.i:])
		p.i += n
		return r
	}
	c := p.s[p.i+1]
	p.i += 2
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case '\\', '"', '[', ']':
		return rune(c)
	case 'x':
		n, err := strconv.ParseUint(p.s[p.i:p.i+2], 16, 8)
		if err != nil {
			panic(err)
		}
		p.i += 2
		return rune(n)
	}
	panic("unknown escape \\" + string(c))
}

// matches tells whether the whole text is derived from root.
func (g gbnf) matches(text string) bool {
	m := gmatch{g: g, s: text, memo: map[gkey][]int{}}
	for _, end := range m.rule("root", 0) {
		if end == len(text) {
			return true
		}
	}
	return false
}

type gkey struct {
	rule string
	at   int
}

// gmatch finds all ends of each rule at each place.
type gmatch struct {
	g    gbnf
	s    string
	memo map[gkey][]int
}

func (m *gmatch) rule(name string, at int) []int {
	k := gkey{name, at}
	if ends, ok := m.memo[k]; ok {
		return ends
	}
	m.memo[k] = nil
	m.memo[k] = m.alts(m.g[name], at)
	return m.memo[k]
}

func (m *gmatch) alts(alts [][]gitem, at int) []int {
	var all []int
	for _, seq := range alts {
		ends := []int{at}
		for _, it := range seq {
			ends = m.repeat(it, ends)
			if len(ends) == 0 {
				break
			}
		}
		all = union(all, ends)
	}
	return all
}

func (m *gmatch) repeat(it gitem, at []int) []int {
	var out []int
	if it.lo == 0 {
		out = at
	}
	for n := 1; len(at) > 0 && (it.hi < 0 || n <= it.hi); n++ {
		var next []int
		for _, a := range at {
			next = union(next, m.one(it, a))
		}
		if n >= it.lo {
			before := len(out)
			out = union(out, next)
			if it.hi < 0 && len(out) == before {
				break
			}
		}
		at = next
	}
	return out
}

func (m *gmatch) one(it gitem, at int) []int {
	switch {
	case it.rule != "":
		return m.rule(it.rule, at)
	case it.alts != nil:
		return m.alts(it.alts, at)
	case it.isSet:
		r, n := utf8.DecodeRuneInString(m.s[at:])
		in := false
		for i := 0; i+1 < len(it.class); i += 2 {
			in = in || r >= it.class[i] && r <= it.class[i+1]
		}
		if n == 0 || in == it.not {
			return nil
		}
		return []int{at + n}
	}
	if strings.HasPrefix(m.s[at:], it.lit) {
		return []int{at + len(it.lit)}
	}
	return nil
}

func union(a, b []int) []int {
	out := append([]int(nil), a...)
next:
	for _, x := range b {
		for _, y := range a {
			if x == y {
				continue next
			}
		}
		out = append(out, x)
	}
	return out
}

func TestGBNFAcceptsCallsAndNothingElse(t *testing.T) {
	l := listing(t)
	grammar, err := l.Grammar(text.GBNF, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	g, err := parseGBNF(grammar)
	if err != nil {
		t.Fatal(err)
	}
	texts, right := grammarTexts(t, l, calls(t, 200))
	for i, s := range texts {
		if ok := g.matches(s); ok != right[i] {
			t.Errorf("%v, want %v: %s", ok, right[i], s)
		}
	}
}
