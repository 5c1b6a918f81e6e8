package find

import (
	"html"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/form"
	"github.com/loupe-ecs/loupe/tools/text/internal/loose"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// content reads what stands between an element's tags. A call whose end tag
// was forgotten ends where something comes that cannot be a part of it.
func (m *markup) content(e *form.Element, s *shape.Shape, depth int) status {
	root := depth == 0
	whole := m.i // the call is whole up to here
	forgotten := func() status {
		if !root || len(e.Attrs)+len(e.Children) == 0 {
			return m.no() // <stats> alone is a word in a sentence
		}
		m.fix("element without its end tag")
		m.i = whole
		return yes
	}
	var text strings.Builder
	for {
		textual := s.Kind != shape.Struct && s.Kind != shape.Map || len(e.Attrs)+len(e.Children) == 0 && !root
		from := m.i
		if !textual {
			m.blank()
		} else if n := strings.IndexByte(m.s[m.i:], '<'); n >= 0 {
			m.i += n
		} else {
			m.i = len(m.s)
		}
		text.WriteString(m.s[from:m.i])
		switch {
		case m.i >= len(m.s):
			if m.last && root {
				return forgotten()
			}
			return m.end()
		case m.at("<!--"):
			n := strings.Index(m.s[m.i:], "-->")
			if n < 0 {
				return m.end()
			}
			m.i += n + 3
		case m.at("</"):
			ended, st := m.endTag(e.Name)
			if st != yes {
				return st
			}
			if !ended {
				return forgotten()
			}
			e.Text = html.UnescapeString(strings.TrimSpace(text.String()))
			return yes
		case len(m.s)-m.i < len("<!--") && strings.HasPrefix("<!--", m.s[m.i:]):
			return m.end()
		case m.at("<") && isNameStart(m.s[m.i+1:]):
			st := m.child(e, s, depth)
			if st == no && root {
				return forgotten()
			}
			if st != yes {
				return st
			}
			whole = m.i
		case m.at("{") && root && len(e.Attrs)+len(e.Children) == 0:
			r := loose.ParsePart(m.s[m.i:], m.last)
			switch r.Status {
			case loose.Short:
				return m.end()
			case loose.Failed:
				return m.no()
			}
			for _, f := range r.Node.Fixed.Names() {
				m.fix(f)
			}
			text.Write(r.Node.AppendJSON(nil))
			m.i += r.Node.End
			whole = m.i
			e.Text = text.String()
			return m.bodyEnd(e.Name)
		default:
			return forgotten()
		}
	}
}

// bodyEnd reads the end tag of a call whose content was JSON, if it is there.
func (m *markup) bodyEnd(name string) status {
	whole := m.i
	m.blank()
	if len(m.s)-m.i < len("</") && !m.last {
		return m.end()
	}
	if m.at("</") {
		if ended, st := m.endTag(name); ended || st != yes {
			return st
		}
	}
	m.fix("element without its end tag")
	m.i = whole
	return yes
}

// endTag reads </name>; ended is false, and nothing is read, if it is that of
// another element.
func (m *markup) endTag(name string) (ended bool, st status) {
	rest := m.s[m.i+2:]
	n, whole := tagName(rest)
	if !whole {
		return false, m.end()
	}
	if n != name {
		return false, yes
	}
	after := strings.TrimLeft(rest[len(n):], " \t\r\n")
	if after == "" {
		return false, m.end()
	}
	if after[0] != '>' {
		return false, yes
	}
	m.i = len(m.s) - len(after) + 1
	return true, yes
}

// child reads an argument that is an element. st is no if it cannot be one of
// the parent's.
func (m *markup) child(e *form.Element, s *shape.Shape, depth int) status {
	name, whole := tagName(m.s[m.i+1:])
	if !whole {
		return m.end()
	}
	part, ok := partShape(s, plain(name))
	if !ok || depth >= maxNesting {
		return m.no()
	}
	c, open, st := m.start(part, false)
	if st != yes {
		return st
	}
	if open {
		if st := m.inside(c, part, depth+1); st != yes {
			return st
		}
	}
	e.Children = append(e.Children, c)
	return yes
}

// partShape is the shape of a child, and whether there may be one of the name.
func partShape(s *shape.Shape, name string) (*shape.Shape, bool) {
	switch s.Kind {
	case shape.Struct:
		f := s.Field(name)
		if f == nil {
			return nil, false
		}
		if f.Kind == shape.List && f.Elem.Kind != shape.List {
			// Either the list or one of its items.
			return &shape.Shape{Kind: shape.Any, Elem: f.Elem}, true
		}
		return f.Shape, true
	case shape.List, shape.Map:
		return s.Elem, true
	}
	if s.Elem != nil && name != "item" {
		if f := s.Elem.Field(name); f != nil {
			return f.Shape, true
		}
	}
	if s.Elem != nil && name == "item" {
		return s.Elem, true
	}
	return &shape.Shape{}, true
}

// inside reads what stands in a child: a text up to its end tag, or elements.
func (m *markup) inside(c *form.Element, s *shape.Shape, depth int) status {
	n := strings.Index(m.s[m.i:], "</"+c.Name)
	if n < 0 {
		return m.end()
	}
	raw := m.s[m.i : m.i+n]
	from := m.i
	m.far = max(m.far, m.i+n) // what was looked at counts, whatever comes of it
	if elements := strings.Contains(raw, "<") && s.Kind != shape.Text && !s.Scalar(); elements {
		fixes := len(m.fixes)
		if st := m.content(c, s, depth); st != no {
			return st
		}
		// It is no markup: a text with a bracket in it.
		m.i, m.fixes = from, m.fixes[:fixes]
		c.Children = nil
	}
	m.i += n
	ended, st := m.endTag(c.Name)
	if st != yes || !ended {
		if st == yes {
			st = m.no()
		}
		return st
	}
	c.Text = plainText(raw)
	return yes
}

// plainText is what a raw content stands for: without CDATA's brackets, else
// unescaped unless it has brackets of its own, and without the line breaks
// next to the tags.
func plainText(raw string) string {
	if inner, ok := strings.CutPrefix(strings.TrimSpace(raw), "<![CDATA["); ok {
		return strings.TrimSuffix(inner, "]]>")
	}
	raw = strings.TrimPrefix(strings.TrimPrefix(raw, "\r"), "\n")
	if i := strings.LastIndexByte(raw, '\n'); i >= 0 && strings.TrimSpace(raw[i:]) == "" {
		raw = strings.TrimSuffix(raw[:i], "\r")
	}
	if strings.Contains(raw, "<") {
		return raw
	}
	return html.UnescapeString(raw)
}
