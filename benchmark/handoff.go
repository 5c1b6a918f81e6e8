package main

import (
	"sync"
	"sync/atomic"
)

// handOff is the queue between a bare server's handlers and the game's loop:
// what a host would write that has no debug server. Idle polls cost it one
// atomic load, like Loupe's.
type handOff struct {
	frame uint64 // the loop's
	some  atomic.Bool
	mu    sync.Mutex
	calls []*handed
}

type handed struct {
	text  string
	reply echoReply
	done  chan struct{}
}

// call hands an echo to the loop and waits for it.
func (h *handOff) call(text string) echoReply {
	c := &handed{text: text, done: make(chan struct{}, 1)}
	h.mu.Lock()
	h.calls = append(h.calls, c)
	h.some.Store(true)
	h.mu.Unlock()
	<-c.done
	return c.reply
}

// poll answers at most one call.
func (h *handOff) poll() bool {
	h.frame++
	if !h.some.Load() {
		return false
	}
	h.mu.Lock()
	c := h.calls[0]
	h.calls = append(h.calls[:0], h.calls[1:]...)
	h.some.Store(len(h.calls) > 0)
	h.mu.Unlock()
	c.reply = echoReply{Text: c.text, Frame: h.frame}
	c.done <- struct{}{}
	return true
}

// loop polls until stop is called, as a game does that does nothing else. It
// never yields: with runtime.Gosched it would stay in the global run queue, and
// the scheduler, which looks there before it looks at the network, would leave
// every connection waiting for the 10 ms of its monitor thread.
func loop(poll func() bool) (stop func()) {
	poll() // a game that stood still moves again before anybody calls
	var end atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !end.Load() {
			poll()
		}
	}()
	return func() { end.Store(true); <-done }
}
