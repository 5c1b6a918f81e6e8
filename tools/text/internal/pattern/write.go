package pattern

import (
	"fmt"
	"strconv"
	"strings"
)

// Regexp writes p as a regular expression that Go, Python and JavaScript read
// alike. Slashes are escaped, for notations that put it between them.
func (p P) Regexp() string { return dialect{}.write(p) }

// XSD writes p as a pattern of XML Schema, which is a match of the whole text.
func (p P) XSD() string { return dialect{xsd: true}.write(p) }

type dialect struct{ xsd bool }

func (d dialect) write(p P) string {
	var b strings.Builder
	d.append(&b, p, false)
	return b.String()
}

// append writes p; tight asks for parentheses around what would fall apart in
// a sequence or under a repeat.
func (d dialect) append(b *strings.Builder, p P, tight bool) {
	open, end := "(?:", ")"
	if d.xsd {
		open = "("
	}
	group := func(when bool, write func()) {
		if when {
			b.WriteString(open)
		}
		write()
		if when {
			b.WriteString(end)
		}
	}
	switch p.op {
	case literal:
		group(tight && len([]rune(p.text)) != 1, func() {
			for _, r := range p.text {
				b.WriteString(d.escape(r, false))
			}
		})
	case class:
		d.class(b, p)
	case sequence:
		group(tight, func() {
			for _, q := range p.parts {
				d.append(b, q, q.op == choice)
			}
		})
	case choice:
		group(tight, func() {
			for i, q := range p.parts {
				if i > 0 {
					b.WriteByte('|')
				}
				d.append(b, q, false)
			}
		})
	case repeat:
		if p.min == 1 && p.max == 1 {
			d.append(b, p.parts[0], tight)
			return
		}
		group(tight, func() {
			d.append(b, p.parts[0], true)
			b.WriteString(times(p.min, p.max))
		})
	case space:
		group(tight, func() { b.WriteString(`\s*`) })
	case gap:
		group(tight, func() { b.WriteString(`\s+`) })
	}
}

func times(min, max int) string {
	switch {
	case min == 0 && max == 1:
		return "?"
	case min == 0 && max < 0:
		return "*"
	case min == 1 && max < 0:
		return "+"
	case max < 0:
		return fmt.Sprintf("{%d,}", min)
	case min == max:
		return fmt.Sprintf("{%d}", min)
	}
	return fmt.Sprintf("{%d,%d}", min, max)
}

func (d dialect) class(b *strings.Builder, p P) {
	if len(p.ranges) == 0 {
		if p.not {
			b.WriteString(`[\s\S]`)
		} else {
			b.WriteString(`[^\s\S]`) // nothing
		}
		return
	}
	if !p.not && len(p.ranges) == 2 && p.ranges[0] == p.ranges[1] {
		b.WriteString(d.escape(p.ranges[0], false))
		return
	}
	b.WriteByte('[')
	if p.not {
		b.WriteByte('^')
	}
	for i := 0; i+1 < len(p.ranges); i += 2 {
		b.WriteString(d.escape(p.ranges[i], true))
		if p.ranges[i] != p.ranges[i+1] {
			b.WriteByte('-')
			b.WriteString(d.escape(p.ranges[i+1], true))
		}
	}
	b.WriteByte(']')
}

func (d dialect) escape(r rune, inClass bool) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	special := `\.*+?()[]{}|^$/`
	if inClass {
		special = `\[]^-/`
	}
	if d.xsd {
		special = strings.ReplaceAll(strings.ReplaceAll(special, "$", ""), "/", "")
	}
	switch {
	case strings.ContainsRune(special, r):
		return `\` + string(r)
	case r < ' ' && !d.xsd:
		return fmt.Sprintf(`\x%02x`, r)
	}
	return string(r)
}

// GBNF writes p in llama.cpp's notation, as a part that may stand in a
// sequence. The rules space and gap have to exist.
func (p P) GBNF() string {
	var b strings.Builder
	p.gbnf(&b, p.op == choice)
	return b.String()
}

func (p P) gbnf(b *strings.Builder, tight bool) {
	group := func(when bool, write func()) {
		if when {
			b.WriteByte('(')
		}
		write()
		if when {
			b.WriteByte(')')
		}
	}
	switch p.op {
	case literal:
		b.WriteString(QuoteGBNF(p.text))
	case class:
		p.gbnfClass(b)
	case sequence:
		group(tight, func() {
			for i, q := range p.parts {
				if i > 0 {
					b.WriteByte(' ')
				}
				q.gbnf(b, q.op == choice)
			}
		})
	case choice:
		group(tight, func() {
			for i, q := range p.parts {
				if i > 0 {
					b.WriteString(" | ")
				}
				q.gbnf(b, false)
			}
		})
	case repeat:
		group(tight, func() {
			p.parts[0].gbnf(b, true)
			if p.min != 1 || p.max != 1 {
				b.WriteString(times(p.min, p.max))
			}
		})
	case space:
		b.WriteString("space")
	case gap:
		b.WriteString("gap")
	}
}

func (p P) gbnfClass(b *strings.Builder) {
	b.WriteByte('[')
	if p.not {
		b.WriteByte('^')
	}
	for i := 0; i+1 < len(p.ranges); i += 2 {
		b.WriteString(gbnfRune(p.ranges[i], `]\^-`))
		if p.ranges[i] != p.ranges[i+1] {
			b.WriteByte('-')
			b.WriteString(gbnfRune(p.ranges[i+1], `]\^-`))
		}
	}
	b.WriteByte(']')
}

// QuoteGBNF writes a literal.
func QuoteGBNF(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		b.WriteString(gbnfRune(r, `"\`))
	}
	b.WriteByte('"')
	return b.String()
}

func gbnfRune(r rune, special string) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r == '"' || r == '\\' || r == '[' || r == ']':
		// The escapes that llama.cpp knows.
		if strings.ContainsRune(special, r) {
			return `\` + string(r)
		}
	case r < ' ' || r == 0x7f || strings.ContainsRune(special, r):
		return `\x` + pad(strconv.FormatInt(int64(r), 16), 2)
	}
	return string(r)
}

func pad(s string, n int) string {
	for len(s) < n {
		s = "0" + s
	}
	return s
}
