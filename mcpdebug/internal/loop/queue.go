package loop

import (
	"slices"
	"sync"
	"sync/atomic"
)

// queue holds the calls that are ready for the frame, by ticket: first come,
// first served across all connections.
type queue struct {
	mu     sync.Mutex
	calls  []*call // ascending tickets
	limit  int
	closed bool
	word   *atomic.Uint32 // the Loop's; bitWork is the queue's
}

type admission int

const (
	admitted admission = iota
	queueFull
	queueClosed
)

// add puts a call in its place. The word's bit is set under the lock, so that
// a Poll that empties the queue cannot clear it afterwards.
func (q *queue) add(c *call) admission {
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
	if !c.state.CompareAndSwap(preparing, queued) {
		return admitted // given up meanwhile; whoever did has answered it
	}
	q.insert(c)
	q.word.Or(bitWork)
	return admitted
}

func (q *queue) insert(c *call) {
	i := len(q.calls)
	for i > 0 && q.calls[i-1].in.Ticket > c.in.Ticket {
		i--
	}
	q.calls = slices.Insert(q.calls, i, c)
}

// sweep drops calls that were given up.
func (q *queue) sweep() {
	q.calls = slices.DeleteFunc(q.calls, func(c *call) bool { return c.state.Load() != queued })
}

// take removes the first call that still wants an answer and whose turn in
// this Poll has not been yet.
func (q *queue) take(frame uint64) *call {
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
		if c.ctx.Err() != nil || !c.state.CompareAndSwap(queued, onFrame) {
			continue
		}
		q.doneTaking()
		return c
	}
	q.doneTaking()
	return nil
}

func (q *queue) doneTaking() {
	if len(q.calls) == 0 {
		q.word.And(^uint32(bitWork))
	}
}

// putBack keeps a call that asked to be run again at the next Poll.
func (q *queue) putBack(c *call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.triedIn = c.frame
	if q.closed || !c.state.CompareAndSwap(onFrame, queued) {
		return
	}
	q.insert(c)
	q.word.Or(bitWork)
}

// clean takes out calls that were given up.
func (q *queue) clean() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sweep()
	q.doneTaking()
}

// waiting lists the waiting calls.
func (q *queue) waiting() []*call {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.calls)
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.calls)
}

// close refuses what comes later. Whoever waits sees Loop.Closed.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}
