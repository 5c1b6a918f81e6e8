//go:build !nomcpdebug

package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

type weather interface{ Set(kind string) }

type sky struct{ kind string }

func (s *sky) Set(kind string) { s.kind = kind }

type weatherArgs struct {
	Kind string `json:"kind" jsonschema:"what the sky does" debug:"enum=sun|rain"`
}

type weatherResult struct {
	Done bool `json:"done" jsonschema:"whether the sky obeyed"`
}

func weatherTool() *tools.Tool {
	return tools.Domain(tools.Spec{Name: "weather", Description: "Changes the weather from the next frame on."},
		func(_ context.Context, w weather, in weatherArgs) (weatherResult, error) {
			w.Set(in.Kind)
			return weatherResult{true}, nil
		})
}

func TestDomainToolGetsItsBackendOrSaysWhatToProvide(t *testing.T) {
	r := tools.NewRegistry()
	tool := weatherTool()
	r.MustRegister(tool)
	if _, ok := tool.InputSchema.Properties["backend"]; ok || len(tool.InputSchema.Properties) != 1 {
		t.Errorf("the backend became an argument: %v", tool.InputSchema.Properties)
	}
	_, err := run(t, r, tool, `{"kind":"rain"}`)
	if !errors.Is(err, refusal.NotSupported) || !strings.Contains(err.Error(), "weather") {
		t.Fatalf("without a backend: %v", err)
	}
	s := &sky{}
	tools.Provide[weather](r, s)
	if got, err := run(t, r, tool, `{"kind":"rain"}`); err != nil || got != `{"done":true}` || s.kind != "rain" {
		t.Errorf("got %s, %v; sky %q", got, err, s.kind)
	}
	tools.Provide[weather](r, nil) // the level ended
	if _, err := run(t, r, tool, `{"kind":"sun"}`); !errors.Is(err, refusal.NotSupported) {
		t.Errorf("after the backend was withdrawn: %v", err)
	}
}

func TestTogetherSharesGatesAndKeepsOwnOnes(t *testing.T) {
	a, b := echo("a"), echo("b")
	a.Group = "own"
	ts := tools.Family(tools.Spec{Group: "shared", WhenCrashed: true, NeedsApp: true, Meta: map[string]any{"k": 1}}, a, b)
	if ts[0].Group != "own" || ts[1].Group != "shared" || !ts[0].WhenCrashed || !ts[1].NeedsApp || ts[1].Meta["k"] != 1 {
		t.Errorf("got %+v and %+v", ts[0].Spec, ts[1].Spec)
	}
}
