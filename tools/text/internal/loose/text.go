package loose

import (
	"encoding/json"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// text reads a text in quotation marks.
func (p *parser) text(q *quote) *Node {
	n := &Node{Kind: String, Start: p.i}
	p.fixed |= q.fix
	p.i += len(q.open)
	from := p.i
	var b strings.Builder // from the first escape on
	escaped := false
	for p.more() {
		c := p.s[p.i]
		switch {
		case c == '\\':
			if !escaped {
				escaped = true
				b.WriteString(p.s[from:p.i])
			}
			if !p.escape(&b) {
				return p.end()
			}
			continue
		case c == '\n' && len(q.open) < 3:
			p.fixed |= RawBreaks
		}
		if mark := closing(p.s[p.i:], q); mark != "" {
			ends, known := p.ends(q, mark)
			if !known {
				p.i = len(p.s)
				return p.end()
			}
			if ends {
				n.Text = p.s[from:p.i]
				if escaped {
					n.Text = b.String()
				}
				if q.fix == EntityQuotes {
					n.Text = html.UnescapeString(n.Text)
				}
				p.i += len(mark)
				n.End = p.i
				return n
			}
			p.fixed |= InnerQuotes
		}
		if escaped {
			b.WriteByte(c)
		}
		p.i++
	}
	return p.end()
}

func closing(s string, q *quote) string {
	if c := s[0]; c != '"' && c != '\'' && c != '`' && c != '&' && c < utf8.RuneSelf {
		return ""
	}
	for _, mark := range q.close {
		if strings.HasPrefix(s, mark) {
			return mark
		}
	}
	return ""
}

// innerReach bounds how far it is looked for a better end of a text.
const innerReach = 256

// ends tells whether a quotation mark ends the text, or is one of the text:
// then another one ends it on the same line, in front of what follows a value.
func (p *parser) ends(q *quote, mark string) (ends, known bool) {
	if ends, known = p.delimited(p.i + len(mark)); ends || !known {
		return ends, known
	}
	for i := p.i + len(mark); i < p.i+innerReach; i++ {
		p.seen = max(p.seen, i)
		// Looking ahead may cost no more than reading does, but for a few looks
		// that a short text has as well.
		if p.looked++; p.looked > len(p.s)+4*innerReach {
			return true, true
		}
		if i >= len(p.s) {
			return true, p.last
		}
		if p.s[i] == '\n' {
			break
		}
		if m := closing(p.s[i:], q); m != "" && p.s[i-1] != '\\' {
			if ends, known := p.delimited(i + len(m)); ends || !known {
				return false, known
			}
		}
	}
	return true, true
}

// delimited tells whether what may follow a value comes at i.
func (p *parser) delimited(i int) (yes, known bool) {
	for ; i < len(p.s); i++ {
		p.looked++
		switch p.s[i] {
		case ' ', '\t', '\r', '\n':
		case ',', ':', '}', ']', ')', '/', '=':
			return true, true
		default:
			rest := p.s[i:]
			return strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "<"), true
		}
	}
	p.seen = max(p.seen, len(p.s))
	return true, p.last
}

// escape reads a backslash and what it escapes; false: the text ended.
func (p *parser) escape(b *strings.Builder) bool {
	rest := p.s[p.i:]
	if len(rest) < 2 {
		return false
	}
	size := 2
	switch c := rest[1]; c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case '"', '\\', '/':
		b.WriteByte(c)
	case '\'', '`':
		p.fixed |= OddEscapes
		b.WriteByte(c)
	case '\n':
		p.fixed |= OddEscapes
	case 'u', 'x':
		digits := 4
		if c == 'x' {
			digits = 2
			p.fixed |= OddEscapes
		}
		if len(rest) < 2+digits {
			return false
		}
		r, err := strconv.ParseUint(rest[2:2+digits], 16, 32)
		if err != nil {
			p.fixed |= OddEscapes
			b.WriteString(rest[:2])
			break
		}
		size += digits
		if r >= 0xD800 && r < 0xDC00 {
			// A pair of surrogates.
			if len(rest) < size+6 {
				return false
			}
			low, err := strconv.ParseUint(rest[size+2:size+6], 16, 32)
			if rest[size] == '\\' && rest[size+1] == 'u' && err == nil && low >= 0xDC00 && low < 0xE000 {
				r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
				size += 6
			}
		}
		b.WriteRune(rune(r))
	default:
		p.fixed |= OddEscapes
		b.WriteByte('\\')
		size = 1
	}
	p.i += size
	return true
}

// word reads a value without quotes: a number, true, null, or a text.
func (p *parser) word() *Node {
	n := &Node{Start: p.i}
	for p.more() && wordByte(p.s[p.i]) {
		p.i++
	}
	if !p.more() {
		// It may go on; at the very end it may have been cut off.
		return p.end()
	}
	n.End = p.i
	w := p.s[n.Start:p.i]
	switch w {
	case "":
		return nil
	case "true", "false":
		n.Kind, n.Text = Bool, w
	case "null":
	case "True", "False":
		p.fixed |= PythonWords
		n.Kind, n.Text = Bool, strings.ToLower(w)
	case "None", "undefined", "nil":
		p.fixed |= PythonWords
	case "NaN", "Infinity", "-Infinity":
		n.Kind, n.Text = String, w
	default:
		return p.plain(n, w)
	}
	return n
}

func wordByte(c byte) bool {
	return nameByte(c) || c == '+' || c == '@' || c >= utf8.RuneSelf
}

func (p *parser) plain(n *Node, w string) *Node {
	if c := w[0]; c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9' {
		if json.Valid([]byte(w)) {
			n.Kind, n.Text = Number, w
			return n
		}
		if f, err := strconv.ParseFloat(strings.ReplaceAll(w, "_", ""), 64); err == nil && !strings.ContainsAny(w, "xXnN") {
			p.fixed |= OddNumber
			n.Kind, n.Text = Number, oddNumber(w, f)
			return n
		}
	} else if p.call {
		return nil // name(entity: string) tells of a call, it is none
	}
	if strings.Contains(w, "..") {
		return nil // a placeholder: the text shows what a call looks like
	}
	p.fixed |= BareWord
	n.Kind, n.Text = Word, w
	return n
}

// oddNumber writes 1_000, +5 or .5 as JSON, digit for digit where it can.
func oddNumber(w string, f float64) string {
	s := strings.TrimPrefix(strings.ReplaceAll(w, "_", ""), "+")
	if json.Valid([]byte(s)) {
		return s
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
