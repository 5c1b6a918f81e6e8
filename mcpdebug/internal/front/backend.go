package front

import (
	"context"
	"log/slog"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
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
	Call(ctx context.Context, c *loop.Arrival) *tools.Reply
	// CallInline is Call on the frame goroutine (Dispatch): the phases run
	// inline; the stalled and parked gates do not apply.
	CallInline(c *loop.Arrival) *tools.Reply
	// Status is lock-free.
	Status() loop.Status
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
