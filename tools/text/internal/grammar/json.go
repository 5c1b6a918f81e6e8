package grammar

import (
	"encoding/json"

	"github.com/loupe-ecs/loupe/tools/text/internal/pattern"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// json makes the rule of a call as {"tool":...,"arguments":{...}}.
func (b *builder) json(tool string, s *shape.Shape) [][]symbol {
	open := token(lit("{"), space(), lit(`"tool"`), colon, lit(quote(tool)), comma, lit(`"arguments"`), colon)
	return [][]symbol{{open, b.value(s), token(space(), lit("}"))}}
}

var colon = pattern.Seq(space(), lit(":"), space())

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}

// value makes a value of any shape.
func (b *builder) value(s *shape.Shape) symbol {
	if p, ok := jsonWord(s); ok {
		return token(p)
	}
	open, shut := token(lit("{"), space()), token(space(), lit("}"))
	switch s.Kind {
	case shape.Struct:
		return b.add(b.object(s)...)
	case shape.List:
		first, next := b.value(s.Elem), token(comma)
		list := b.add()
		b.rules[len(b.rules)-1].alts = [][]symbol{{first}, {list, next, first}}
		begin, end := token(lit("["), space()), token(space(), lit("]"))
		alts := [][]symbol{{begin, list, end}}
		if s.Least == 0 {
			alts = append(alts, []symbol{token(lit("["), space(), lit("]"))})
		}
		return b.add(alts...)
	case shape.Map:
		v := b.value(s.Elem)
		list := b.add()
		b.rules[len(b.rules)-1].alts = [][]symbol{{token(jsonText, colon), v}, {list, token(comma, jsonText, colon), v}}
		return b.add([]symbol{open, list, shut}, []symbol{token(lit("{"), space(), lit("}"))})
	}
	b.any = true
	return symbol{rule: anyJSON}
}

// object writes the alternatives of a struct.
func (b *builder) object(s *shape.Shape) [][]symbol {
	open, shut := token(lit("{"), space()), token(space(), lit("}"))
	var required []symbol
	var optional, first [][]symbol
	n := 0
	for _, f := range s.Fields {
		if f.Required {
			required = append(required, b.member(f, n > 0)...)
			n++
		}
	}
	for _, f := range s.Fields {
		if !f.Required {
			optional = append(optional, b.member(f, true))
			first = append(first, b.member(f, false))
		}
	}
	var alts [][]symbol
	if n > 0 {
		if s.AtLeast <= n {
			alts = append(alts, join([]symbol{open}, required, []symbol{shut}))
		}
		if t := b.tail(optional); t != nil {
			alts = append(alts, join([]symbol{open}, required, t, []symbol{shut}))
		}
		return alts
	}
	if s.AtLeast <= 0 {
		alts = append(alts, []symbol{token(lit("{"), space(), lit("}"))})
	}
	if t := b.chain(first, optional); t != nil {
		alts = append(alts, join([]symbol{open}, t, []symbol{shut}))
	}
	return alts
}

// chain is tail for parts whose first one is written another way.
func (b *builder) chain(first, later [][]symbol) []symbol {
	var start, next []symbol
	for i := len(first) - 1; i >= 0; i-- {
		switch {
		case start == nil:
			start, next = first[i], later[i]
			continue
		}
		start = []symbol{b.add(first[i], join(first[i], next), start)}
		next = []symbol{b.add(later[i], join(later[i], next), next)}
	}
	return start
}

// member writes a name and its value, as one token where it can be.
func (b *builder) member(f shape.Field, after bool) []symbol {
	key := pattern.Seq(lit(quote(f.Name)), colon)
	if after {
		key = pattern.Seq(comma, key)
	}
	if p, ok := jsonWord(f.Shape); ok {
		return []symbol{token(key, p)}
	}
	return []symbol{token(key), b.value(f.Shape)}
}
