package text_test

import (
	"fmt"

	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/text"
)

func Example() {
	type wave struct {
		Wave int `json:"wave" jsonschema:"which wave to start" debug:"min=1,max=99"`
	}
	type started struct {
		Enemies int `json:"enemies" jsonschema:"how many it has"`
	}
	reg := tools.NewRegistry()
	reg.MustRegister(tools.New(tools.Spec{Name: "start_wave", Description: "Starts a wave of enemies."},
		func(*tools.Frame, wave) (started, error) { return started{12}, nil }))

	l := text.Of(reg, reg.Validate)
	tool, _ := l.Tool("start_wave")
	fmt.Print(tool.Convention())
	found, _ := l.Extract("The next one is due.\n```xml\n<start_wave wave='3'>\n```\n<start_wave wave=0/>")
	for _, f := range found {
		fmt.Println(f.Tool, string(f.Arguments), f.Status, f.Repaired, f.Err)
	}
	// Output:
	// start_wave: Starts a wave of enemies. Needs wave (integer 1 to 99: which wave to start).
	// <start_wave wave="7"/>
	// {"tool":"start_wave","arguments":{"wave":7}}
	// start_wave {"wave":3} call [element without its end tag] <nil>
	// start_wave {"wave":0} call [value without quotes] wave: got 0, want from 1 to 99
}
