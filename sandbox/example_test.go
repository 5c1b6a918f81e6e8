package sandbox_test

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/sandbox"
)

func Example() {
	world := arche.NewWorld()
	pos, hp := arche.ComponentID[Position](&world), arche.ComponentID[Health](&world)
	for range 3 {
		e := world.NewEntity(pos, hp)
		*(*Health)(world.Get(e, hp)) = Health{HP: 5, Max: 10}
	}

	s := sandbox.New(sandbox.Options{})
	chunk, err := s.Compile(`
		for e in world.query{"Health"} do
			e.Health.HP = e.Health.Max
			print(e.id, e.Health.HP)
		end
		local new = world.spawn{Position={X=1, Y=2}}
		return new, new.Position`)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := s.Run(sandbox.Env{World: archeworld.New(&world)}, chunk, sandbox.RunOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(res.Printed)
	fmt.Println(res.Returned, res.Values)
	fmt.Printf("%+v\n", res.Changes)

	_, err = s.Compile("x = = 1")
	fmt.Println(err)
	// Output:
	// 1v0	10
	// 2v0	10
	// 3v0	10
	// 2 [4v0 map[X:1 Y:2]]
	// {Fields:3 Spawned:1 Despawned:0 Added:0 Removed:0}
	// syntax error at line 1: unexpected near "="
}
