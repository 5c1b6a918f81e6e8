//go:build !nomcpdebug

package mcpdebug

import "time"

// Poll is the server's turn in the game's loop: call it once a frame, outside
// world updates, also while the game is paused, its window has no focus, or it
// has crashed. It answers at most one queued call and reports whether it did.
// With nobody there it costs one atomic addition and one atomic load. Frame
// goroutine.
func (s *Server) Poll() bool {
	if s == nil {
		return false
	}
	s.frame.Add(1)
	w := s.word.Load()
	if w == 0 {
		return false
	}
	return s.poll(w)
}

// PollParked is Poll while a lifecycle operation (a level load, a save) is
// suspended midway: only tools that may run then are answered, the others are
// refused with the operation's name. The next Poll ends it. Frame goroutine.
func (s *Server) PollParked(operation string) bool {
	if s == nil {
		return false
	}
	s.frame.Add(1)
	if p := s.park.Load(); p == nil || p.operation != operation {
		s.park.Store(&parking{operation: operation, since: time.Now()})
		s.word.Or(bitParked)
		if p == nil {
			s.log.Debug("parked", "operation", operation, "frame", s.frame.Load())
		}
	}
	w := s.word.Load()
	if w == bitParked {
		return false
	}
	return s.poll(w &^ bitParked)
}

func (s *Server) poll(w uint32) bool {
	if w&bitParked != 0 {
		s.word.And(^uint32(bitParked))
		s.park.Store(nil)
	}
	if w&bitStalled != 0 {
		s.word.And(^uint32(bitStalled))
		s.stall.Store(nil)
	}
	if s.closing.Load() {
		s.word.And(^uint32(bitRefresh | bitWork))
		return false
	}
	if w&bitObserved != 0 {
		s.observePoll()
	}
	if w&bitRefresh != 0 {
		s.word.And(^uint32(bitRefresh))
		s.refresh()
	}
	if w&bitWork == 0 {
		return false
	}
	frame := s.frame.Load()
	for {
		c := s.take(frame)
		if c == nil {
			return false
		}
		if s.runOnFrame(c, frame) {
			return true
		}
		s.putBack(c)
	}
}
