package grammar

import (
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/pattern"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// Notation is how a grammar is written.
type Notation string

// The notations.
const (
	Lark Notation = "lark"
	GBNF Notation = "gbnf"
)

// The rules that tools share.
const (
	anyJSON    = "any_json"
	anyContent = "any_content"
)

var (
	xmlName       = pattern.Seq(pattern.Class("azAZ__"), pattern.Many(pattern.Class("azAZ09__--..")))
	anyEnd        = pattern.Seq(lit("</"), xmlName, lit(">"))
	anyAttributes = pattern.Many(pattern.Seq(pattern.Gap(), xmlName, lit(`="`), pattern.Many(xmlChar), lit(`"`)))
)

// shared are the rules of values of any kind.
func shared() []rule {
	text := token(pattern.Some(xmlChar))
	open := token(lit("<"), xmlName, anyAttributes, space(), lit(">"))
	empty := token(lit("<"), xmlName, anyAttributes, space(), lit("/>"))
	shut := token(anyEnd)
	in := func(s ...symbol) []symbol { return s }
	ref := func(r string) symbol { return symbol{rule: r} }
	number := token(pattern.Decimal("", ""))
	return []rule{
		{name: anyContent, alts: [][]symbol{in(ref("any_part")), in(ref(anyContent), ref("any_part"))}},
		{name: "any_part", alts: [][]symbol{in(text), in(empty), in(open, ref(anyContent), shut), in(open, shut)}},
		{name: anyJSON, alts: [][]symbol{in(token(jsonText)), in(number), in(token(pattern.Words("true", "false", "null"))),
			in(token(lit("{"), space(), lit("}"))), in(token(lit("{"), space()), ref("any_members"), token(space(), lit("}"))),
			in(token(lit("["), space(), lit("]"))), in(token(lit("["), space()), ref("any_items"), token(space(), lit("]")))}},
		{name: "any_members", alts: [][]symbol{in(token(jsonText, colon), ref(anyJSON)), in(ref("any_members"), token(comma, jsonText, colon), ref(anyJSON))}},
		{name: "any_items", alts: [][]symbol{in(ref(anyJSON)), in(ref("any_items"), token(comma), ref(anyJSON))}},
	}
}

// Grammar is a grammar of several tools under way.
type Grammar struct {
	notation Notation
	taken    map[string]bool
	calls    []string
	any      bool
	body     strings.Builder
}

// New begins a grammar.
func New(n Notation) *Grammar { return &Grammar{notation: n, taken: map[string]bool{}} }

// Fragment writes the rules of one tool and counts it in.
func (g *Grammar) Fragment(t Tool) string {
	args := t.Args
	if args.Kind != shape.Struct {
		args = &shape.Shape{Kind: shape.Struct}
	}
	name := ruleName(t.Name, g.taken)
	b := &builder{prefix: name}
	top := rule{name: name, doc: t.Doc, alts: join2(b.xml(shape.XMLName(t.Name), args), b.json(t.Name, t.Args))}
	g.calls = append(g.calls, name)
	g.any = g.any || b.any
	var sb strings.Builder
	g.write(&sb, top)
	for _, r := range b.rules {
		g.write(&sb, r)
	}
	return sb.String()
}

func join2(a, b [][]symbol) [][]symbol { return append(a[:len(a):len(a)], b...) }

// Add writes a tool's fragment into the grammar.
func (g *Grammar) Add(t Tool) { g.body.WriteString(g.Fragment(t)) }

// Len is how long the tools' rules are, in bytes.
func (g *Grammar) Len() int { return g.body.Len() }

// String writes the joined grammar: its start rule, the tools' rules, the
// shared ones.
func (g *Grammar) String() string {
	var sb strings.Builder
	blank := token(pattern.Gap())
	call := make([][]symbol, 0, len(g.calls))
	for _, c := range g.calls {
		call = append(call, []symbol{{rule: c}})
	}
	one, list := symbol{rule: "call"}, symbol{rule: "calls"}
	root := "start"
	if g.notation == GBNF {
		root = "root"
	}
	g.write(&sb, rule{name: root, alts: [][]symbol{{list}, {blank, list}, {list, blank}, {blank, list, blank}}})
	g.write(&sb, rule{name: "calls", alts: [][]symbol{{one}, {list, one}, {list, blank, one}}})
	if len(call) > 0 {
		g.write(&sb, rule{name: "call", alts: call})
	} else {
		g.write(&sb, rule{name: "call", doc: "there are no tools", alts: [][]symbol{{token(pattern.Class(""))}}})
	}
	sb.WriteString(g.body.String())
	if g.any {
		for _, r := range shared() {
			g.write(&sb, r)
		}
	}
	if g.notation == GBNF {
		// White space is bounded: a model that may write it forever does.
		sb.WriteString("gap ::= [ \\n] | \"\\n\" [ ] | \"\\n\" [ ] [ ] | \"\\n\" [ ] [ ] [ ] [ ]\nspace ::= gap | \"\"\n")
	}
	return sb.String()
}

func (g *Grammar) write(sb *strings.Builder, r rule) {
	comment, is, or := "// ", ": ", "\n  | "
	if g.notation == GBNF {
		comment, is, or = "# ", " ::= ", " | "
	}
	if r.doc != "" {
		sb.WriteString(comment + strings.Join(strings.Fields(r.doc), " ") + "\n")
	}
	sb.WriteString(g.name(r.name) + is)
	if again := goesOn(r); g.notation == GBNF && len(again) > 0 {
		// Readers of GBNF cannot follow a rule that begins with itself.
		sb.WriteByte('(')
		g.alternatives(sb, begins(r), or)
		sb.WriteString(") (")
		g.alternatives(sb, again, or)
		sb.WriteString(")*\n")
		return
	}
	g.alternatives(sb, r.alts, or)
	sb.WriteByte('\n')
}

func (g *Grammar) alternatives(sb *strings.Builder, alts [][]symbol, or string) {
	for i, alt := range alts {
		if i > 0 {
			sb.WriteString(or)
		}
		for k, s := range alt {
			if k > 0 {
				sb.WriteByte(' ')
			}
			sb.WriteString(g.symbol(s))
		}
	}
}

// begins are the alternatives that do not begin with the rule itself, goesOn
// what follows it in those that do.
func begins(r rule) (alts [][]symbol) {
	for _, alt := range r.alts {
		if len(alt) == 0 || alt[0].rule != r.name {
			alts = append(alts, alt)
		}
	}
	return alts
}

func goesOn(r rule) (rests [][]symbol) {
	for _, alt := range r.alts {
		if len(alt) > 1 && alt[0].rule == r.name {
			rests = append(rests, alt[1:])
		}
	}
	return rests
}

func (g *Grammar) symbol(s symbol) string {
	switch {
	case s.rule != "":
		return g.name(s.rule)
	case g.notation == GBNF:
		return s.token.GBNF()
	case s.lexed != nil:
		return "/" + s.lexed.Regexp() + "/"
	}
	return "/" + s.token.Regexp() + "/"
}

// name is a rule's name in the notation: GBNF has no underscores.
func (g *Grammar) name(r string) string {
	if g.notation == GBNF {
		return strings.ReplaceAll(r, "_", "-")
	}
	return r
}
