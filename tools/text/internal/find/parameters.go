package find

import (
	"regexp"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/form"
	"github.com/loupe-ecs/loupe/tools/text/internal/loose"
)

// invocation reads <invoke name="X">, its parameters and its end tag. tag is
// the element's name, which may have a prefix.
func (m *markup) invocation(tag string) (name string, e *form.Element, st status) {
	head, open, st := m.start(anything, true)
	if st != yes {
		return "", nil, st
	}
	for _, a := range head.Attrs {
		if a.Name == "name" {
			name = a.Value
		}
	}
	if name == "" {
		return "", nil, m.no()
	}
	e = &form.Element{Name: name}
	if !open {
		return name, e, yes
	}
	prefix := strings.TrimSuffix(tag, "invoke")
	return name, e, m.parameters(e, tag, prefix+"parameter")
}

// functionTag reads <function=X> with <parameter=k>v</parameter> or JSON.
func (m *markup) functionTag() (name string, e *form.Element, st status) {
	m.i += len("<function=")
	end := strings.IndexByte(m.s[m.i:min(len(m.s), m.i+longestName)], '>')
	if end < 0 {
		if len(m.s)-m.i >= longestName {
			return "", nil, m.no()
		}
		return "", nil, m.end()
	}
	name = strings.Trim(m.s[m.i:m.i+end], `"' `)
	m.i += end + 1
	e = &form.Element{Name: name}
	return name, e, m.parameters(e, "function", "parameter")
}

// parameters reads parameters up to an element's end tag. Without the end tag
// it is enough that something else begins.
func (m *markup) parameters(e *form.Element, tag, parameter string) status {
	for {
		whole := m.i
		if !m.blank() {
			if !m.last || len(e.Children) == 0 {
				return m.end()
			}
			m.fix("element without its end tag")
			m.i = whole
			return yes
		}
		switch {
		case m.at("{") && len(e.Children) == 0:
			r := loose.ParsePart(m.s[m.i:], m.last)
			if r.Status != loose.Done {
				if r.Status == loose.Short {
					return m.end()
				}
				return m.no()
			}
			for _, f := range r.Node.Fixed.Names() {
				m.fix(f)
			}
			e.Text = string(r.Node.AppendJSON(nil))
			m.i += r.Node.End
			return m.bodyEnd(tag)
		case m.at("</"):
			ended, st := m.endTag(tag)
			if st == yes && !ended {
				m.fix("element without its end tag")
				m.i = whole
			}
			return st
		case m.at("<"):
			st := m.parameter(e, parameter)
			if st == no && len(e.Children) > 0 {
				m.fix("element without its end tag")
				m.i = whole
				return yes
			}
			if st != yes {
				return st
			}
		default:
			return m.no()
		}
	}
}

// parameter reads <parameter name="k">v</parameter> or <parameter=k>v</parameter>.
func (m *markup) parameter(e *form.Element, tag string) status {
	rest := m.s[m.i+1:]
	if len(rest) <= len(tag) {
		return m.end()
	}
	if !strings.HasPrefix(rest, tag) {
		return m.no()
	}
	var name string
	if rest[len(tag)] == '=' {
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			return m.end()
		}
		name = strings.Trim(rest[len(tag)+1:end], `"' `)
		m.i += end + 2
	} else {
		h := markup{s: m.s[m.i:], last: m.last}
		head, _, st := h.start(anything, false)
		m.far = max(m.far, m.i+h.far, m.i+h.i)
		if st != yes {
			return st
		}
		for _, a := range head.Attrs {
			if a.Name == "name" {
				name = a.Value
			}
		}
		m.i += h.i
	}
	if name == "" {
		return m.no()
	}
	n := strings.Index(m.s[m.i:], "</"+tag)
	if n < 0 {
		return m.end()
	}
	value := plainText(m.s[m.i : m.i+n])
	m.i += n
	m.far = max(m.far, m.i)
	ended, st := m.endTag(tag)
	if st != yes {
		return st
	}
	if !ended {
		return m.no()
	}
	e.Children = append(e.Children, &form.Element{Name: name, Text: value})
	return yes
}

var beforePairs = regexp.MustCompile(`<tool_call>\s*([A-Za-z0-9_.:/-]+)\s*$`)

// argPairs handles an <arg_key> at i: <tool_call>X, then pairs of <arg_key> and
// <arg_value>.
func (s *scan) argPairs(i int) (int, status) {
	b := s.before(i, lookBack)
	at := beforePairs.FindStringSubmatchIndex(b)
	if at == nil {
		return i, no
	}
	view, last := s.view(i)
	m := markup{s: view, last: last}
	e := &form.Element{Name: b[at[2]:at[3]]}
	for {
		st := m.pair(e)
		if st == wait {
			return i, s.short(view)
		}
		if st == no {
			break
		}
	}
	if len(e.Children) == 0 {
		return i, s.failedIn(view, max(m.far, m.i))
	}
	f := s.fromElement(e.Name, e, m.fixes, false)
	f.Form = ToolCall
	return s.found(f, i-len(b)+at[2], i+m.i)
}

func (m *markup) pair(e *form.Element) status {
	from := m.i
	var parts [2]string
	for k, tag := range []string{"arg_key", "arg_value"} {
		if !m.blank() || len(m.s)-m.i < len(tag)+2 {
			m.i = from
			return m.end()
		}
		if !m.at("<" + tag + ">") {
			m.i = from
			return m.no()
		}
		n := strings.Index(m.s[m.i:], "</"+tag+">")
		if n < 0 {
			m.i = from
			return m.end()
		}
		parts[k] = plainText(m.s[m.i+len(tag)+2 : m.i+n])
		m.i += n + len(tag) + 3
	}
	e.Children = append(e.Children, &form.Element{Name: strings.TrimSpace(parts[0]), Text: parts[1]})
	return yes
}
