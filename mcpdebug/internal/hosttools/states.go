package hosttools

import (
	"slices"

	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

func States() []*tools.Tool {
	return tools.Family(tools.Spec{Group: "systems", NeedsApp: true},
		tools.New(tools.Spec{Name: "states_info", Effect: tools.ReadOnly, Example: `{}`,
			Description: "The game's stack of states, and all there are."},
			func(f *tools.Frame, _ struct{}) (statesResult, error) { return statesOf(f) }),
		tools.New(tools.Spec{Name: "states_push", Example: `{"name":"paused"}`,
			Description: "Enters a state, such as paused; states_pop leaves it."}, statesPush),
		tools.New(tools.Spec{Name: "states_pop", Example: `{}`,
			Description: "Leaves the top state."}, statesPop),
	)
}

type statesResult struct {
	Stack []string `json:"stack" jsonschema:"the states, bottom first"`
	Depth int      `json:"depth" jsonschema:"how many there are"`
	Top   string   `json:"top" jsonschema:"the state that counts"`
	Names []string `json:"names" jsonschema:"the states that can be pushed"`
	// History is absent where the host does not keep it.
	History []host.StateChange `json:"history,omitempty" jsonschema:"the last changes, oldest first"`
}

func statesOf(f *tools.Frame) (r statesResult, err error) {
	if f.App.States == nil {
		return r, lacks("states")
	}
	r.Stack, r.Names = orEmpty(f.App.States.Stack()), orEmpty(f.App.States.Names())
	if r.Depth = len(r.Stack); r.Depth > 0 {
		r.Top = r.Stack[r.Depth-1]
	}
	if h, ok := f.App.States.(host.StateHistory); ok {
		r.History = h.History()
	}
	return r, nil
}

// orEmpty gives a list its own memory, and an empty one where there is none:
// the schemas promise an array.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return slices.Clone(s)
}

type stateName struct {
	Name string `json:"name" jsonschema:"the state to enter"`
}

func statesPush(f *tools.Frame, in stateName) (statesResult, error) {
	if f.App.States == nil {
		return statesResult{}, lacks("states")
	}
	if names := f.App.States.Names(); !slices.Contains(names, in.Name) {
		return statesResult{}, notNamed("state", in.Name, names, "states_info")
	}
	if err := f.App.States.Push(in.Name); err != nil {
		return statesResult{}, err
	}
	return statesOf(f)
}

func statesPop(f *tools.Frame, _ struct{}) (statesResult, error) {
	if f.App.States == nil {
		return statesResult{}, lacks("states")
	}
	if err := f.App.States.Pop(); err != nil {
		return statesResult{}, err
	}
	return statesOf(f)
}
