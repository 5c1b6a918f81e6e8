package schedule_test

import (
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/schedule"
)

func Example() {
	x := 0
	s := schedule.New("movement", "render")
	s.Add("movement", "movement", func() { x += 2 }, schedule.Writes("Position"))
	s.Add("render", "draw", func() { fmt.Println("x =", x) }, schedule.Reads("Position"))

	s.Frame(1)
	s.Run()
	s.SetEnabled("movement", false)
	s.Frame(2)
	s.Run()
	for _, info := range s.List() {
		fmt.Println(info.Phase, info.Name, info.Enabled, info.Runs)
	}
	// Output:
	// x = 2
	// x = 2
	// movement movement false 1
	// render draw true 2
}
