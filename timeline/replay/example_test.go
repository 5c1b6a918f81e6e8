package replay_test

import (
	"fmt"

	"github.com/loupe-ecs/loupe/timeline/replay"
)

func Example() {
	g := newGame(func(g *game) []system { return []system{move(g)} })
	a, err := replay.Begin(g.w, g.app)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 4 {
		if err := a.Tick(nil, nil); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("aside:", g.tick.N, g.at(g.entities[1]).X)
	if err := a.End(); err != nil {
		fmt.Println(err)
	}
	fmt.Println("present:", g.tick.N, g.at(g.entities[1]).X)
	// Output:
	// aside: 4 2
	// present: 0 1
}
