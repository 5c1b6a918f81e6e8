package watch_test

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/timeline/watch"
	"github.com/loupe-ecs/loupe/tools/host"
)

func Example() {
	ew := arche.NewWorld()
	hp := arche.ComponentID[Health](&ew)
	player := ew.NewEntity(hp)
	health := func() *Health { return (*Health)(ew.Get(player, hp)) }

	s := schedule.New("update")
	s.Add("update", "regenerate", func() { health().HP += 5 })
	s.Add("update", "combat", func() { health().HP -= 20 })

	world, app := archeworld.New(&ew), &host.App{Systems: s}
	set := watch.NewSet(watch.Options{})
	c, err := watch.Compile(world.Catalog(), watch.Spec{Entity: "1v0", Path: "Health.HP", When: "new < old"})
	if err != nil {
		fmt.Println(err)
		return
	}
	info, err := set.Add(world, app, c)
	if err != nil {
		fmt.Println(err)
		return
	}
	for frame := uint64(1); frame <= 2; frame++ {
		s.Run()
		set.AtPoll(frame, world, app, "")
	}
	hits, _, _ := set.Hits(info.ID, 0, 10)
	for _, h := range hits {
		fmt.Println(h.System, h.Old, h.New)
	}
	// Output:
	// combat 5 -15
	// combat -10 -30
}
