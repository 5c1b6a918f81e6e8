package query_test

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/query"
)

func Example() {
	world := arche.NewWorld()
	units := generic.NewMap2[Health, Enemy](&world)
	units.NewWith(&Health{HP: 20, Max: 100}, &Enemy{Kind: 1})
	units.NewWith(&Health{HP: 90, Max: 100}, &Enemy{Kind: 1})
	units.NewWith(&Health{HP: 10, Max: 100}, &Enemy{Kind: 2})
	w := archeworld.New(&world)

	plan, err := query.Compile(w.Catalog(), query.Query{Where: `Health.HP < Health.Max/2 && Enemy.Kind == "Brute"`})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan.Each(w, func(c ecs.Chunk, rows []int32) bool {
		for _, row := range rows {
			fmt.Println(c.Entity(int(row)))
		}
		return true
	})

	_, err = query.Compile(w.Catalog(), query.Query{Where: `Health.HP < 50 && Enemy.Knd == "Brute"`})
	fmt.Println(err)
	// Output:
	// 1v0
	// where, column 19: Enemy has no field "Knd"; it has Kind, Aggro, Target
	//   Health.HP < 50 && Enemy.Knd == "Brute"
	//                     ^
}
