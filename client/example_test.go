package client_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/loupe-ecs/loupe/client"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Entities, components and resources as objects: each call asks the game.
func Example() {
	url, stop := arena() // a game; most are found by name: client.Connect(ctx, "arena", nil)
	defer stop()
	ctx := context.Background()
	c, err := client.Connect(ctx, url, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	crate, err := c.Find(ctx, "crate")
	if err != nil {
		fmt.Println(err)
		return
	}
	health := crate.Component("Health")
	hp, _ := health.Get(ctx, "HP")
	fmt.Println("HP", string(hp))
	fmt.Println("set", health.Set(ctx, "HP", 50))
	after, _ := health.Do(ctx, "Heal", map[string]int{"amount": 25})
	fmt.Println("healed", string(after[:8]))

	err = health.Set(ctx, "HP", -1)
	fmt.Println("too little:", errors.Is(err, refusal.InvalidArguments))
	_, err = c.Entity("4000v1").Component("Health").Get(ctx, "HP")
	var refused *refusal.Error
	fmt.Println("no such entity:", errors.As(err, &refused))

	for row, err := range c.Query(ctx, client.Query{Where: "Health.HP < 10", Select: []string{"Health.HP"}, Sort: "-Health.HP", Page: 2}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("weak:", string(row.Values["Health.HP"]))
	}
	points, _ := c.Resource("Score").Get(ctx, "Points")
	fmt.Println("score", string(points))
	// Output:
	// HP 30
	// set <nil>
	// healed {"hp":75
	// too little: true
	// no such entity: true
	// weak: 2
	// weak: 1
	// weak: 0
	// score 3
}

// Documents of several games become one.
func ExampleMergeContexts() {
	a, _ := client.ParseContext([]byte(`{"components":{"Health":{"name":"Health","typeID":"game/a.Health","properties":{"HP":{"type":"integer"}},"order":["HP"]}}}`))
	b, _ := client.ParseContext([]byte(`{"components":{"Health":{"name":"Health","typeID":"game/b.Health","properties":{}}}}`))
	both := client.MergeContexts(a, b, a)
	fmt.Println(len(both.Components), both.Components["game/b.Health"].TypeID)
	fmt.Println(string(both.Components["Health"].Schema()))
	// Output:
	// 2 game/b.Health
	// {"type":"object","properties":{"HP":{"type":"integer"}},"additionalProperties":false}
}
