package form

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/loose"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// Element is an XML element as it was found: names and texts are unescaped.
type Element struct {
	Name     string
	Attrs    []Attr
	Children []*Element
	Text     string // what is not in children, joined
}

// Attr is one attribute.
type Attr struct{ Name, Value string }

// Arguments turns the element of a call into the JSON of its arguments. What
// does not fit the shape is passed on as it was written: the checks that every
// call goes through say what is wrong with it.
func Arguments(s *shape.Shape, e *Element) json.RawMessage {
	return appendValue(nil, s, e)
}

var none = &shape.Shape{}

func known(s *shape.Shape) *shape.Shape {
	if s == nil {
		return none
	}
	return s
}

// appendValue writes what an element stands for.
func appendValue(b []byte, s *shape.Shape, e *Element) []byte {
	s = known(s)
	bare := len(e.Attrs) == 0 && len(e.Children) == 0
	switch s.Kind {
	case shape.Struct:
		if bare && strings.TrimSpace(e.Text) != "" {
			return Word(b, s, e.Text)
		}
		return appendObject(b, e, func(name string) *shape.Shape {
			if f := s.Field(name); f != nil {
				return f.Shape
			}
			return nil
		})
	case shape.Map:
		if bare && strings.TrimSpace(e.Text) != "" {
			return Word(b, s, e.Text)
		}
		return appendMap(b, s, e)
	case shape.List:
		return appendList(b, s, e)
	case shape.Any:
		return appendAny(b, e)
	}
	if bare {
		return Word(b, s, e.Text)
	}
	return appendAny(b, e)
}

// member is one name of an object under way: elements of one name make a list.
type member struct {
	name   string
	shape  *shape.Shape
	values [][]byte
	items  bool // the values are items of a list, not whole ones
}

func appendObject(b []byte, e *Element, find func(string) *shape.Shape) []byte {
	var members []member
	at := map[string]int{}
	add := func(name string, s *shape.Shape, v []byte) *member {
		i, ok := at[name]
		if !ok {
			i = len(members)
			at[name] = i
			members = append(members, member{name: name, shape: known(s)})
		}
		members[i].values = append(members[i].values, v)
		return &members[i]
	}
	for _, a := range e.Attrs {
		name := shape.PlainName(a.Name)
		s := find(name)
		add(name, s, Word(nil, known(s), a.Value))
	}
	for _, c := range e.Children {
		name := shape.PlainName(c.Name)
		s := find(name)
		if known(s).Kind == shape.List && !wrapsItems(c) && !listText(known(s), c) {
			// <with>Enemy</with><with>Health</with>: each is an item.
			add(name, s, appendValue(nil, s.Elem, c)).items = true
			continue
		}
		add(name, s, appendValue(nil, s, c))
	}
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, marshal(m.name)...), ':')
		b = m.append(b)
	}
	return append(b, '}')
}

// append writes a member; a name that came several times is a list.
func (m *member) append(b []byte) []byte {
	if len(m.values) == 1 && !m.items {
		return append(b, m.values[0]...)
	}
	return append(append(append(b, '['), bytes.Join(m.values, []byte(","))...), ']')
}

// wrapsItems tells an element that holds a list's items from one that is an
// item itself.
func wrapsItems(e *Element) bool {
	if len(e.Children) == 0 {
		return len(e.Attrs) == 0 && strings.TrimSpace(e.Text) == ""
	}
	for _, c := range e.Children {
		if c.Name != itemElement {
			return false
		}
	}
	return len(e.Attrs) == 0
}

// listText tells an element whose text is a list: words, or JSON.
func listText(s *shape.Shape, e *Element) bool {
	if len(e.Children) > 0 || len(e.Attrs) > 0 {
		return false
	}
	return s.Words() != nil || strings.HasPrefix(strings.TrimSpace(e.Text), "[")
}

func appendList(b []byte, s *shape.Shape, e *Element) []byte {
	if listText(s, e) {
		return Word(b, s, e.Text)
	}
	items := e.Children
	if !wrapsItems(e) {
		items = []*Element{e}
	}
	b = append(b, '[')
	for i, c := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, s.Elem, c)
	}
	return append(b, ']')
}

func appendMap(b []byte, s *shape.Shape, e *Element) []byte {
	named := &Element{Attrs: e.Attrs}
	for _, c := range e.Children {
		if key, ok := entryKey(c); ok {
			rest := *c
			rest.Attrs = nil
			for _, a := range c.Attrs {
				if a.Name != keyAttribute {
					rest.Attrs = append(rest.Attrs, a)
				}
			}
			rest.Name = shape.XMLName(key)
			c = &rest
			if wrapped(s.Elem) && len(rest.Attrs) == 0 && len(rest.Children) == 1 && rest.Children[0].Name == valueElement {
				value := *rest.Children[0]
				value.Name = rest.Name
				c = &value
			}
		}
		named.Children = append(named.Children, c)
	}
	return appendObject(b, named, func(string) *shape.Shape { return s.Elem })
}

func entryKey(e *Element) (string, bool) {
	if e.Name == entryElement {
		for _, a := range e.Attrs {
			if a.Name == keyAttribute {
				return a.Value, true
			}
		}
	}
	return "", false
}

// appendAny guesses what an element of no known shape stands for.
func appendAny(b []byte, e *Element) []byte {
	switch {
	case len(e.Attrs) == 0 && len(e.Children) == 0:
		return Word(b, none, e.Text)
	case len(e.Children) > 0 && wrapsItems(e):
		return appendList(b, &shape.Shape{Kind: shape.List, Elem: none}, e)
	case len(e.Children) > 0 && len(e.Attrs) == 0:
		if _, ok := entryKey(e.Children[0]); ok {
			return appendMap(b, &shape.Shape{Kind: shape.Map, Elem: none}, e)
		}
	}
	return appendObject(b, e, func(string) *shape.Shape { return nil })
}

// Word writes the JSON of a value that was written as text.
func Word(b []byte, s *shape.Shape, text string) []byte {
	word := strings.TrimSpace(text)
	switch s.Kind {
	case shape.Text:
		return append(b, marshal(text)...)
	case shape.Bool:
		switch strings.ToLower(word) {
		case "true", "false":
			return append(b, strings.ToLower(word)...)
		}
	case shape.Int, shape.Number:
		if isNumber(word) {
			return append(b, word...)
		}
	case shape.Label:
		if s.Literal {
			for _, l := range s.Labels {
				if l == word {
					return append(b, word...)
				}
			}
		}
	case shape.Entity:
		if s.None && (word == "" || word == "null") {
			return append(b, "null"...)
		}
	case shape.List, shape.Struct:
		if w := s.Words(); w != nil && !strings.HasPrefix(word, "[") && !strings.HasPrefix(word, "{") {
			return appendWords(b, w, word)
		}
		fallthrough
	case shape.Map, shape.Any:
		if strings.HasPrefix(word, "{") || strings.HasPrefix(word, "[") {
			if v := loose.Parse(word); v.Status == loose.Done && strings.TrimSpace(word[v.Node.End:]) == "" {
				return v.Node.AppendJSON(b)
			}
		}
		if s.Kind == shape.List {
			return append(Word(append(b, '['), s.Elem, text), ']')
		}
		return append(b, marshal(text)...)
	}
	return append(b, marshal(word)...)
}

func appendWords(b []byte, s *shape.Shape, text string) []byte {
	b = append(b, '[')
	for i, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == ';' || r == '\t' || r == '\n' || r == '\r' }) {
		if i > 0 {
			b = append(b, ',')
		}
		b = Word(b, s, w)
	}
	return append(b, ']')
}

func isNumber(s string) bool {
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return false
	}
	return json.Valid([]byte(s))
}
