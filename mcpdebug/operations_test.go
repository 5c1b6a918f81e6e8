//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// heldClock is a clock whose every setting can be read back.
type heldClock struct{ host.ClockInfo }

func (c *heldClock) Info() host.ClockInfo { return c.ClockInfo }
func (c *heldClock) Set(ch host.ClockChange) error {
	if ch.Paused != nil {
		c.Paused, c.Pending = *ch.Paused, 0
	}
	if ch.Scale != nil {
		c.Scale = *ch.Scale
	}
	if ch.Step > 0 {
		c.Paused, c.Pending = true, ch.Step
	}
	return nil
}

// TestARefusedBatchLeavesNothingBehind: random calls, a refusal at a random
// place, and everything that a batch may change is what it was.
func TestARefusedBatchLeavesNothingBehind(t *testing.T) {
	bubble(t, nil, refuseBatches)
}

func refuseBatches(t *testing.T, s *Server) {
	engine := newWorld()
	w := archeworld.New(engine)
	states, clock := &stateStack{"playing"}, &heldClock{host.ClockInfo{Scale: 1}}
	s.Bind(w, &host.App{Name: "batch", States: states, Clock: clock})
	s.Poll()
	rng := rand.New(rand.NewPCG(1, 2))
	calls := []func() string{
		func() string {
			return fmt.Sprintf(`{"tool":"spawn","arguments":{"components":{"Position":{"X":%d}},"count":%d}}`, rng.IntN(9), 1+rng.IntN(4))
		},
		func() string {
			return `{"tool":"modify","arguments":{"query":{"with":["Position"]},"component":"Position","values":{"Y":8}}}`
		},
		func() string {
			return `{"tool":"set","arguments":{"entity":"2v0","component":"Health","value":{"HP":3}}}`
		},
		func() string { return `{"tool":"despawn","arguments":{"entities":["3v0"]}}` },
		func() string { return `{"tool":"states_push","arguments":{"name":"paused"}}` },
		func() string { return `{"tool":"clock_set","arguments":{"paused":true,"scale":0.5}}` },
		func() string { return `{"tool":"query","arguments":{"with":["Health"]}}` },
	}
	const refused = `{"tool":"modify","arguments":{"entity":"1v0","component":"Health","values":{"Mana":1}}}`
	succeeded(t, polled(t, s, "record_start", `{}`))
	recorded := func() string {
		r := succeeded(t, now(t, s, "record_info", `{}`))
		return fmt.Sprint(r["samples"], r["bytes"], r["fromTick"], r["toTick"], r["marks"], r["moreMarks"])
	}
	var h value.Hasher
	for round := range 200 {
		list := make([]string, 1+rng.IntN(8))
		for i := range list {
			list[i] = calls[rng.IntN(len(calls))]()
		}
		list = slices.Insert(list, rng.IntN(len(list)+1), refused)
		s.Poll() // what the rounds before have changed is recorded
		hash, stack, time, recording := ecs.Hash(w, &h), states.Stack(), clock.Info(), recorded()
		args := `{"calls":[`
		for i, c := range list {
			if i > 0 {
				args += ","
			}
			args += c
		}
		args += "]}"
		refusedWith(t, polled(t, s, "batch", args), refusal.UnknownField)
		if now := ecs.Hash(w, &h); now != hash {
			t.Fatalf("round %d: the world is another after %s", round, args)
		}
		if !slices.Equal(states.Stack(), stack) || clock.Info() != time {
			t.Fatalf("round %d: states %v (were %v), clock %+v (was %+v) after %s", round, states.Stack(), stack, clock.Info(), time, args)
		}
		if after := recorded(); after != recording {
			t.Fatalf("round %d: the recording was\n%s\nand is\n%s\nafter %s", round, recording, after, args)
		}
		// What is carried out between the rounds makes other worlds to put back.
		succeeded(t, polled(t, s, "batch", `{"calls":[`+calls[rng.IntN(2)]()+`]}`))
	}
}

// TestANamedCallRunsOnce: whoever sends it, and however often.
func TestANamedCallRunsOnce(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		ran := 0
		must(t, s.Register(plain("count", nil, func(*tools.Frame, json.RawMessage) (any, error) {
			ran++
			return map[string]int{"ran": ran}, nil
		})))
		bindArche(s, nil)
		s.Poll()
		send := func(id, args string) <-chan *tools.Reply {
			answer := make(chan *tools.Reply, 1)
			go func() {
				answer <- s.loop.Call(context.Background(), &loop.Arrival{Request: tools.Request{Name: "count", Arguments: json.RawMessage(args)}, Ticket: s.loop.Ticket(), Operation: id})
			}()
			return answer
		}
		first, second := send("a", `{}`), send("a", `{}`)
		synctest.Wait()
		if state, _, _ := s.loop.Operation("a"); state != loop.OperationRunning {
			t.Errorf("while it waits its state is %q", state)
		}
		s.Poll()
		one, two := <-first, <-second
		if ran != 1 || string(one.Structured) != string(two.Structured) {
			t.Errorf("it ran %d times: %s and %s", ran, one.Structured, two.Structured)
		}
		if one.Meta["loupe/repeated"] == two.Meta["loupe/repeated"] {
			t.Errorf("neither or both are marked as repeated: %v %v", one.Meta, two.Meta)
		}
		if state, tool, reply := s.loop.Operation("a"); state != loop.OperationCommitted || tool != "count" || string(reply.Structured) != string(one.Structured) {
			t.Errorf("%q %q %v", state, tool, reply)
		}
		refusedWith(t, <-send("a", `{"x":1}`), refusal.InvalidArguments)
	})
}

// TestANamedCallWhoseClientHasGone: in the queue it never runs, and may be sent
// again under its name.
func TestANamedCallWhoseClientHasGone(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		ran := 0
		must(t, s.Register(plain("count", nil, func(*tools.Frame, json.RawMessage) (any, error) {
			ran++
			return map[string]int{"ran": ran}, nil
		})))
		bindArche(s, nil)
		s.Poll()
		ctx, leave := context.WithCancel(context.Background())
		in := func() *loop.Arrival {
			return &loop.Arrival{Request: tools.Request{Name: "count"}, Ticket: s.loop.Ticket(), Operation: "b"}
		}
		gone := make(chan *tools.Reply, 1)
		go func() { gone <- s.loop.Call(ctx, in()) }()
		synctest.Wait()
		leave()
		refusedWith(t, <-gone, refusal.Cancelled)
		synctest.Wait()
		s.Poll()
		if state, _, _ := s.loop.Operation("b"); ran != 0 || state != loop.OperationNotRun {
			t.Errorf("it ran %d times and is %q", ran, state)
		}
		again := make(chan *tools.Reply, 1)
		go func() { again <- s.loop.Call(context.Background(), in()) }()
		synctest.Wait()
		s.Poll()
		succeeded(t, <-again)
		if ran != 1 {
			t.Errorf("sent again it ran %d times", ran)
		}
	})
}
