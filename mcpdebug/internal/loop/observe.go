package loop

import (
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Observer looks at the world where something can have changed it: the recorder
// is one, the watches are one. All methods are called on the frame goroutine;
// they change nothing and take no longer than they must. The frame is the
// host's, world and app are the bound ones or nil.
type Observer interface {
	// EndTick: the host says that a tick has ended. Not every host does.
	EndTick(frame uint64, world ecs.World, app *host.App)
	// AtPoll: a Poll begins, no call of it has run. operation is what the host is
	// suspended in, "" while it runs.
	AtPoll(frame uint64, world ecs.World, app *host.App, operation string)
	// BeforeCall and AfterCall stand around the frame part of a call that runs on
	// the frame goroutine, nested ones too. One that asks to be run again
	// (tools.ErrLater) has several.
	BeforeCall(spec *tools.Spec, r *tools.Request)
	AfterCall(spec *tools.Spec, r *tools.Request, err error)
}

// Observers are told of ticks, Polls and calls. Frame goroutine.
type Observers struct {
	state  *state
	bound  *binding
	list   []Observer
	hushed bool // they are not told of calls
}

// Observe adds an observer or takes it away. The word's bit tells Poll and
// EndTick that there are any.
func (os *Observers) Observe(o Observer, on bool) {
	list := slices.DeleteFunc(slices.Clone(os.list), func(x Observer) bool { return x == o })
	if on {
		list = append(list, o)
	}
	os.list = list // a new slice: an observer may go while it is told
	if len(list) > 0 {
		os.state.word.Or(bitObserved)
	} else {
		os.state.word.And(^uint32(bitObserved))
	}
}

// EndTick tells observers that a tick of the simulation has ended. Without any
// it costs one atomic load.
func (os *Observers) EndTick() {
	if os.state.word.Load()&bitObserved == 0 {
		return
	}
	for _, o := range os.list {
		o.EndTick(os.state.Frame(), os.bound.world, os.bound.app)
	}
}

func (os *Observers) atPoll(frame uint64, operation string) {
	for _, o := range os.list {
		o.AtPoll(frame, os.bound.world, os.bound.app, operation)
	}
}

// hush keeps the calls within another tool to itself, until it is taken back.
func (os *Observers) hush(on bool) { os.hushed = on }

func (os *Observers) beforeCall(spec *tools.Spec, r *tools.Request) {
	if os.hushed {
		return
	}
	for _, o := range os.list {
		o.BeforeCall(spec, r)
	}
}

func (os *Observers) afterCall(spec *tools.Spec, r *tools.Request, err error) {
	if os.hushed {
		return
	}
	for _, o := range os.list {
		o.AfterCall(spec, r, err)
	}
}
