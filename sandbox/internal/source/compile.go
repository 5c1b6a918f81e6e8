package source

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// ChunkName is what positions in messages begin with: "script:3: ...".
const ChunkName = "script"

// Program is compiled source. Its function takes the hidden functions: (concat),
// (list), those of the dialect, and a reader and a writer for every site.
type Program struct {
	Text  string
	Proto *lua.FunctionProto
	Sites []Site
}

// Line returns the text of a line of the source, shortened.
func (p *Program) Line(n int) string {
	s := p.Text
	for ; n > 1; n-- {
		i := strings.IndexByte(s, '\n')
		if i < 0 {
			return ""
		}
		s = s[i+1:]
	}
	s, _, _ = strings.Cut(s, "\n")
	return Shorten(strings.TrimSpace(s), 200)
}

// Compile parses, checks, rewrites and compiles code: statements, or an expression
// alone, whose value is then the result. The error is script_error, with the line.
func Compile(code string, nesting int, d *Dialect) (p *Program, err error) {
	defer func() {
		// parse and Compile are foreign code that panics on some input.
		if v := recover(); v != nil {
			p, err = nil, syntaxError(0, code, fmt.Sprint("the compiler failed: ", v))
		}
	}()
	if line, ok := shallow(code, nesting); !ok {
		return nil, tooDeep(line, code, nesting)
	}
	// An expression alone: try that reading first, it is the only one under
	// which such text compiles, save for a call, whose value is then told too.
	chunk, err := parseChunk(asExpression + code)
	if err != nil {
		exprErr := err
		if chunk, err = parseChunk(code); err != nil {
			return nil, parseError(code, further(exprErr, err))
		}
	}
	rw := rewriter{limit: nesting, dialect: d}
	chunk, line := rw.chunk(chunk)
	if rw.fault != "" {
		return nil, syntaxError(line, code, rw.fault)
	}
	if rw.long {
		return nil, syntaxError(line, code, fmt.Sprintf("more than %d operators, selectors or elseifs in a row", maxChain))
	}
	if line > 0 {
		return nil, tooDeep(line, code, nesting)
	}
	proto, err := lua.Compile(chunk, ChunkName)
	if err != nil {
		return nil, compileError(code, err)
	}
	return &Program{Text: code, Proto: proto, Sites: rw.sites}, nil
}

const asExpression = "return "

// further gives the error of the reading that got further into the source,
// the statements' if they are equal.
func further(expr, stmts error) error {
	var e, s *parse.Error
	if !errors.As(expr, &e) || !errors.As(stmts, &s) || s.Pos.Line == parse.EOF {
		return stmts
	}
	column := e.Pos.Column
	if e.Pos.Line == 1 {
		column -= len(asExpression)
	}
	if e.Pos.Line == parse.EOF || e.Pos.Line > s.Pos.Line || e.Pos.Line == s.Pos.Line && column > s.Pos.Column {
		return expr
	}
	return stmts
}

func parseChunk(code string) ([]ast.Stmt, error) {
	chunk, err := parse.Parse(strings.NewReader(code), ChunkName)
	if err == nil && chunk == nil && strings.TrimSpace(code) != "" {
		chunk = []ast.Stmt{} // comments alone
	}
	return chunk, err
}

func parseError(code string, err error) error {
	var pe *parse.Error
	if !errors.As(err, &pe) {
		return syntaxError(0, code, err.Error())
	}
	line := pe.Pos.Line
	msg := pe.Message
	if line == parse.EOF {
		line = 1 + strings.Count(strings.TrimRight(code, "\n"), "\n")
		return syntaxError(line, code, "unexpected end of the source (an end, a bracket or a quote is missing)")
	}
	if msg == "unterminated string" && line > 1 {
		line-- // the scanner has counted the end of the line already
	}
	if msg == "syntax error" {
		msg = "unexpected"
	}
	return syntaxError(line, code, fmt.Sprintf("%s near %q", msg, Shorten(pe.Token, 60)))
}

func compileError(code string, err error) error {
	var ce *lua.CompileError
	if errors.As(err, &ce) {
		return syntaxError(ce.Line, code, ce.Message)
	}
	return syntaxError(0, code, err.Error())
}

func syntaxError(line int, code, msg string) *refusal.Error {
	e := &refusal.Error{Code: refusal.ScriptError, Message: "syntax error: " + msg,
		Extra: map[string]any{"printed": ""}}
	if line > 0 {
		e.Message = fmt.Sprintf("syntax error at line %d: %s", line, msg)
		e.Line = line
		if text := (&Program{Text: code}).Line(line); text != "" {
			e.Got = text
		}
	}
	e.Hint = "Lua 5.1 syntax; statements, or an expression alone"
	return e
}

func tooDeep(line int, code string, limit int) *refusal.Error {
	e := syntaxError(line, code, fmt.Sprintf("nested deeper than %d levels", limit))
	e.Want = fmt.Sprintf("at most %d levels of brackets, blocks, functions and operators", limit)
	e.Hint = "split the expression into local variables"
	return e
}

// Shorten cuts a text to about n bytes.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
