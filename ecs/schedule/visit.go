package schedule

import "github.com/loupe-ecs/loupe/ecs/value"

// At tells which entity the running system is at, so that the report of a crash
// or of a hang can name it: a system calls it first in the body of its loop.
//
//	for query.Next() {
//		s.At(entityOf(query.Entity()))
//		...
//	}
//
// It costs an atomic store, about five nanoseconds. Asking the engine's query
// when a panic comes would be free and lost: no engine tells which queries are
// open, and a hang is looked at from another goroutine. Outside systems it does
// nothing. Frame goroutine.
func (s *Schedule) At(e value.Entity) {
	if sys := s.current.Load(); sys != nil {
		sys.at.Store(uint64(e.ID)<<32 | uint64(e.Gen))
	}
}

// Visiting is the entity that the running system, or the one that panicked, has
// told to be at last; false if it has told none. Any goroutine.
func (s *Schedule) Visiting() (e value.Entity, ok bool) {
	sys := s.current.Load()
	if sys == nil {
		return e, false
	}
	at := sys.at.Load()
	return value.Entity{ID: uint32(at >> 32), Gen: uint32(at)}, at != 0
}

// arrive forgets where an earlier run of the system was.
func (sys *system) arrive() {
	if sys.at.Load() != 0 {
		sys.at.Store(0)
	}
}
