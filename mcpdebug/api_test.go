package mcpdebug_test

import (
	"log/slog"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// server is the exported surface. It is compiled with and without the tag
// nomcpdebug: both builds offer it alike, but for Handler.
type server interface {
	Bind(ecs.World, *host.App)
	Poll() bool
	PollParked(operation string) bool
	EndTick()
	Guard(f func()) (ran bool)
	GuardErr(f func() error) error
	SetCrashed(text string)
	Crashed() (string, bool)
	Register(*tools.Tool) error
	Tools() []*tools.Tool
	HasBuiltInTools() bool
	ResetSandbox()
	BindLogFile(path string)
	LogHandler(next slog.Handler) slog.Handler
	Dispatch(text string) string
	URL() string
	Port() int
	Close() error
}

var (
	_ server                                                    = (*mcpdebug.Server)(nil)
	_ func(string, *mcpdebug.Options) (*mcpdebug.Server, error) = mcpdebug.Listen
	_ func(*mcpdebug.Options) *mcpdebug.Server                  = mcpdebug.New
)
