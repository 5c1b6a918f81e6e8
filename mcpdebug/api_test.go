package mcpdebug_test

import (
	"log/slog"
	"net/http"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools"
)

// server is the exported surface. It is compiled with and without the tag
// nomcpdebug: both builds offer it alike.
type server interface {
	Bind(ecs.World, *tools.App)
	Poll() bool
	PollParked(operation string) bool
	Guard(f func()) (ran bool)
	SetCrashed(text string)
	Crashed() (string, bool)
	Register(*tools.Tool) error
	Tools() []*tools.Tool
	HasBuiltInTools() bool
	ResetSandbox()
	BindLogFile(path string)
	LogHandler(next slog.Handler) slog.Handler
	Dispatch(text string) string
	Handler() http.Handler
	URL() string
	Port() int
	Close() error
}

var (
	_ server                                                    = (*mcpdebug.Server)(nil)
	_ func(string, *mcpdebug.Options) (*mcpdebug.Server, error) = mcpdebug.Listen
	_ func(*mcpdebug.Options) *mcpdebug.Server                  = mcpdebug.New
)
