package query

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// clause is the text of an expression, and how what is wrong with it is told.
type clause struct {
	what string // the argument, for messages
	src  string
	fset *token.FileSet
}

func newClause(what, src string) *clause {
	return &clause{what: what, src: src, fset: token.NewFileSet()}
}

func (c *clause) parse() (ast.Expr, error) {
	if len(c.src) > maxWhere {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%s: the expression has %d bytes, more than the %d that are allowed", c.what, len(c.src), maxWhere),
			Got: len(c.src), Want: fmt.Sprintf("at most %d bytes", maxWhere)}
	}
	expr, err := parser.ParseExprFrom(c.fset, "", c.src, parser.SkipObjectResolution)
	if err != nil {
		return nil, c.syntaxError(err)
	}
	return expr, nil
}

func (c *clause) text(e ast.Node) string {
	return c.src[c.offset(e.Pos()):c.offset(e.End())]
}

func (c *clause) offset(p token.Pos) int {
	return min(max(c.fset.Position(p).Offset, 0), len(c.src))
}

// failAt gives up with an error that points at a byte of the expression.
func (c *clause) failAt(offset int, e *refusal.Error) {
	panic(fault{c.pointing(offset, e)})
}

func (c *clause) fail(at ast.Node, hint, format string, args ...any) {
	c.failAt(c.offset(at.Pos()), &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf(format, args...), Got: c.text(at), Hint: hint})
}

// failErr gives up with an error of the catalog, pointed at the node.
func (c *clause) failErr(at ast.Node, err error) {
	e, ok := err.(*refusal.Error)
	if !ok {
		e = &refusal.Error{Code: refusal.InvalidArguments, Message: err.Error()}
	}
	c.failAt(c.offset(at.Pos()), e)
}

// pointing adds the column and a caret line to the message.
func (c *clause) pointing(offset int, e *refusal.Error) *refusal.Error {
	offset = min(max(offset, 0), len(c.src))
	from := offset - 60
	line := c.src
	if from > 0 {
		for from < offset && !utf8.RuneStart(line[from]) {
			from++
		}
		line = line[from:]
	} else {
		from = 0
	}
	column := utf8.RuneCountInString(c.src[:offset]) + 1
	indent := strings.Repeat(" ", utf8.RuneCountInString(c.src[from:offset]))
	if cut := offset - from + 60; cut < len(line) {
		for !utf8.RuneStart(line[cut]) {
			cut--
		}
		line = line[:cut]
	}
	p := *e
	p.Message = fmt.Sprintf("%s, column %d: %s\n  %s\n  %s^", c.what, column, e.Message, strings.ToValidUTF8(line, "?"), indent)
	return &p
}

var (
	wordOperator = regexp.MustCompile(`(?i)\b(and|or|not)\b`)
	singleQuoted = regexp.MustCompile(`'[^']{2,}'`)
	singleEquals = regexp.MustCompile(`[^=!<>]=[^=]`)
)

// syntaxError explains what go/parser found wrong.
func (c *clause) syntaxError(err error) error {
	msg, offset := err.Error(), 0
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		msg, offset = list[0].Msg, list[0].Pos.Offset
	}
	want, hint := "a Go boolean expression", `write a Go boolean expression, for instance Health.HP < Health.Max/2 && Enemy.Kind == "Brute"`
	switch {
	case c.what == "sort":
		want, hint = "one value", "write one value, for instance Health.HP, with a minus sign for the greatest first: -Health.HP"
	case singleQuoted.MatchString(c.src):
		hint = `text and labels go in double quotes: Enemy.Kind == "Brute"`
	case wordOperator.MatchString(c.src):
		hint = "write && for and, || for or, ! for not"
	case singleEquals.MatchString(c.src):
		hint = "write == to compare; where never assigns"
	}
	return c.pointing(offset, &refusal.Error{Code: refusal.InvalidArguments, Message: msg, Got: c.src, Want: want, Hint: hint})
}
