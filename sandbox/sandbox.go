package sandbox

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox/internal/boundlua"
)

// Sandbox compiles and runs scripts, and keeps their globals from call to
// call. Compile and Reset may be called from any goroutine, Run from the frame
// goroutine only.
type Sandbox struct {
	engine *boundlua.Engine
	plans  planCache
}

// New returns a Sandbox with its own globals.
func New(opt Options) *Sandbox { return &Sandbox{engine: boundlua.New(opt, dialect)} }

// Options gives the limits that hold, defaults filled in.
func (s *Sandbox) Options() Options { return *s.engine.Limits() }

// Chunk is compiled source, bound to the globals that were current when it was
// compiled: Reset does not take them away from it. It is immutable; any goroutine
// may hold it and it may be run more than once.
type Chunk struct {
	chunk *boundlua.Chunk
	of    *Sandbox // whose globals it works on
}

// Compile checks and compiles code: statements, or an expression alone, whose
// value is then the result. Any goroutine may call it; it never touches the
// world. Empty code is refused as invalid_arguments, code that is too long as
// too_large, everything else that is wrong with it as script_error with the
// line. Results are cached.
func (s *Sandbox) Compile(code string) (*Chunk, error) {
	c, err := s.engine.Compile(code)
	if err != nil {
		return nil, err
	}
	return &Chunk{c, s}, nil
}

// Reset forgets all globals and tells how many the scripts had. Chunks that
// are compiled afterwards start clean; one that is already compiled, or
// running, keeps the globals it has. Any goroutine.
func (s *Sandbox) Reset() (cleared int) {
	s.plans.clear()
	return s.engine.Reset()
}

// run is one execution of a chunk on a world.
type run struct {
	*boundlua.Run
	opt   *Options
	plans *planCache
	env   Env
	dry   bool
	world worldState
}

// runOf is the run that a thread belongs to.
func runOf(L *lua.LState) *run { return boundlua.Of(L).Host.(*run) }

// Begin is called before the script is.
func (r *run) Begin(b *boundlua.Run) { r.Run = b }

// Settle applies what was buffered, or tells in a dry run whether it could be.
func (r *run) Settle() error {
	if r.dry {
		return r.world.validate()
	}
	return r.world.commit()
}

// Abandon undoes what is not permanent.
func (r *run) Abandon() { r.world.rollback() }

// Resolve puts ids in the place of the names of entities that had none.
func (r *run) Resolve(text string) string { return r.world.resolveNames(text) }

// Run executes a chunk: the frame part of a call. It changes the world only
// through env.World. On any error, and in a dry run, everything the script did
// to the world is undone, save what world.flush or a tool made permanent. The
// error is an *refusal.Error: script_error, script_timeout or script_memory, with
// Line, and in Extra "printed", "changes" (what stays changed), "flushed",
// "steps" and "ms".
// A chunk of another Sandbox is refused.
func (s *Sandbox) Run(env Env, c *Chunk, opt RunOptions) (*Result, error) {
	if c.of != s { // its globals may be in use by that one's script
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "the chunk was compiled by another Sandbox", Hint: "compile it with the one that runs it"}
	}
	r := &run{opt: s.engine.Limits(), plans: &s.plans, env: env, dry: opt.DryRun}
	r.world.init(r)
	res, err := s.engine.Run(c.chunk, r, opt.Timeout)
	if err != nil {
		if err.Extra != nil {
			err.Extra["changes"], err.Extra["flushed"] = r.world.committed, r.world.flushed
		}
		return nil, err
	}
	out := &Result{Returned: res.Returned, Values: res.Values, Printed: res.Printed, Truncated: res.Truncated, Steps: res.Steps, Ms: res.Ms,
		Changes: r.world.committed.plus(r.world.pending), Flushed: r.world.flushed}
	if r.dry {
		r.world.rollback()
	}
	return out, nil
}

// dialect is what scripts have beside Lua.
var dialect = func() *boundlua.Dialect {
	d := boundlua.NewDialect(boundlua.Functions{"help": baseHelp, "describe": baseDescribe},
		map[string]boundlua.Functions{"world": worldFuncs})
	d.Source = rewriting
	d.Hidden = []*lua.LFunction{boundlua.Function(loop), boundlua.Function(reuse)}
	d.Sites = siteFunctions
	d.Example = `return world.count{with={"Position"}}`
	d.More = " and world"
	d.Calls = "world has query, count, entity, spawn, resource, components, tool and flush; an entity e has e:has, get, add, remove, despawn, alive, target and retarget; components read and write as e.Health.HP"
	return d
}()
