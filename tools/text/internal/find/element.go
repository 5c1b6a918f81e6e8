package find

import (
	"html"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/form"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

func plain(name string) string { return shape.PlainName(name) }

// element handles a tag of a tool's name at i.
func (s *scan) element(i int, name string) (int, status) {
	view, last := s.view(i)
	m := markup{s: view, last: last}
	e, st := m.call(s.args(plain(name)))
	switch st {
	case wait:
		return i, s.short(view)
	case no:
		return i, s.failedIn(view, max(m.far, m.i))
	}
	return s.found(s.fromElement(name, e, m.fixes, m.cut), i, i+m.i)
}

func (s *scan) args(name string) *shape.Shape {
	if t := s.ix.lookup(name); t != nil {
		return t.Args
	}
	return &shape.Shape{Kind: shape.Map, Elem: &shape.Shape{}}
}

func (s *scan) fromElement(name string, e *form.Element, fixes []string, cut bool) Found {
	f := Found{Tool: plain(name), Form: XML, Repaired: fixes}
	shape := s.args(f.Tool)
	if t := s.ix.lookup(f.Tool); t != nil {
		f.Tool, f.Known = t.Name, true
	}
	f.Arguments = form.Arguments(shape, e)
	if cut {
		f.Status, f.Why = Incomplete, "the text ends before the tag does"
	}
	return f
}

// escapedElement handles &lt;NAME ...&gt; at i: it is read as if it had not
// been escaped.
func (s *scan) escapedElement(i int, name string) (int, status) {
	view, last := s.view(i)
	if len(view) >= maxEscaped {
		view, last, s.capped = view[:maxEscaped], false, true
	}
	text, at := unescape(view)
	m := markup{s: text, last: last}
	e, st := m.call(s.args(plain(name)))
	switch st {
	case wait:
		return i, s.short(view)
	case no:
		return i, s.failed(len(view))
	}
	fixes := append(m.fixes, "HTML entities for brackets")
	return s.found(s.fromElement(name, e, fixes, m.cut), i, i+at[m.i])
}

// maxEscaped bounds a call in escaped text: all that may be one is unescaped
// for each, whatever comes of it.
const maxEscaped = 4 << 10

// unescape undoes one level of HTML's entities, and tells for each byte of the
// result (and for its end) where it came from.
func unescape(s string) (string, []int) {
	var b strings.Builder
	at := make([]int, 0, len(s)+1)
	for i := 0; i < len(s); {
		size, text := 1, s[i:i+1]
		if s[i] == '&' {
			if end := strings.IndexByte(s[i:min(len(s), i+12)], ';'); end > 0 {
				if t := html.UnescapeString(s[i : i+end+1]); t != s[i:i+end+1] {
					size, text = end+1, t
				}
			}
		}
		for range len(text) {
			at = append(at, i)
		}
		b.WriteString(text)
		i += size
	}
	return b.String(), append(at, len(s))
}

// invoke handles <invoke name="X"><parameter name="k">v</parameter></invoke>.
func (s *scan) invoke(i int, tag string) (int, status) {
	view, last := s.view(i)
	m := markup{s: view, last: last}
	name, e, st := m.invocation(tag)
	switch st {
	case wait:
		return i, s.short(view)
	case no:
		return i, s.failedIn(view, max(m.far, m.i))
	}
	f := s.fromElement(name, e, m.fixes, m.cut)
	f.Form = Invoke
	return s.found(f, i, i+m.i)
}

// functionTag handles <function=X>, with parameters in tags or as JSON.
func (s *scan) functionTag(i int) (int, status) {
	view, last := s.view(i)
	m := markup{s: view, last: last}
	name, e, st := m.functionTag()
	switch st {
	case wait:
		return i, s.short(view)
	case no:
		return i, s.failedIn(view, max(m.far, m.i))
	}
	f := s.fromElement(name, e, m.fixes, m.cut)
	f.Form = ToolCall
	return s.found(f, i, i+m.i)
}
