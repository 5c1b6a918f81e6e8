package conformance

import (
	"context"
	"time"

	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools"
)

// Run serves the fixtures at addr from a loop of 60 frames a second until ctx
// ends. listening is told the URL once.
func Run(ctx context.Context, addr string, listening func(url string)) error {
	return serve(ctx, addr, listening, func(_ *mcpdebug.Server, reg *tools.Registry) { Register(reg) })
}

// RunOdd serves a game whose components, actions, events and tools have fields
// of which a schema can say little.
func RunOdd(ctx context.Context, addr string, listening func(url string)) error {
	return serve(ctx, addr, listening, bindOdd)
}

func serve(ctx context.Context, addr string, listening func(url string), setUp func(*mcpdebug.Server, *tools.Registry)) error {
	reg := tools.NewRegistry()
	dbg, err := mcpdebug.Listen(addr, &mcpdebug.Options{Registry: reg})
	if err != nil {
		return err
	}
	defer dbg.Close()
	setUp(dbg, reg)
	dbg.Poll() // the game has started before anybody hears of it
	listening(dbg.URL())
	frame := time.NewTicker(time.Second / 60)
	defer frame.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-frame.C:
			dbg.Poll()
			if n%180 == 0 {
				reg.ResourceUpdated(Watched)
			}
		}
	}
}
