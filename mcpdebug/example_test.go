//go:build !nomcpdebug

package mcpdebug_test

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

func Example() {
	type startWave struct {
		Wave int `json:"wave" jsonschema:"which wave to start" debug:"min=1,max=99"`
	}
	type started struct {
		Enemies int `json:"enemies" jsonschema:"how many enemies it has"`
	}
	world := ecs.NewWorld()

	dbg, err := mcpdebug.Listen("127.0.0.1:0", nil)
	if err != nil {
		fmt.Println(err) // the game runs on: a nil server does nothing
	}
	defer dbg.Close()
	dbg.Bind(archeworld.New(&world), &host.App{Name: "arena"})
	dbg.Register(tools.New(tools.Spec{Name: "start_wave", Description: "Starts a wave of enemies now."},
		func(_ *tools.Frame, in startWave) (started, error) { return started{Enemies: in.Wave * 10}, nil }))

	for frame := range 3 { // the game's own loop
		dbg.Poll()
		dbg.Guard(func() {
			if frame == 1 {
				panic("a bug")
			}
		})
	}
	text, crashed := dbg.Crashed()
	fmt.Println(crashed, text[:len("panic: a bug")])
	dbg.SetCrashed("")
	fmt.Println(dbg.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_wave","arguments":{"wave":3}}}`))
	// Output:
	// true panic: a bug
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"enemies\":30,\"frame\":3}"}],"structuredContent":{"enemies":30,"frame":3}}}
}
