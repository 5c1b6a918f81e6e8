package sandbox

import (
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/sandbox/limits"
)

// Options bounds what scripts may use. The zero value is the default.
type Options = limits.Script

// Env is what a script can reach besides itself.
type Env struct {
	// World may be nil: world.* then answers no_world.
	World ecs.World
	// CallTool serves world.tool. Nil: world.tool is refused. It runs on the
	// frame goroutine, inside Run; it must refuse run_lua, phased tools and
	// tools whose gates are closed. Its result is what encoding/json would
	// make of the tool's structured result (map[string]any and so on), or any
	// value that encodes to JSON.
	CallTool func(name string, args map[string]any) (any, error)
	// ReadsOnly tells whether the named tool changes nothing. Such a tool may
	// be called in a dry run and does not commit what the script did before
	// it. Nil: no tool counts as such.
	ReadsOnly func(name string) bool
}

// RunOptions are the choices of one call.
type RunOptions struct {
	Timeout time.Duration // wall time; 0 is Options.Timeout, at most Options.MaxTimeout
	DryRun  bool          // undo everything at the end and tell what would have changed
}

// Changes counts what a script did to the world.
type Changes struct {
	Fields    int `json:"fields" jsonschema:"field values written"`
	Spawned   int `json:"spawned" jsonschema:"entities spawned"`
	Despawned int `json:"despawned" jsonschema:"entities despawned"`
	Added     int `json:"added" jsonschema:"components added"`
	Removed   int `json:"removed" jsonschema:"components removed"`
}

func (c Changes) total() int {
	return c.Fields + c.Spawned + c.Despawned + c.Added + c.Removed
}

func (c Changes) plus(d Changes) Changes {
	return Changes{c.Fields + d.Fields, c.Spawned + d.Spawned, c.Despawned + d.Despawned, c.Added + d.Added, c.Removed + d.Removed}
}

// Result is what a script gave. It is detached from the world and from Lua.
type Result struct {
	// Returned counts the values, so that "return nil" (1) and no return (0)
	// differ.
	Returned int
	// Values are ready for encoding/json: nil, bool, int64, float64, string,
	// []any, map[string]any. Non-finite numbers and binary strings have the
	// forms of the wire contract.
	Values  []any
	Printed string
	Changes Changes
	// Flushed: world.flush or a tool made changes permanent before the end.
	Flushed bool
	// Truncated: Values or Printed were cut at a limit.
	Truncated bool
	Steps     int64
	Ms        float64
}
