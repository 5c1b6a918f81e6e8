package builtin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/tools"
)

// Reference writes the documentation of every tool of a listing as Markdown:
// docs/tools.md and the resource ecs://tools.
func Reference(l *listing.Listing) []byte {
	var b strings.Builder
	b.WriteString("# Tools\n\nGenerated from the registry (`make docs`). `?` marks optional arguments. Every result also carries `frame`, the host frame it was read in. In results an integer beyond 2^53-1 is a text of digits, and a number that is not finite is \"NaN\", \"Infinity\" or \"-Infinity\".\n")
	var groups []string
	byGroup := map[string][]*listing.Tool{}
	for _, p := range l.Tools {
		g := p.Spec.Group
		if _, ok := byGroup[g]; !ok {
			groups = append(groups, g)
		}
		byGroup[g] = append(byGroup[g], p)
	}
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n", g)
		for i, p := range byGroup[g] {
			if g == "components" && b.Len() > maxReference { // as many as the game has types
				fmt.Fprintf(&b, "\n%d more, told in full by `help` with their name:\n\n", len(byGroup[g])-i)
				for _, p := range byGroup[g][i:] {
					fmt.Fprintf(&b, "- %s\n", p.Spec.Name)
				}
				break
			}
			referenceTool(&b, p)
		}
	}
	return []byte(b.String())
}

// maxReference is where the reference stops telling of generated tools in full,
// in bytes; the built-in ones take most of it.
const maxReference = 128 << 10

func referenceTool(b *strings.Builder, p *listing.Tool) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n    %s\n\nFlags: %s.\n", p.Spec.Name, p.Spec.Description, p.Usage(), flagText(p.Spec))
	if p.Spec.Example != "" {
		fmt.Fprintf(b, "\nExample: `%s`\n", p.Spec.Example)
	}
	propertyTable(b, "Argument", p.Input, p.Arguments)
	if p.Output == nil {
		b.WriteString("\nAnswers a text and other content, no structured content.\n")
		return
	}
	propertyTable(b, "Result", p.Output, nil)
}

func flagText(s tools.Spec) string {
	var flags []string
	for _, f := range []struct {
		set  bool
		text string
	}{{true, s.Effect.String()}, {s.Idempotent, "idempotent"}, {s.OffFrame, "answers in every state without the frame"},
		{s.WhenCrashed && !s.OffFrame, "also when crashed"}, {s.WhenParked && !s.OffFrame, "also when parked"},
		{s.NeedsWorld, "needs a world"}, {s.NeedsApp, "needs an app"}} {
		if f.set {
			flags = append(flags, f.text)
		}
	}
	if len(flags) == 0 {
		return "none"
	}
	return strings.Join(flags, ", ")
}

type schemaDoc struct {
	Type        string               `json:"type"`
	Description string               `json:"description"`
	Properties  map[string]schemaDoc `json:"properties"`
	Items       *schemaDoc           `json:"items"`
	Required    []string             `json:"required"`
	AnyOf       []schemaDoc          `json:"anyOf"`
	Enum        []any                `json:"enum"`
	Examples    []any                `json:"examples"`
	Minimum     *float64             `json:"minimum"`
	Maximum     *float64             `json:"maximum"`
	Default     json.RawMessage      `json:"default"`
}

func propertyTable(b *strings.Builder, title string, raw json.RawMessage, order []string) {
	var s schemaDoc
	if err := json.Unmarshal(raw, &s); err != nil {
		return
	}
	delete(s.Properties, "error")
	if title == "Result" {
		delete(s.Properties, "frame")
	}
	if len(s.Properties) == 0 {
		return
	}
	if order == nil {
		for n := range s.Properties {
			order = append(order, n)
		}
		slices.Sort(order)
	}
	required := s.Required
	for _, alt := range s.AnyOf {
		required = append(required, alt.Required...)
	}
	fmt.Fprintf(b, "\n| %s | Type | Meaning |\n| --- | --- | --- |\n", title)
	for _, n := range order {
		p, ok := s.Properties[n]
		if !ok {
			continue
		}
		mark := ""
		if !slices.Contains(required, n) {
			mark = "?"
		}
		fmt.Fprintf(b, "| `%s`%s | %s | %s |\n", n, mark, cell(p.typeText()), cell(p.Description))
	}
}

func (s schemaDoc) typeText() string {
	t := s.Type
	if t == "" && len(s.AnyOf) > 0 {
		// The ordinary form first; the other ones of numbers are the same for
		// all tools.
		t = s.AnyOf[0].typeText()
		if s.AnyOf[len(s.AnyOf)-1].Type == "null" {
			t += " or null"
		}
	}
	if len(s.Enum) == 0 {
		s.Enum = s.Examples
	}
	switch {
	case t == "":
		t = "any"
	case t == "array" && s.Items != nil:
		t = s.Items.typeText() + "[]"
	}
	if len(s.Enum) > 0 {
		var labels []string
		for _, e := range s.Enum {
			labels = append(labels, fmt.Sprint(e))
		}
		t = strings.Join(labels, ", ")
	}
	if s.Minimum != nil {
		t += ", at least " + strconv.FormatFloat(*s.Minimum, 'f', -1, 64)
	}
	if s.Maximum != nil {
		t += ", at most " + strconv.FormatFloat(*s.Maximum, 'f', -1, 64)
	}
	if len(s.Default) > 0 {
		t += ", default " + string(s.Default)
	}
	return t
}

func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}
