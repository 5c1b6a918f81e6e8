package text

import (
	"fmt"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// Line is the calling convention in one sentence, for a prompt that has room
// for no more.
const Line = `Without tool calling, write <Tool argument="value"/> or {"tool":"Tool","arguments":{"argument":"value"}} on a line of its own.`

const conventionHead = `# Calling tools in text

A call is written on a line of its own, as XML or as JSON. Several run in order.

<Tool name="value" numbers="1 2 3"><list><item>a</item></list><map><entry key="k">1</entry></map></Tool>
{"tool":"Tool","arguments":{"name":"value","numbers":[1,2,3],"list":["a"],"map":{"k":1}}}

Arguments after "May have" can be left out. Entities are written 42v3. A call that is only shown (in a fence marked as an example, in a quotation, as code within a sentence, in a thought) is not run.
`

// Convention tells in a short paragraph how the tool is called, with a line of
// XML and one of JSON to copy.
func (t *Tool) Convention() string {
	var b strings.Builder
	b.WriteString(t.Name + ": " + strings.TrimSpace(t.Description))
	var needs, takes []string
	for _, f := range t.structured().Fields {
		what := argument(f)
		if f.Required {
			needs = append(needs, what)
		} else {
			takes = append(takes, what)
		}
	}
	if len(needs) > 0 {
		b.WriteString(" Needs " + strings.Join(needs, "; ") + ".")
	}
	if len(takes) > 0 {
		b.WriteString(" May have " + strings.Join(takes, "; ") + ".")
	}
	b.WriteString("\n" + t.ExampleXML() + "\n" + t.ExampleJSON() + "\n")
	return b.String()
}

func argument(f shape.Field) string {
	text := f.Name + " (" + f.Type()
	if f.Doc != "" {
		text += ": " + strings.TrimSuffix(f.Doc, ".")
	}
	return text + ")"
}

// Convention tells how the tools are called, in at most so many bytes: the
// most useful ones first, those that have no room by their names. Tools of one
// group are one section.
func (l *Listing) Convention(budget int) string {
	const more = 96 // for the last line
	room := budget - len(conventionHead) - more
	if room < 0 {
		return clip(Line, budget)
	}
	texts := map[*Tool]string{}
	grouped := map[string]bool{}
	var rest []*Tool
	for _, t := range l.useful() {
		text := t.Convention()
		cost := len(text) + 1
		if !grouped[t.Group] {
			cost += len(heading(t.Group))
		}
		// Names of all others have to have room too, where they can.
		if cost > room-room/8 {
			rest = append(rest, t)
			continue
		}
		grouped[t.Group] = true
		texts[t] = text
		room -= cost
	}
	var b strings.Builder
	b.WriteString(conventionHead)
	for _, g := range l.groups() {
		if !grouped[g] {
			continue
		}
		b.WriteString(heading(g))
		for i := range l.tools {
			if t := &l.tools[i]; t.Group == g && texts[t] != "" {
				b.WriteString(texts[t] + "\n")
			}
		}
	}
	b.WriteString(also(rest, room))
	return b.String()
}

func heading(group string) string { return "\n## " + group + "\n\n" }

// groups are the groups in the order of their first tool.
func (l *Listing) groups() []string {
	var groups []string
	seen := map[string]bool{}
	for i := range l.tools {
		if g := l.tools[i].Group; !seen[g] {
			seen[g] = true
			groups = append(groups, g)
		}
	}
	return groups
}

// also names the tools that had no room for more, in at most so many bytes
// and a line that counts the others.
func also(rest []*Tool, room int) string {
	if len(rest) == 0 {
		return ""
	}
	text := "\nAlso: "
	n := 0
	for ; n < len(rest); n++ {
		name := rest[n].Name + ", "
		if len(text)+len(name) > room {
			break
		}
		text += name
	}
	if n == 0 {
		return fmt.Sprintf("\n%d more tools; help lists them.\n", len(rest))
	}
	text = strings.TrimSuffix(text, ", ")
	if n < len(rest) {
		text += fmt.Sprintf(" and %d more", len(rest)-n)
	}
	return text + "; help explains each.\n"
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:max(0, n)], "")
}
