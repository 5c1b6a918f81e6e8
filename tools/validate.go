package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/arguments"
)

// Validate refuses a call that would be refused before it is run, as a server
// does, whether or not there is one: an unknown tool, arguments that do not
// fit. It runs the tool's part before, if it has one. Any goroutine.
func (r *Registry) Validate(tool string, args json.RawMessage) error {
	p, ok := r.Lookup(tool)
	if !ok {
		names := r.names()
		return &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("no tool named %q", tool), Got: tool,
			Options: refusal.Nearest(tool, names), Total: len(names), Next: "help"}
	}
	if _, plain := p.Handler.(HandlerFunc); plain {
		if err := new(arguments.Checker).Check(p.Input, p.Arguments, args); err != nil {
			return err
		}
	}
	_, err := p.Handler.Prepare(&Call{Context: context.Background(), Request: Request{Name: tool, Arguments: args},
		Registry: r, Log: slog.New(slog.DiscardHandler)}, args)
	return err
}
