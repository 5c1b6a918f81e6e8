package calltext

import (
	"fmt"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/text"
)

const (
	// conventionBudget and documentBudget bound the documents, in bytes.
	conventionBudget = 48 << 10
	documentBudget   = 768 << 10
)

// Resources are the documents under a URI scheme. All follow from what is
// offered: who is subscribed to one hears when a tool comes or goes.
func (t *Text) Resources(scheme string) []*tools.Resource {
	if scheme == "" {
		scheme = "ecs"
	}
	if !t.host.Offers(toolName) {
		return nil
	}
	doc := func(path, mime, about string, write func(*text.Listing) (string, error)) *tools.Resource {
		return &tools.Resource{URI: scheme + "://" + path, Name: path, MIMEType: mime, Description: about,
			Read: func(*tools.Call, tools.ResourceRequest) ([]tools.ResourceContents, error) {
				return contents(write(t.offered()))
			}}
	}
	grammar := func(n text.Notation) func(*text.Listing) (string, error) {
		return func(l *text.Listing) (string, error) { return l.Grammar(n, documentBudget) }
	}
	return []*tools.Resource{
		doc("convention", "text/markdown", "How every tool is called in text, for models without tool calling; call_text runs such calls.",
			func(l *text.Listing) (string, error) { return l.Convention(conventionBudget), nil }),
		{URI: scheme + "://convention/{groups}", Name: "convention-of", MIMEType: "text/markdown",
			Description: "The same for some groups of tools, separated by commas: what a client of /mcp?tools=GROUPS is told.",
			Read:        t.conventionOf, Complete: t.completeGroups},
		doc("tools.xsd", "application/xml", "The XML form of every call as XML Schema 1.0.",
			func(l *text.Listing) (string, error) { return l.XSD(documentBudget), nil }),
		doc("tools.lark", "text/plain", "The XML and JSON forms of every call as a grammar for Lark (LALR or Earley).", grammar(text.Lark)),
		doc("tools.gbnf", "text/plain", "The same in GBNF, for constrained decoding.", grammar(text.GBNF)),
		{URI: scheme + "://tools/{name}.xsd", Name: "tool.xsd", MIMEType: "application/xml", Description: "The XML form of one tool's calls as XML Schema 1.0.",
			Read: t.toolSchema, Complete: t.completeTools},
	}
}

func contents(s string, err error) ([]tools.ResourceContents, error) {
	if err != nil {
		return nil, err
	}
	return []tools.ResourceContents{{Text: s}}, nil
}

func (t *Text) toolSchema(_ *tools.Call, r tools.ResourceRequest) ([]tools.ResourceContents, error) {
	l := t.offered()
	name := r.Vars["name"]
	tool, ok := l.Tool(name)
	if !ok {
		names := toolNames(l)
		return nil, &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("no tool named %q", name), Got: name,
			Options: refusal.Nearest(name, names), Total: len(names)}
	}
	return contents(tool.XSD(), nil)
}

func toolNames(l *text.Listing) []string {
	var names []string
	for _, tool := range l.Tools() {
		names = append(names, tool.Name)
	}
	return names
}

func (t *Text) completeTools(_ *tools.Call, _, prefix string) []string {
	return startingWith(toolNames(t.offered()), prefix)
}

func (t *Text) completeGroups(_ *tools.Call, _, prefix string) []string {
	return startingWith(t.groups(), prefix)
}

func startingWith(names []string, prefix string) []string {
	var fit []string
	for _, n := range names {
		if strings.HasPrefix(n, prefix) {
			fit = append(fit, n)
		}
	}
	return fit
}

func (t *Text) groups() []string {
	var groups []string
	seen := map[string]bool{}
	for _, tool := range t.offered().Tools() {
		if !seen[tool.Group] {
			seen[tool.Group] = true
			groups = append(groups, tool.Group)
		}
	}
	return groups
}

func (t *Text) conventionOf(_ *tools.Call, r tools.ResourceRequest) ([]tools.ResourceContents, error) {
	wanted := map[string]bool{}
	for g := range strings.SplitSeq(r.Vars["groups"], ",") {
		g = strings.TrimSpace(g)
		wanted[g] = true
		if known := t.groups(); !contains(known, g) {
			return nil, &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("no tool is in a group %q", g), Got: g,
				Options: refusal.Nearest(g, known), Total: len(known)}
		}
	}
	l := t.offered().Filter(func(tool *text.Tool) bool { return wanted[tool.Group] })
	return contents(l.Convention(conventionBudget), nil)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
