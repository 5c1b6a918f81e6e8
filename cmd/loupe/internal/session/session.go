package session

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/launch"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
	"github.com/loupe-ecs/loupe/internal/discovery"
)

// The states of a session that the game itself cannot tell.
const (
	Building    = "building"
	Launching   = "launching" // it runs and does not listen yet
	Running     = "running"
	Exited      = "exited"
	Unreachable = "unreachable" // it runs and does not answer
)

// Session is one game, over all its processes.
type Session struct {
	ID string

	t      *Table
	busy   sync.Mutex     // one start, stop or restart at a time
	output *launch.Output // nil: started by somebody else

	// Guarded by Table.mu.
	entry discovery.Entry // of the last process that listened
	spec  launch.Spec
	proc  *launch.Process
	exit  *launch.Exit // how the last process ended
	phase string
	exe   string
	conn  *wire.Conn // for the table's own calls
	takes int        // programs built so far
}

// Process identifies a process that listens: it changes when the game is
// started again.
type Process struct {
	PID   int
	URL   string
	Token bool
}

// Own reports whether the table has started it.
func (s *Session) Own() bool { return s.output != nil }

// Output is what an own session's programs printed; nil for others.
func (s *Session) Output() *launch.Output { return s.output }

// Process returns the process that listens now.
func (s *Session) Process() (Process, bool) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	return s.process()
}

func (s *Session) process() (Process, bool) {
	if s.phase != Running {
		return Process{}, false
	}
	return Process{PID: s.entry.PID, URL: s.entry.URL, Token: s.entry.Token}, true
}

// App is the game's own name.
func (s *Session) App() string {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	return s.app()
}

func (s *Session) app() string {
	if s.entry.App != "" {
		return s.entry.App
	}
	return s.spec.Name()
}

// call returns the connection for the table's own calls to the process of now.
func (s *Session) call() *wire.Conn {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if s.conn == nil {
		s.conn = wire.To(s.t.target(s.entry))
	}
	return s.conn
}

// hangUp forgets the connection to a process that is gone. Table.mu is held.
func (s *Session) hangUp() {
	if s.conn != nil {
		s.conn.Close()
		s.conn = nil
	}
}

// prepare makes the place of the next program. It keeps its name over all
// builds: games name their data directory after it.
func (s *Session) prepare() (exe string, err error) {
	s.t.mu.Lock()
	s.takes++
	n := s.takes
	s.t.mu.Unlock()
	dir, err := s.t.scratch(s.ID, n)
	return filepath.Join(dir, s.spec.Name()+exeSuffix), err
}

// dropBuild removes a program that no longer runs.
func dropBuild(exe string) {
	if exe != "" {
		os.RemoveAll(filepath.Dir(exe))
	}
}

// stopGrace is how long a game has to end by itself.
const stopGrace = 3 * time.Second
