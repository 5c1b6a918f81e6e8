package grammar

import (
	"fmt"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/pattern"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// Tool is what a grammar is written of.
type Tool struct {
	Name string
	Doc  string
	Args *shape.Shape
}

// symbol is a part of a rule: a token, or another rule.
type symbol struct {
	token pattern.P
	rule  string // "": the token
	// lexed, unless nil, is the token where a lexer reads first: an end tag of
	// any name, where it could not tell that of one element from others.
	lexed *pattern.P
}

type rule struct {
	name string
	doc  string
	alts [][]symbol
}

func token(parts ...pattern.P) symbol { return symbol{token: pattern.Seq(parts...)} }

// builder collects the rules of one tool. Rules are written as plain
// alternatives of sequences: optional parts are chains of rules, since parsers
// that expand them would be exponential in their number.
type builder struct {
	prefix string
	rules  []rule
	any    bool // uses the rules of values of any kind
}

// add makes a rule and gives it as a symbol.
func (b *builder) add(alts ...[]symbol) symbol {
	name := fmt.Sprintf("%s_%d", b.prefix, len(b.rules))
	b.rules = append(b.rules, rule{name: name, alts: alts})
	return symbol{rule: name}
}

// tail is a rule for one or more of the parts, in their order. Nothing, if
// there are no parts.
func (b *builder) tail(parts [][]symbol) []symbol {
	var next []symbol
	for i := len(parts) - 1; i >= 0; i-- {
		if next == nil {
			next = parts[i]
			continue
		}
		next = []symbol{b.add(parts[i], join(parts[i], next), next)}
	}
	return next
}

func join(parts ...[]symbol) []symbol {
	var all []symbol
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// selection gives the ways to write some parts: all required ones and none or
// some of the optional ones.
type selection struct{ least, more []symbol }

func (b *builder) selection(required, optional [][]symbol) selection {
	s := selection{least: join(required...)}
	if t := b.tail(optional); t != nil {
		s.more = join(s.least, t)
	}
	return s
}

// name makes the name of a rule of a tool's name.
func ruleName(tool string, taken map[string]bool) string {
	var sb strings.Builder
	sb.WriteString("t_")
	for _, r := range strings.ToLower(tool) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			sb.WriteRune(r)
		} else {
			sb.WriteByte('_')
		}
	}
	name := sb.String()
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", sb.String(), n)
	}
	taken[name] = true
	return name
}
