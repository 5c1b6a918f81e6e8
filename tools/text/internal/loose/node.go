package loose

import (
	"strings"
	"unicode/utf8"

	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// Kind classes a node.
type Kind uint8

// The kinds of node.
const (
	Null Kind = iota
	Bool
	Number
	String
	Word // a text without quotes
	Array
	Object
)

// Node is one value that was read.
type Node struct {
	Kind       Kind
	Text       string // of a scalar: unescaped; a number's is valid JSON
	Keys       []string
	Items      []*Node
	Start, End int // in the text that was parsed
	// Cut: brackets were closed because the text ended.
	Cut bool
	// Fixed is what was put right inside.
	Fixed Fixes
}

// Get finds a member of an object.
func (n *Node) Get(key string) *Node {
	if n == nil || n.Kind != Object {
		return nil
	}
	for i, k := range n.Keys {
		if k == key {
			return n.Items[i]
		}
	}
	return nil
}

// AppendJSON writes the node as JSON.
func (n *Node) AppendJSON(b []byte) []byte {
	switch n.Kind {
	case Null:
		return append(b, "null"...)
	case Bool, Number:
		return append(b, n.Text...)
	case String, Word:
		return AppendString(b, n.Text)
	case Array:
		b = append(b, '[')
		for i, item := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.AppendJSON(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, item := range n.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendString(b, n.Keys[i]), ':')
		b = item.AppendJSON(b)
	}
	return append(b, '}')
}

// AppendString writes a JSON string.
func AppendString(b []byte, s string) []byte { return rawjson.AppendString(b, s) }

// Fixes is a set of repairs.
type Fixes uint32

// What may be put right.
const (
	TrailingComma Fixes = 1 << iota
	MissingComma
	SingleQuotes
	CurlyQuotes
	EntityQuotes
	BareKey
	BareWord
	PythonWords
	Comments
	RawBreaks
	InnerQuotes
	OddEscapes
	OddNumber
	Unclosed
)

var fixNames = []string{"trailing comma", "missing comma", "single quotes", "curly quotes", "HTML entities for quotes", "name without quotes",
	"text without quotes", "Python's words", "comment", "line break in a text", "quotes inside a text", "unknown escape", "number's form", "missing closing bracket"}

// Names lists the repairs in words.
func (f Fixes) Names() []string {
	var names []string
	for i, name := range fixNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// quote is a pair of quotation marks.
type quote struct {
	open  string
	close []string
	fix   Fixes
}

var quotes = []quote{
	{`"""`, []string{`"""`}, RawBreaks},
	{`"`, []string{`"`}, 0},
	{`'`, []string{`'`}, SingleQuotes},
	{"“", []string{"”", "“", `"`}, CurlyQuotes},
	{"”", []string{"”", "“"}, CurlyQuotes},
	{"„", []string{"”", "“"}, CurlyQuotes},
	{"‘", []string{"’", "‘"}, CurlyQuotes},
	{"’", []string{"’", "‘"}, CurlyQuotes},
	{"«", []string{"»"}, CurlyQuotes},
	{"`", []string{"`"}, SingleQuotes},
	{"&quot;", []string{"&quot;"}, EntityQuotes},
	{"&#34;", []string{"&#34;"}, EntityQuotes},
	{"&#39;", []string{"&#39;"}, EntityQuotes},
	{"&apos;", []string{"&apos;"}, EntityQuotes},
}

// quoteAt tells which quotation mark s begins with.
func quoteAt(s string) *quote {
	if s == "" {
		return nil
	}
	if c := s[0]; c != '"' && c != '\'' && c != '`' && c != '&' && c < utf8.RuneSelf {
		return nil
	}
	for i := range quotes {
		if strings.HasPrefix(s, quotes[i].open) {
			return &quotes[i]
		}
	}
	return nil
}
