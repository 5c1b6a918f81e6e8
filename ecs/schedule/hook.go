package schedule

import "runtime/pprof"

// Hook is called at every boundary between systems: done has just run, next is
// about to. The first boundary of a Run has no done, the last no next: what
// changed between the last boundary of one Run and the first of the next was
// changed outside the systems. A system that panics has no boundary after it. A
// Hook runs on the frame goroutine.
//
// It tells whether it took long: then the clock is read once more, so that its
// time is no system's. A hook of a few nanoseconds is cheaper than that.
type Hook func(done, next string) (long bool)

// Observe has hook called from the next Run on; nil ends it. It returns the
// hook that was there, for whoever puts it back. Without one a Run costs what it
// did before there were hooks. Frame goroutine, not from within a system.
func (s *Schedule) Observe(hook Hook) (before Hook) {
	before, s.hook = s.hook, hook
	return before
}

// Rehearse says whether the runs that follow count: the times, numbers of runs
// and frames of a rehearsal, in which ticks are run only to be looked at and
// then undone, are not kept, and a system that panicked in one is forgotten when
// it ends. Frame goroutine.
func (s *Schedule) Rehearse(on bool) {
	s.rehearsal = on
	s.current.Store(nil)
}

// look calls the hook under the labels of no system.
func (s *Schedule) look(done, next string) (long bool) {
	pprof.SetGoroutineLabels(s.idle)
	return s.hook(done, next)
}

// runWatched is runPhase with somebody who looks between the systems.
func (s *Schedule) runWatched(p *phase, done string, start int64) (last string, end int64) {
	for _, sys := range p.systems {
		if !sys.enabled {
			continue
		}
		if s.hook != nil && s.look(done, sys.name) {
			start = s.now()
		}
		start = s.runSystem(sys, start)
		done = sys.name
	}
	return done, start
}
