package sandbox

import (
	"container/list"
	"errors"
	"fmt"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// chunkName is what positions in messages begin with: "script:3: ...".
const chunkName = "script"

// Chunk is compiled source, bound to the environment that was current when it
// was compiled: Reset does not take that away from it. It is immutable; any
// goroutine may hold it and it may be run more than once.
type Chunk struct {
	*program
	env *environment
}

// program is what the cache keeps: it knows no environment.
type program struct {
	source string
	proto  *lua.FunctionProto
	sites  []site // places that read or write X.Component.Field

	hidden []lua.LValue // what the chunk is called with
}

// line returns the text of a line of the source, shortened.
func (p *program) line(n int) string {
	s := p.source
	for ; n > 1; n-- {
		i := strings.IndexByte(s, '\n')
		if i < 0 {
			return ""
		}
		s = s[i+1:]
	}
	s, _, _ = strings.Cut(s, "\n")
	return shorten(strings.TrimSpace(s), 200)
}

// Compile checks and compiles code: statements, or an expression alone, whose
// value is then the result. Any goroutine may call it; it never touches the
// world. Empty code is refused as invalid_arguments, code that is too long as
// too_large, everything else that is wrong with it as script_error with the
// line. Results are cached.
func (s *Sandbox) Compile(code string) (*Chunk, error) {
	env := s.environment()
	if strings.TrimSpace(code) == "" {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "code is empty",
			Got: code, Want: "Lua statements, or an expression alone", Hint: `for example: return world.count{with={"Position"}}`}
	}
	if n := s.opt.SourceBytes; len(code) > n {
		return nil, &refusal.Error{Code: refusal.TooLarge, Message: fmt.Sprintf("the source is %d bytes long, more than the %d that are allowed", len(code), n),
			Got: len(code), Want: fmt.Sprintf("at most %d bytes", n), Hint: "keep functions in globals over several calls, and data in the world"}
	}
	p := s.cache.get(code)
	if p == nil {
		var err error
		if p, err = compile(code, s.opt.Nesting); err != nil {
			return nil, err
		}
		s.cache.put(p)
	}
	s.states.fill()
	return &Chunk{p, env}, nil
}

func compile(code string, nesting int) (p *program, err error) {
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
	rw := rewriter{limit: nesting}
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
	proto, err := lua.Compile(chunk, chunkName)
	if err != nil {
		return nil, compileError(code, err)
	}
	p = &program{source: code, proto: proto, sites: rw.sites}
	p.makeHidden()
	return p, nil
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
	chunk, err := parse.Parse(strings.NewReader(code), chunkName)
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
	return syntaxError(line, code, fmt.Sprintf("%s near %q", msg, shorten(pe.Token, 60)))
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
		if text := (&program{source: code}).line(line); text != "" {
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

func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// cache keeps the programs used last.
type cache struct {
	mu    sync.Mutex
	max   int
	order list.List // of *program, the latest first
	byKey map[string]*list.Element
}

func (c *cache) get(source string) *program {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.byKey[source]
	if el == nil {
		return nil
	}
	c.order.MoveToFront(el)
	return el.Value.(*program)
}

func (c *cache) put(p *program) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey == nil {
		c.byKey = map[string]*list.Element{}
	}
	if c.byKey[p.source] != nil {
		return
	}
	c.byKey[p.source] = c.order.PushFront(p)
	for c.order.Len() > c.max {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.byKey, last.Value.(*program).source)
	}
}
