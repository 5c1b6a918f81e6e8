package text

import (
	"fmt"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/text/internal/grammar"
	"github.com/loupe-ecs/loupe/tools/text/internal/xsd"
)

// XSD is the XML Schema of the tool's calls.
func (t *Tool) XSD() string {
	return xsd.Head + xsd.Element(t.Name, t.doc(), t.structured()) + xsd.Tail
}

// XSD is the XML Schema of the tools' calls, one or several in <calls>, in at
// most so many bytes: tools that have no room are left out, and counted in a
// comment.
func (l *Listing) XSD(budget int) string {
	const fixed = 400
	var b strings.Builder
	var names []string
	left := 0
	for _, t := range l.useful() {
		e := xsd.Element(t.Name, t.doc(), t.structured())
		// The name stands in <calls> as well.
		if len(xsd.Head)+b.Len()+len(e)+len(xsd.Calls(append(names, t.Name)))+fixed > budget {
			left++
			continue
		}
		names = append(names, t.Name)
		b.WriteString(e)
	}
	comment := ""
	if left > 0 {
		comment = fmt.Sprintf("<!-- %d tools have no room here; each has a schema of its own. -->\n", left)
	}
	return xsd.Head + comment + xsd.Calls(names) + b.String() + xsd.Tail
}

// Notation is what a grammar is written for.
type Notation = grammar.Notation

// The notations: Lark's parsers (LALR and Earley), and the GBNF of llama.cpp.
const (
	Lark = grammar.Lark
	GBNF = grammar.GBNF
)

// Grammar is the grammar of the tool's calls.
func (t *Tool) Grammar(n Notation) (string, error) {
	return NewListing([]Tool{*t}, nil).Grammar(n, 1<<30)
}

// Grammar is the grammar of the tools' calls, one or several, as XML or JSON,
// in about so many bytes: tools that have no room are left out, and counted in
// a comment. The start rule is start in Lark and root in GBNF.
func (l *Listing) Grammar(n Notation, budget int) (string, error) {
	if n != Lark && n != GBNF {
		return "", &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("no notation %q", n), Got: string(n),
			Options: []string{string(Lark), string(GBNF)}, Total: 2}
	}
	const fixed = 4096 // the shared rules
	g := grammar.New(n)
	left := 0
	for _, t := range l.useful() {
		if g.Len() > budget-fixed {
			left++
			continue
		}
		g.Add(grammar.Tool{Name: t.Name, Doc: t.doc(), Args: t.shape()})
	}
	text := g.String()
	if left > 0 {
		comment := "// "
		if n == GBNF {
			comment = "# "
		}
		text = fmt.Sprintf("%s%d tools have no room here.\n", comment, left) + text
	}
	return text, nil
}
