package loose

import (
	"strings"
)

// Status is how an attempt ended.
type Status uint8

// The ends of an attempt.
const (
	Failed Status = iota // it is no value
	Short                // the text ends within it, and more may come
	Done
)

// Result is what an attempt gave.
type Result struct {
	Node   *Node // if Done
	Status Status
	Far    int // how far it looked
	Cost   int // at how much, the same twice where it did
}

// longestMark is more than the longest of the marks that are looked for at a
// place, in bytes.
const longestMark = 8

// maxDepth bounds nesting: what is deeper is no call that a person wrote.
const maxDepth = 48

// Parse reads the object or array that text begins with.
func Parse(text string) Result { return ParsePart(text, true) }

// ParsePart is Parse for a text that may go on, unless it is the last of it.
func ParsePart(text string, last bool) Result {
	p := parser{s: text, last: last}
	return p.result(p.value(0))
}

// ParseCall reads the arguments of name(...), of which text begins with the
// parenthesis: members with = or :, one object, or values by position. The
// node is an object; values by position are its members "0", "1" and so on.
func ParseCall(text string, last bool) Result {
	p := parser{s: text, last: last, call: true}
	return p.result(p.arguments())
}

func (p *parser) result(n *Node) Result {
	switch {
	case n != nil:
		n.Fixed = p.fixed
		return Result{Node: n, Status: Done, Far: p.far(), Cost: p.i + p.looked}
	case p.short, !p.last && p.far() > len(p.s)-longestMark:
		// Where it failed, the text may go on with the rest of a mark.
		return Result{Status: Short, Far: p.far(), Cost: p.i + p.looked}
	}
	return Result{Far: p.far(), Cost: p.i + p.looked}
}

type parser struct {
	s      string
	i      int
	seen   int // how far it looked ahead, and
	looked int // how much
	last   bool
	call   bool // within name(...): texts need quotes
	short  bool
	fixed  Fixes
}

func (p *parser) far() int { return max(p.i, p.seen) }

// end notes that the text ended where more was needed. Always nil.
func (p *parser) end() *Node {
	p.short = !p.last
	return nil
}

func (p *parser) more() bool { return p.i < len(p.s) }

// blank skips white space and comments; false: the text ended within.
func (p *parser) blank() bool {
	for p.more() {
		switch c := p.s[p.i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			p.i++
		case c == 0xC2 && strings.HasPrefix(p.s[p.i:], "\u00a0"):
			p.i += 2
		case c == '/' && strings.HasPrefix(p.s[p.i:], "//"):
			p.comment("\n")
		case c == '/' && strings.HasPrefix(p.s[p.i:], "/*"):
			p.comment("*/")
		default:
			return true
		}
	}
	return false
}

func (p *parser) comment(end string) {
	p.fixed |= Comments
	if n := strings.Index(p.s[p.i:], end); n >= 0 {
		p.i += n + len(end)
		return
	}
	p.i = len(p.s)
}

// stopped tells a place where what holds the value ends: then brackets that
// are open were forgotten.
func (p *parser) stopped() bool {
	rest := p.s[p.i:]
	return strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "</") || strings.HasPrefix(rest, "<|") || strings.HasPrefix(rest, "<｜")
}

// value reads any value.
func (p *parser) value(depth int) *Node {
	if !p.blank() {
		return p.end()
	}
	switch c := p.s[p.i]; {
	case c == '{' || c == '[':
		if depth >= maxDepth {
			return nil
		}
		return p.list(c, depth)
	case depth == 0:
		return nil
	}
	if q := quoteAt(p.s[p.i:]); q != nil {
		return p.text(q)
	}
	return p.word()
}

// list reads an object or an array.
func (p *parser) list(open byte, depth int) *Node {
	n := &Node{Kind: Array, Start: p.i}
	closer := byte(']')
	if open == '{' {
		n.Kind, closer = Object, '}'
	}
	p.i++
	comma := true
	for {
		if !p.blank() || p.stopped() {
			return p.forgotten(n, comma)
		}
		if p.s[p.i] == closer {
			if len(n.Items) > 0 && comma {
				p.fixed |= TrailingComma
			}
			p.i++
			n.End = p.i
			return n
		}
		if !comma {
			// A new line or a new text begins another member all the same.
			if quoteAt(p.s[p.i:]) == nil && p.s[p.i] != '{' {
				return nil
			}
			p.fixed |= MissingComma
		}
		if n.Kind == Object && !p.key(n) {
			return nil
		}
		item := p.value(depth + 1)
		if item == nil {
			return nil
		}
		n.Items = append(n.Items, item)
		n.Cut = n.Cut || item.Cut
		comma = p.comma()
	}
}

func (p *parser) comma() bool {
	if p.blank() && p.s[p.i] == ',' {
		p.i++
		return true
	}
	return false
}

// forgotten closes a list that its surroundings ended, if no part of it can
// be missing: it ends in a closing bracket or quotation mark.
func (p *parser) forgotten(n *Node, comma bool) *Node {
	if !p.more() && !p.last {
		return p.end()
	}
	whole := len(n.Items) > 0 && !comma
	if whole && !p.more() {
		last := n.Items[len(n.Items)-1]
		whole = last.Kind == Object || last.Kind == Array || last.Kind == String
	}
	if !whole {
		return nil
	}
	p.fixed |= Unclosed
	n.Cut = !p.more()
	n.End = p.i
	return n
}

// key reads a member's name and its colon.
func (p *parser) key(n *Node) bool {
	var name string
	if q := quoteAt(p.s[p.i:]); q != nil {
		k := p.text(q)
		if k == nil {
			return false
		}
		name = k.Text
	} else {
		from := p.i
		for p.more() && nameByte(p.s[p.i]) {
			p.i++
		}
		if !p.more() {
			p.end()
			return false
		}
		if p.i == from || p.s[from] >= '0' && p.s[from] <= '9' {
			return false
		}
		name = p.s[from:p.i]
		p.fixed |= BareKey
	}
	if !p.blank() {
		p.end()
		return false
	}
	if p.s[p.i] != ':' && !(p.call && p.s[p.i] == '=') {
		return false
	}
	p.i++
	n.Keys = append(n.Keys, name)
	return true
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '-' || c == '.'
}

// arguments reads (...).
func (p *parser) arguments() *Node {
	n := &Node{Kind: Object, Start: p.i}
	p.i++
	for comma := true; ; comma = p.comma() {
		if !p.blank() {
			return p.end()
		}
		if p.s[p.i] == ')' {
			p.i++
			n.End = p.i
			return n
		}
		if !comma || !p.argument(n) {
			return nil
		}
	}
}

func (p *parser) argument(n *Node) bool {
	named := p.i
	for named < len(p.s) && nameByte(p.s[named]) {
		named++
	}
	if named == len(p.s) {
		p.i = named
		p.end()
		return false
	}
	after := strings.TrimLeft(p.s[named:], " ")
	if after == "" {
		p.i = len(p.s)
		p.end()
		return false
	}
	if named > p.i && (after[0] == '=' || after[0] == ':') {
		before := p.fixed
		if !p.key(n) {
			return false
		}
		p.fixed = before | p.fixed&^BareKey // a name is what belongs here
	} else {
		n.Keys = append(n.Keys, position(len(n.Items)))
	}
	v := p.value(1)
	if v == nil {
		return false
	}
	n.Items = append(n.Items, v)
	return true
}

func position(i int) string { return string(rune('0' + min(i, 9))) }
