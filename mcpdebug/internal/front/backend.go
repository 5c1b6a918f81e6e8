package front

import (
	"context"
	"log/slog"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/tools"
)

// Backend is what the front needs of the server behind it: the registry and a
// way to have one call answered. Any goroutine may call its methods, except
// where a method says otherwise.
type Backend interface {
	Registry() *tools.Registry
	// Ticket takes a place in the queue. The front calls it on arrival, in the
	// order in which requests came.
	Ticket() uint64
	// Call runs one tools/call through arrival gate, argument check, before
	// part, queue, frame gate, frame part and after part. It blocks until the
	// call is answered or ctx is done. Never nil.
	Call(ctx context.Context, c *CallInfo) *tools.Reply
	// CallInline is Call on the frame goroutine (Dispatch): the phases run
	// inline; the stalled and parked gates do not apply.
	CallInline(c *CallInfo) *tools.Reply
	// Status is lock-free.
	Status() Status
	// Catalog is the last published description of the world; nil: no world.
	Catalog() *ecs.Catalog
	// Logger is never nil.
	Logger() *slog.Logger
	// Closed is closed when the server is.
	Closed() <-chan struct{}
	// Connected adds delta to the number of connected sessions, so that the
	// watchdog knows whether anybody wants a fresh Catalog.
	Connected(delta int)
}

// CallInfo is one call on its way in.
type CallInfo struct {
	Request tools.Request
	Ticket  uint64
	// End, when set, ends the ctx that Call is given: the front has no use for it
	// after Call, which may end it when the call is answered.
	End context.CancelFunc
	// Tool, when set, is what runs instead of the registered tool of the
	// request's name: the tool behind a live resource.
	Tool *tools.Published
	// Session asks the client back; nil if it cannot be asked.
	Session    tools.Session
	OnProgress func(done, total float64, message string)
	OnLog      func(level slog.Level, logger string, data any)
}

// Status is a moment's view of the server.
type Status struct {
	State     string // starting, running, parked, crashed, stalled, closed
	Operation string // what is suspended while parked
	Crash     string // the stored traceback while crashed
	Frame     uint64 // Polls so far
	Waiting   int    // calls in the queue
}
