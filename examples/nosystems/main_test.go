package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

// A host without systems, states or pictures: their tools are absent, and
// capabilities says what each would take; the world is all there.
func TestAbsentPartsSayWhatToProvide(t *testing.T) {
	world := ecs.NewWorld()
	trees := generic.NewMap2[Cell, Tree](&world)
	trees.NewWith(&Cell{1, 2}, &Tree{Height: 3})
	dbg := mcpdebug.New(nil)
	defer dbg.Close()
	dbg.Bind(archeworld.New(&world), &host.App{Name: "forest"})
	dbg.Poll()

	var caps struct {
		Result struct {
			StructuredContent struct {
				Subsystems []struct {
					Name, Provide string
					Present       bool
					Tools         []string
				}
			}
		}
	}
	text := dbg.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"capabilities","arguments":{}}}`)
	if err := json.Unmarshal([]byte(text), &caps); err != nil {
		t.Fatal(err)
	}
	absent := map[string]string{}
	for _, s := range caps.Result.StructuredContent.Subsystems {
		if s.Present {
			t.Errorf("%s counts as present", s.Name)
		}
		for _, name := range s.Tools {
			absent[name] = s.Provide
		}
	}
	for _, name := range strings.Fields("systems_list systems_info systems_stop systems_start states_info states_push states_pop frame_times send_event " +
		"camera_info camera_move layers_list layers_info materials_list materials_info render_info physics_info physics_raycast audio reload_sound screenshot") {
		if !strings.Contains(absent[name], "App.") {
			t.Errorf("%s: capabilities does not say what to provide: %q", name, absent[name])
		}
		answer := dbg.Dispatch(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + name + `","arguments":{}}}`)
		if !strings.Contains(answer, "-32602") {
			t.Errorf("%s answers %s", name, answer)
		}
	}
	answer := dbg.Dispatch(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"query","arguments":{"where":"Tree.Height > 2"}}}`)
	if !strings.Contains(answer, `"matched":1`) {
		t.Errorf("query answers %s", answer)
	}
}

func TestFiresSpread(t *testing.T) {
	world := ecs.NewWorld()
	trees := generic.NewMap2[Cell, Tree](&world)
	trees.NewWith(&Cell{0, 0}, &Tree{Height: 3, Fire: 0.9})
	e := trees.NewWith(&Cell{1, 0}, &Tree{Height: 3})
	weather := &Weather{Wind: 1}
	filter := generic.NewFilter2[Cell, Tree]()
	grow(&world, filter, weather)
	if _, tree := trees.Get(e); tree.Fire != 0.02 || weather.Year != 1 {
		t.Errorf("the neighbour is %+v in year %d", *tree, weather.Year)
	}
	weather.Rain = true
	grow(&world, filter, weather)
	if _, tree := trees.Get(e); tree.Fire != 0 {
		t.Errorf("in the rain it is %+v", *tree)
	}
}
