package blame_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/loupe-ecs/loupe/timeline/blame"
	"github.com/loupe-ecs/loupe/timeline/watch"
)

func Example() {
	g := newGame(&testing.T{}, "combat", "regenerate")
	g.do["regenerate"] = func() { g.score.Points++ }
	g.do["combat"] = func() {
		if g.tick.N == 3 {
			g.score.Points = 0
		}
	}
	g.play(5) // recorded; now it is over

	what, err := watch.Compile(g.w.Catalog(), watch.Spec{Path: "Score.Points"})
	if err != nil {
		fmt.Println(err)
		return
	}
	q, err := blame.Ask(context.Background(), g.rec, what, blame.Options{Before: new(int64(3)), Count: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for done := false; !done; {
		if done, err = q.Step(g.w, g.app, 0); err != nil {
			fmt.Println(err)
			return
		}
	}
	for _, c := range q.Changes() {
		fmt.Println(c.Tick, c.System, c.From, c.To, c.How)
	}
	// Output:
	// 3 regenerate 0 1 re-executed
	// 3 combat 2 0 re-executed
}
