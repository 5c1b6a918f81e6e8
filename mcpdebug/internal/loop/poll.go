package loop

import (
	"slices"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/tools"
)

// Poll is the server's turn in a frame: at most one queued call is answered,
// and it reports whether one was. With nobody there it costs one atomic
// addition and one atomic load. Frame goroutine.
func (l *Loop) Poll() bool {
	l.frame.Add(1)
	w := l.word.Load()
	if w == 0 {
		return false
	}
	return l.poll(w, "")
}

// PollParked is Poll while an operation is suspended midway. The next Poll ends
// it. Frame goroutine.
func (l *Loop) PollParked(operation string) bool {
	l.frame.Add(1)
	if p := l.park.Load(); p == nil || p.operation != operation {
		l.park.Store(&parking{operation: operation, since: time.Now()})
		l.word.Or(bitParked)
		if p == nil {
			l.log.Debug("parked", "operation", operation, "frame", l.frame.Load())
		}
	}
	w := l.word.Load() &^ bitParked
	if w == 0 {
		return false
	}
	return l.poll(w, operation)
}

func (l *Loop) poll(w uint32, operation string) bool {
	if w&bitParked != 0 {
		l.word.And(^uint32(bitParked))
		l.park.Store(nil)
	}
	if w&bitStalled != 0 {
		l.word.And(^uint32(bitStalled))
		l.stall.Store(nil)
	}
	if l.closing.Load() {
		l.word.And(^uint32(bitRefresh | bitWork))
		return false
	}
	frame := l.frame.Load()
	if w&bitObserved != 0 {
		for _, o := range l.observers {
			o.AtPoll(frame, l.bound.world, l.bound.app, operation)
		}
	}
	if w&bitRefresh != 0 {
		l.word.And(^uint32(bitRefresh))
		l.bound.refresh(frame)
	}
	if w&bitWork == 0 {
		return false
	}
	for {
		c := l.queue.take(frame)
		if c == nil {
			return false
		}
		if c.runInPoll(frame) {
			return true
		}
		l.queue.putBack(c)
	}
}

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

// Observe adds an observer or takes it away. The word's bit tells Poll and
// EndTick that there are any. Frame goroutine.
func (l *Loop) Observe(o Observer, on bool) {
	list := slices.DeleteFunc(slices.Clone(l.observers), func(x Observer) bool { return x == o })
	if on {
		list = append(list, o)
	}
	l.observers = list // a new slice: an observer may go while it is told
	if len(list) > 0 {
		l.word.Or(bitObserved)
	} else {
		l.word.And(^uint32(bitObserved))
	}
}

// EndTick tells observers that a tick of the simulation has ended. Without any
// it costs one atomic load. Frame goroutine.
func (l *Loop) EndTick() {
	if l.word.Load()&bitObserved == 0 {
		return
	}
	for _, o := range l.observers {
		o.EndTick(l.frame.Load(), l.bound.world, l.bound.app)
	}
}
