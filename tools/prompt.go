package tools

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Prompt is a conversation opener that a client offers its user by name.
//
//	registry.RegisterPrompt(&tools.Prompt{
//		Name:        "debug_entity",
//		Description: "Finds out why an entity misbehaves.",
//		Arguments:   []tools.PromptArgument{{Name: "entity", Description: "its id, such as 42v3", Required: true}},
//		Get: func(c *tools.Call, args map[string]string) ([]tools.PromptMessage, error) {
//			return []tools.PromptMessage{tools.UserText("Entity " + args["entity"] + " misbehaves. Call info first.")}, nil
//		},
//	})
type Prompt struct {
	Name        string
	Title       string // for people. Default: the name
	Description string
	Arguments   []PromptArgument
	// Get writes the messages; required arguments are present. It runs off the
	// frame goroutine, maybe on several at once.
	Get func(c *Call, args map[string]string) ([]PromptMessage, error)
}

// PromptArgument is a text that a prompt takes.
type PromptArgument struct {
	Name        string
	Description string
	Required    bool
	// Complete proposes values; others are the arguments given so far. Any
	// goroutine. Default: none.
	Complete func(c *Call, prefix string, others map[string]string) []string
}

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	Role    string // "user" or "assistant"
	Content Content
}

// UserText is a message of the user.
func UserText(text string) PromptMessage {
	return PromptMessage{Role: "user", Content: Content{Type: "text", Text: text}}
}

// RegisterPrompt publishes prompts, in first-registration order. One of a known
// name replaces that one and keeps its position. On an error none is registered.
// A registered prompt must not be changed.
func (r *Registry) RegisterPrompt(ps ...*Prompt) error {
	for _, p := range ps {
		switch {
		case p == nil || p.Name == "":
			return &refusal.Error{Code: refusal.InvalidArguments, Message: "a prompt needs a name"}
		case p.Get == nil:
			return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("prompt %q needs a Get function", p.Name)}
		}
		for _, a := range p.Arguments {
			if a.Name == "" {
				return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("prompt %q: an argument needs a name", p.Name)}
			}
		}
	}
	r.changeDocuments(func(d *documents) bool {
		d.prompts = replaceOrAppend(d.prompts, ps, func(p *Prompt) string { return p.Name })
		return true
	})
	return nil
}

// UnregisterPrompt removes prompts by name and reports how many there were.
func (r *Registry) UnregisterPrompt(names ...string) int {
	n := 0
	r.changeDocuments(func(d *documents) bool {
		kept := slices.DeleteFunc(slices.Clone(d.prompts), func(p *Prompt) bool { return slices.Contains(names, p.Name) })
		n = len(d.prompts) - len(kept)
		d.prompts = kept
		return n > 0
	})
	return n
}

type updateWatcher struct{ f func(uri string) }

func quote(s string) string { return strconv.Quote(s) }
