//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// In a loop without a pause too every call gets its own answer, a panic
// included.
func TestCallsWhileTheGamePollsWithoutAPause(t *testing.T) {
	s := withoutPort(t, nil)
	must(t, s.Register(tools.New(tools.Spec{Name: "echo", Effect: tools.ReadOnly, Description: "d"},
		func(_ *tools.Frame, in struct{ N int }) (struct{ N int }, error) {
			if in.N%5 == 4 {
				panic(fmt.Sprint("five ", in.N))
			}
			return struct{ N int }{in.N}, nil
		})))
	var end atomic.Bool
	var game, clients sync.WaitGroup
	game.Go(func() {
		for !end.Load() {
			s.Poll()
		}
	})
	defer game.Wait()
	defer end.Store(true)
	for client := range 4 {
		clients.Go(func() {
			for i := range 50 {
				n := client*1000 + i
				r := <-ask(context.Background(), s, "echo", fmt.Sprintf(`{"N":%d}`, n))
				code, text := loop.CodeOf(r)
				var got struct{ N int }
				switch err := json.Unmarshal(r.Structured, &got); {
				case n%5 == 4:
					if code != refusal.Panicked {
						t.Errorf("call %d: %s %s", n, code, text)
					}
				case err != nil || code != "" || got.N != n:
					t.Errorf("call %d: %s", n, r.Structured)
				}
			}
		})
	}
	clients.Wait()
}

func TestContextOfACallEndsWithItsAnswer(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		var seen context.Context
		must(t, s.Register(plain("keep", nil, func(f *tools.Frame, _ json.RawMessage) (any, error) {
			seen = f.Call.Context
			return nil, seen.Err()
		})))
		succeeded(t, polled(t, s, "keep", ""))
		if seen.Err() == nil {
			t.Error("a context of the server's own goes on after the answer")
		}
		ctx, cancel := context.WithCancel(context.Background())
		out := make(chan *tools.Reply, 1)
		go func() {
			out <- s.loop.Call(ctx, &loop.Arrival{Request: tools.Request{Name: "keep"}, Ticket: s.loop.Ticket(), End: cancel})
		}()
		for len(out) == 0 {
			s.Poll()
			synctest.Wait()
		}
		succeeded(t, <-out)
		if seen != ctx || seen.Err() == nil {
			t.Error("a context that may be ended goes on after the answer, or was wrapped")
		}
	})
}
