package find

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/loose"
)

// mayBegin is a cheap look at what follows a bracket: a name, or the end.
func mayBegin(s string) (yes, known bool) {
	t := strings.TrimLeft(s, " \t\r\n")
	if t == "" {
		return false, len(s) > 64
	}
	c := t[0]
	return c == '"' || c == '\'' || c == '`' || c == '&' || c == '/' || c == '}' || c >= 0x80 || isNameStart(t), true
}

// object handles a { at i: JSON that is a call, or holds calls, or holds the
// arguments of a call that a header before it names.
func (s *scan) object(i int) (int, status) {
	view, last := s.view(i)
	begins, known := mayBegin(view[1:])
	if !known && !s.last && i+len(view) == len(s.text) {
		return i, wait
	}
	if !begins {
		return i, no
	}
	r := loose.ParsePart(view, last)
	switch r.Status {
	case loose.Short:
		return i, s.short(view)
	case loose.Failed:
		return i, s.failed(r.Cost)
	}
	end := i + r.Node.End
	marked := s.marked(i)
	c := collector{scan: s, marked: marked}
	c.visit(r.Node, 0)
	if len(c.calls) == 0 {
		if name, at, ok := s.header(i); ok {
			c.calls = append(c.calls, candidate{name: name, args: r.Node, node: r.Node})
			c.marked = true
			start := at - i
			c.calls[0].start = &start
		}
	}
	if len(c.calls) == 0 {
		if r.Node.Cut {
			return i, s.failed(r.Cost)
		}
		return end, yes
	}
	form := JSON
	if c.marked {
		form = ToolCall
	}
	kept := len(s.out)
	for _, call := range c.calls {
		f := s.fromNode(call, form)
		f.Repaired = append(f.Repaired, r.Node.Fixed.Names()...)
		from, to := i+call.node.Start, i+call.node.End
		if call.start != nil {
			from = i + *call.start
		}
		if _, st := s.found(f, from, to); st == wait {
			s.out = s.out[:kept]
			return i, wait
		}
	}
	s.after, s.mark = end, c.marked
	return end, yes
}

// candidate is a call that an object is taken for.
type candidate struct {
	name  string
	args  *loose.Node // nil: none
	node  *loose.Node
	start *int // where it begins, unless with the node
	fix   string
}

func (s *scan) fromNode(c candidate, form Form) Found {
	f := Found{Tool: c.name, Form: form, Arguments: json.RawMessage("{}")}
	if t := s.ix.lookup(c.name); t != nil {
		f.Tool, f.Known = t.Name, true
	}
	if c.args != nil {
		f.Arguments = c.args.AppendJSON(nil)
	}
	if c.fix != "" {
		f.Repaired = append(f.Repaired, c.fix)
	}
	return f
}

// collector finds calls in a value.
type collector struct {
	scan   *scan
	marked bool
	calls  []candidate
}

var (
	// strong keys name a tool, and nothing else.
	strongKeys = []string{"tool", "tool_name", "toolName", "function_name", "recipient_name"}
	weakKeys   = []string{"name", "function", "action", "method", "command"}
	argKeys    = []string{"arguments", "args", "parameters", "params", "input", "tool_input", "action_input", "toolInput", "kwargs"}
	// resultKeys are what an answer has.
	resultKeys = []string{"result", "error", "output", "answer", "status"}
	// besideKeys may stand beside a call without being an argument.
	besideKeys = []string{"id", "type", "call_id", "index", "thought", "reasoning", "explanation"}
)

func (c *collector) visit(n *loose.Node, depth int) {
	switch n.Kind {
	case loose.Array:
		for _, item := range n.Items {
			c.visit(item, depth+1)
		}
	case loose.Object:
		if definition(n) {
			return
		}
		if call, ok := c.call(n); ok {
			c.calls = append(c.calls, call)
			return
		}
		for _, item := range n.Items {
			c.visit(item, depth+1)
		}
	}
}

// definition tells the description of a tool from a call of it.
func definition(n *loose.Node) bool {
	if n.Get("inputSchema") != nil || n.Get("input_schema") != nil {
		return true
	}
	for _, k := range argKeys {
		a := n.Get(k)
		if a.Get("properties") != nil && a.Get("type") != nil {
			return true
		}
	}
	return false
}

func (c *collector) call(n *loose.Node) (candidate, bool) {
	key, name, strong := c.name(n)
	if name == "" {
		return candidate{}, false
	}
	tool := c.scan.ix.lookup(name)
	for _, k := range argKeys {
		a := n.Get(k)
		if a == nil || k == key || !c.plausible(k, a, tool != nil, strong) {
			continue
		}
		args, fix, ok := argumentsOf(a)
		return candidate{name: name, args: args, node: n, fix: fix}, ok
	}
	if tool == nil || answer(n) {
		return candidate{}, false
	}
	// No arguments: the name alone, or the arguments beside it.
	beside := &loose.Node{Kind: loose.Object}
	for i, k := range n.Keys {
		if k != key && !slices.Contains(besideKeys, k) {
			beside.Keys, beside.Items = append(beside.Keys, k), append(beside.Items, n.Items[i])
		}
	}
	switch {
	case len(beside.Keys) == 0 && (strong || c.marked):
		return candidate{name: name, node: n}, true
	case strong && len(beside.Keys) > 0:
		return candidate{name: name, args: beside, node: n, fix: "arguments beside the tool's name"}, true
	}
	return candidate{}, false
}

// plausible tells whether the member k of a call-like object is its arguments:
// for a tool that is not known, only where nothing else can be meant.
func (c *collector) plausible(k string, a *loose.Node, known, strong bool) bool {
	if a.Kind != loose.Object && a.Kind != loose.String && a.Kind != loose.Null {
		return false
	}
	return known || (strong || c.marked) && (k == "arguments" || k == "args" || k == "parameters")
}

func (c *collector) name(n *loose.Node) (key, name string, strong bool) {
	for _, k := range strongKeys {
		if v := n.Get(k); v != nil && (v.Kind == loose.String || v.Kind == loose.Word) {
			return k, v.Text, true
		}
	}
	for _, k := range weakKeys {
		if v := n.Get(k); v != nil && (v.Kind == loose.String || v.Kind == loose.Word) && v.Text != "tools/call" {
			return k, v.Text, false
		}
	}
	return "", "", false
}

func answer(n *loose.Node) bool {
	for _, k := range resultKeys {
		if n.Get(k) != nil {
			return true
		}
	}
	return false
}

// argumentsOf gives the arguments as an object: they may be written as a text
// of JSON.
func argumentsOf(a *loose.Node) (args *loose.Node, fix string, ok bool) {
	switch a.Kind {
	case loose.Object:
		return a, "", true
	case loose.Null:
		return nil, "", true
	}
	text := strings.TrimSpace(a.Text)
	if text == "" {
		return nil, "", true
	}
	if r := loose.Parse(text); r.Status == loose.Done && r.Node.Kind == loose.Object && strings.TrimSpace(text[r.Node.End:]) == "" {
		return r.Node, "arguments as a text", true
	}
	return nil, "", false
}

// lookBack is how far before a value its header may begin.
const lookBack = 240

const (
	headerName = `([A-Za-z0-9_.:/-]+?)`
	headerEnd  = "\\s*(?:```\\w*\\s*)?$"
)

// headers name the tool whose arguments follow as JSON. Each is tried only
// where one of its marks is, since matching costs more than finding.
var headers = []struct {
	marks []string
	re    *regexp.Regexp
}{
	// ReAct.
	{[]string{"nput:", "nput :", "NPUT:"}, regexp.MustCompile(`(?i:action)\s*:\s*[*"` + "`" + `]*` + headerName + `[*"` + "`" + `]*\s*\n\s*(?i:action[ _]input)\s*:` + headerEnd)},
	// Kimi, DeepSeek, Mistral, gpt-oss.
	{[]string{"argument_begin|>", "sep｜>", "[ARGS]", "<|message|>"},
		regexp.MustCompile(headerName + `(?::\d+)?\s*(?:<\|tool_call_argument_begin\|>|<｜tool▁sep｜>|\[ARGS\]|(?:<\|constrain\|>\s*json\s*)?<\|message\|>)` + headerEnd)},
	{[]string{"sep｜>"}, regexp.MustCompile(`<｜tool▁sep｜>\s*` + headerName + headerEnd)},
	{[]string{"[TOOL_CALLS]"}, regexp.MustCompile(`\[TOOL_CALLS\]\s*` + headerName + headerEnd)},
	{[]string{"<tool_call>"}, regexp.MustCompile(`<tool_call>\s*` + headerName + headerEnd)},
	{[]string{"_begin|>"}, regexp.MustCompile(`<\|tool_calls?_begin\|>\s*` + headerName + headerEnd)},
}

// header finds the name of a tool whose arguments begin at i, and where the
// header begins.
func (s *scan) header(i int) (name string, at int, ok bool) {
	b := s.before(i, lookBack)
	if n := strings.LastIndexByte(b, '}'); n >= 0 {
		b = b[n+1:] // what stands before other JSON is no header of this
	}
	for _, h := range headers {
		if !slices.ContainsFunc(h.marks, func(m string) bool { return strings.Contains(b, m) }) {
			continue
		}
		if m := h.re.FindStringSubmatchIndex(b); m != nil {
			name := strings.TrimPrefix(b[m[2]:m[3]], "to=")
			if strings.EqualFold(name, "finish") {
				continue
			}
			return name, i - len(b) + m[0], true
		}
	}
	return "", 0, false
}

// callMarks stand before calls, and before nothing else.
var callMarks = []string{"<tool_call>", "<tool_calls>", "<function_call>", "<function_calls>", "<tool_use>", "<|tool_call|>", "<|tool_call_start|>", "<|python_tag|>", "[TOOL_CALLS]", "<｜tool▁call▁begin｜>"}

// marked tells whether what begins at i stands where only calls stand.
func (s *scan) marked(i int) bool {
	b := s.before(i, lookBack)
	if s.mark && s.after <= i && strings.Trim(s.text[s.after:i], " \t\r\n,]") == "" {
		return true
	}
	b = strings.TrimRight(b, " \t\r\n[")
	if n := strings.LastIndex(b, "```"); n >= 0 && !strings.ContainsAny(b[n:], " \n") {
		b = strings.TrimRight(b[:n], " \t\r\n")
	}
	for _, m := range callMarks {
		if strings.HasSuffix(b, m) {
			return true
		}
	}
	return false
}
