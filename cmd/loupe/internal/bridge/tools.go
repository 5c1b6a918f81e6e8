package bridge

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/launch"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/session"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/tools"
)

type listArgs struct{}

type listResult struct {
	Sessions []session.Row `json:"sessions" jsonschema:"the games, in the order in which they came"`
	Hint     string        `json:"hint,omitempty" jsonschema:"what to do next"`
}

type startArgs struct {
	Dir     string            `json:"dir,omitempty" jsonschema:"directory to build and run in, relative to the one that the user named; default: that one"`
	Package string            `json:"package,omitempty" jsonschema:"path of the main package from dir, such as ./cmd/game; default: what loupe.json names, else ."`
	Args    []string          `json:"args,omitempty" jsonschema:"arguments of the program"`
	Tags    []string          `json:"tags,omitempty" jsonschema:"build tags"`
	Env     map[string]string `json:"env,omitempty" jsonschema:"environment variables of the program, beside the bridge's"`
	WaitMs  int               `json:"waitMs,omitempty" jsonschema:"how long the program may take from its start until it listens" debug:"min=100,max=600000,default=30000,unit=ms"`
}

type startResult struct {
	session.Row
	session.Took
	Instructions string `json:"instructions,omitempty" jsonschema:"what the game tells its clients"`
}

type stopArgs struct {
	ID      string `json:"id,omitempty" jsonschema:"the session; default: the one in use"`
	GraceMs int    `json:"graceMs,omitempty" jsonschema:"how long it may take to end by itself before it is killed" debug:"min=0,max=60000,default=3000,unit=ms"`
}

type stopResult struct {
	ID   string      `json:"id" jsonschema:"the session"`
	Exit launch.Exit `json:"exit" jsonschema:"how the process ended"`
}

type restartArgs struct {
	ID        string `json:"id,omitempty" jsonschema:"the session; default: the one in use"`
	KeepWorld *bool  `json:"keepWorld,omitempty" jsonschema:"put the world, the clock and the states back as far as the types still fit; default true"`
	WaitMs    int    `json:"waitMs,omitempty" jsonschema:"how long the program may take from its start until it listens" debug:"min=100,max=600000,default=30000,unit=ms"`
}

type restartResult struct {
	session.Row
	session.Took
	session.Kept
}

type useArgs struct {
	ID string `json:"id" jsonschema:"from session_list; a process number, a port or the app's name do as well"`
}

type useResult struct {
	session.Row
	Instructions string `json:"instructions,omitempty" jsonschema:"what the game tells its clients"`
}

type logArgs struct {
	ID    string `json:"id,omitempty" jsonschema:"the session; default: the one in use"`
	After string `json:"after,omitempty" jsonschema:"next of an answer before; without it the last lines"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many lines" debug:"min=1,max=1000,default=100"`
}

type logResult struct {
	ID      string        `json:"id" jsonschema:"the session"`
	Lines   []launch.Line `json:"lines" jsonschema:"what the programs of the session printed, oldest first"`
	Next    string        `json:"next" jsonschema:"pass it as after to read on"`
	Dropped uint64        `json:"dropped" jsonschema:"lines after the cursor that were discarded before anybody read them"`
	Total   uint64        `json:"total" jsonschema:"lines printed in all"`
}

// sessionTools are the handlers of the tools that are offered whatever runs.
type sessionTools struct{ *Bridge }

func (b sessionTools) registry() *tools.Registry {
	r := tools.NewRegistry()
	r.MustRegister(tools.Family(tools.Spec{Group: "session"},
		tools.NewOff(tools.Spec{Name: "session_list", Effect: tools.ReadOnly, Idempotent: true, Example: `{}`,
			Description: "Lists the games on this machine, running or started here: call it first. With several, session_use chooses; any tool also takes a session argument with an id."}, b.list),
		tools.NewOff(tools.Spec{Name: "session_start", Example: `{"package":"./cmd/game","args":["-seed","4"]}`,
			Description: "Builds and starts a game (a Go package of this project), waits until it listens and uses it: its tools then appear. Compile errors come back as buildErrors."}, b.start),
		tools.NewOff(tools.Spec{Name: "session_stop", Idempotent: true, Example: `{}`,
			Description: "Ends a game that this bridge has started; session_restart starts it again."}, b.stop),
		tools.NewOff(tools.Spec{Name: "session_restart", Example: `{"keepWorld":true}`,
			Description: "After a change of the code: builds, ends the old process, starts the new one and puts the world back. A failed build leaves the old game running."}, b.restart),
		tools.NewOff(tools.Spec{Name: "session_use", Effect: tools.Additive, Idempotent: true, Example: `{"id":"game"}`,
			Description: "Chooses the game that calls go to from now on; its tools replace the other's in the tool list."}, b.use),
		tools.NewOff(tools.Spec{Name: "session_log", Effect: tools.ReadOnly, Idempotent: true, Example: `{"limit":50}`,
			Description: "Reads what a started game printed, also after its end: a panic's stack, for instance. get_logs has the game's own log."}, b.sessionLog),
	)...)
	return r
}

// ownEntries are the session tools as tools/list shows them, without brackets.
func (b *Bridge) ownEntries() []byte {
	full := strings.Contains(b.o.Query, "schemas=full")
	var entries [][]byte
	for _, p := range listing.Of(b.own).Listed() {
		entries = append(entries, p.Entry(full, false))
	}
	return bytes.Join(entries, []byte(","))
}

// callOwn runs a session tool.
func (b *Bridge) callOwn(r *request, p *listing.Tool) {
	res, err := b.runOwn(r, p)
	switch {
	case r.ctx.Err() != nil && b.ctx.Err() == nil: // the client has cancelled it
	case err != nil:
		b.out.send(b.refuse(r, err))
	default:
		b.out.send(b.success(r, res))
	}
}

func (b *Bridge) runOwn(r *request, p *listing.Tool) (res *tools.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			b.log.Error("panic", "tool", r.tool, "panic", v, "stack", string(debug.Stack()))
			err = &refusal.Error{Code: refusal.Panicked, Message: fmt.Sprintf("%s panicked: %v", r.tool, v)}
		}
	}()
	c := &tools.Call{Context: r.ctx, Request: tools.Request{Name: r.tool, Arguments: wire.Member(r.Params, "arguments")}, Registry: b.own, Log: b.log}
	if token := wire.Member(wire.Member(r.Params, "_meta"), "progressToken"); token != nil {
		c.OnProgress = func(done, _ float64, message string) {
			params := append(append([]byte(`{"progressToken":`), token...), fmt.Sprintf(`,"progress":%v,"message":`, done)...)
			b.out.send(wire.Request(nil, "notifications/progress", append(append(params, wire.Quote(message)...), '}')))
		}
	}
	job, err := p.Handler.Prepare(c, c.Request.Arguments)
	if err != nil {
		return nil, err
	}
	return job.Finish(c)
}

// saying reports the steps of a call as its progress.
func saying(c *tools.Call) func(string) {
	step := 0.0
	return func(text string) {
		step++
		c.Progress(step, 0, text)
	}
}

func (b sessionTools) list(c *tools.Call, _ listArgs) (listResult, error) {
	r := listResult{Sessions: b.table.Rows(c.Context)}
	used := false
	for _, row := range r.Sessions {
		used = used || row.InUse
	}
	switch {
	case used:
	case len(r.Sessions) > 0:
		r.Hint = "session_use chooses one of them"
	case b.o.Root == "":
		r.Hint = "no game runs: start one, and it is found"
	default:
		r.Hint = "no game runs: session_start builds and starts one"
	}
	return r, nil
}

func (b sessionTools) start(c *tools.Call, in startArgs) (startResult, error) {
	spec := launch.Spec{Dir: in.Dir, Package: in.Package, Args: in.Args, Tags: in.Tags, Env: in.Env}
	if b.o.Root != "" {
		// The project's file is that of the directory asked for, else the root's.
		at := launch.Spec{Dir: in.Dir}
		if err := at.Check(b.o.Root); err != nil {
			return startResult{}, err
		}
		file, err := launch.ReadConfig(at.Dir)
		if err != nil {
			return startResult{}, &refusal.Error{Code: refusal.InvalidArguments, Message: err.Error()}
		}
		spec = spec.Or(file)
		if in.Dir == "" {
			spec.Dir = file.Dir
		}
	}
	s, took, err := b.table.Start(c.Context, spec, time.Duration(in.WaitMs)*time.Millisecond, saying(c))
	if err != nil {
		return startResult{}, err
	}
	return startResult{Row: s.Row(c.Context), Took: took, Instructions: b.instructions(c.Context, s)}, nil
}

// instructions are those of a session's game: the client saw others, or none,
// when it connected.
func (b sessionTools) instructions(ctx context.Context, s *session.Session) string {
	l, err := b.reach(ctx, s)
	if err != nil {
		return ""
	}
	return l.conn.Instructions
}

// pick is the session of an id; without one that in use, or the only one.
func (b sessionTools) pick(id string) (*session.Session, error) {
	b.table.Refresh()
	if id != "" {
		return b.table.Resolve(id)
	}
	s, err := b.table.Current()
	if s != nil {
		return s, nil // also if it has ended
	}
	var own []*session.Session
	for _, s := range b.table.Sessions() {
		if s.Own() {
			own = append(own, s)
		}
	}
	if len(own) == 1 {
		return own[0], nil
	}
	return nil, err
}

func (b sessionTools) stop(_ *tools.Call, in stopArgs) (stopResult, error) {
	s, err := b.pick(in.ID)
	if err != nil {
		return stopResult{}, err
	}
	exit, err := s.Stop(time.Duration(in.GraceMs) * time.Millisecond)
	return stopResult{ID: s.ID, Exit: exit}, err
}

func (b sessionTools) restart(c *tools.Call, in restartArgs) (restartResult, error) {
	s, err := b.pick(in.ID)
	if err != nil {
		return restartResult{}, err
	}
	took, kept, err := s.Restart(c.Context, in.KeepWorld == nil || *in.KeepWorld, time.Duration(in.WaitMs)*time.Millisecond, saying(c))
	if err != nil {
		return restartResult{}, err
	}
	return restartResult{Row: s.Row(c.Context), Took: took, Kept: kept}, nil
}

func (b sessionTools) use(c *tools.Call, in useArgs) (useResult, error) {
	s, err := b.pick(in.ID)
	if err != nil {
		return useResult{}, err
	}
	b.table.Use(s)
	return useResult{Row: s.Row(c.Context), Instructions: b.instructions(c.Context, s)}, nil
}

func (b sessionTools) sessionLog(_ *tools.Call, in logArgs) (logResult, error) {
	s, err := b.pick(in.ID)
	if err != nil {
		return logResult{}, err
	}
	if !s.Own() {
		return logResult{}, &refusal.Error{Code: refusal.NotSupported, Got: s.ID, Next: "get_logs",
			Message: fmt.Sprintf("session %s was not started by this bridge: its output goes where it was started", s.ID), Hint: "get_logs has the game's own log"}
	}
	after, err := strconv.ParseUint(in.After, 10, 64)
	if in.After != "" && err != nil {
		return logResult{}, &refusal.Error{Code: refusal.InvalidArguments, Got: in.After, Message: `"after" is the next of an answer before, a number in a string`}
	}
	out := s.Output()
	r := logResult{ID: s.ID, Total: out.Last()}
	if in.After == "0" {
		after = 0
	}
	r.Lines, r.Dropped = out.After(after, in.Limit)
	next := after
	if len(r.Lines) > 0 {
		next = r.Lines[len(r.Lines)-1].N
	}
	r.Next = strconv.FormatUint(next, 10)
	if r.Lines == nil {
		r.Lines = []launch.Line{}
	}
	return r, nil
}

func inLines(list any) string {
	all, ok := list.([]launch.Diagnostic)
	if !ok {
		return ""
	}
	var lines []string
	for _, d := range all {
		if d.File == "" {
			lines = append(lines, d.Text)
			continue
		}
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Text))
	}
	return strings.Join(lines, "\n")
}
