//go:build !nomcpdebug

package mcpdebug

import "time"

// Guard runs a part of the game so that a panic in it becomes a state: the
// panic is recovered and recorded, and until it is cleared Guard skips what it
// is given, so that the loop goes on drawing and polling. It reports whether f
// ran to its end.
//
// A nil or closed server runs f without recovery: nobody could look at the
// crash. Frame goroutine.
func (s *Server) Guard(f func()) (ran bool) {
	if s == nil {
		f()
		return true
	}
	if s.crashes.Now() != nil {
		return false
	}
	if s.loop.Closing() {
		f()
		return true
	}
	if s.loop.Timing() {
		start := time.Now()
		defer func() { s.loop.Took(time.Since(start)) }()
	}
	defer s.crashes.Recover(&ran)
	f()
	return true
}

// SetCrashed records a crash that the host itself has recovered: until it is
// cleared with "" or clear_crash, calls are answered with the text, verbatim,
// also when the host stops polling. The same text again is the same crash. Any
// goroutine.
func (s *Server) SetCrashed(text string) {
	if s != nil {
		s.crashes.Set(text)
	}
}

// Crashed returns the text of the crash the game is in, verbatim. Any goroutine.
func (s *Server) Crashed() (text string, crashed bool) {
	if s == nil {
		return "", false
	}
	if c := s.crashes.Now(); c != nil {
		return c.Text(), true
	}
	return "", false
}
