//go:build !nomcpdebug

package mcpdebug

import (
	"slices"
	"sync"
)

// queue holds the calls that are ready for the frame, by ticket: first come,
// first served across all connections.
type queue struct {
	mu     sync.Mutex
	calls  []*call // ascending tickets
	limit  int
	closed bool
}

type admission int

const (
	admitted admission = iota
	queueFull
	queueClosed
)

// add puts a call in its place. The word's bit is set under the lock, so that
// a Poll that empties the queue cannot clear it afterwards.
func (s *Server) enqueue(c *call) admission {
	q := &s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return queueClosed
	case len(q.calls) >= q.limit:
		q.sweep()
		if len(q.calls) >= q.limit {
			return queueFull
		}
	}
	if !c.state.CompareAndSwap(preparing, waiting) {
		return admitted // given up meanwhile; whoever did has answered it
	}
	q.insert(c)
	s.word.Or(bitWork)
	return admitted
}

func (q *queue) insert(c *call) {
	i := len(q.calls)
	for i > 0 && q.calls[i-1].ticket > c.ticket {
		i--
	}
	q.calls = slices.Insert(q.calls, i, c)
}

// sweep drops calls that were given up.
func (q *queue) sweep() {
	q.calls = slices.DeleteFunc(q.calls, func(c *call) bool { return c.state.Load() != waiting })
}

// take removes the first call that still wants an answer and whose turn in
// this Poll has not been yet.
func (s *Server) take(frame uint64) *call {
	q := &s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := 0; i < len(q.calls); {
		c := q.calls[i]
		if c.triedIn == frame && c.tried.Load() {
			i++
			continue
		}
		q.calls = slices.Delete(q.calls, i, i+1)
		// A client that has gone gets nothing done, not even what was queued.
		if c.ctx.Err() != nil || !c.state.CompareAndSwap(waiting, onFrame) {
			continue
		}
		s.doneTaking()
		return c
	}
	s.doneTaking()
	return nil
}

func (s *Server) doneTaking() {
	if len(s.queue.calls) == 0 {
		s.word.And(^uint32(bitWork))
	}
}

// putBack keeps a call that asked to be run again at the next Poll.
func (s *Server) putBack(c *call) {
	q := &s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	c.triedIn = c.frame
	if q.closed || !c.state.CompareAndSwap(onFrame, waiting) {
		return
	}
	q.insert(c)
	s.word.Or(bitWork)
}

// remove takes out calls that were given up.
func (s *Server) remove() {
	q := &s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sweep()
	s.doneTaking()
}

// snapshot lists the waiting calls.
func (q *queue) snapshot() []*call {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.calls)
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.calls)
}

// close refuses what comes later. Whoever waits sees Server.closed.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}
