package grammar

import (
	"github.com/loupe-ecs/loupe/tools/text/internal/pattern"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

var (
	lit   = pattern.Lit
	space = pattern.Space
)

// xml makes the rule of an element that holds a struct. The tool's own element
// has to be told from others by what follows, so its white space stays outside.
func (b *builder) xml(name string, s *shape.Shape) [][]symbol {
	return b.element(token(lit("<"+name)), name, s, nil)
}

// element writes the alternatives of a struct's element; more are attributes
// that come first.
func (b *builder) element(open symbol, name string, s *shape.Shape, more []symbol) [][]symbol {
	var attrs, optAttrs, kids, optKids [][]symbol
	for _, f := range s.Fields {
		switch {
		case f.Inline() || f.Kind == shape.Any && f.Required:
			put(&attrs, &optAttrs, f.Required, []symbol{attribute(f)})
		case f.Kind == shape.Any:
			// Either, as it is a word or more.
			put(&attrs, &optAttrs, false, []symbol{attribute(f)})
			fallthrough
		default:
			put(&kids, &optKids, f.Required, []symbol{b.child(shape.XMLName(f.Name), f.Shape)})
		}
	}
	a, c := b.selection(attrs, optAttrs), b.selection(kids, optKids)
	free := s.AtLeast <= len(attrs)+len(kids)
	end, gt, shut := token(space(), lit("/>")), token(space(), lit(">")), token(space(), lit("</"+name), space(), lit(">"))
	head := join([]symbol{open}, more)
	var alts [][]symbol
	add := func(attrs, kids []symbol) {
		if kids == nil {
			alts = append(alts, join(head, attrs, []symbol{end}))
			return
		}
		alts = append(alts, join(head, attrs, []symbol{gt}, kids, []symbol{shut}))
	}
	ways := []struct {
		attrs, kids []symbol
		ok          bool
	}{
		{a.least, c.least, free},
		{a.more, c.least, a.more != nil},
		{a.least, c.more, c.more != nil},
		{a.more, c.more, a.more != nil && c.more != nil},
	}
	for _, w := range ways {
		if w.ok {
			add(w.attrs, w.kids)
		}
	}
	return alts
}

func put(required, optional *[][]symbol, is bool, part []symbol) {
	if is {
		*required = append(*required, part)
	} else {
		*optional = append(*optional, part)
	}
}

func attribute(f shape.Field) symbol {
	value := pattern.Many(xmlChar)
	if f.Inline() {
		value = xmlWord(f.Shape)
	}
	return token(pattern.Gap(), lit(shape.XMLName(f.Name)+`="`), value, lit(`"`))
}

// child makes an argument that is an element.
func (b *builder) child(name string, s *shape.Shape) symbol {
	open, shut := token(space(), lit("<"+name+">")), token(space(), lit("</"+name+">"))
	empty := []symbol{token(space(), lit("<"+name), space(), lit("/>"))}
	switch {
	case s.Inline():
		return plainElement(s, lit("<"+name), name)
	case s.Kind == shape.Struct:
		return b.add(b.element(token(space(), lit("<"+name)), name, s, nil)...)
	case s.Kind == shape.List:
		items := b.several(b.child("item", s.Elem), s.Least, s.Most)
		alts := make([][]symbol, 0, len(items)+1)
		for _, i := range items {
			alts = append(alts, join([]symbol{open}, i, []symbol{shut}))
		}
		if s.Least == 0 {
			alts = append(alts, empty)
		}
		return b.add(alts...)
	case s.Kind == shape.Map:
		entries := b.several(b.entry(s.Elem), 0, -1)
		return b.add(join([]symbol{open}, entries[0], []symbol{shut}), empty)
	}
	b.any = true
	return b.free(name, nil)
}

// plainElement is an element that holds a word or a text, which may be empty.
func plainElement(s *shape.Shape, tag pattern.P, name string) symbol {
	rest := pattern.Seq(lit(">"), xmlWord(s), lit("</"+name+">"))
	if s.Kind == shape.Text || s.Words() != nil && s.Least == 0 && s.Kind == shape.List {
		rest = pattern.Alt(rest, pattern.Seq(space(), lit("/>")))
	}
	return token(space(), tag, rest)
}

// free is an element that may hold anything, after some attributes.
func (b *builder) free(name string, more []pattern.P) symbol {
	b.any = true
	tag := append([]pattern.P{space(), lit("<" + name)}, more...)
	tag = append(tag, anyAttributes, space())
	open, empty := token(append(tag[:len(tag):len(tag)], lit(">"))...), token(append(tag[:len(tag):len(tag)], lit("/>"))...)
	shut := token(lit("</" + name + ">"))
	shut.lexed = &anyEnd
	return b.add([]symbol{open, {rule: anyContent}, shut}, []symbol{open, shut}, []symbol{empty})
}

// several gives the ways to write least to most of a symbol, none left out:
// long fixed counts are left to the checks.
func (b *builder) several(s symbol, least, most int) [][]symbol {
	if least == most && most > 0 && most <= 16 {
		all := make([]symbol, most)
		for i := range all {
			all[i] = s
		}
		return [][]symbol{all}
	}
	name := b.add()
	b.rules[len(b.rules)-1].alts = [][]symbol{{s}, {name, s}}
	return [][]symbol{{name}}
}

func (b *builder) entry(s *shape.Shape) symbol {
	key := token(pattern.Gap(), lit(`key="`), pattern.Many(xmlChar), lit(`"`))
	open := token(space(), lit("<entry"))
	shut := token(space(), lit("</entry>"))
	gt := token(space(), lit(">"))
	switch {
	case s.Inline():
		return plainElement(s, pattern.Seq(lit("<entry"), key.token), "entry")
	case s.Kind == shape.Struct && !s.KeyClash():
		return b.add(b.element(open, "entry", s, []symbol{key})...)
	case s.Kind == shape.Any:
		return b.free("entry", []pattern.P{key.token})
	}
	return b.add([]symbol{open, key, gt, b.child("value", s), shut})
}
