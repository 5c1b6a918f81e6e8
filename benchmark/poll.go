package main

import (
	"fmt"
	"sync/atomic"

	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

// idlePoll is what the server costs a game that nobody looks at.
func idlePoll(c *config) ([]line, error) {
	s, err := mcpdebug.Listen("127.0.0.1:0", nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	s.Bind(newArche(1000).loupe, &host.App{Name: "benchmark"})
	s.Poll()

	bare := &struct {
		frame atomic.Uint64
		word  atomic.Uint32
	}{}
	work := 0
	p := pair(c, func(n int) {
		for range n {
			s.Poll()
		}
	}, func(n int) {
		for range n {
			bare.frame.Add(1)
			if bare.word.Load() != 0 {
				work++
			}
		}
	})
	const polls = 100_000
	_, objects := allocated(func() {
		for range polls {
			s.Poll()
		}
	})
	if work != 0 {
		return nil, fmt.Errorf("the bare word is never set, but was seen %d times", work)
	}
	return []line{
		p.line("idle_poll", "≤ 2", 2),
		// Whole allocations a Poll, as testing.AllocsPerRun counts.
		{kind: "figure", name: "idle_poll_allocs", value: float64(objects / polls), unit: "allocs", goal: "0", limit: 0.5, detail: fmt.Sprintf("%d objects in %d Polls, the process's other goroutines included", objects, polls)},
	}, nil
}
