package grammar

import (
	"encoding/json"
	"html"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/pattern"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

var (
	hex = pattern.Class("09afAF")
	// jsonText is a JSON string.
	jsonText = pattern.Seq(pattern.Lit(`"`), pattern.Many(jsonChar), pattern.Lit(`"`))
	jsonChar = pattern.Alt(pattern.Not("\"\"\\\\\x00\x1f"),
		pattern.Seq(pattern.Lit(`\`), pattern.Alt(pattern.Class(`""\\//bbffnnrrtt`), pattern.Seq(pattern.Lit("u"), pattern.Rep(hex, 4, 4)))))
	// xmlChar is a character of an attribute or of an element's text.
	xmlChar   = pattern.Alt(pattern.Not(`""<<&&`), reference)
	reference = pattern.Seq(pattern.Lit("&"), pattern.Alt(pattern.Words("lt", "gt", "amp", "quot", "apos"),
		pattern.Seq(pattern.Lit("#"), pattern.Some(pattern.Digit())), pattern.Seq(pattern.Lit("#x"), pattern.Some(hex))), pattern.Lit(";"))
)

// word is a scalar as text: in an attribute, or quoted in JSON.
func word(s *shape.Shape) pattern.P {
	switch s.Kind {
	case shape.Bool:
		return pattern.Words("true", "false")
	case shape.Int:
		return whole(s)
	case shape.Number:
		min, max := s.Min, s.Max
		if s.TypedMin {
			min = ""
		}
		if s.TypedMax {
			max = ""
		}
		n := pattern.Decimal(min, max)
		if len(s.Special) > 0 {
			n = pattern.Alt(n, pattern.Words(s.Special...))
		}
		return n
	case shape.Entity:
		// Without leading zeros, and within 32 bits by the checks: a model copies
		// ids that it has read.
		e := pattern.Seq(digits, pattern.Lit("v"), digits)
		if s.Slot {
			e = pattern.Seq(digits, pattern.Opt(pattern.Seq(pattern.Lit("v"), digits)))
		}
		return e
	}
	return pattern.P{}
}

var digits = pattern.Rep(pattern.Digit(), 1, 10)

// whole is an integer. The bounds of 64 bits are left out: they are long, and
// nobody writes such a number by mistake.
func whole(s *shape.Shape) pattern.P {
	min, max := s.Min, s.Max
	if s.TypedMin && len(min) > 11 {
		min = ""
	}
	if s.TypedMax && len(max) > 10 {
		max = ""
	}
	return pattern.Whole(min, max)
}

// xmlWord is an inline value in an attribute or an element.
func xmlWord(s *shape.Shape) pattern.P {
	if elem := s.Words(); elem != nil {
		least, most := s.WordCount()
		return repeated(xmlWord(elem), pattern.Gap(), least, most)
	}
	switch s.Kind {
	case shape.Text:
		return pattern.Many(xmlChar)
	case shape.Label:
		labels := make([]string, len(s.Labels))
		for i, l := range s.Labels {
			labels[i] = strings.ReplaceAll(html.EscapeString(l), "&#34;", "&quot;")
		}
		return pattern.Words(labels...)
	}
	return word(s)
}

// repeated matches least to most times p, separated.
func repeated(p, between pattern.P, least, most int) pattern.P {
	if most == 0 {
		return pattern.P{}
	}
	max := most - 1
	if most < 0 {
		max = -1
	}
	all := pattern.Seq(p, pattern.Rep(pattern.Seq(between, p), least-min(least, 1), max))
	if max == 0 {
		all = p
	}
	if least == 0 {
		return pattern.Opt(all)
	}
	return all
}

// jsonWord is a value that is one token of JSON; false if it takes rules.
func jsonWord(s *shape.Shape) (pattern.P, bool) {
	quoted := func(p pattern.P) pattern.P { return pattern.Seq(pattern.Lit(`"`), p, pattern.Lit(`"`)) }
	switch s.Kind {
	case shape.Bool, shape.Int:
		return word(s), true
	case shape.Number:
		plain := *s
		plain.Special = nil
		p := word(&plain)
		if len(s.Special) > 0 {
			p = pattern.Alt(p, quoted(pattern.Words(s.Special...)))
		}
		return p, true
	case shape.Text:
		return jsonText, true
	case shape.Label:
		alts := make([]pattern.P, len(s.Labels))
		for i, l := range s.Labels {
			alts[i] = pattern.Lit(l)
			if !s.Literal {
				b, err := json.Marshal(l)
				if err != nil {
					b = []byte(`""`)
				}
				alts[i] = pattern.Lit(string(b))
			}
		}
		return pattern.Alt(alts...), true
	case shape.Entity:
		return quoted(word(s)), true
	case shape.List:
		if elem, ok := jsonWord(s.Elem); ok && s.Elem.Kind != shape.List {
			return pattern.Seq(pattern.Lit("["), pattern.Space(), repeated(elem, comma, s.Least, s.Most), pattern.Space(), pattern.Lit("]")), true
		}
	}
	return pattern.P{}, false
}

var comma = pattern.Seq(pattern.Space(), pattern.Lit(","), pattern.Space())
