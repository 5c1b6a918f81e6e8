package runner_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/loupe-ecs/loupe/mcpdebug/runner"
)

// A game that counts to three, with a debug server at any free port.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := runner.Run(ctx, runner.Game{
		Update: func(dt time.Duration) {
			if n++; n == 3 {
				cancel()
			}
		},
	}, runner.Options{Addr: "127.0.0.1:0", TPS: 1000, MaxCatchUp: 1, Logger: slog.New(slog.DiscardHandler)})
	fmt.Println(n, err)
	// Output: 3 <nil>
}
