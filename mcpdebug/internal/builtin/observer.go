package builtin

import (
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/tools"
)

// Observer looks at the world where something can have changed it: the recorder
// is one, the watches are one. All methods are called on the frame goroutine;
// they change nothing and take no longer than they must. The frame is the
// host's, world and app are the bound ones or nil.
type Observer interface {
	// EndTick: the host says that a tick has ended. Not every host does.
	EndTick(frame uint64, world ecs.World, app *tools.App)
	// AtPoll: a Poll begins, no call of it has run. operation is what the host is
	// suspended in, "" while it runs.
	AtPoll(frame uint64, world ecs.World, app *tools.App, operation string)
	// BeforeCall and AfterCall stand around the frame part of a call that runs on
	// the frame goroutine, nested ones too. One that asks to be run again
	// (tools.ErrLater) has several.
	BeforeCall(spec *tools.Spec, r *tools.Request)
	AfterCall(spec *tools.Spec, r *tools.Request, err error)
}

// observerHost is what recording and watching need of the server.
type observerHost interface {
	// Observe adds an observer, or takes it away. Frame goroutine.
	Observe(o Observer, on bool)
}
