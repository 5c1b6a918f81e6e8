package value

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

const (
	// maxJSONDepth and maxJSONSize bound what a client may send as one value.
	maxJSONDepth = 100
	maxJSONSize  = 16 << 20
)

// node is a value as it came, from JSON or from a script, before a type is
// known: numbers keep their text, objects their order.
type node struct {
	kind  nodeKind
	text  string // of a string or a number
	items []node
	keys  []string
	raw   []byte // the JSON text, if it came as JSON
}

type nodeKind uint8

const (
	nodeNull nodeKind = iota
	nodeBool          // text is "true" or "false"
	nodeNumber
	nodeString
	nodeArray
	nodeObject
)

func (k nodeKind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// get finds a member of an object.
func (n *node) get(key string) *node {
	for i, k := range n.keys {
		if k == key {
			return &n.items[i]
		}
	}
	return nil
}

// parseJSON reads strict JSON. Unlike encoding/json it refuses duplicate keys
// and text that is not Unicode, because both would lose data in silence.
func parseJSON(raw []byte) (node, error) {
	if len(raw) > maxJSONSize {
		return node{}, &refusal.Error{Code: refusal.TooLarge, Message: fmt.Sprintf("the value is %d bytes long; at most %d are accepted", len(raw), maxJSONSize),
			Got: len(raw), Want: maxJSONSize}
	}
	p := parser{b: raw}
	n, err := p.value(0)
	if err == nil {
		p.space()
		if p.i < len(p.b) {
			err = p.fault("text after the end of the value")
		}
	}
	return n, err
}

type parser struct {
	b []byte
	i int
}

func (p *parser) fault(what string) error {
	from := max(0, p.i-12)
	to := min(len(p.b), p.i+12)
	return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("not valid JSON at byte %d: %s", p.i, what),
		Got: string([]rune(string(p.b[from:to]))), Want: "one JSON value"}
}

func (p *parser) space() {
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

func (p *parser) value(depth int) (n node, err error) {
	if depth > maxJSONDepth {
		return n, p.fault("nested deeper than " + strconv.Itoa(maxJSONDepth))
	}
	p.space()
	if p.i >= len(p.b) {
		return n, p.fault("it ends where a value should be")
	}
	start := p.i
	switch c := p.b[p.i]; {
	case c == '{':
		n.kind = nodeObject
		err = p.object(&n, depth)
	case c == '[':
		n.kind = nodeArray
		err = p.array(&n, depth)
	case c == '"':
		n.kind = nodeString
		n.text, err = p.str()
	case c == '-' || c >= '0' && c <= '9':
		n.kind = nodeNumber
		for p.i < len(p.b) && (p.b[p.i] == '-' || p.b[p.i] == '+' || p.b[p.i] == '.' || p.b[p.i]|0x20 == 'e' || p.b[p.i] >= '0' && p.b[p.i] <= '9') {
			p.i++
		}
		n.text = string(p.b[start:p.i])
		if !layout.NumberText(n.text) {
			p.i = start
			err = p.fault("a malformed number")
		}
	case p.word("true"), p.word("false"):
		n.kind, n.text = nodeBool, string(p.b[start:p.i])
	case p.word("null"):
	default:
		err = p.fault("unexpected " + strconv.QuoteRune(rune(c)))
	}
	n.raw = p.b[start:p.i]
	return n, err
}

func (p *parser) word(w string) bool {
	if len(p.b)-p.i >= len(w) && string(p.b[p.i:p.i+len(w)]) == w {
		p.i += len(w)
		return true
	}
	return false
}

func (p *parser) array(n *node, depth int) error {
	p.i++
	p.space()
	if p.i < len(p.b) && p.b[p.i] == ']' {
		p.i++
		return nil
	}
	for {
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
		p.space()
		switch {
		case p.i < len(p.b) && p.b[p.i] == ',':
			p.i++
		case p.i < len(p.b) && p.b[p.i] == ']':
			p.i++
			return nil
		default:
			return p.fault("expected , or ] in an array")
		}
	}
}

func (p *parser) object(n *node, depth int) error {
	p.i++
	p.space()
	if p.i < len(p.b) && p.b[p.i] == '}' {
		p.i++
		return nil
	}
	var seen map[string]bool
	for {
		p.space()
		if p.i >= len(p.b) || p.b[p.i] != '"' {
			return p.fault("expected a key in double quotes")
		}
		key, err := p.str()
		if err != nil {
			return err
		}
		dup := false
		if len(n.keys) < 16 {
			dup = n.get(key) != nil
		} else {
			if seen == nil {
				seen = make(map[string]bool, 32)
				for _, k := range n.keys {
					seen[k] = true
				}
			}
			dup = seen[key]
			seen[key] = true
		}
		if dup {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: "the key " + strconv.Quote(key) + " is given twice in one object",
				Got: key, Want: "every key once"}
		}
		p.space()
		if p.i >= len(p.b) || p.b[p.i] != ':' {
			return p.fault("expected : after a key")
		}
		p.i++
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.keys = append(n.keys, key)
		n.items = append(n.items, item)
		p.space()
		switch {
		case p.i < len(p.b) && p.b[p.i] == ',':
			p.i++
		case p.i < len(p.b) && p.b[p.i] == '}':
			p.i++
			return nil
		default:
			return p.fault("expected , or } in an object")
		}
	}
}

func (p *parser) str() (string, error) {
	p.i++
	start := p.i
	for p.i < len(p.b) && p.b[p.i] >= 0x20 && p.b[p.i] < 0x80 && p.b[p.i] != '"' && p.b[p.i] != '\\' {
		p.i++
	}
	if p.i < len(p.b) && p.b[p.i] == '"' {
		p.i++
		return string(p.b[start : p.i-1]), nil
	}
	out := append([]byte(nil), p.b[start:p.i]...)
	for p.i < len(p.b) {
		switch c := p.b[p.i]; {
		case c == '"':
			p.i++
			return string(out), nil
		case c == '\\':
			var err error
			if out, err = p.escape(out); err != nil {
				return "", err
			}
		case c < 0x20:
			return "", p.fault("a control character in a string (write it as \\u00" + string(layout.HexDigits[c>>4]) + string(layout.HexDigits[c&15]) + ")")
		case c < utf8.RuneSelf:
			out = append(out, c)
			p.i++
		default:
			r, n := utf8.DecodeRune(p.b[p.i:])
			if r == utf8.RuneError && n == 1 {
				return "", p.fault(`a string that is not UTF-8 (send {"$bytes":"<base64>"})`)
			}
			out = append(out, p.b[p.i:p.i+n]...)
			p.i += n
		}
	}
	return "", p.fault("a string without end")
}

func (p *parser) escape(out []byte) ([]byte, error) {
	if p.i+1 >= len(p.b) {
		return nil, p.fault("a string without end")
	}
	c := p.b[p.i+1]
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r, ok := p.hex4(p.i + 2)
		if !ok {
			return nil, p.fault("a malformed \\u escape")
		}
		n := 6
		if utf16.IsSurrogate(r) {
			low, ok := rune(0), false
			if p.i+8 <= len(p.b) && string(p.b[p.i+6:p.i+8]) == `\u` {
				low, ok = p.hex4(p.i + 8)
			}
			if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
				return nil, p.fault("half a surrogate pair, which is no character")
			}
			n = 12
		}
		p.i += n
		return utf8.AppendRune(out, r), nil
	default:
		return nil, p.fault("an unknown escape in a string")
	}
	p.i += 2
	return append(out, c), nil
}

func (p *parser) hex4(at int) (rune, bool) {
	if at+4 > len(p.b) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(p.b[at:at+4]), 16, 16)
	return rune(v), err == nil && p.b[at] != '+' && p.b[at] != '-'
}
