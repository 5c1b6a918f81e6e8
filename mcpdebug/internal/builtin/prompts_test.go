package builtin

import (
	"regexp"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// promptServer offers all tools but one.
type promptServer struct {
	promptHost
	without string
}

func (s promptServer) Offers(tool string) bool { return tool != s.without }
func (promptServer) App() *host.App            { return nil }

// What a prompt tells a model to call must be there to be called: a tool that
// was renamed would send every debugging session into a refusal.
func TestPromptsNameRealTools(t *testing.T) {
	known := map[string]bool{}
	for _, tool := range listing.Of(everything(t)).Tools {
		known[tool.Spec.Name] = true
	}
	called := regexp.MustCompile(`\b[a-z]+_[a-z_]+\b|\b(?:history|blame|diagnose|stats|context)\b`)
	for _, p := range Prompts(promptServer{}) {
		args := map[string]string{}
		for _, a := range p.Arguments {
			if args[a.Name] = "Health.HP"; a.Name == "entity" {
				args[a.Name] = "42v3"
			}
			if a.Complete == nil {
				t.Errorf("%s: %s does not complete", p.Name, a.Name)
			}
		}
		for _, args := range []map[string]string{args, {"path": "Score.Points"}} {
			messages, err := p.Get(nil, args)
			if err != nil || len(messages) != 1 {
				t.Fatalf("%s: %v, %v", p.Name, messages, err)
			}
			text := messages[0].Content.Text
			if len(text) > 1200 || strings.Contains(text, "%!") {
				t.Errorf("%s: %d bytes: %s", p.Name, len(text), text)
			}
			names := called.FindAllString(text, -1)
			if len(names) < 3 {
				t.Errorf("%s names only %v", p.Name, names)
			}
			for _, name := range names {
				if !known[name] {
					t.Errorf("%s: there is no tool %s", p.Name, name)
				}
			}
		}
	}
}

// Who may not call a tool is not offered the prompt that is about it.
func TestPromptsOfRefusedToolsAreNotOffered(t *testing.T) {
	names := func(ps []*tools.Prompt) (all []string) {
		for _, p := range ps {
			all = append(all, p.Name)
		}
		return all
	}
	if got := strings.Join(names(Prompts(promptServer{without: "blame"})), " "); got != "why_did_it_crash why_is_it_slow is_it_deterministic" {
		t.Error(got)
	}
}
