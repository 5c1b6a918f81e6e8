package builtin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/sandbox"
	"github.com/loupe-ecs/loupe/tools"
)

// scriptHost is what scripts need of the server.
type scriptHost interface {
	Registry() *tools.Registry
	Components() *ComponentTools
	// SandboxOptions bound what scripts may use.
	SandboxOptions() sandbox.Options
	// OnResetSandbox has f called when the host or a bind resets the sandbox;
	// on any goroutine.
	OnResetSandbox(f func())
}

func scriptTools(h scriptHost, then *past.Past) []*tools.Tool {
	s := &script{host: h, then: then, box: sandbox.New(h.SandboxOptions()), thenBox: sandbox.New(h.SandboxOptions())}
	h.OnResetSandbox(func() {
		s.box.Reset()
		s.thenM.Lock()
		defer s.thenM.Unlock()
		s.thenBox.Reset()
	})
	return tools.Family(tools.Spec{Group: "script"}, s.runTool(), s.resetTool())
}

// script is the sandbox of one server.
type script struct {
	host scriptHost
	box  *sandbox.Sandbox
	// Scripts over recorded worlds run off the frame, one at a time, with globals
	// of their own.
	then    *past.Past
	thenM   sync.Mutex
	thenBox *sandbox.Sandbox
}

type runLuaArgs struct {
	Code      string `json:"code" jsonschema:"Lua 5.1 statements, or one expression"`
	TimeoutMs int    `json:"timeoutMs,omitempty" jsonschema:"wall time in ms" debug:"min=1,max=1000,default=50"`
	DryRun    bool   `json:"dryRun,omitempty" jsonschema:"undo at the end"`
	past.At
}

type runLuaResult struct {
	Returned  int             `json:"returned" jsonschema:"how many values were returned"`
	Values    []any           `json:"values" jsonschema:"the returned values"`
	Printed   string          `json:"printed" jsonschema:"what print wrote"`
	Changes   sandbox.Changes `json:"changes" jsonschema:"what changed in the world; under dryRun what would have"`
	DryRun    bool            `json:"dryRun,omitempty" jsonschema:"true: everything was undone"`
	Flushed   bool            `json:"flushed,omitempty" jsonschema:"world.flush or a tool made changes permanent before the end"`
	Truncated bool            `json:"truncated,omitempty" jsonschema:"values or printed were cut at a limit"`
	Steps     int64           `json:"steps" jsonschema:"instructions used"`
	Ms        float64         `json:"ms" jsonschema:"milliseconds on the frame"`
	past.Tick
}

type preparedScript struct {
	chunk *sandbox.Chunk
	opt   sandbox.RunOptions
}

func (s *script) runTool() *tools.Tool {
	return tools.NewPhased(tools.Spec{
		Name: "run_lua", NeedsWorld: true, OffFrameWith: past.With,
		Description: "Runs a bounded Lua script: `for e in world.query{with={'Enemy'}} do e.Health.HP = 7 end`. A failed or dry run changes nothing; globals stay. Manual: help run_lua.",
		Manual:      sandbox.Manual(s.host.SandboxOptions()),
		Example:     `{"code":"return world.count{with={'Position'}}"}`,
	}, tools.Phases[runLuaArgs, preparedScript, *runLuaResult, *runLuaResult]{
		Instead: func(c *tools.Call, in runLuaArgs) (*tools.Frame, error) { return s.then.OwnFrame(c, in.At) },
		Before: func(_ *tools.Call, in runLuaArgs) (preparedScript, error) {
			box := s.box
			if in.At.At != nil {
				box = s.thenBox
			}
			chunk, err := box.Compile(in.Code)
			return preparedScript{chunk, sandbox.RunOptions{Timeout: time.Duration(in.TimeoutMs) * time.Millisecond, DryRun: in.DryRun}}, s.withManual(err)
		},
		Frame: func(f *tools.Frame, p preparedScript) (*runLuaResult, error) {
			if f.Tick != nil {
				return s.runThen(f, p)
			}
			r, err := s.box.Run(s.env(f), p.chunk, p.opt)
			if err != nil {
				return nil, s.withManual(err)
			}
			return luaResult(r, p.opt.DryRun), nil
		},
	})
}

func luaResult(r *sandbox.Result, dry bool) *runLuaResult {
	if r.Values == nil {
		r.Values = []any{}
	}
	return &runLuaResult{Returned: r.Returned, Values: r.Values, Printed: r.Printed, Changes: r.Changes, DryRun: dry,
		Flushed: r.Flushed, Truncated: r.Truncated, Steps: r.Steps, Ms: r.Ms}
}

// runThen runs a script over a recorded world, in a copy of its own that is
// dropped: it may read, and what would have changed something is refused.
func (s *script) runThen(f *tools.Frame, p preparedScript) (*runLuaResult, error) {
	s.thenM.Lock()
	defer s.thenM.Unlock()
	p.opt.DryRun = true
	r, err := s.thenBox.Run(sandbox.Env{World: f.World}, p.chunk, p.opt)
	if err != nil {
		return nil, s.withManual(err)
	}
	if r.Changes != (sandbox.Changes{}) {
		return nil, &refusal.Error{Code: refusal.ReadOnly, Message: fmt.Sprintf("the script would change the world of tick %d, which is recorded; nothing was changed", *f.Tick),
			Got: r.Changes, Hint: "leave at out to change the live world, or rewind first", Next: "rewind"}
	}
	return luaResult(r, false), nil
}

// withManual tells where scripts are explained.
func (s *script) withManual(err error) error {
	e, ok := errors.AsType[*refusal.Error](err)
	if !ok || e.Code != refusal.ScriptError {
		return err
	}
	d := *e
	if d.Hint != "" {
		d.Hint += "; "
	}
	d.Hint += "manual: the resource " + cmp.Or(s.host.Components().options.Scheme, "ecs") + `://lua, or help {"tool":"run_lua"}`
	return &d
}

// env is what a script reaches: the world, and the tools that run on the frame.
func (s *script) env(f *tools.Frame) sandbox.Env {
	return sandbox.Env{
		World: f.World,
		CallTool: func(name string, args map[string]any) (any, error) {
			raw := json.RawMessage("{}")
			if len(args) > 0 {
				var err error
				if raw, err = json.Marshal(args); err != nil {
					return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "the arguments are no JSON: " + err.Error()}
				}
			}
			answer, err := s.callTool(f, name, raw)
			if err != nil {
				return nil, err
			}
			var v any
			d := json.NewDecoder(bytes.NewReader(answer))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				return nil, err
			}
			return v, nil
		},
		// A call that will be refused unrun must not make earlier changes permanent.
		ReadsOnly: func(name string) bool {
			p, ok := listing.Of(s.host.Registry()).Lookup(name)
			return !ok || p.Spec.Effect == tools.ReadOnly || !p.Nestable()
		},
	}
}

// callTool calls a tool within a script. help and describe run beside the frame
// elsewhere; they wait for nothing and touch no world, so they may run here.
func (s *script) callTool(f *tools.Frame, name string, args json.RawMessage) (json.RawMessage, error) {
	if name != "help" && name != "describe" {
		return f.CallTool(name, args)
	}
	p, ok := listing.Of(s.host.Registry()).Lookup(name)
	if !ok || p.Spec.Group != "session" { // taken away, or a tool of the host's own
		return f.CallTool(name, args)
	}
	call := *f.Call
	call.OnFrame = true
	job, err := p.Handler.Prepare(&call, args)
	if err != nil {
		return nil, err
	}
	r, err := job.Finish(&call)
	if err != nil {
		return nil, err
	}
	return r.Structured, nil
}

type resetSandboxResult struct {
	Cleared int `json:"cleared" jsonschema:"how many globals of scripts were forgotten"`
}

func (s *script) resetTool() *tools.Tool {
	return tools.New(tools.Spec{
		Name: "reset_sandbox", Idempotent: true,
		Description: "Forgets the globals that scripts have set.",
	}, func(*tools.Frame, struct{}) (resetSandboxResult, error) {
		return resetSandboxResult{s.box.Reset()}, nil
	})
}
