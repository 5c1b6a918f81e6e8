//go:build !nomcpdebug

package mcpdebug

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
)

// Guard runs a part of the game so that a panic in it becomes a state: the
// panic is recovered and recorded, and until it is cleared Guard skips what it
// is given, so that the loop goes on drawing and polling. It reports whether f
// ran to its end.
//
// The panic and its stack are logged to Options.Logger; without one they are
// printed on standard error, once, with the address at which the game can be
// looked at. Draw outside of Guard, so that the picture stays.
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
	if s.loop.Speed.Timing() {
		start := time.Now()
		defer func() { s.loop.Speed.Took(time.Since(start)) }()
	}
	defer s.crashes.Recover(&ran)
	f()
	return true
}

// GuardErr is Guard for loops whose update returns an error. What f returns is
// returned; a panic is recorded and gives nil, and so does an update that is
// skipped, because the loop is to go on. Frame goroutine.
func (s *Server) GuardErr(f func() error) (err error) {
	s.Guard(func() { err = f() })
	return err
}

// stderr is where a recovered panic is printed; tests look at it.
var stderr io.Writer = os.Stderr

// printCrash does what the runtime would have done: a game that merely stands
// still tells nobody why.
func (s *Server) printCrash(c *crashes.Crash) {
	where := s.URL()
	if where == "" {
		where = "the debug server"
	}
	fmt.Fprintf(stderr, "%s\nThe panic was recovered by the debug server's Guard: the game's update is skipped from now on, its loop goes on.\nLook at it at %s (crash_report); clear_crash resumes it.\n", c.Wire(), where)
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
