package snapshot_test

import (
	"bytes"
	"fmt"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/snapshot"
)

type Health struct{ HP, Max int }

func Example() {
	world := arche.NewWorld()
	health := generic.NewMap1[Health](&world)
	player := health.NewWith(&Health{HP: 80, Max: 100})
	w := archeworld.New(&world)

	var file bytes.Buffer
	if _, err := snapshot.Save(&file, w, &snapshot.Options{Frame: 100}); err != nil {
		fmt.Println(err)
		return
	}
	health.Get(player).HP = 0
	health.NewWith(&Health{HP: 1, Max: 1})

	report, err := snapshot.Load(&file, w, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("frame %d: %d entity, the player has %d hp\n", report.Header.Frame, report.Entities, health.Get(player).HP)
	// Output: frame 100: 1 entity, the player has 80 hp
}

func ExampleDiff() {
	world := arche.NewWorld()
	health := generic.NewMap1[Health](&world)
	player := health.NewWith(&Health{HP: 80, Max: 100})
	w := archeworld.New(&world)

	var before, now snapshot.Capture
	_ = before.Take(w, nil)
	health.Get(player).HP = 65
	health.NewWith(&Health{})
	_ = now.Take(w, nil)

	d, err := snapshot.Diff(now.Catalog(), &before.Image, &now.Image, snapshot.DiffOptions{Limit: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range d.Rows {
		fmt.Println(r.Kind, r.Entity, r.Component, r.Path, string(r.From), string(r.To))
	}
	// Output:
	// changed 1v0 Health HP 80 65
	// spawned 2v0    ["Health"]
}
