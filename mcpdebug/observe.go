//go:build !nomcpdebug

package mcpdebug

import (
	"log/slog"
	"slices"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/causes"
	"github.com/loupe-ecs/loupe/tools"
)

// observers are the recorder and the watches while they have something to look
// at. Frame goroutine, but for the word's bit, with which Poll and EndTick know
// that there are any.
type observers []causes.Observer

// Observe adds an observer or takes it away.
func (h host) Observe(o causes.Observer, on bool) {
	s := h.s
	list := slices.DeleteFunc(slices.Clone(s.observers), func(x causes.Observer) bool { return x == o })
	if on {
		list = append(list, o)
	}
	s.observers = list // a new slice: an observer may go while it is told
	if len(list) > 0 {
		s.word.Or(bitObserved)
	} else {
		s.word.And(^uint32(bitObserved))
	}
}

// EndTick tells the server that a tick of the simulation has ended: what it
// records and watches by tick is looked at here. A host that runs at most one
// tick a frame need not call it, Poll sees that one; with more than one it is
// the only way to see each. Without a recorder and watches it costs one atomic
// load. Frame goroutine, between two ticks.
func (s *Server) EndTick() {
	if s == nil || s.word.Load()&bitObserved == 0 {
		return
	}
	for _, o := range s.observers {
		o.EndTick(s.frame.Load(), s.world, s.app)
	}
}

// Logger reaches the host's log and get_logs.
func (h host) Logger() *slog.Logger { return h.s.log }

// Updated leaves it to the watchdog to tell whoever is subscribed.
func (h host) Updated(path string) {
	u := &h.s.updates
	u.mu.Lock()
	defer u.mu.Unlock()
	u.touched = append(u.touched, h.s.resourceURI(path))
}

func (s *Server) observePoll() {
	operation := ""
	if p := s.park.Load(); p != nil {
		operation = p.operation
	}
	for _, o := range s.observers {
		o.AtPoll(s.frame.Load(), s.world, s.app, operation)
	}
}

// runJob runs a call's frame part between those who look what it changes.
func (s *Server) runJob(c *call, f *tools.Frame) (err error) {
	spec := &c.pub.Tool.Spec
	for _, o := range s.observers {
		o.BeforeCall(spec, &c.tc.Request)
	}
	defer func() { // also if it panics
		for _, o := range s.observers {
			o.AfterCall(spec, &c.tc.Request, err)
		}
	}()
	return c.job.Frame(f)
}
