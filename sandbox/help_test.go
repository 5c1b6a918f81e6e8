package sandbox_test

import (
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox"
)

func TestHelpAndDescribeAreTheToolsOfThoseNames(t *testing.T) {
	f := newFixture(t, 1, sandbox.Options{})
	env := sandbox.Env{
		World: f.world,
		CallTool: func(name string, args map[string]any) (any, error) {
			if args["name"] == "nothing" {
				return nil, &refusal.Error{Code: refusal.NotFound, Message: "no such thing"}
			}
			return map[string]any{"called": name, "args": args}, nil
		},
	}
	for code, want := range map[string]string{
		`return help().called, help("query").args.tool`: `["help","query"]`,
		`return describe("Health").args.name`:           `["Health"]`,
		`return pcall(describe, "nothing")`:             `[false,"script:1: no such thing"]`,
		`describe = nil help = nil return 1`:            `[1]`,
	} {
		r, err := evalIn(f.s, env, code, sandbox.RunOptions{})
		if err != nil {
			t.Errorf("%s: %v", code, err)
		} else if got := valuesJSON(t, r); got != want {
			t.Errorf("%s: %s", code, got)
		}
	}
}
