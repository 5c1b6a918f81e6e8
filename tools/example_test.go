//go:build !nomcpdebug

package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/loupe-ecs/loupe/tools"
)

// A payload type and a function are all that a custom tool needs.
func ExampleNew() {
	type args struct {
		Wave int `json:"wave" jsonschema:"which wave to start" debug:"min=1,max=99"`
	}
	type result struct {
		Enemies int `json:"enemies" jsonschema:"how many enemies it has"`
	}
	registry := tools.NewRegistry()
	registry.MustRegister(tools.New(tools.Spec{
		Name:        "start_wave",
		Description: "Starts a wave of enemies now. Call query afterwards to see them.",
	}, func(f *tools.Frame, in args) (result, error) {
		return result{Enemies: 10 * in.Wave}, nil
	}))

	p, _ := registry.Lookup("start_wave")
	fmt.Println(p.Arguments)
	fmt.Println(call(registry, "start_wave", `{"wave":3}`))
	fmt.Println(call(registry, "start_wave", `{"wave":0}`))
	// Output:
	// [wave]
	// {"enemies":30}
	// wave: got 0, want from 1 to 99
}

// A backend is provided once by the host and is no argument.
func ExampleDomain() {
	type args struct {
		Level string `json:"level" jsonschema:"name of the level"`
	}
	type result struct {
		Tiles int `json:"tiles" jsonschema:"how many tiles it has"`
	}
	registry := tools.NewRegistry()
	registry.MustRegister(tools.Domain(tools.Spec{Name: "level_size", Description: "Tells how big a level is.", Effect: tools.ReadOnly},
		func(ctx context.Context, levels map[string]int, in args) (result, error) {
			return result{levels[in.Level]}, nil
		}))
	fmt.Println(call(registry, "level_size", `{"level":"cave"}`))
	tools.Provide(registry, map[string]int{"cave": 512})
	fmt.Println(call(registry, "level_size", `{"level":"cave"}`))
	// Output:
	// level_size needs a map[string]int, and this game provides none
	// {"tiles":512}
}

type spawner struct{ running bool }

type none struct{}

type spawnerState struct {
	Running bool `json:"running" jsonschema:"whether it spawns"`
}

func (s *spawner) start(*tools.Frame, none) (spawnerState, error) {
	s.running = true
	return spawnerState{s.running}, nil
}

func (s *spawner) stop(*tools.Frame, none) (spawnerState, error) {
	s.running = false
	return spawnerState{s.running}, nil
}

// Several tools share one receiver, a group and gates.
func ExampleFamily() {
	s := &spawner{}
	registry := tools.NewRegistry()
	registry.MustRegister(tools.Family(tools.Spec{Group: "spawner"},
		tools.New(tools.Spec{Name: "spawner_start", Description: "Lets the spawner spawn."}, s.start),
		tools.New(tools.Spec{Name: "spawner_stop", Description: "Stops the spawner."}, s.stop),
	)...)
	for _, t := range registry.Tools() {
		fmt.Println(t.Name)
	}
	fmt.Println(call(registry, "spawner_start", `{}`))
	// Output:
	// spawner_start
	// spawner_stop
	// {"running":true}
}

// call runs a tool as a server does, without one.
func call(r *tools.Registry, name, args string) string {
	p, _ := r.Lookup(name)
	c := &tools.Call{Context: context.Background(), Registry: r, Request: tools.Request{Name: name}}
	job, err := p.Tool.Handler.Prepare(c, json.RawMessage(args))
	if err != nil {
		return err.Error()
	}
	if err := job.Frame(&tools.Frame{Call: c}); err != nil {
		return err.Error()
	}
	res, err := job.Finish(c)
	if err != nil {
		return err.Error()
	}
	return string(res.Structured)
}
