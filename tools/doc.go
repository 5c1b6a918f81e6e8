// Package tools is what a host builds its own tools with: a tool is a name, a
// description, flags and a typed function; schema, argument checks, listing
// and announcement follow from the function's types.
//
//	type Args struct {
//		Wave int `json:"wave" jsonschema:"which wave to start" debug:"min=1,max=99"`
//	}
//	type Result struct {
//		Enemies int `json:"enemies" jsonschema:"how many enemies it has"`
//	}
//	tool := tools.New(tools.Spec{
//		Name:        "start_wave",
//		Description: "Starts a wave of enemies now. Call query afterwards to see them.",
//		NeedsWorld:  true,
//	}, func(f *tools.Frame, in Args) (Result, error) {
//		return Result{Enemies: game.StartWave(in.Wave)}, nil
//	})
//	server.Register(tool)
//
// # Where a handler runs
//
// [New] makes a tool whose handler runs on the frame goroutine, inside Poll:
// it may touch the world and must be quick. [NewPhased] splits the work: a part
// before and a part after run off the frame, so that parsing, encoding and
// files never cost the frame anything. [NewOff] never touches the world and
// answers in every state, also while the game hangs. [Domain] hands the
// function a backend that the host provided once with [Provide].
//
// # Arguments and results
//
// Argument and result types are structs with JSON tags. `jsonschema:"text"` is
// a field's description; `debug:"min=0,max=100,unit=px,enum=a|b,default=5"`
// its rules. A field is required unless it is a pointer or has omitempty or
// omitzero. Entities, Loupe's or the engine's, anywhere in them must live, or be
// null: the handler is not called otherwise. Handlers refuse with an *refusal.Error; any other error becomes a
// refusal with the code failed; a panic becomes the code panic.
//
// # Resources and prompts
//
// A [Resource] is a document that clients read by URI: from what any goroutine
// may read, or, through a tool, from the world. A [Prompt] opens a
// conversation. Both are registered like tools:
//
//	registry.RegisterResource(&tools.Resource{URI: "arena://wave/{number}", Name: "wave", Read: readWave})
//	registry.RegisterPrompt(&tools.Prompt{Name: "debug_entity", Get: debugEntity})
//
// The package imports neither the server nor Lua: a module of custom tools
// stays light.
package tools
