package main

import (
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/schedule"
)

// scheduleNs is what the schedule adds to each system: labels, two clock
// reads' share, and the ring of frame times.
func scheduleNs(c *config) ([]line, error) {
	const systems = 20
	ran := 0
	s := schedule.New("update")
	bare := make([]func(), systems)
	for i := range systems {
		run := func() { ran++ }
		s.Add("update", fmt.Sprintf("system%d", i), run)
		bare[i] = run
	}
	frame := uint64(0)
	p := pair(c, func(n int) {
		for range n {
			frame++
			s.Frame(frame)
			s.Run()
		}
	}, func(n int) {
		for range n {
			for _, run := range bare {
				run()
			}
		}
	})
	over := make([]float64, len(p.a))
	for i := range p.a {
		over[i] = (p.a[i] - p.b[i]) / systems
	}
	l := figure("schedule_ns", "ns", 1, over, fmt.Sprintf("a frame of %d empty systems, less the bare calls (%s beside %s)", systems, ns(medianOf(p.a)), ns(medianOf(p.b))))
	l.goal, l.limit = "≤ 100 ns", 100
	return []line{l}, nil
}
