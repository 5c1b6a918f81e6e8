package find

import (
	"html"
	"strings"
	"unicode/utf8"

	"github.com/loupe-ecs/loupe/tools/text/internal/form"
	"github.com/loupe-ecs/loupe/tools/text/internal/loose"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// markup reads elements as models write them.
type markup struct {
	s     string
	i     int
	far   int
	last  bool
	cut   bool // the text ended within a tag
	fixes []string
}

// maxNesting bounds elements within elements.
const maxNesting = 32

func (m *markup) fix(what string) {
	for _, f := range m.fixes {
		if f == what {
			return
		}
	}
	m.fixes = append(m.fixes, what)
}

// end is the status where the text ended and more was needed.
func (m *markup) end() status {
	m.far = len(m.s)
	if m.last {
		return no
	}
	return wait
}

func (m *markup) no() status {
	m.far = max(m.far, m.i)
	return no
}

func (m *markup) blank() bool {
	for m.i < len(m.s) {
		switch m.s[m.i] {
		case ' ', '\n', '\t', '\r':
			m.i++
		default:
			return true
		}
	}
	return false
}

func (m *markup) at(text string) bool { return strings.HasPrefix(m.s[m.i:], text) }

// call reads the element of a call.
func (m *markup) call(s *shape.Shape) (*form.Element, status) {
	e, open, st := m.start(s, true)
	if st != yes || !open {
		return e, st
	}
	return e, m.content(e, s, 0)
}

// start reads a start tag; open says that content follows.
func (m *markup) start(s *shape.Shape, root bool) (e *form.Element, open bool, st status) {
	m.i++
	name, whole := tagName(m.s[m.i:])
	if !whole {
		return nil, false, m.end()
	}
	m.i += len(name)
	e = &form.Element{Name: name}
	for {
		spaced := m.i
		if !m.blank() {
			return m.unended(e, root, spaced)
		}
		switch c := m.s[m.i]; {
		case c == '>':
			m.i++
			return e, true, yes
		case c == '/':
			m.i++
			if !m.blank() {
				return m.unended(e, root, spaced)
			}
			if m.s[m.i] == '>' {
				m.i++
				return e, false, yes
			}
			continue
		case spaced == m.i && len(e.Attrs) == 0:
			return nil, false, m.no() // <Health_configured
		}
		st := m.attribute(e, s)
		if st == wait {
			return nil, false, wait
		}
		if st == no {
			if root && len(e.Attrs) > 0 {
				// What follows is no part of the tag: its end was forgotten.
				m.i = spaced
				m.fix("tag without its end")
				return e, false, yes
			}
			return nil, false, m.no()
		}
	}
}

// unended handles a tag that the text ends in.
func (m *markup) unended(e *form.Element, root bool, at int) (*form.Element, bool, status) {
	if !m.last || !root || len(e.Attrs) == 0 {
		return nil, false, m.end()
	}
	if strings.Contains(m.s[at:], "\n") {
		m.fix("tag without its end")
	} else {
		m.cut = true // more of it may have been lost
	}
	m.i = at
	return e, false, yes
}

// attribute reads name="value". st is no, and nothing is read, if none stands
// there.
func (m *markup) attribute(e *form.Element, s *shape.Shape) status {
	from := m.i
	n := 0
	for n < len(m.s)-from && attrByte(m.s[from+n]) {
		n++
	}
	if n == len(m.s)-from {
		return m.end()
	}
	if n == 0 {
		return no
	}
	name := m.s[from : from+n]
	m.i += n
	if !m.blank() && !m.last {
		return m.end()
	}
	f := s.Field(plain(name))
	if m.i >= len(m.s) || m.s[m.i] != '=' {
		// A word alone is a switch, if the tool has one of that name.
		m.i = from
		if f == nil || f.Kind != shape.Bool {
			return no
		}
		m.i += n
		m.fix("attribute without a value")
		e.Attrs = append(e.Attrs, form.Attr{Name: name, Value: "true"})
		return yes
	}
	m.i++
	if !m.blank() {
		m.cut = m.last
		return m.end()
	}
	open := f == nil || f.Kind == shape.Text || !f.Inline()
	value, st := m.value(open)
	if st != yes {
		return st
	}
	e.Attrs = append(e.Attrs, form.Attr{Name: name, Value: value})
	return yes
}

func attrByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == ':' || c == '.' || c >= utf8.RuneSelf && c != 0xE2
}

// marks are the quotation marks of attributes.
var marks = []struct {
	open  string
	close []string
	fix   string
}{
	{`"`, []string{`"`}, ""},
	{`'`, []string{`'`}, ""},
	{"“", []string{"”", "“", `"`}, "curly quotes"},
	{"”", []string{"”", "“", `"`}, "curly quotes"},
	{"„", []string{"”", "“", `"`}, "curly quotes"},
	{"‘", []string{"’", "‘", "'"}, "curly quotes"},
	{"’", []string{"’", "‘", "'"}, "curly quotes"},
	{"«", []string{"»"}, "curly quotes"},
	{`\"`, []string{`\"`}, "escaped quotes"},
	{"&quot;", []string{"&quot;"}, "HTML entities for quotes"},
	{"&#34;", []string{"&#34;"}, "HTML entities for quotes"},
}

// value reads an attribute's value. open values are texts, which may hold
// anything; others hold no line break and no bracket.
func (m *markup) value(open bool) (string, status) {
	for _, q := range marks {
		if m.at(q.open) {
			if q.fix != "" {
				m.fix(q.fix)
			}
			m.i += len(q.open)
			return m.quoted(q.close, open)
		}
	}
	if m.s[m.i] == '{' {
		return m.braced()
	}
	return m.unquoted()
}

func (m *markup) quoted(closers []string, open bool) (string, status) {
	from := m.i
	for i := from; i < len(m.s); i++ {
		c := m.s[i]
		if !open && (c == '\n' || c == '<') {
			break
		}
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' {
			continue
		}
		for _, mark := range closers {
			if !strings.HasPrefix(m.s[i:], mark) {
				continue
			}
			ends, known := m.delimited(i + len(mark))
			if !known {
				return "", m.end()
			}
			if ends {
				m.i = i + len(mark)
				return html.UnescapeString(m.s[from:i]), yes
			}
			m.fix("quotes inside a text")
		}
	}
	if open || !strings.ContainsAny(m.s[from:], "\n<") {
		m.cut = m.last
		return "", m.end()
	}
	// The closing quotation mark was forgotten.
	m.fix("text without its closing quote")
	n := strings.IndexAny(m.s[from:], " \t\r\n/><")
	m.i = from + n
	return html.UnescapeString(m.s[from : from+n]), yes
}

// delimited tells whether what may follow an attribute comes at i: space, the
// tag's end, another attribute.
func (m *markup) delimited(i int) (yes, known bool) {
	if i >= len(m.s) {
		return true, m.last
	}
	switch m.s[i] {
	case ' ', '\t', '\r', '\n', '/', '>', '<', ',', ';':
		return true, true
	}
	n := i
	for n < len(m.s) && attrByte(m.s[n]) {
		n++
	}
	if n == len(m.s) {
		return true, m.last
	}
	return n > i && m.s[n] == '=', true
}

// braced reads {7}, the way of JSX, or the JSON of a list or map.
func (m *markup) braced() (string, status) {
	if m.i+1 >= len(m.s) {
		return "", m.end()
	}
	m.fix("braces around a value")
	r := loose.ParsePart(m.s[m.i:], m.last)
	if r.Status == loose.Done {
		text := m.s[m.i : m.i+r.Node.End]
		m.i += r.Node.End
		return text, yes
	}
	n := strings.IndexByte(m.s[m.i:], '}')
	if n < 0 {
		return "", m.end()
	}
	inner := strings.TrimSpace(m.s[m.i+1 : m.i+n])
	if strings.HasPrefix(inner, "{") || strings.HasPrefix(inner, "[") {
		r = loose.ParsePart(m.s[m.i+1:], m.last)
		switch r.Status {
		case loose.Short:
			return "", m.end()
		case loose.Done:
			inner = strings.TrimSpace(m.s[m.i+1 : m.i+1+r.Node.End])
			n = 1 + r.Node.End
			if rest := strings.TrimLeft(m.s[m.i+n:], " \n\t"); strings.HasPrefix(rest, "}") {
				n = len(m.s) - m.i - len(rest)
			}
		}
	}
	m.i += min(n+1, len(m.s)-m.i)
	return strings.Trim(inner, "\"'`"), yes
}

func (m *markup) unquoted() (string, status) {
	from := m.i
	for m.i < len(m.s) && !strings.ContainsRune(" \t\r\n><,;", rune(m.s[m.i])) && !m.at("/>") {
		m.i++
	}
	if m.i == len(m.s) {
		m.cut = m.last
		return "", m.end()
	}
	if m.i == from {
		return "", no
	}
	m.fix("value without quotes")
	v := html.UnescapeString(m.s[from:m.i])
	if m.at(",") || m.at(";") {
		m.i++
	}
	return v, yes
}

// anything is the shape of what may hold anything.
var anything = &shape.Shape{}
