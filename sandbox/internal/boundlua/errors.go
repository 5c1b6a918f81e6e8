package boundlua

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox/internal/source"
)

// lineOf is the line of the innermost function of the script in a thread, 0 if
// there is none.
func lineOf(L *lua.LState) int {
	for i := range 60 {
		dbg, ok := L.GetStack(i)
		if !ok {
			break
		}
		if _, err := L.GetInfo("Sl", dbg, lua.LNil); err == nil && dbg.CurrentLine > 0 && dbg.Source == source.ChunkName {
			return dbg.CurrentLine
		}
	}
	return 0
}

func (r *Run) noteLine(L *lua.LState) {
	r.line = lineOf(L)
	if r.budget.stop != nil && r.stopLine == 0 {
		r.stopLine = r.line
	}
}

// Refuse turns an error of the world into a Lua error. If the script
// does not catch it, its got, want and options reach the client.
func (r *Run) Refuse(L *lua.LState, err error) {
	var e *refusal.Error
	if !errors.As(err, &e) {
		e = &refusal.Error{Code: refusal.ScriptError, Message: err.Error()}
	}
	r.cause = e
	L.RaiseError("%s", e.Message)
}

var position = regexp.MustCompile(`^` + source.ChunkName + `:(\d+): ?`)

// The VM's own messages, and what they mean.
var vmMessages = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`^attempt to index a non-table object\((\w+)\) with key '(.*)'$`), "attempt to index a $1 value (key '$2')"},
	{regexp.MustCompile(`^attempt to call a non-function object$`), "attempt to call something that is not a function (often nil: a misspelt or unavailable name)"},
	{regexp.MustCompile(`^cannot perform (\w+) operation between (\w+) and (\w+)$`), "attempt to perform arithmetic ($1) on a $2 and a $3"},
	{regexp.MustCompile(`^__(\w+) undefined$`), "attempt to apply the operator $1 to a value that does not have it"},
	{regexp.MustCompile(`^registry overflow$`), "too many values at once (registers overflow)"},
}

// unavailable finds names that Lua has and the sandbox does not.
var unavailable = regexp.MustCompile(`\b(io|debug|package|load|loadstring|loadfile|dofile|require|module|collectgarbage|newproxy|getfenv|setfenv|os\.(?:execute|exit|getenv|remove|rename|tmpname|setlocale)|string\.dump|bit|utf8)\b`)

// scriptError describes how the script failed.
func (r *Run) scriptError(err error) *refusal.Error {
	if stop := r.budget.stop; stop != nil {
		e := *stop
		if e.Line = r.stopLine; e.Line > 0 {
			e.Message = fmt.Sprintf("%s (stopped at line %d)", e.Message, e.Line)
		}
		return &e
	}
	e := &refusal.Error{Code: refusal.ScriptError}
	v := errorValue(err)
	var text string
	switch v := v.(type) {
	case lua.LString:
		text = string(v)
	case lua.LNumber:
		text = NumberText(v)
	case *lua.LTable:
		text = "the script raised a table"
		if m, ok := v.RawGetString("message").(lua.LString); ok {
			text = string(m)
		}
		conv := converter{r: r, left: 2000}
		e.Got = conv.value(v, "$", 0)
	default:
		text = "the script raised a " + v.Type().String() + " value"
	}
	e.Line = r.line
	if m := position.FindStringSubmatch(text); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	text = source.Shorten(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")), 2000)
	for _, m := range vmMessages {
		if m.from.MatchString(text) {
			text = m.from.ReplaceAllString(text, m.to)
			break
		}
	}
	line := r.chunk.Line(e.Line)
	if c := r.cause; c != nil && strings.Contains(text, c.Message) {
		e.Got, e.Want, e.Options, e.Total, e.Hint, e.Next = c.Got, c.Want, c.Options, c.Total, c.Hint, c.Next
	} else if r.Lacking != "" && strings.Contains(text, "index a nil") {
		e.Hint = r.Lacking
	} else if m := unavailable.FindString(line); m != "" && strings.Contains(text, "attempt to") {
		e.Hint = m + " is not available in the sandbox; string, table, math, coroutine, os.time/clock/date" + r.dialect.More + " are"
	}
	if e.Hint == "" && strings.Contains(text, "not a function") {
		e.Hint = r.dialect.Calls
	}
	if e.Got == nil && line != "" {
		e.Got = line
	}
	e.Message = "script error: " + text
	if e.Line > 0 {
		e.Message = fmt.Sprintf("script error at line %d: %s", e.Line, text)
	}
	return e
}
