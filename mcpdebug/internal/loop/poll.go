package loop

import "time"

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
			l.log.Info("an operation begins", "operation", operation, "tick", l.bound.tick(), "frame", l.frame.Load())
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
		if p := l.park.Swap(nil); p != nil {
			l.log.Info("the operation has ended", "operation", p.operation, "tick", l.bound.tick(), "frame", l.frame.Load())
		}
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
		l.Observers.atPoll(frame, operation)
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
