//go:build nomcpdebug

package mcpdebug

import (
	"errors"
	"log/slog"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Server does nothing in this build: there is no port, no goroutine, no tool.
// It has no Handler either, so that a build without the debug server links no
// HTTP: mount the handler in a file with the constraint !nomcpdebug.
type Server struct{}

// Listen returns a server that does nothing, and no error.
func Listen(string, *Options) (*Server, error) { return &Server{}, nil }

// ListenRecording refuses: this build has no server that could show a file.
func ListenRecording(string, string, *Options) (*Server, error) {
	return nil, errors.New("built with the tag nomcpdebug: there is no server that could show a recording")
}

// New returns a server that does nothing.
func New(*Options) *Server { return &Server{} }

// Bind does nothing.
func (s *Server) Bind(ecs.World, *host.App) {}

// Poll does nothing.
func (s *Server) Poll() bool { return false }

// PollParked does nothing.
func (s *Server) PollParked(string) bool { return false }

// Recording is always false.
func (s *Server) Recording() bool { return false }

// EndTick does nothing.
func (s *Server) EndTick() {}

// Guard runs f without recovery, as a nil server does.
func (s *Server) Guard(f func()) bool {
	f()
	return true
}

// GuardErr runs f without recovery.
func (s *Server) GuardErr(f func() error) error { return f() }

// SetCrashed does nothing.
func (s *Server) SetCrashed(string) {}

// Crashed is always false.
func (s *Server) Crashed() (string, bool) { return "", false }

// Register does nothing.
func (s *Server) Register(*tools.Tool) error { return nil }

// Tools is empty.
func (s *Server) Tools() []*tools.Tool { return nil }

// HasBuiltInTools is false.
func (s *Server) HasBuiltInTools() bool { return false }

// ResetSandbox does nothing.
func (s *Server) ResetSandbox() {}

// BindLogFile does nothing.
func (s *Server) BindLogFile(string) {}

// LogHandler returns next.
func (s *Server) LogHandler(next slog.Handler) slog.Handler {
	if next == nil {
		return slog.DiscardHandler
	}
	return next
}

// Dispatch answers nothing.
func (s *Server) Dispatch(string) string { return "" }

// DispatchText answers nothing.
func (s *Server) DispatchText(string) string { return "" }

// URL is empty.
func (s *Server) URL() string { return "" }

// Port is 0.
func (s *Server) Port() int { return 0 }

// Close does nothing.
func (s *Server) Close() error { return nil }
