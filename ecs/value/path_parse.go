package value

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

const maxPath = 1024

type pathParser struct {
	t     *Type
	text  string
	pos   int
	steps []step
	field *Field
	json  bool
}

func (p *pathParser) add(s step, f *Field) {
	s.typ, s.next, s.text = p.field.Go, f.Go, p.text[:p.pos]
	if p.field.ReadOnly && !f.ReadOnly {
		c := *f
		c.ReadOnly, c.Unexported = true, c.Unexported || p.field.Unexported
		f = &c
	}
	p.steps = append(p.steps, s)
	p.field = f
}

func (p *pathParser) parse(root *Field) error {
	p.field = root
	if len(p.text) > maxPath {
		return p.bad("a path of at most " + strconv.Itoa(maxPath) + " bytes")
	}
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == '[':
			if err := p.index(); err != nil {
				return err
			}
		case c == '.' && strings.HasPrefix(p.text[p.pos:], ".("):
			if err := p.assert(); err != nil {
				return err
			}
		case (c == '.') == (p.pos > 0):
			if c == '.' {
				p.pos++
			}
			if err := p.selector(); err != nil {
				return err
			}
		default:
			return p.bad("a selector such as X, Slots[2].Count or Tags[\"fire\"]")
		}
	}
	p.field = p.resolved(p.field)
	return nil
}

// resolved goes on where a description was cut because a type met itself.
func (p *pathParser) resolved(f *Field) *Field {
	d := decoder{json: p.json}
	full := d.full(f)
	if full == f {
		return f
	}
	c := *full
	c.Name, c.GoName, c.Doc, c.ReadOnly, c.Offset, c.Index = f.Name, f.GoName, f.Doc, f.ReadOnly || full.ReadOnly, f.Offset, f.Index
	return &c
}

// through follows pointers, as Go does in selectors and indexes.
func (p *pathParser) through() {
	p.field = p.resolved(p.field)
	for p.field.Kind == KindPointer {
		p.add(step{op: stepPointer}, p.resolved(p.field.Elem))
	}
}

func (p *pathParser) selector() error {
	start := p.pos
	for p.pos < len(p.text) {
		r, n := rune(p.text[p.pos]), 1
		if r >= 0x80 {
			for i, c := range p.text[p.pos:] {
				if i > 0 {
					n = i
					break
				}
				r = c
				n = len(p.text) - p.pos
			}
		}
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		p.pos += n
	}
	name := p.text[start:p.pos]
	if name == "" {
		return p.bad("a field name")
	}
	p.through()
	switch p.field.Kind {
	case KindStruct:
	case KindInterface:
		return p.notStatic(name)
	case KindMap:
		if p.field.Key.Kind == KindString {
			return p.refusal(refusal.InvalidArguments, name, fmt.Sprintf("%s is a map; write its keys as [%q]", p.where(start), name), nil)
		}
		fallthrough
	default:
		return p.refusal(refusal.UnknownField, name, fmt.Sprintf("%s is a %s and has no field %q", p.where(start), p.field.Go, name), nil)
	}
	if f := findField(p.field.Fields, name); f != nil && !f.Hidden {
		if len(f.Chain) > 0 {
			return p.bad("a field that is not behind an embedded pointer")
		}
		p.add(step{op: stepOffset, off: f.Offset}, f)
		return nil
	}
	chain, several := promoted(p.field, name, p.json)
	if several != nil {
		e := p.refusal(refusal.UnknownField, name, fmt.Sprintf("%s: %q is a field of several embedded structs; name the one that is meant", p.where(start), name), several).(*refusal.Error)
		e.Want = "the path of one of them"
		return e
	}
	if chain != nil {
		for _, f := range chain {
			p.through()
			p.add(step{op: stepOffset, off: f.Offset}, f)
		}
		return nil
	}
	names := append(fieldNames(p.field), promotedNames(p.field, p.json)...)
	if len(p.steps) == 0 && p.t != nil {
		for _, c := range p.t.Computed {
			names = append(names, c.Name)
		}
	}
	near := refusal.Nearest(name, names)
	have := "it has none"
	if len(names) > 0 {
		have = "it has " + listNames(near)
	}
	e := p.refusal(refusal.UnknownField, name, fmt.Sprintf("%s has no field %q; %s", p.where(start), name, have), near)
	e.(*refusal.Error).Total = len(names)
	return e
}

func (p *pathParser) notStatic(name string) error {
	options := layout.Implementers(p.field.Go)
	near := refusal.Nearest("", options)
	hint := "write the type it holds: " + p.text[:max(0, p.pos-len(name)-1)] + ".(<type>)." + name
	e := p.refusal(refusal.InvalidArguments, name, fmt.Sprintf("%s is an interface; say which type it holds", p.where(p.pos-len(name))), near).(*refusal.Error)
	e.Hint, e.Total = hint, len(options)
	return e
}

// where names the value that the steps so far lead to.
func (p *pathParser) where(end int) string {
	s := strings.ToValidUTF8(strings.TrimSuffix(p.text[:max(0, end)], "."), "?")
	if p.t != nil && !p.json {
		if s == "" || s[0] == '[' {
			return p.t.Name + s
		}
		return p.t.Name + "." + s
	}
	if s == "" {
		return "the value"
	}
	return s
}

func (p *pathParser) refusal(code refusal.Code, got, msg string, options []string) error {
	return &refusal.Error{Code: code, Message: msg, Got: got, Options: options, Total: len(options)}
}

func (p *pathParser) bad(want string) error {
	return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("the path %q is wrong at byte %d: want %s", refusal.Cut(p.text, 80), p.pos, want),
		Got: refusal.Cut(p.text, 80), Want: want}
}

// bracket reads what stands between [ and ], quotes and nesting respected.
func (p *pathParser) bracket(end byte) (text string, quoted bool, err error) {
	p.pos++
	if p.pos < len(p.text) && (p.text[p.pos] == '"' || p.text[p.pos] == '`') {
		lit, e := strconv.QuotedPrefix(p.text[p.pos:])
		if e == nil {
			text, e = strconv.Unquote(lit)
		}
		if e != nil {
			return "", false, p.bad("a quoted key")
		}
		p.pos += len(lit)
		if p.pos >= len(p.text) || p.text[p.pos] != end {
			return "", false, p.bad("the closing " + string(end))
		}
		p.pos++
		return text, true, nil
	}
	depth := 0
	for i := p.pos; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == end && depth == 0:
			text = p.text[p.pos:i]
			p.pos = i + 1
			return text, false, nil
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		}
	}
	return "", false, p.bad("the closing " + string(end))
}

func (p *pathParser) index() error {
	start := p.pos
	text, quoted, err := p.bracket(']')
	if err != nil {
		return err
	}
	p.through()
	f := p.field
	switch f.Kind {
	case KindArray, KindSlice, KindBytes:
		elem := f.Elem
		if f.Kind == KindBytes {
			elem = &Field{Go: f.Go.Elem(), ReadOnly: f.ReadOnly}
			layout.ApplyKind(elem, layout.FieldTag{})
		}
		n, err := strconv.Atoi(text)
		if err != nil || quoted || n < 0 {
			return p.refusal(refusal.InvalidArguments, text, fmt.Sprintf("%s is a list: its index must be a whole number from 0, not %s",
				p.where(start), strconv.Quote(text)), nil)
		}
		if f.Go.Kind() == reflect.Array {
			if n >= f.Go.Len() {
				return p.refusal(refusal.InvalidArguments, text, fmt.Sprintf("%s[%d] is out of range: the array has %d elements", p.where(start), n, f.Go.Len()), nil)
			}
			p.add(step{op: stepOffset, off: uintptr(n) * f.Go.Elem().Size()}, elem)
			return nil
		}
		p.add(step{op: stepSlice, n: n}, elem)
		return nil
	case KindMap:
		d := decoder{json: p.json, name: p.where(start)}
		key, err := d.key(f.Key, text)
		if err != nil {
			return err
		}
		p.add(step{op: stepMap, key: key}, f.Elem)
		return nil
	case KindInterface:
		return p.notStatic(text)
	}
	return p.refusal(refusal.InvalidArguments, text, fmt.Sprintf("%s is a %s and cannot be indexed", p.where(start), f.Go), nil)
}

func (p *pathParser) assert() error {
	start := p.pos
	p.pos++
	text, _, err := p.bracket(')')
	if err != nil {
		return err
	}
	p.field = p.resolved(p.field)
	if p.field.Kind != KindInterface {
		return p.refusal(refusal.InvalidArguments, text, p.where(start)+" is no interface; leave .("+text+") out", nil)
	}
	for _, t := range layout.TypeByName(text) {
		if t.Kind() != reflect.Interface && t.AssignableTo(p.field.Go) {
			p.add(step{op: stepAssert}, describeType(t, false).Root)
			return nil
		}
	}
	options := layout.Implementers(p.field.Go)
	e := p.refusal(refusal.InvalidArguments, text, fmt.Sprintf("%s cannot hold a type %s", p.where(start), strconv.Quote(text)), refusal.Nearest(text, options)).(*refusal.Error)
	e.Total = len(options)
	return e
}
