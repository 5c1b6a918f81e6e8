package find

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/loose"
)

// spaces are the objects that models call tools on.
var spaces = []string{"functions.", "tools.", "tool.", "default_api.", "api.", "mcp."}

// functionLine is what may stand before a call without such a prefix: then it
// has to be all that its line says.
var functionLine = regexp.MustCompile(`^\s*(?:[-*]\s+|\d+[.)]\s+)?(?:(?:[A-Za-z_]\w*)\s*=\s*)?(?:await\s+|return\s+)?\[?\s*(?:print\(\s*)?$`)

// function handles a ( at i: name(...), after a name of a tool.
func (s *scan) function(i int) (int, status) {
	start := i
	for start > 0 && i-start < longestName && functionByte(s.text[start-1]) {
		start--
	}
	written := s.text[start:i]
	if written == "" {
		return i, no
	}
	prefixed := false
	for _, p := range spaces {
		prefixed = prefixed || strings.HasPrefix(written, p)
	}
	tool := s.ix.lookup(written)
	if tool == nil && !strings.HasPrefix(written, "functions.") {
		return i, no
	}
	line := s.line(start)
	follows := s.after <= start && s.mark && strings.Trim(s.text[s.after:start], " \t\r\n,") == ""
	alone := functionLine.MatchString(strings.TrimLeft(line, "`")) || follows || s.marked(start)
	if !prefixed && !alone {
		return i, no
	}
	view, last := s.view(i)
	r := loose.ParseCall(view, last)
	switch r.Status {
	case loose.Short:
		return i, s.short(view)
	case loose.Failed:
		return i, s.failed(r.Cost)
	}
	end := i + r.Node.End
	if !prefixed {
		tail, known := s.tailLine(end)
		if !known {
			return i, wait
		}
		tail = strings.TrimLeft(tail, ")] \t")
		if !strings.HasPrefix(tail, ",") && strings.Trim(tail, " \t\r;,`") != "" && !strings.HasPrefix(tail, "#") && !strings.HasPrefix(tail, "<|") {
			return i, no // a call in a sentence is talk about one
		}
	}
	c := candidate{name: written, node: r.Node}
	c.args, c.fix = byName(r.Node, tool)
	f := s.fromNode(c, Function)
	if tool == nil {
		f.Tool = strings.TrimPrefix(written, "functions.")
	}
	f.Repaired = append(f.Repaired, r.Node.Fixed.Names()...)
	to, st := s.found(f, start, end)
	s.mark = st == yes && !prefixed
	return to, st
}

func functionByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == ':' || c == '-'
}

// byName gives arguments by their names: one object is all of them, others
// without a name stand in the order of the tool's arguments.
func byName(n *loose.Node, tool *Tool) (args *loose.Node, fix string) {
	if len(n.Items) == 1 && n.Keys[0] == "0" && n.Items[0].Kind == loose.Object {
		return n.Items[0], ""
	}
	for i, k := range n.Keys {
		at, err := strconv.Atoi(k)
		if err != nil || tool == nil || tool.Args == nil || at >= len(tool.Args.Fields) {
			continue
		}
		n.Keys[i] = tool.Args.Fields[at].Name
		fix = "arguments by position"
	}
	return n, fix
}
